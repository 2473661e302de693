//! A stand-in misbehaves as it is told, and no more.

mod wire;

use serde_json::json;
use std::io::{ErrorKind, Read};
use std::time::{Duration, Instant};
use usher_stand_ins::{FakeSdk, Fault, Hold, What};
use wire::{Watch, ask, open, state};

const GAME_SERVER: &str = "/gameserver";

#[test]
fn an_answer_may_be_delayed_or_late() {
    let sdk = FakeSdk::start();
    let pause = Duration::from_millis(150);
    sdk.fault(Fault::at("/ready", What::Delay(pause)).once());
    sdk.fault(Fault::at("/shutdown", What::Late(pause)).once());
    for (path, done_meanwhile) in [("/ready", false), ("/shutdown", true)] {
        let begin = Instant::now();
        let before = sdk.shown_state();
        let stream = open(sdk.address(), "POST", path, "", "").expect("it listens");
        sdk.calls().wait_for(1, "POST", path);
        if done_meanwhile {
            let end = begin + Duration::from_secs(20);
            while sdk.shown_state() == before {
                assert!(Instant::now() < end, "it is done");
            }
        }
        let mut text = String::new();
        let mut stream = stream;
        stream.read_to_string(&mut text).expect("it answers");
        assert!(begin.elapsed() >= pause, "{path} is answered late");
        assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
        assert_ne!(sdk.shown_state(), before);
    }
}

#[test]
fn calls_of_one_path_may_wait_for_each_other() {
    let sdk = FakeSdk::start();
    sdk.fault(Fault::at("/v1beta1/counters", What::Gather(2)));
    let at = sdk.address();
    for _ in 0..3 {
        let call = |name: &'static str| {
            std::thread::spawn(move || ask(at, "GET", name, "").expect("it answers").status)
        };
        let first = call("/v1beta1/counters/a");
        let other = call("/v1beta1/counters/b");
        sdk.calls().wait_for(2, "GET", "/v1beta1/counters");
        assert!(!first.is_finished() && !other.is_finished());
        assert_eq!(call("/v1beta1/counters/a").join().expect("it ends"), 404);
        assert_eq!(call("/v1beta1/counters/b").join().expect("it ends"), 404);
        assert_eq!(first.join().expect("it ends"), 404);
        assert_eq!(other.join().expect("it ends"), 404);
        sdk.calls().clear();
    }
}

#[test]
fn a_call_may_stay_without_an_answer_whether_it_is_done_or_not() {
    let sdk = FakeSdk::start();
    sdk.fault(Fault::at("/ready", What::Silence));
    sdk.fault(Fault::at("/shutdown", What::Mute));
    for (path, shown) in [("/ready", "Scheduled"), ("/shutdown", "Shutdown")] {
        let mut stream = open(sdk.address(), "POST", path, "", "").expect("it listens");
        let timeout = Some(Duration::from_millis(150));
        stream.set_read_timeout(timeout).expect("a socket can");
        let error = stream.read(&mut [0]).expect_err("nothing is said");
        assert!(
            matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
            "{error}"
        );
        assert_eq!(sdk.shown_state(), shown);
    }
}

#[test]
fn a_connection_may_be_closed_whether_the_call_is_done_or_not() {
    let sdk = FakeSdk::start();
    sdk.fault(Fault::at("/ready", What::Close));
    sdk.fault(Fault::at("/shutdown", What::Lose));
    for (path, shown) in [("/ready", "Scheduled"), ("/shutdown", "Shutdown")] {
        assert!(ask(sdk.address(), "POST", path, "").is_err());
        assert_eq!(sdk.shown_state(), shown);
    }
}

#[test]
fn an_answer_may_be_wrong_endless_slow_or_cut_off() {
    let sdk = FakeSdk::start();
    let get = || ask(sdk.address(), "GET", GAME_SERVER, "");
    sdk.fault(Fault::at(GAME_SERVER, What::page(404)).once());
    let page = get().expect("it answers");
    assert_eq!(
        (page.status, page.header("content-type")),
        (404, Some("text/html"))
    );
    sdk.fault(Fault::at(GAME_SERVER, What::json(418, "{\"no\"")).once());
    let wrong = get().expect("it answers");
    assert_eq!((wrong.status, wrong.body.as_str()), (418, "{\"no\""));
    sdk.fault(Fault::at(GAME_SERVER, What::Flood(5 << 20)).once());
    assert_eq!(get().expect("it answers").body.len(), 5 << 20);
    sdk.fault(Fault::at(GAME_SERVER, What::Drip(Duration::from_micros(100))).once());
    assert_eq!(get().expect("it answers").json(), sdk.view());
    sdk.fault(Fault::at(GAME_SERVER, What::Cut(20)).once());
    let part = get().expect("a part of it comes");
    assert_eq!(part.body.len(), 20);
    assert!(part.header("content-length").is_some_and(|it| it != "20"));
    assert_eq!(get().expect("it answers").json(), sdk.view());
}

