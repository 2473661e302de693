//! What is asked: requests as a host has them, and the verdict that is right for each.

use crate::verdict::Verdict;
use crate::world::World;

/// How many players the host seats, for most requests.
pub const MAX_PLAYERS: u32 = 64;
/// The length of a payload, in bytes.
const PAYLOAD: usize = 200;
/// How many different requests there are.
const CASES: usize = 256;

/// A request as the host has it, with what a policy of ours is told of it.
#[derive(Clone, Debug)]
pub struct Request {
    /// The request's number.
    pub id: u64,
    /// The call's number.
    pub ask_id: u64,
    /// Why it is asked.
    pub why: String,
    /// The door's name.
    pub door: String,
    /// Its protocol.
    pub protocol: String,
    /// The room that it would enter.
    pub room: String,
    /// How many players the host seats.
    pub max_players: u32,
    /// Where the peer is.
    pub address: String,
    /// And the port.
    pub port: u16,
    /// Whether that was proven.
    pub proven: bool,
    /// The opaque payload: a name, a new line, and bytes that mean nothing.
    pub payload: Vec<u8>,
    /// More about it.
    pub attributes: Vec<(String, String)>,
    /// How often it was decided.
    pub attempt: u32,
    /// How long it has been here, in milliseconds.
    pub waited: u64,
}

/// A request and the verdict that is right for it.
#[derive(Clone, Debug)]
pub struct Case {
    /// What is asked.
    pub request: Request,
    /// What must come of it.
    pub expected: Verdict,
}

/// The requests of the benchmark: of 32, 29 are let in; one is banned, one has no good name, and one finds
/// no seat.
pub fn requests() -> Vec<Case> {
    (0..CASES).map(case).collect()
}

fn case(index: usize) -> Case {
    let good = format!("Player_{index:03}");
    let (name, max_players, expected) = match index % 32 {
        7 => {
            let text = "You are banned from this server: cheats";
            let name = format!("Rogue-{index}");
            (name, MAX_PLAYERS, Verdict::reject("banned", text))
        }
        15 => {
            let text = "A name has 3 to 24 letters, digits, - or _.";
            let name = format!("no good name {index}");
            (name, MAX_PLAYERS, Verdict::reject("bad-name", text))
        }
        23 => {
            let text = "The server is full.";
            let few = World::seats_taken();
            (good, few, Verdict::reject("server-full", text))
        }
        _ => {
            let expected = Verdict::accept(&good);
            (good, MAX_PLAYERS, expected)
        }
    };
    Case {
        request: request(index, &name, max_players),
        expected,
    }
}

fn request(index: usize, name: &str, max_players: u32) -> Request {
    let mut payload = format!("{name}\n").into_bytes();
    // Bytes of every value, so that nobody takes the payload for text.
    let filling = (payload.len()..PAYLOAD).map(|at| (at * 37 + index) as u8);
    payload.extend(filling);
    Request {
        id: 1_000 + index as u64,
        ask_id: 5_000 + index as u64,
        why: "first".to_owned(),
        door: "game".to_owned(),
        protocol: "rtyp".to_owned(),
        room: "main".to_owned(),
        max_players,
        address: format!("192.0.2.{}", index % 250 + 1),
        port: 40_000,
        proven: true,
        payload,
        attributes: vec![("fleet.mode".to_owned(), "none".to_owned())],
        attempt: 1,
        waited: 0,
    }
}
