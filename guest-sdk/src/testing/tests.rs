//! What the fake host promises, and with it the builders and the facts.

use super::*;
use crate::AttributeValue;
use crate::prelude::*;
use std::borrow::Cow;

/// Lets in whoever the host can verify, with a seat held meanwhile; else the second option.
struct Verified;

fn question(request: &Request) -> Question {
    Question::new("verify").secret(request.name())
}

impl Policy for Verified {
    fn on_connect_request(request: &Request, facts: &Facts) -> Decided {
        let answer = facts.get(question(request))?;
        let body = answer
            .found()
            .ok_or(Reason::new("unknown", "Who are you?"))?;
        log::info(format_args!("{} is known", request.name()));
        Verdict::accept()
            .claim(Claim::on(Key::new("class").part("first")).at_most(1))
            .config(body)
            .or(Admission::new().claim(Claim::on(Key::new("class").part("second")).at_most(2)))
            .command(Command::put("seen", request.name(), Some(clock::now_ms())))
            .into()
    }
}

#[test]
fn a_missing_fact_asks_and_a_found_one_goes_on() {
    let request = request().name("R9").build();
    let host = host();
    let Outcome::Asks(inquiry) = host.outcome::<Verified>(&request) else {
        panic!("the first pass must ask");
    };
    assert_eq!(inquiry.questions, [question(&request)]);

    let facts = Facts::none().with(question(&request), Answer::of("hello"));
    let admission = host.outcome_with::<Verified>(&request, &facts).accepted();
    assert_eq!(admission.config, b"hello");

    let facts = Facts::none().with(question(&request), Answer::Missing);
    assert_eq!(
        host.outcome_with::<Verified>(&request, &facts).code(),
        Some("unknown")
    );
}

#[test]
fn options_are_tried_in_order_and_the_first_full_one_names_the_reason() {
    let request = request().name("R9").build();
    let facts = Facts::none().with(question(&request), Answer::of(""));
    let first = Key::new("class").part("first");
    let second = Key::new("class").part("second");

    let one = host()
        .taken(first.clone(), 1)
        .outcome_with::<Verified>(&request, &facts);
    assert_eq!(one.accepted().claims[0].key, second);
    let none = host()
        .taken(first, 1)
        .taken(second, 2)
        .outcome_with::<Verified>(&request, &facts);
    assert_eq!(none.code(), Some("full"));
}

#[test]
fn the_host_claims_server_for_itself() {
    struct Anyone;
    impl Policy for Anyone {
        fn on_connect_request(_: &Request, _: &Facts) -> Decided {
            Verdict::pass().into()
        }
    }
    let request = request().max_players(2).build();
    let outcome = |taken| {
        host()
            .taken(Key::server(), taken)
            .outcome::<Anyone>(&request)
    };
    assert!(matches!(outcome(1), Outcome::Passed(_)));
    assert_eq!(outcome(2).code(), Some("server-full"));
}

#[test]
fn imports_answer_what_the_test_said_and_only_while_it_runs() {
    let host = host()
        .taken(Key::slot(), 3)
        .param("lane", "main")
        .now_ms(99)
        .seed(7);
    let (seen, lines) = host.run_logged(|| {
        log::warn("so it goes");
        (
            ledger::taken(&Key::slot()),
            params::get("lane"),
            clock::now_ms(),
            random::u64(),
        )
    });
    assert_eq!((seen.0, seen.1.as_deref(), seen.2), (3, Some("main"), 99));
    assert_eq!(lines, [(Level::Warn, "so it goes".to_owned())]);
    assert_eq!(host.run(random::u64), seen.3, "a seed repeats");
    assert_eq!(ledger::taken(&Key::slot()), 0);
}

#[test]
fn a_bucket_finds_text_exactly_and_addresses_by_network() {
    let host = host()
        .listed("bans", "R9", "cheats")
        .listed("bans", "192.0.2.0/24", "all of them")
        .listed("bans", "192.0.2.9", "him")
        .bucket("allow");
    host.run(|| {
        assert_eq!(bucket::get("bans", " R9").as_deref(), Some("cheats"));
        assert_eq!(bucket::get("bans", "r9"), None);
        assert_eq!(bucket::get("allow", "R9"), None);
        assert_eq!(bucket::get("bans", "192.0.2.9"), None);
        let matches = |address: &str| {
            let address = address.parse().expect("an address");
            bucket::matches_address("bans", address)
        };
        assert_eq!(matches("192.0.2.1").as_deref(), Some("all of them"));
        assert_eq!(matches("::ffff:192.0.2.9").as_deref(), Some("him"));
        assert_eq!((matches("192.0.3.1"), matches("2001:db8::1")), (None, None));
    });
}

#[test]
#[should_panic(expected = "looks into the bucket \"ban\", which there is not")]
fn a_bucket_that_the_test_did_not_give_is_said_loudly() {
    let host = host().bucket("bans");
    host.run(|| bucket::get("ban", "R9"));
}

#[test]
fn an_inquiry_asks_only_for_what_is_not_answered() {
    let (a, b) = (Question::new("a"), Question::new("b"));
    let seat = Claim::on(Key::slot()).at_most(4);
    let inquiry = || Verdict::ask(a.clone()).and(b.clone()).hold(seat.clone());

    let some = Facts::none().with(b.clone(), Answer::Missing);
    let asked = some.all(inquiry()).expect_err("a is missing");
    assert_eq!(asked, Verdict::ask(a.clone()).hold(seat.clone()).into());

    let all = some.with(a.clone(), Answer::of("1"));
    assert_eq!(
        all.all(inquiry()),
        Ok(vec![&Answer::of("1"), &Answer::Missing])
    );
}

#[test]
fn a_peer_goes_by_its_name_and_by_short_text_in_its_payload() {
    let known = |request: RequestBuilder| -> Vec<String> {
        request.build().known_as().map(Cow::into_owned).collect()
    };
    let nameless = || request().with(|it| it.name = None);
    assert_eq!(known(request().name("R9")), ["R9"]);
    assert_eq!(known(request().name("R9").payload(" D2 ")), ["R9", "D2"]);
    assert_eq!(known(nameless().payload("x".repeat(64))), ["x".repeat(64)]);
    for opaque in [&b""[..], b" ", b"a\nb", b"\xff", &[b'x'; 65]] {
        assert!(known(nameless().payload(opaque)).is_empty(), "{opaque:?}");
    }
    let identity = AttributeValue::Text("R9".into());
    let seated = nameless().attribute("session.identity", identity);
    assert_eq!(known(seated), ["R9"]);

    let ticket = |name: &str| {
        let names = format!(r#""playerId":"anon:ada","displayName":"{name}""#);
        format!(r#"{{"v":1,"kind":"lan","protocolVersion":3,{names}}}"#)
    };
    let joins = nameless().payload(ticket(" Mal\\u200blory "));
    assert_eq!(known(joins), ["anon:ada", "Mallory"]);
    assert_eq!(known(nameless().payload(ticket(""))), ["anon:ada"]);
    // What is not a ticket to the letter is none.
    assert!(known(nameless().payload(ticket("") + "x")).is_empty());
}

#[test]
fn debug_shows_no_secret() {
    let request = request()
        .password("hunter2")
        .payload("hunter2")
        .arg("hunter2")
        .build();
    let question = Question::new("verify").secret("hunter2");
    let shown = format!("{request:?} {question:?}");
    assert!(!shown.contains("hunter2"), "{shown}");
    // The payload as bytes.
    assert!(!shown.contains("104, 117"), "{shown}");
}
