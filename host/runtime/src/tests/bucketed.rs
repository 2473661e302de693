//! Policies that look into buckets.

use super::bench::{Bench, DEADLINE, module_file, settings};
use crate::*;
use std::num::NonZeroUsize;
use std::sync::Arc;
use usher_core::*;

fn bans(entries: &[&str]) -> Buckets {
    let mut bucket = Bucket::default();
    for entry in entries {
        bucket.insert(Entry::parse(entry).expect("an entry"), "cheats".into());
    }
    Buckets::default().with(&"bans".into(), bucket.into())
}

fn denylist(live: &LiveBuckets, params: &[(&str, &str)]) -> Bench {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let settings = SlotSettings {
        params: params.iter().map(owned).collect(),
        ..settings()
    };
    Bench::listing(live.clone(), "denylist", settings)
}

/// What is told to who is refused; `None` for who passes.
fn refusal(answer: Answer) -> Option<String> {
    match answer.result.map(|verdict| verdict.decision) {
        Ok(Decision::Pass(_)) => None,
        Ok(Decision::Reject(reason)) => Some(reason.text.to_string()),
        other => panic!("neither: {other:?}"),
    }
}

#[test]
fn a_policy_looks_names_and_addresses_up() {
    let live = LiveBuckets::default();
    live.replace(bans(&["R9", "198.51.100.0/24"]));
    let bench = denylist(&live, &[("tell-note", "true")]);
    let banned = Some("You are banned from this server: cheats".to_owned());
    assert_eq!(refusal(bench.answer("R9")), banned);
    assert_eq!(refusal(bench.answer("D2")), None);
    let from = |address: &str| {
        let mut ask = bench.ask("D2");
        let peer = address.parse().expect("an address");
        ask.request = Arc::new(RequestData {
            peer,
            ..sample::request("D2")
        });
        refusal(bench.answer_to(ask))
    };
    assert_eq!(from("198.51.100.255:7"), banned);
    assert_eq!(from("198.51.101.0:7"), None);
    assert_eq!(from("[2001:db8::1]:7"), None);
}

#[test]
fn a_decision_keeps_the_buckets_that_it_began_with() {
    let live = LiveBuckets::default();
    live.replace(bans(&[]));
    let bench = denylist(&live, &[]);
    let begun = bench.ask("R9");
    live.replace(bans(&["R9"]));
    assert_eq!(refusal(bench.answer_to(begun)), None);
    assert!(refusal(bench.answer("R9")).is_some());
}

#[test]
fn a_bucket_that_is_not_configured_keeps_the_module_out() {
    let slot = SlotConfig {
        name: "p".into(),
        source: Source::File(module_file("denylist")),
        settings: settings(),
    };
    let bench = Bench::of("open");
    let failure = Policies::start(
        super::bench::engine(),
        vec![slot],
        TakenView::default(),
        LiveBuckets::default(),
        NonZeroUsize::MIN,
        bench.clock.clock(),
        drop,
    );
    let said = failure.err().expect("refused").to_string();
    let says = "p: fails its self-test: looks into the bucket \"bans\", which the configuration does \
                not have: correct the name, or add [[bucket]] with name = \"bans\" and file = \
                \"bans.txt\"";
    assert!(said.starts_with(says), "{said}");
}

#[test]
fn a_bucket_that_is_gone_is_a_fault_of_the_call_and_lets_nobody_in() {
    let live = LiveBuckets::default();
    live.replace(bans(&[]));
    let bench = denylist(&live, &[]);
    live.replace(Buckets::default());
    let fault = bench.fault("R9");
    assert_eq!(fault.kind, FaultKind::BadAnswer);
    let says = "looks into the bucket \"bans\", which";
    assert!(fault.message.starts_with(says), "{}", fault.message);
    live.replace(bans(&[]));
    assert_eq!(refusal(bench.answer("R9")), None, "the next call is well");
}

#[test]
fn params_that_name_no_bucket_are_found_out_before_they_are_in_force() {
    let live = LiveBuckets::default();
    live.replace(bans(&[]));
    let bench = denylist(&live, &[]);
    let params = |bucket: &str| Params::from([("bucket".to_owned(), bucket.to_owned())]);
    assert_eq!(bench.policies.try_params("p", &params("bans")), Ok(()));
    let fault = bench.policies.try_params("p", &params("ban"));
    let message = fault.expect_err("no such bucket").message;
    assert!(message.contains("\"ban\""), "{message}");
}

#[test]
fn a_module_can_be_checked_without_a_configuration() {
    let source = Source::File(module_file("denylist"));
    let found = inspect_source(&super::bench::engine(), &source).expect("a good module");
    assert_eq!(found.sample, "pass with 0 claims");
    let imports = found.imports.iter();
    let buckets = imports.filter(|import| import.starts_with("usher:policy/bucket"));
    assert_eq!(buckets.count(), 1);
}

/// A list of a hundred thousand is looked into within a call's time, by far.
#[test]
fn a_long_list_is_no_burden_on_a_call() {
    let mut long = Bucket::default();
    for number in 0..100_000_u32 {
        let name = Entry::Text(format!("player-{number}").into());
        long.insert(name, "".into());
    }
    let live = LiveBuckets::default();
    live.replace(Buckets::default().with(&"bans".into(), long.into()));
    let bench = denylist(&live, &[]);
    assert!(refusal(bench.answer("player-99999")).is_some());
    let answer = bench.answer("R9");
    assert!(u128::from(answer.micros) < DEADLINE.as_micros());
    assert_eq!(refusal(answer), None);
}
