//! What leaves, in which calls, over a way that is made up.

use super::*;
use std::cell::RefCell;
use std::net::SocketAddr;

/// Takes note of each call: to which port, and which texts.
#[derive(Default)]
struct Noted {
    calls: RefCell<Vec<(u16, Vec<String>)>>,
    /// Ports that no datagram reaches.
    unreachable: Vec<u16>,
    /// Whether datagrams cannot be joined.
    plain: bool,
    /// How many datagrams a call takes at most.
    at_once: usize,
    /// After this many datagrams the system takes no more.
    room: usize,
}

fn way() -> Noted {
    Noted {
        at_once: MANY,
        room: usize::MAX,
        ..Noted::default()
    }
}

impl Noted {
    fn note(&self, datagrams: &[(u16, &[u8])]) -> io::Result<usize> {
        let taken: usize = self.calls.borrow().iter().map(|call| call.1.len()).sum();
        if taken >= self.room {
            return Err(ErrorKind::WouldBlock.into());
        }
        let good = datagrams
            .iter()
            .take_while(|(port, _)| !self.unreachable.contains(port))
            .take((self.room - taken).min(self.at_once));
        let texts: Vec<_> = good
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
            .collect();
        let count = texts.len();
        match (count, datagrams) {
            (0, _) | (_, []) => Err(ErrorKind::NetworkUnreachable.into()),
            (_, [(port, _), ..]) => {
                self.calls.borrow_mut().push((*port, texts));
                Ok(count)
            }
        }
    }

    fn calls(&self) -> Vec<(u16, String)> {
        let calls = self.calls.borrow();
        calls
            .iter()
            .map(|(port, texts)| (*port, texts.join(" ")))
            .collect()
    }
}

impl Way for Noted {
    fn joined(&self, path: Path, bytes: &[u8], length: usize) -> io::Result<()> {
        if self.plain {
            return Err(ErrorKind::InvalidInput.into());
        }
        let port = path.remote.port();
        let datagrams: Vec<_> = bytes
            .chunks(length)
            .map(|datagram| (port, datagram))
            .collect();
        self.note(&datagrams).map(drop)
    }

    fn several(&self, datagrams: &[(Path, &[u8])]) -> io::Result<usize> {
        let datagrams: Vec<_> = datagrams
            .iter()
            .map(|(path, bytes)| (path.remote.port(), *bytes))
            .collect();
        self.note(&datagrams)
    }
}

fn to(port: u16) -> Path {
    Path {
        remote: SocketAddr::from(([127, 0, 0, 1], port)),
        local: None,
    }
}

fn outgoing(shortest: usize, posted: &[(u16, &str)]) -> Outgoing {
    let mut outgoing = Outgoing::new(Joins {
        longest: 4,
        shortest,
    });
    post(&mut outgoing, posted);
    outgoing
}

fn post(outgoing: &mut Outgoing, posted: &[(u16, &str)]) {
    for (port, text) in posted {
        outgoing.post(to(*port), text.as_bytes());
    }
}

fn expect(way: &Noted, calls: &[(u16, &str)]) {
    let calls: Vec<_> = calls
        .iter()
        .map(|(port, texts)| (*port, (*texts).to_owned()))
        .collect();
    assert_eq!(way.calls(), calls);
}

#[test]
fn one_length_for_one_player_is_joined_in_order_and_a_shorter_one_ends_it() {
    let mut outgoing = outgoing(
        2,
        &[
            (9, "a1"),
            (7, "b1"),
            (9, "a2"),
            (7, "b2"),
            (9, "a"),
            (9, "a4"),
            (9, "longer"),
        ],
    );
    let way = way();
    assert_eq!(outgoing.send(&way), 0);
    expect(&way, &[(7, "b1 b2"), (9, "a1 a2 a"), (9, "a4 longer")]);
}

