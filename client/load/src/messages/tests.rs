//! Players at a bare server that sends back what it is sent, or does not.

use super::talk::Talk;
use crate::args::{Messages, Target};
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A server, and whether it answers.
fn server(answers: bool) -> (Target, Arc<AtomicBool>) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let SocketAddr::V4(address) = socket.local_addr().expect("an address") else {
        panic!("this is IPv4");
    };
    let patience = Some(Duration::from_millis(50));
    socket.set_read_timeout(patience).expect("an option");
    let over = Arc::new(AtomicBool::new(false));
    let is_over = over.clone();
    thread::spawn(move || {
        let mut buffer = [0; 1500];
        while !is_over.load(Ordering::Relaxed) {
            if let Ok((length, from)) = socket.recv_from(&mut buffer)
                && answers
            {
                let _ = socket.send_to(&buffer[..length], from);
            }
        }
    });
    (Target::Bare(address), over)
}

fn load(server: Target) -> Messages {
    Messages {
        server,
        players: 3,
        window: 4,
        rate: None,
        length: 64,
        seconds: 1,
        warm_up: Duration::ZERO,
        seed: 1,
    }
}

fn figures(load: &Messages) -> serde_json::Value {
    let mut talk = Talk::enter(load, Instant::now()).expect("nobody is asked");
    let report = talk
        .run_for(Duration::from_secs(load.seconds.into()))
        .expect("sockets");
    talk.leave().expect("nobody is told");
    report.figures["messages"].clone()
}

#[test]
fn a_closed_loop_has_no_more_under_way_than_its_window() {
    let (target, over) = server(true);
    let said = figures(&load(target));
    over.store(true, Ordering::Relaxed);
    let number = |name: &str| said[name].as_u64().expect("a number");
    assert!(number("back") > 24, "{said}");
    assert!(
        number("sent") - number("back") - number("lost") <= 12,
        "{said}"
    );
}

#[test]
fn an_open_loop_sends_what_it_is_to_whatever_comes_back() {
    let (target, over) = server(false);
    let load = Messages {
        rate: Some(200),
        ..load(target)
    };
    let said = figures(&load);
    over.store(true, Ordering::Relaxed);
    // What is due at the very end may or may not be sent.
    assert!(
        (198..=201).contains(&said["sent"].as_u64().expect("a number")),
        "{said}"
    );
    assert_eq!(said["back"], 0);
    assert!(said["lost"].as_u64() > Some(0), "{said}");
}

#[test]
fn who_hears_nothing_counts_it_as_lost_and_goes_on() {
    let (target, over) = server(false);
    let said = figures(&load(target));
    over.store(true, Ordering::Relaxed);
    assert_eq!(said["back"], 0);
    // Several windows of 3 players.
    assert!(said["lost"].as_u64() >= Some(24), "{said}");
}
