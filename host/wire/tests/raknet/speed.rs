//! How long small messages take. Printed, not asserted: machines differ.
//!
//! `cargo test --release -p usher-wire --test raknet -- --ignored --nocapture speed`

use std::time::{Duration, Instant};

use usher_wire::raknet::{Budget, Connection, Limits, Reliability};

const ROUNDS: u32 = 200_000;

fn pair() -> [Connection; 2] {
    let budget = Budget::default();
    [(); 2].map(|()| Connection::new(1400, Limits::accepted(), budget.clone(), Duration::ZERO))
}

fn print(what: &str, count: u32, time: Duration) {
    println!("{what}: {} ns", time.as_nanos() / u128::from(count));
}

#[test]
#[ignore = "prints figures"]
fn speed_of_small_messages_in_datagrams_of_their_own() {
    for reliability in Reliability::ALL {
        let [mut client, mut server] = pair();
        let (mut out, mut now) = (Vec::new(), Duration::ZERO);
        let (mut sending, mut receiving, mut acking) =
            (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        for _ in 0..ROUNDS {
            now += Duration::from_millis(16);
            let start = Instant::now();
            client.send(&[0x87; 40], reliability, 0).expect("room");
            assert!(client.poll_transmit(now, &mut out));
            let sent = Instant::now();
            server.receive(&out, now).expect("well formed");
            assert!(server.poll_message().is_some());
            let received = Instant::now();
            assert!(server.poll_transmit(now, &mut out));
            client.receive(&out, now).expect("well formed");
            assert!(!client.poll_transmit(now, &mut out));
            acking += received.elapsed();
            receiving += received - sent;
            sending += sent - start;
        }
        assert!(client.all_acked());
        // A reading of the clock is in each of them, some 20 to 40 ns.
        print(&format!("{reliability:?}, sent"), ROUNDS, sending);
        print(&format!("{reliability:?}, received"), ROUNDS, receiving);
        print(&format!("{reliability:?}, acknowledged"), ROUNDS, acking);
    }
}

#[test]
#[ignore = "prints figures"]
fn speed_of_small_messages_that_share_datagrams() {
    let [mut client, mut server] = pair();
    let (mut out, mut now) = (Vec::new(), Duration::ZERO);
    let start = Instant::now();
    let mut count = 0;
    for _ in 0..ROUNDS / 20 {
        now += Duration::from_millis(16);
        for _ in 0..20 {
            client
                .send(&[0x87; 40], Reliability::ReliableOrdered, 0)
                .expect("room");
        }
        while client.poll_transmit(now, &mut out) {
            server.receive(&out, now).expect("well formed");
        }
        while server.poll_message().is_some() {
            count += 1;
        }
        while server.poll_transmit(now, &mut out) {
            client.receive(&out, now).expect("well formed");
        }
    }
    print("both ends, a message", count, start.elapsed());
}

#[test]
#[ignore = "prints figures"]
fn speed_of_a_long_message() {
    let [mut client, mut server] = pair();
    let (mut out, mut now) = (Vec::new(), Duration::ZERO);
    let message = vec![0x87; 65_537];
    let start = Instant::now();
    let mut got = 0;
    while got < 500 {
        if client.all_acked() {
            client
                .send(&message, Reliability::ReliableOrdered, 0)
                .expect("room");
        }
        now += Duration::from_millis(10);
        while client.poll_transmit(now, &mut out) {
            server.receive(&out, now).expect("well formed");
        }
        got += u32::from(server.poll_message().is_some());
        while server.poll_transmit(now, &mut out) {
            client.receive(&out, now).expect("well formed");
        }
    }
    print("both ends, 65,537 bytes", got, start.elapsed());
}

/// What a hostile datagram costs at most: as many messages as fit, each making a hole, and each answered.
#[test]
#[ignore = "prints figures"]
fn speed_of_hostile_datagrams() {
    let [mut client, mut server] = pair();
    let mut out = Vec::new();
    // As many datagrams under way as there may be, and NAKs and ACKs of every second of them.
    let mut next = 0;
    for _ in 0..2_000 {
        client
            .send(&[0x87; 1300], Reliability::ReliableOrdered, 0)
            .expect("room");
    }
    let mut last = 0;
    for _ in 0..5 {
        if next > 0 {
            out.clear();
            usher_wire::raknet::encode_ack(&[(last, next - 1)], 1372, &mut out);
            client.receive(&out, Duration::ZERO).expect("well formed");
        }
        last = next;
        while client.poll_transmit(Duration::ZERO, &mut out) {
            next += 1;
        }
    }
    assert_eq!(next - last, 256);
    let ranges: Vec<_> = (last..next)
        .step_by(2)
        .map(|number| (number, number))
        .collect();
    for (what, nak) in [("NAK", true), ("ACK", false)] {
        out.clear();
        if nak {
            usher_wire::raknet::encode_nak(&ranges, 1372, &mut out);
        } else {
            usher_wire::raknet::encode_ack(&ranges, 1372, &mut out);
        }
        let start = Instant::now();
        for _ in 0..10_000 {
            client.receive(&out, Duration::ZERO).expect("well formed");
        }
        print(&format!("{what} of 128 ranges"), 10_000, start.elapsed());
    }
    // Message numbers with a hole before each, in falling order.
    let mut datagrams = Vec::new();
    for number in 0..2_000u32 {
        out.clear();
        usher_wire::raknet::begin_data(number, &mut out);
        for at in (0..170).rev() {
            out.extend([0x40, 0, 8]);
            out.extend(&(2 * at + 1 + number % 2 * 400).to_le_bytes()[..3]);
            out.push(0x87);
        }
        datagrams.push(out.clone());
    }
    let start = Instant::now();
    for datagram in &datagrams {
        let _ = server.receive(datagram, Duration::ZERO);
        while server.poll_message().is_some() {}
    }
    print(
        "a datagram of 170 messages with holes",
        2_000,
        start.elapsed(),
    );
}
