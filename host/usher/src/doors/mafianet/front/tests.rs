//! What those are answered who have no place.

use super::super::bans::Bans;
use super::super::pongs::PongLimits;
use super::*;
use std::sync::Arc;
use usher_runtime::{Bucket, Entry, LiveBuckets};
use usher_wire::raknet::MAGIC;

const NOW: Duration = Duration::from_secs(5);
const OURS: Guid = Guid(0xe8d7_dd5d_81f6_f788);
const THEIRS: Guid = Guid(0xb90b_c9db_a512_890e);

fn client() -> SocketAddrV4 {
    "192.0.2.1:4000".parse().unwrap()
}

fn front() -> Front {
    Front {
        guid: OURS,
        protocols: vec![7],
        cookies: Some(Cookies::new(NOW)),
        bans: None,
        pongs: Pongs::new(PongLimits { total: 9, each: 9 }),
        advertisement: Advertisement::new("{players} of {max-players}".into(), 4),
    }
}

/// What is answered to a datagram, and what is done about it.
fn take(front: &mut Front, from: SocketAddrV4, datagram: &[u8], has_room: bool) -> (Said, Vec<u8>) {
    let mut out = Vec::new();
    let standing = || Standing {
        players: 3,
        has_room,
    };
    let said = front.take(from, datagram, standing, NOW, &mut out);
    (said, out)
}

fn first(protocol: u8, length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    Offline::Request1 { protocol, length }.encode(&mut bytes);
    bytes
}

fn second(cookie: Option<u32>, guid: Guid) -> Vec<u8> {
    let mut bytes = Vec::new();
    let request = Offline::Request2 {
        cookie,
        dialled: client(),
        mtu: 1280,
        guid,
    };
    request.encode(&mut bytes);
    bytes
}

/// The cookie that a first request gets.
fn cookie(front: &mut Front, protocol: u8) -> Option<u32> {
    let (_, answer) = take(front, client(), &first(protocol, 1372), true);
    match Offline::parse(&answer, false) {
        Ok(Offline::Reply1 { cookie, .. }) => cookie,
        other => panic!("{other:?}"),
    }
}

fn dropped(said: &Said) -> Option<Cause> {
    match said {
        Said::Dropped(cause) => Some(*cause),
        _ => None,
    }
}

#[test]
fn a_first_request_is_answered_with_the_mtu_that_arrived_and_costs_nothing() {
    let mut front = front();
    for (length, mtu) in [(548, 576), (1372, 1400), (1464, 1400)] {
        let (said, answer) = take(&mut front, client(), &first(7, length), true);
        assert!(matches!(said, Said::Answered));
        assert!(answer.len() <= length);
        let Ok(Offline::Reply1 {
            guid,
            cookie,
            mtu: offered,
        }) = Offline::parse(&answer, false)
        else {
            panic!("{answer:?}");
        };
        assert_eq!((guid, offered), (OURS, mtu));
        assert!(cookie.is_some());
    }
    let (said, answer) = take(&mut front, client(), &first(7, 547), true);
    assert_eq!((dropped(&said), answer.len()), (Some(Cause::Short), 0));
}

#[test]
fn another_protocol_is_told_ours() {
    let mut front = front();
    for protocol in [0, 6, 8, 11, 255] {
        let (_, answer) = take(&mut front, client(), &first(protocol, 548), true);
        let mut expected = vec![0x19, 7];
        expected.extend(MAGIC);
        expected.extend(OURS.to_bytes());
        assert_eq!(answer, expected);
    }
}

#[test]
fn only_who_brings_its_own_cookie_asks_for_a_place() {
    let mut front = front();
    let cookie = cookie(&mut front, 7);
    let (said, answer) = take(&mut front, client(), &second(cookie, THEIRS), true);
    let Said::Asked(opening) = said else {
        panic!("{said:?}");
    };
    assert!(answer.is_empty());
    assert_eq!(
        (opening.client, opening.guid, opening.mtu),
        (client(), THEIRS, 1280)
    );
    assert_eq!(opening.dialect, Dialect::MAFIANET);

    let elsewhere = "192.0.2.1:4001".parse().unwrap();
    for (from, cookie, cause) in [
        (elsewhere, cookie, Cause::Cookie),
        (client(), cookie.map(|cookie| cookie ^ 1), Cause::Cookie),
        (client(), None, Cause::Malformed),
    ] {
        let (said, answer) = take(&mut front, from, &second(cookie, THEIRS), true);
        assert_eq!((dropped(&said), answer.len()), (Some(cause), 0));
    }
}