#[test]
fn a_fault_spares_other_methods_those_before_it_and_those_after_it() {
    let sdk = FakeSdk::start();
    let fault = Fault::at("/v1beta1", What::json(503, "{}"));
    sdk.fault(fault.method("GET").skip(1).times(2));
    let status = |method| {
        let answer = ask(sdk.address(), method, "/v1beta1/counters/x", "{}");
        answer.expect("it answers").status
    };
    let told = ["GET", "PATCH", "GET", "PATCH", "GET", "GET"].map(status);
    assert_eq!(told, [404, 200, 503, 200, 503, 200]);
    sdk.fault(Fault::at("", What::json(503, "{}")));
    assert_eq!(status("GET"), 503);
    sdk.clear_faults();
    assert_eq!(status("GET"), 200);
}

#[test]
fn who_watches_stays_when_the_listener_has_gone_and_it_comes_back_on_its_port() {
    let sdk = FakeSdk::start();
    let mut watch = Watch::open(sdk.address());
    watch.view();
    for _ in 0..5 {
        sdk.gone();
        let refused = ask(sdk.address(), "GET", GAME_SERVER, "").expect_err("nobody listens");
        assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
        sdk.shut_down();
        assert_eq!(state(&watch.view()), "Shutdown");
        sdk.back();
        sdk.undo_shut_down();
        watch.view();
        assert_eq!(
            ask(sdk.address(), "GET", GAME_SERVER, "")
                .expect("it is back")
                .status,
            200
        );
    }
}

#[test]
fn one_that_dies_takes_its_connections_along_and_keeps_what_it_holds() {
    let sdk = FakeSdk::start();
    sdk.hold(Hold::open("r-1", 1));
    let mut watch = Watch::open(sdk.address());
    watch.view();
    let path = "/pingcore/reservations/r-1";
    sdk.fault(Fault::at("/pingcore", What::Die).skip(1).once());
    assert_eq!(
        ask(sdk.address(), "GET", path, "")
            .expect("it lives")
            .status,
        200
    );
    assert!(
        ask(sdk.address(), "GET", path, "").is_err(),
        "it dies of the second"
    );
    assert!(ask(sdk.address(), "GET", path, "").is_err(), "it is dead");
    assert!(watch.ended());
    sdk.back();
    assert_eq!(
        ask(sdk.address(), "GET", path, "")
            .expect("it is back")
            .status,
        200
    );
}

#[test]
fn a_watch_may_be_refused_ended_and_fed_with_anything() {
    let sdk = FakeSdk::start();
    sdk.fault(Fault::at("/watch", What::json(503, "{}")).once());
    let refused = ask(sdk.address(), "GET", "/watch/gameserver", "").expect("it answers");
    assert_eq!(refused.status, 503);
    let mut watch = Watch::open(sdk.address());
    watch.view();
    sdk.push_bytes("not json\r\n");
    while !watch.line().contains("not json") {}
    sdk.end_watches();
    assert!(watch.ended());
    sdk.wait_for_watches(0);
}

#[test]
fn what_was_asked_is_written_down() {
    let sdk = FakeSdk::start();
    ask(sdk.address(), "GET", "/gameserver?a=b", "").expect("it answers");
    assert!(sdk.writes().is_empty());
    ask(sdk.address(), "POST", "/ready", "{}").expect("it answers");
    let all = sdk.calls().all();
    assert_eq!(all.len(), 2);
    assert_eq!(
        (all[0].path.as_str(), all[0].query.as_deref()),
        (GAME_SERVER, Some("a=b"))
    );
    assert!(all[0].closes);
    let [write] = sdk.writes().try_into().expect("one write");
    assert_eq!((write.method.as_str(), write.body.as_str()), ("POST", "{}"));
    assert!(write.at >= all[0].at);
    sdk.calls().clear();
    assert!(sdk.calls().all().is_empty());
    assert_eq!(sdk.view()["status"]["state"], json!("Ready"));
}
