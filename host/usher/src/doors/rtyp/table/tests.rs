use super::*;

const HOME: &str = "192.0.2.1:5000";
const AWAY: &str = "198.51.100.7:5000";

fn path(remote: &str) -> Path {
    Path {
        remote: remote.parse().unwrap(),
        local: None,
    }
}

fn token(value: u32) -> SessionToken {
    SessionToken::new(value).unwrap()
}

fn at(millis: u64) -> Moment {
    Moment::from_millis(millis)
}

/// A table with sessions 1 and 2 (tokens 101 and 102), both logged in from `HOME`'s address.
fn table() -> Table {
    let mut table = Table::new();
    for number in [1, 2] {
        let opened = Opened {
            session: SessionId(number),
            request: RequestId(number + 10),
            token: token(u32::try_from(number).unwrap() + 100),
            login: path(HOME).remote.ip(),
        };
        table.open(opened, at(0));
    }
    table
}

fn bytes(kind: Kind, sequence: u16, session: u32, payload: &[u8]) -> Vec<u8> {
    let datagram = Datagram {
        kind,
        sequence,
        ack: 0xFFFF,
        ack_bits: 0,
        session: token(session),
        payload,
    };
    let mut buffer = [0; MAX_DATAGRAM];
    datagram.encode(&mut buffer).unwrap().to_vec()
}

fn connect(sequence: u16, session: u32) -> Vec<u8> {
    bytes(Kind::Connect, sequence, session, &[])
}

/// Tests may leak: what comes back can be compared without a buffer that must live.
fn take(table: &mut Table, from: &str, bytes: Vec<u8>, now: u64) -> Taken<'static> {
    table.take(path(from), bytes.leak(), at(now))
}

/// Binds session 1 to `HOME`.
fn bind(table: &mut Table) {
    let endpoint = path(HOME).remote;
    let taken = take(table, HOME, connect(0, 101), 0);
    assert_eq!(taken, Taken::Bind(SessionId(1), endpoint));
    assert!(table.bound(SessionId(1), endpoint, at(0)));
}

#[test]
fn a_connect_binds_and_the_first_accept_acknowledges_it() {
    let mut table = table();
    bind(&mut table);
    let mut buffer = [0; MAX_DATAGRAM];
    let (to, bytes) = table
        .stamp(SessionId(1), Kind::Accept, &[], &mut buffer, at(0))
        .unwrap();
    assert_eq!(to, path(HOME));
    let accept = [
        0x52, 0x54, 0x59, 0x50, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 101, 0, 0, 0,
    ];
    assert_eq!(bytes, accept);
}

#[test]
fn the_bound_endpoint_always_gets_a_fresh_accept() {
    let mut table = table();
    bind(&mut table);
    for _ in 0..3 {
        let taken = take(&mut table, HOME, connect(0, 101), 1);
        assert_eq!(taken, Taken::Connected(SessionId(1)));
    }
}

#[test]
fn while_a_bind_is_under_way_the_core_is_not_asked_again_at_once() {
    let mut table = table();
    let endpoint = path(HOME).remote;
    for (sequence, now, taken) in [
        (0, 0, Taken::Bind(SessionId(1), endpoint)),
        (1, 99, Taken::Dropped(Cause::Binding)),
        (2, 250, Taken::Bind(SessionId(1), endpoint)),
    ] {
        let got = take(&mut table, HOME, connect(sequence, 101), now);
        assert_eq!(got, taken, "{now}");
    }
    let elsewhere = take(&mut table, AWAY, connect(0, 101), 251);
    assert_eq!(elsewhere, Taken::Dropped(Cause::Binding));
    table.bound(SessionId(1), endpoint, at(252));
    let mut buffer = [0; MAX_DATAGRAM];
    let (_, bytes) = table
        .stamp(SessionId(1), Kind::Accept, &[], &mut buffer, at(0))
        .unwrap();
    assert_eq!(bytes[8..14], [2, 0, 0b11, 0, 0, 0], "all three were seen");
}

#[test]
fn datagrams_are_dropped_for_what_is_wrong_with_them() {
    let mut table = table();
    bind(&mut table);
    let data = |session| bytes(Kind::Data, 1, session, b"x");
    let keep_alive = bytes(Kind::KeepAlive, 1, 101, &[]);
    let mut old_version = connect(1, 102);
    old_version[4] = 2;
    for (from, bytes, cause) in [
        (AWAY, connect(0, 101), Cause::BoundElsewhere),
        (AWAY, connect(0, 999), Cause::UnknownToken),
        (AWAY, data(101), Cause::Unbound),
        (AWAY, data(999), Cause::Unbound),
        (AWAY, keep_alive, Cause::Unbound),
        (AWAY, old_version.clone(), Cause::Invalid),
        (AWAY, b"RTYP".to_vec(), Cause::Stray),
        (AWAY, Vec::new(), Cause::Stray),
        (HOME, connect(0, 102), Cause::OtherToken),
        (HOME, data(102), Cause::OtherToken),
        (HOME, data(999), Cause::OtherToken),
        (HOME, old_version, Cause::OtherToken),
        (HOME, vec![0; 18], Cause::Stray),
    ] {
        let taken = table.take(path(from), &bytes, at(1));
        assert_eq!(taken, Taken::Dropped(cause), "{from} {bytes:02x?}");
    }
}