#[test]
fn the_cookie_says_which_protocol_its_bearer_speaks() {
    let mut front = front();
    front.protocols = vec![7, 6];
    for (protocol, dialect) in [(7, Dialect::MAFIANET), (6, Dialect::RAKNET4)] {
        let cookie = cookie(&mut front, protocol);
        match take(&mut front, client(), &second(cookie, THEIRS), true).0 {
            Said::Asked(opening) => assert_eq!(opening.dialect, dialect),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn without_cookies_the_second_request_is_enough() {
    let mut front = front();
    front.cookies = None;
    assert_eq!(cookie(&mut front, 7), None);
    let (said, _) = take(&mut front, client(), &second(None, THEIRS), true);
    assert!(matches!(said, Said::Asked(_)));
}

#[test]
fn a_guid_that_means_nobody_is_nobodys() {
    let mut front = front();
    let cookie = cookie(&mut front, 7);
    for guid in [0, u64::MAX] {
        let (said, _) = take(&mut front, client(), &second(cookie, Guid(guid)), true);
        assert_eq!(dropped(&said), Some(Cause::Malformed));
    }
}

#[test]
fn who_is_banned_is_told_so_at_each_request() {
    let mut front = front();
    let cookie = cookie(&mut front, 7);
    let mut bucket = Bucket::default();
    let entry = Entry::parse("192.0.2.0/31").expect("an entry");
    bucket.insert(entry, "cheats".into());
    let buckets = LiveBuckets::default();
    let name: Arc<str> = "bans".into();
    buckets.replace(buckets.now().with(&name, bucket.into()));
    let bans = Bans {
        buckets,
        bucket: name,
    };
    front.bans = Some(BanList::new(bans, NOW));
    for request in [first(7, 548), first(6, 548), second(cookie, THEIRS)] {
        let (_, answer) = take(&mut front, client(), &request, true);
        assert_eq!((answer.len(), answer[0]), (25, 0x17));
    }
    let neighbour = "192.0.2.2:4000".parse().unwrap();
    let (_, answer) = take(&mut front, neighbour, &first(7, 548), true);
    assert_eq!(answer[0], 0x06);
}

#[test]
fn a_ping_is_answered_and_one_that_wants_room_only_where_there_is_some() {
    let mut front = front();
    for (only_if_open, has_room, answered) in [
        (false, true, true),
        (false, false, true),
        (true, true, true),
        (true, false, false),
    ] {
        let mut ping = Vec::new();
        let message = Offline::Ping {
            time: 20,
            guid: THEIRS,
            only_if_open,
        };
        message.encode(&mut ping);
        let (said, answer) = take(&mut front, client(), &ping, has_room);
        if answered {
            let expected = Offline::Pong {
                time: 20,
                guid: OURS,
                text: b"3 of 4",
            };
            assert_eq!(Offline::parse(&answer, false), Ok(expected));
        } else {
            assert_eq!((dropped(&said), answer.len()), (Some(Cause::Full), 0));
        }
    }
}

#[test]
fn what_a_server_says_is_not_answered() {
    let mut front = front();
    let mut reply = Vec::new();
    front.refuse(Refusal::Full, &mut reply);
    let (said, answer) = take(&mut front, client(), &reply, true);
    assert_eq!((dropped(&said), answer.len()), (Some(Cause::Stray), 0));
}

#[test]
fn no_answer_to_an_address_that_is_not_proven_is_longer_than_what_it_answers() {
    let mut front = front();
    let cookie = cookie(&mut front, 7);
    front.protocols = vec![7];
    for request in [first(7, 548), first(9, 548), second(cookie, Guid(0))] {
        let (_, answer) = take(&mut front, client(), &request, true);
        assert!(answer.len() <= request.len());
    }
}
