//! Against a door of a few lines, so that what is counted is known.

use super::lives::{Coming, Lives};
use crate::args::Logins;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};
use usher_wire::rtyp::{
    ClientMessage, Datagram, Framer, Kind, LogoutReason, MAX_DATAGRAM, RejectReason, Sequencer,
    ServerMessage, SessionToken, Side,
};

/// A door that lets in whoever's name does not begin with `no`, one after the other.
fn door() -> SocketAddrV4 {
    let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let SocketAddr::V4(address) = tcp.local_addr().unwrap() else {
        panic!("it was bound to an IPv4 address")
    };
    let udp_port = udp.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut buffer = [0; MAX_DATAGRAM];
        while let Ok((read, from)) = udp.recv_from(&mut buffer) {
            let asked = Datagram::decode(&buffer[..read], Side::Client).unwrap();
            assert_eq!(asked.kind, Kind::Connect);
            let session = asked.session;
            let mut sequencer = Sequencer::new();
            let mut out = [0; MAX_DATAGRAM];
            let accept = sequencer.stamp(Kind::Accept, session, &[]);
            udp.send_to(accept.encode(&mut out).unwrap(), from).unwrap();
        }
    });
    thread::spawn(move || {
        for (number, tcp) in (1..).zip(tcp.incoming()) {
            thread::spawn(move || serve(tcp.unwrap(), number, udp_port));
        }
    });
    address
}

fn serve(mut tcp: TcpStream, number: u32, udp_port: u16) {
    let mut framer = Framer::new();
    let mut told = Vec::new();
    let mut bytes = [0; 512];
    loop {
        let read = tcp.read(&mut bytes).unwrap();
        assert!(read > 0, "whoever comes says something");
        framer.push(&bytes[..read]);
        let Some(frame) = framer.next_frame().unwrap() else {
            continue;
        };
        match ClientMessage::decode(frame).unwrap() {
            ClientMessage::LoginRequest(login) => {
                let name = login.outcome().unwrap();
                if name.as_str().starts_with("no") {
                    ServerMessage::LoginRejected(RejectReason::ServerFull).encode(&mut told);
                    tcp.write_all(&told).unwrap();
                    return;
                }
                let session = SessionToken::new(number).unwrap();
                ServerMessage::LoginAccepted {
                    session,
                    player: 0,
                    udp_port,
                }
                .encode(&mut told);
                tcp.write_all(&told).unwrap();
            }
            ClientMessage::Logout(reason) => {
                assert_eq!(reason, LogoutReason::Left);
                return;
            }
        }
    }
}

fn load(door: SocketAddrV4) -> Logins {
    Logins {
        door,
        at_once: None,
        rate: None,
        seconds: 1,
        warm_up: 0,
        names: "yes-#".to_owned(),
        bad_every: 4,
        bad_names: "no-#".to_owned(),
    }
}

#[test]
fn so_many_are_there_at_once_and_each_is_counted_once() {
    let mut lives = Lives::new(&load(door()), Instant::now()).unwrap();
    lives.begin(Coming::AtOnce(8));
    lives.run_for(Duration::from_millis(300)).unwrap();
    let busy = lives.pause();
    lives.drain(Duration::from_secs(30)).unwrap();
    let report = lives.report(busy).figures;
    let (good, bad) = (&report["logins"], &report["bad"]);
    let came = good["came"].as_u64().unwrap();
    assert!(came > 8, "{report:?}");
    assert_eq!(good["most_at_once"], 8);
    assert_eq!((&good["failed"], &good["unended"]), (&0.into(), &0.into()));
    for spread in ["answer_us", "accept_us", "life_us"] {
        assert_eq!(good[spread]["samples"], came, "{spread}");
    }
    assert_eq!(bad["refused"], bad["came"], "{report:?}");
    assert_eq!(bad["refused_by"]["ServerFull"], bad["came"]);
    assert_eq!(bad["life_us"]["samples"], bad["came"]);
    assert!(bad["accept_us"].is_null());
}

#[test]
fn they_come_when_they_are_due() {
    let mut lives = Lives::new(&load(door()), Instant::now()).unwrap();
    lives.begin(Coming::Rate(200));
    lives.run_for(Duration::from_millis(500)).unwrap();
    let busy = lives.pause();
    lives.drain(Duration::from_secs(30)).unwrap();
    let report = lives.report(busy).figures;
    let came = |kind: &str| report[kind]["came"].as_u64().unwrap();
    // A test that is held up for long does not make up for all of it.
    let all = came("logins") + came("bad");
    assert!((1..=100).contains(&all), "{report:?}");
    assert_eq!(report["logins"]["failed"], 0);
}

#[test]
fn nobody_there_is_a_failure() {
    // A port that was free a moment ago.
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let SocketAddr::V4(address) = closed.local_addr().unwrap() else {
        panic!("it was bound to an IPv4 address")
    };
    drop(closed);
    let mut lives = Lives::new(&load(address), Instant::now()).unwrap();
    lives.begin(Coming::Rate(100));
    lives.run_for(Duration::from_millis(100)).unwrap();
    let busy = lives.pause();
    lives.drain(Duration::from_secs(30)).unwrap();
    let report = lives.report(busy).figures;
    assert_eq!(report["logins"]["failed"], report["logins"]["came"]);
}