#[test]
fn data_is_delivered_once() {
    let mut table = table();
    bind(&mut table);
    let data = |sequence| bytes(Kind::Data, sequence, 101, b"jump");
    let deliver = Taken::Data(SessionId(1), b"jump");
    assert_eq!(table.take(path(HOME), &data(40), at(5)), deliver);
    assert_eq!(table.take(path(HOME), &data(39), at(6)), deliver);
    for (sequence, cause) in [(40, Cause::Duplicate), (2, Cause::TooOld)] {
        let bytes = data(sequence);
        let taken = table.take(path(HOME), &bytes, at(7));
        assert_eq!(taken, Taken::Dropped(cause));
    }
    assert_eq!(table.last_seen(SessionId(1)), Some(at(6)));
}

#[test]
fn a_player_who_breaks_the_protocol_is_reported_once() {
    let mut table = table();
    bind(&mut table);
    let mut wrong = bytes(Kind::Data, 1, 101, b"x");
    wrong[5] = 9;
    let taken = table.take(path(HOME), &wrong, at(1));
    assert_eq!(taken, Taken::Broken(RequestId(11)));
    for bytes in [wrong, connect(2, 101)] {
        let taken = table.take(path(HOME), &bytes, at(1));
        assert_eq!(taken, Taken::Dropped(Cause::Ending));
    }
}

#[test]
fn what_is_over_is_forgotten() {
    let mut table = table();
    bind(&mut table);
    table.forget(SessionId(1));
    table.forget(SessionId(2));
    assert!(table.is_empty() && table.by_token.is_empty() && table.by_endpoint.is_empty());
    assert!(!table.bound(SessionId(1), path(HOME).remote, at(1)));
    let again = connect(1, 101);
    let taken = table.take(path(HOME), &again, at(1));
    assert_eq!(taken, Taken::Dropped(Cause::UnknownToken));
}

#[test]
fn a_guesser_is_limited_but_cannot_lock_a_player_out() {
    let mut table = table();
    let guess = connect(0, 999);
    for from in [HOME, AWAY] {
        for _ in 0..8 {
            let taken = table.take(path(from), &guess, at(0));
            assert_eq!(taken, Taken::Dropped(Cause::UnknownToken));
        }
        let taken = table.take(path(from), &guess, at(0));
        assert_eq!(taken, Taken::Dropped(Cause::Limited));
    }
    let hit = connect(0, 101);
    let taken = table.take(path(AWAY), &hit, at(0));
    assert_eq!(taken, Taken::Dropped(Cause::Limited), "even where it hits");
    let taken = table.take(path(HOME), &hit, at(0));
    assert_eq!(taken, Taken::Bind(SessionId(1), path(HOME).remote));
}

#[test]
fn a_silent_second_is_due_a_keep_alive() {
    let mut table = table();
    bind(&mut table);
    assert_eq!(table.silent(at(999)).count(), 0);
    let due: Vec<SessionId> = table.silent(at(1_000)).collect();
    assert_eq!(due, [SessionId(1)], "session 2 is not bound");
    let mut buffer = [0; MAX_DATAGRAM];
    for (payload, result) in [(1_200, Ok(1_218)), (1_201, Err(Cause::TooLong))] {
        let data = vec![7; payload];
        let stamped = table.stamp(SessionId(1), Kind::Data, &data, &mut buffer, at(1_000));
        assert_eq!(stamped.map(|(_, bytes)| bytes.len()), result);
    }
    assert_eq!(table.silent(at(1_999)).count(), 0);
}

#[test]
fn mapped_ipv4_is_the_same_endpoint_and_is_answered_as_it_came() {
    let mut table = table();
    let mapped = path("[::ffff:192.0.2.1]:5000");
    let connect = connect(0, 101);
    let taken = table.take(mapped, &connect, at(0));
    assert_eq!(taken, Taken::Bind(SessionId(1), path(HOME).remote));
    table.bound(SessionId(1), path(HOME).remote, at(0));
    let mut buffer = [0; MAX_DATAGRAM];
    let (to, _) = table
        .stamp(SessionId(1), Kind::Accept, &[], &mut buffer, at(0))
        .unwrap();
    assert_eq!(to, mapped);
}
