//! Whatever the endpoint says, nothing panics, and what policies are told stays within what they read.

use super::super::endpoint::Answer;
use super::super::lines::Lines;
use super::super::tracking::Tracking;
use super::super::{backfill, hold, view};
use super::stage::NOW;
use serde_json::{Value, json};

/// The longest document that a policy reads.
const READ: usize = 512 * 1024;

/// Numbers by chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    /// Changes a few bytes, cuts something out, or has something twice.
    fn spoil(&mut self, text: &[u8]) -> Vec<u8> {
        const BYTES: &[u8] = b"{}[]\",:\\0-.eu9 \n\xff";
        let mut text = text.to_vec();
        for _ in 0..=self.below(4) {
            let (at, until) = (self.below(text.len()), self.below(text.len()));
            match self.below(4) {
                0 => text[at] = BYTES[self.below(BYTES.len())],
                1 => text.insert(at, BYTES[self.below(BYTES.len())]),
                2 => drop(text.drain(at.min(until)..until.max(at))),
                _ => {
                    let twice = text[at.min(until)..until.max(at)].to_vec();
                    text.extend(twice);
                }
            }
            if text.is_empty() {
                text.push(b'{');
            }
        }
        text
    }
}

fn answer(body: Vec<u8>) -> Result<Answer, crate::evidence::http::HttpError> {
    Ok(Answer { status: 200, body })
}

#[test]
fn no_bytes_of_the_endpoint_make_anything_panic() {
    let context = json!({
        "matchmaker": true, "sessionId": "m", "roster": [{"ticketId": "t", "partySize": 2, "playerId": null}],
    });
    let server = json!({
        "object_meta": {"annotations": {
            "pingcore.io/allocation-id": "m", "pingcore.io/allocation-context": context.to_string(),
        }},
        "status": {"state": "Allocated", "counters": {"players": {"count": "1", "capacity": "8"}}},
    });
    let line = json!({ "result": server }).to_string();
    let list = json!({"backfills": [{"allocationId": "b", "sessionId": "m", "context": context}]})
        .to_string();
    let record = json!({
        "reservationId": "r", "serverId": "1", "seats": 2, "playerIds": ["p"], "context": context,
        "expiresAt": NOW + 1, "ownerKind": "backend", "ownerPlayerId": null,
    });
    let record = record.to_string();
    let mut chance = Chance(0x5eed);
    let mut tracking = Tracking::default();
    let (mut views, mut lists, mut holds) = (0, 0, 0);
    for _ in 0..20_000 {
        let mut lines = Lines::default();
        let mut bytes = chance.spoil(line.as_bytes());
        bytes.push(b'\n');
        let taken = lines.push(&bytes, |line| {
            if let Ok(view) = view::frame(line) {
                views += 1;
                tracking.take(&view);
                let told = tracking.told().expect("there was a view");
                assert!(told.len() < READ);
                serde_json::from_slice::<Value>(&told).expect("JSON");
            }
        });
        taken.expect("no line is that long");
        if let Ok(list) = backfill::read(answer(chance.spoil(list.as_bytes()))) {
            lists += 1;
            for backfill in list {
                serde_json::from_slice::<Value>(&backfill.to_json()).expect("JSON");
            }
        }
        let looked = hold::read(answer(chance.spoil(record.as_bytes())), "r", NOW);
        if let hold::Looked::Found(told) = looked {
            holds += 1;
            serde_json::from_str::<Value>(&told).expect("JSON");
        }
    }
    // Some were spoiled so little that they could be read.
    assert!(
        views > 100 && lists > 100 && holds > 10,
        "{views} {lists} {holds}"
    );
}
