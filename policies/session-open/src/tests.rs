//! The rule against a host that fits in a test.

use super::*;
use usher_sdk::fleet::{claim_session, question};
use usher_sdk::testing::{self, Host, Outcome, RequestBuilder};
use usher_sdk::{Admission, Decision};

const RESERVATION: &str = r#"{"v":1,"kind":"reservation","protocolVersion":3,"playerId":"ann","reservationId":"rsv-1","displayName":"Ann\u0007"}"#;
const MATCH: &str = r#"{"v":1,"kind":"match","protocolVersion":3,"playerId":"ann","ticketId":"t1","allocationId":"m1"}"#;

fn hosted(payload: &str) -> RequestBuilder {
    testing::request().mode(Mode::Hosted).payload(payload)
}

fn current(answer: impl Into<Answer>) -> Facts {
    Facts::none().with(question::allocation(), answer)
}

/// Where sessions are claimed, on an idle game server, and that was done.
fn after_claim(answer: impl Into<Answer>) -> Outcome {
    let facts = current(testing::idle()).with(claim_session(), answer);
    claiming().outcome_with::<SessionOpen>(&hosted(RESERVATION).build(), &facts)
}

fn claiming() -> Host {
    testing::host().param("claim-sessions", "true")
}

fn outcome(request: RequestBuilder, facts: &Facts) -> Outcome {
    testing::host().outcome_with::<SessionOpen>(&request.build(), facts)
}

fn code(outcome: &Outcome) -> &str {
    outcome.code().expect("refused")
}

#[test]
fn on_a_fleet_a_session_is_open_while_one_is_current() {
    let asked = Verdict::ask(question::allocation());
    assert_eq!(outcome(hosted(MATCH), &Facts::none()), Outcome::Asks(asked));
    for ticket in [RESERVATION, MATCH] {
        outcome(hosted(ticket), &current(testing::allocation("m1"))).accepted();
        let idle = outcome(hosted(ticket), &current(testing::idle()));
        assert_eq!(code(&idle), "not_in_session");
        let down = outcome(
            hosted(ticket),
            &current(testing::unavailable("unreachable")),
        );
        assert_eq!(code(&down), "refused_by_game");
    }
}

#[test]
fn elsewhere_a_session_is_open_and_nothing_is_asked() {
    for mode in [
        Mode::SelfHosted,
        Mode::ListenOnline,
        Mode::ListenLan,
        Mode::None,
    ] {
        let request = testing::request().mode(mode).payload(RESERVATION);
        let verdict = claiming().decide::<SessionOpen>(&request.build());
        let Decision::Accept(acceptance) = verdict.decision else {
            panic!("not accepted");
        };
        assert_eq!(acceptance.then, None);
    }
}

#[test]
fn a_closed_room_is_no_session_whatever_the_mode() {
    for mode in Mode::ALL {
        let running = Reason::new("game-started", "Round 3 is on");
        let request = testing::request().mode(mode).payload(MATCH).closed(running);
        let facts = current(testing::allocation("m1"));
        assert_eq!(code(&outcome(request, &facts)), "not_in_session");
    }
}

#[test]
fn the_last_seat_is_given_once() {
    let seated = |players| {
        let host = testing::host().taken(Key::server(), players);
        let request = hosted(MATCH).max_players(4).build();
        host.outcome_with::<SessionOpen>(&request, &current(testing::allocation("m1")))
    };
    seated(3).accepted();
    assert_eq!(code(&seated(4)), "server_full");
}

#[test]
fn who_joins_is_who_the_ticket_says() {
    let session = || current(testing::allocation("m1"));
    let names = |admission: Admission| {
        assert!(!admission.identity_proven);
        (admission.identity, admission.display_name)
    };
    let ann = names(outcome(hosted(RESERVATION), &session()).accepted());
    assert_eq!(ann, (Some("ann".into()), Some("Ann".into())));
    let nameless = names(outcome(hosted(MATCH), &session()).accepted());
    assert_eq!(nameless, (Some("ann".into()), None));
    let opaque = names(outcome(hosted("no ticket"), &session()).accepted());
    assert_eq!(opaque, (None, None));
}

#[test]
fn on_an_idle_server_a_session_is_claimed_for_a_reservation() {
    let then = |host: &Host, ticket: &str, facts: &Facts| {
        let request = hosted(ticket).build();
        match host.decide_with::<SessionOpen>(&request, facts).decision {
            Decision::Accept(acceptance) => {
                assert_eq!(acceptance.options[0].claims[0].key, Key::server());
                Ok(acceptance.then)
            }
            Decision::Reject(reason) => Err(reason.code),
            other => panic!("neither: {other:?}"),
        }
    };
    let idle = current(testing::idle());
    let session = current(testing::allocation("m1"));
    let none = Err("not_in_session".to_owned());
    assert_eq!(
        then(&claiming(), RESERVATION, &idle),
        Ok(Some(claim_session()))
    );
    assert_eq!(then(&claiming(), RESERVATION, &session), Ok(None));
    assert_eq!(then(&claiming(), MATCH, &idle), none);
    assert_eq!(then(&claiming(), "no ticket", &idle), none);
    assert_eq!(then(&testing::host(), RESERVATION, &idle), none);
    let never = testing::host().param("claim-sessions", "false");
    assert_eq!(then(&never, RESERVATION, &idle), none);
}

#[test]
fn a_claim_lets_in_or_is_refused_by_the_game() {
    after_claim(testing::session_claimed()).accepted();
    after_claim(testing::allocation("m1").came_first()).accepted();
    for failed in [
        testing::unavailable("hold-back"),
        Answer::Missing,
        Answer::of("?"),
    ] {
        assert_eq!(code(&after_claim(failed)), "refused_by_game");
    }
}

/// The host compares: what was held before the claim must be claimed after it too, or it is given back.
#[test]
fn the_same_seat_is_claimed_before_a_session_and_after() {
    let option = |facts: &Facts| {
        let verdict = claiming().decide_with::<SessionOpen>(&hosted(RESERVATION).build(), facts);
        match verdict.decision {
            Decision::Accept(acceptance) => acceptance.options,
            other => panic!("not accepted: {other:?}"),
        }
    };
    let before = current(testing::idle());
    let after = before
        .clone()
        .with(claim_session(), testing::session_claimed());
    assert_eq!(option(&before), option(&after));
}

#[test]
fn who_plays_is_left_alone() {
    let closed = Reason::new("game-started", "Round 3 is on");
    let request = hosted("").why(Why::Recheck).closed(closed).build();
    let verdict = testing::host().decide::<SessionOpen>(&request);
    assert_eq!(verdict, Verdict::pass().into());
}

#[test]
#[should_panic(expected = "param `claim-sessions` must be true or false: \"yes\"")]
fn a_mistake_shows_whoever_comes() {
    let host = testing::host().param("claim-sessions", "yes");
    host.outcome::<SessionOpen>(&testing::request().build());
}