#[test]
fn those_to_whom_all_goes_joined_do_not_break_up_the_others() {
    let mut outgoing = outgoing(
        2,
        &[
            (1, "a"),
            (2, "said"),
            (2, "ack"),
            (3, "c"),
            (4, "said"),
            (4, "ack"),
            (5, "e"),
        ],
    );
    let way = way();
    assert_eq!(outgoing.send(&way), 0);
    expect(&way, &[(2, "said ack"), (4, "said ack"), (1, "a c e")]);
}

#[test]
fn no_run_is_longer_than_the_system_takes() {
    let mut outgoing = outgoing(
        2,
        &[(9, "1"), (9, "2"), (9, "3"), (9, "4"), (9, "5"), (9, "6")],
    );
    let way = way();
    assert_eq!(outgoing.send(&way), 0);
    expect(&way, &[(9, "1 2 3 4"), (9, "5 6")]);
}

#[test]
fn short_runs_travel_with_those_that_are_alone() {
    let mut outgoing = outgoing(
        3,
        &[
            (9, "a1"),
            (7, "b1"),
            (9, "a2"),
            (5, "c1"),
            (5, "c2"),
            (5, "c3"),
            (7, "b two"),
        ],
    );
    let way = way();
    assert_eq!(outgoing.send(&way), 0);
    expect(&way, &[(5, "c1 c2 c3"), (9, "a1 a2 b1 b two")]);
}

#[test]
fn what_a_call_left_goes_with_the_next() {
    let mut outgoing = outgoing(3, &[(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e")]);
    let way = Noted {
        at_once: 2,
        ..way()
    };
    assert_eq!(outgoing.send(&way), 0);
    expect(&way, &[(1, "a b"), (3, "c d"), (5, "e")]);
}

#[test]
fn a_player_that_cannot_be_reached_costs_only_its_own() {
    let mut outgoing = outgoing(
        2,
        &[(1, "a"), (2, "b"), (3, "c"), (2, "b"), (3, "c"), (4, "d")],
    );
    let way = Noted {
        unreachable: vec![2],
        ..way()
    };
    assert_eq!(outgoing.send(&way), 2);
    expect(&way, &[(3, "c c a d")]);
    assert_eq!(outgoing.joins.longest, 4, "joining was not the trouble");
}

#[test]
fn when_the_system_is_full_the_rest_is_lost_and_nothing_stays() {
    for shortest in [2, 9] {
        let mut outgoing = outgoing(
            shortest,
            &[(1, "a"), (2, "b"), (3, "c"), (3, "c"), (4, "d")],
        );
        let full = Noted { room: 2, ..way() };
        assert_eq!(outgoing.send(&full), 3);
        let way = way();
        post(&mut outgoing, &[(5, "e")]);
        assert_eq!(outgoing.send(&way), 0);
        expect(&way, &[(5, "e")]);
    }
}

#[test]
fn a_system_that_cannot_join_is_not_asked_again() {
    let mut outgoing = outgoing(2, &[(1, "a"), (1, "b"), (2, "c")]);
    let way = Noted {
        plain: true,
        ..way()
    };
    assert_eq!(outgoing.send(&way), 0);
    expect(&way, &[(1, "a b c")]);
    assert_eq!(outgoing.joins.longest, 1);
}

#[test]
fn what_is_kept_is_bounded_and_stays_where_it_was_allocated() {
    let mut outgoing = outgoing(2, &[]);
    let places = |outgoing: &Outgoing| {
        (
            outgoing.posted.as_ptr(),
            outgoing.bytes.as_ptr(),
            outgoing.run.as_ptr(),
        )
    };
    let before = places(&outgoing);
    let long = "x".repeat(1218);
    for text in ["x", &long] {
        let mut kept = 0;
        while outgoing.has_room(text.len()) {
            outgoing.post(to(1), text.as_bytes());
            kept += 1;
        }
        assert!((50..=KEPT).contains(&kept), "{kept}");
        assert_eq!(outgoing.send(&way()), 0);
    }
    assert_eq!(places(&outgoing), before);
}
