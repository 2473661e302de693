//! What a connection takes while nothing happens on it.

use usher_wire::raknet::{Connection, Reliability};

use crate::ends::{End, ms};

#[test]
fn an_idle_connection_after_a_handshake_takes_under_700_bytes() {
    let (mut client, mut server) = (End::new(), End::new());
    for (is_client, length, reliability) in [
        (true, 18, Reliability::Reliable),
        (false, 96, Reliability::ReliableOrdered),
        (true, 94, Reliability::ReliableOrdered),
        // A payload in parts.
        (true, 20_000, Reliability::ReliableOrdered),
        (true, 9, Reliability::Unreliable),
        (false, 17, Reliability::Unreliable),
        (false, 40, Reliability::ReliableOrdered),
    ] {
        let (from, to) = if is_client {
            (&mut client, &mut server)
        } else {
            (&mut server, &mut client)
        };
        from.send(&vec![0x87; length], reliability);
        let [_, got] = from.talk_until_acked(to);
        assert_eq!(got.len(), 1);
        from.now += ms(20);
        to.now += ms(20);
        from.talk(to);
    }
    for end in [client, server] {
        assert!(end.connection.all_acked());
        assert_eq!(end.budget.used(), 0);
        let (all, inline) = (end.connection.memory(), size_of::<Connection>());
        assert!(all < 700, "{all} bytes, {inline} of them inline");
    }
}

#[test]
fn what_was_under_way_is_forgotten_when_it_has_arrived() {
    let (mut client, mut server) = (End::new(), End::new());
    let idle = client.connection.memory();
    for _ in 0..300 {
        client.send(&[0x87; 200], Reliability::Reliable);
    }
    assert!(client.connection.memory() > 60_000);
    client.talk_until_acked(&mut server);
    client.talk(&mut server);
    assert_eq!(client.connection.memory(), idle);
    assert_eq!(server.connection.memory(), idle);
}

#[test]
fn a_queue_that_was_long_gives_its_place_back_before_it_is_empty() {
    let (mut client, mut server) = (End::new(), End::new());
    for _ in 0..3_000 {
        client.send(b"\x87", Reliability::Reliable);
    }
    let rest = client.connection.outgoing_bytes() / 3_000 * 700;
    let idle = server.connection.memory();
    while client.connection.outgoing_bytes() > rest {
        for datagram in client.says() {
            server.hears(&datagram);
        }
        for datagram in server.says() {
            client.hears(&datagram);
        }
    }
    let taken = client.connection.memory() - idle - client.connection.outgoing_bytes();
    assert!(taken < 20_000, "{taken} bytes for what is under way");
}
