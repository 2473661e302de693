//! The table by itself.

use super::*;
use std::time::Duration;
use usher_wire::raknet::acceptor::{Opening, Server};
use usher_wire::raknet::{Budget, Dialect, Limits, Share};

fn server() -> Server {
    Server {
        guid: Guid(1),
        address: None,
        clock: 0,
        timeout: Duration::from_secs(10),
        pending: Share::default(),
        accepted: Limits::accepted(),
        budget: Budget::default(),
    }
}

/// A newcomer, and its request.
fn enter(peers: &mut Peers, number: u16) -> Slot {
    let opening = Opening {
        dialect: Dialect::MAFIANET,
        client: SocketAddrV4::new(Ipv4Addr::LOCALHOST, number),
        guid: Guid(number.into()),
        mtu: 1400,
    };
    let acceptor = Acceptor::new(&server(), opening, Duration::ZERO);
    peers.insert(acceptor, RequestId(number.into()), None)
}

/// Has a peer come to its last word.
fn close(peers: &mut Peers, slot: Slot) -> Option<Slot> {
    let peer = peers.get(slot).expect("it is there");
    // A request to connect, and a wrong password: the shortest way to a last word.
    let request = [&[0x84, 0, 0, 0, 0x40, 0, 0x90, 0, 0, 0, 9][..], &[0; 17]].concat();
    let mut events = Vec::new();
    let heard = peer
        .acceptor
        .receive(&server(), &request, Duration::ZERO, &mut events);
    heard.expect("well-formed");
    peer.acceptor.refuse_password(&server(), Duration::ZERO);
    assert_eq!(peer.acceptor.stage(), Stage::Closing);
    peers.note_stage(slot)
}

#[test]
fn a_peer_is_found_by_all_its_names_until_it_is_gone() {
    let mut peers = Peers::new(9);
    let slot = enter(&mut peers, 7);
    peers.seat(slot, SessionId(70));
    let found = |peers: &Peers| {
        [
            peers.of_client(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7)),
            peers.of_guid(Guid(7)),
            peers.of_request(RequestId(7)),
            peers.of_session(SessionId(70)),
        ]
    };
    assert_eq!(found(&peers), [Some(slot); 4]);
    assert_eq!(peers.counts()[Stage::Unverified as usize], 1);
    assert!(peers.remove(slot).is_some());
    assert_eq!(found(&peers), [None; 4]);
    assert!(peers.remove(slot).is_none());
    assert!(peers.is_empty());
    assert_eq!(peers.counts(), [0; STAGES]);
}

#[test]
fn a_place_that_is_taken_again_is_not_mistaken_for_the_one_before() {
    let mut peers = Peers::new(9);
    enter(&mut peers, 1);
    let before = enter(&mut peers, 2);
    peers.remove(before);
    let after = enter(&mut peers, 3);
    assert_eq!(before.place, after.place);
    assert!(peers.get(before).is_none());
    assert!(peers.get(after).is_some());
}

#[test]
fn a_guid_belongs_to_whoever_came_with_it_last() {
    let mut peers = Peers::new(9);
    let first = enter(&mut peers, 1);
    let opening = Opening {
        client: SocketAddrV4::new(Ipv4Addr::LOCALHOST, 2),
        ..*peers.get(first).expect("it is there").acceptor.opening()
    };
    let acceptor = Acceptor::new(&server(), opening, Duration::ZERO);
    let second = peers.insert(acceptor, RequestId(2), None);
    assert_eq!(peers.of_guid(Guid(1)), Some(second));
    peers.remove(first);
    assert_eq!(peers.of_guid(Guid(1)), Some(second));
    peers.remove(second);
    assert_eq!(peers.of_guid(Guid(1)), None);
}

#[test]
fn of_too_many_last_words_the_oldest_is_cut_short() {
    let mut peers = Peers::new(2);
    let slots: Vec<Slot> = (1..=4).map(|number| enter(&mut peers, number)).collect();
    assert_eq!(close(&mut peers, slots[0]), None);
    assert_eq!(close(&mut peers, slots[1]), None);
    assert_eq!(close(&mut peers, slots[2]), Some(slots[0]));
    peers.remove(slots[0]);
    peers.remove(slots[1]);
    assert_eq!(close(&mut peers, slots[3]), None, "one has gone by itself");
    assert_eq!(peers.counts()[Stage::Closing as usize], 2);
    peers.remove(slots[2]);
    peers.remove(slots[3]);
    assert!(peers.is_empty());
    assert_eq!(peers.counts(), [0; STAGES]);
}

#[test]
fn who_lingers_counts_until_its_time_is_over_or_it_is_back() {
    let mut peers = Peers::new(9);
    let address = |number| SocketAddrV4::new(Ipv4Addr::LOCALHOST, number);
    for number in [1, 2] {
        let slot = enter(&mut peers, number);
        assert!(peers.let_linger(slot, Duration::from_secs(1)).is_some());
        assert_eq!(peers.of_client(address(number)), None);
        assert_eq!(peers.of_request(RequestId(number.into())), None);
    }
    assert!(peers.lingers(address(1)) && peers.lingers(address(2)));
    assert_eq!(peers.counts()[Stage::Closing as usize], 2);
    let back = enter(&mut peers, 2);
    assert!(!peers.lingers(address(2)));
    peers.remove(back);
    assert!(!peers.is_empty());
    peers.tick(peers.due().expect("one lingers"));
    assert!(peers.is_empty());
    assert_eq!(peers.counts(), [0; STAGES]);
}

#[test]
fn a_peer_takes_little() {
    let own = size_of::<Peer>();
    println!("a peer takes {own} bytes, its connection included");
    assert!(own <= 560, "{own}");
}
