//! The context of an allocation or a backfill, as far as it decides who gets in: its roster, and whether
//! it needs none.

use super::loose::{Entry, Listed, Loose, Part};
use serde::de::Error as _;
use serde::{Deserialize, Serialize};

/// Most entries of a roster that are kept. A party is one entry.
const ENTRIES: usize = 2048;

/// Most bytes that the ids of a roster may take in all, written as JSON: with the rest of what is told they
/// stay well below the 512 KiB that a policy reads.
const IDS: usize = 256 * 1024;

/// A ticket of a match, with the seats that it is worth. The ticket's id lets its bearer in.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RosterEntry {
    pub(super) ticket_id: Box<str>,
    pub(super) party_size: i32,
    pub(super) player_id: Option<Box<str>>,
}

/// Never shows the ticket.
impl std::fmt::Debug for RosterEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ticket for {}", self.party_size)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RosterEntryWire {
    #[serde(default)]
    ticket_id: Loose,
    #[serde(default)]
    party_size: Loose,
    #[serde(default)]
    player_id: Loose,
}

impl Entry for RosterEntry {
    const MOST: usize = ENTRIES;

    type Wire = Part<RosterEntryWire>;

    fn of(Part(wire): Part<RosterEntryWire>) -> Option<RosterEntry> {
        let wire = wire?;
        let Loose::Int(party_size) = wire.party_size else {
            return None;
        };
        let player_id = match wire.player_id {
            Loose::Null => None,
            other => Some(other.text()?),
        };
        Some(RosterEntry {
            ticket_id: wire.ticket_id.text()?,
            party_size: i32::try_from(party_size).ok().filter(|size| *size >= 1)?,
            player_id,
        })
    }
}

/// A context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Context {
    /// Whether the matchmaker made it.
    pub(super) matchmaker: bool,
    /// Whether it could be read at all.
    pub(super) valid: bool,
    /// Whether it has neither a roster nor anything in its place.
    pub(super) without_roster: bool,
    /// The entries that can be used.
    pub(super) roster: Vec<RosterEntry>,
    /// Whether there were more than are kept.
    pub(super) cut: bool,
    /// Which session it joins, where it says so.
    pub(super) session_id: Option<Box<str>>,
}

impl Context {
    /// There is none: as good as `{}`.
    pub(super) fn absent() -> Context {
        Context {
            matchmaker: false,
            valid: true,
            without_roster: true,
            roster: Vec::new(),
            cut: false,
            session_id: None,
        }
    }

    /// There is one that is no JSON object: nobody gets in by it.
    pub(super) fn invalid() -> Context {
        Context {
            valid: false,
            ..Context::absent()
        }
    }

    /// What a text says.
    pub(super) fn parse(text: &str) -> Context {
        serde_json::from_str(text).unwrap_or_else(|_| Context::invalid())
    }

    /// Whether whoever knows the allocation's id gets in. Only where it is certain that there is no
    /// roster to be in.
    pub(super) fn rosterless(&self) -> bool {
        self.valid && !self.matchmaker && self.without_roster
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContextWire {
    #[serde(default)]
    matchmaker: Loose,
    #[serde(default)]
    session_id: Loose,
    #[serde(default)]
    roster: Listed<RosterEntry>,
}

impl<'de> Deserialize<'de> for Context {
    /// An error for what is no object.
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Context, D::Error> {
        let Part(wire) = Part::<ContextWire>::deserialize(from)?;
        let wire = wire.ok_or_else(|| D::Error::custom("no object"))?;
        let (mut roster, without_roster, mut cut) = match wire.roster {
            Listed::Absent => (Vec::new(), true, false),
            Listed::List {
                usable, empty, cut, ..
            } => (usable, empty, cut),
            Listed::Other => (Vec::new(), false, false),
        };
        let mut room = IDS;
        let fitting = roster.iter().take_while(|entry| {
            let player = entry.player_id.as_ref().map_or(0, |id| written(id));
            let left = room.checked_sub(written(&entry.ticket_id) + player);
            room = left.unwrap_or(0);
            left.is_some()
        });
        let fitting = fitting.count();
        cut |= fitting < roster.len();
        roster.truncate(fitting);
        Ok(Context {
            matchmaker: wire.matchmaker == Loose::Bool(true),
            valid: true,
            without_roster,
            roster,
            cut,
            session_id: wire.session_id.text(),
        })
    }
}

/// How many bytes a text takes in JSON.
fn written(text: &str) -> usize {
    let bytes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' => 2,
        0..0x20 => 6,
        _ => 1,
    });
    bytes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(json: &str) -> Vec<(String, i32, Option<String>)> {
        let context = Context::parse(&format!(r#"{{"roster":{json}}}"#));
        assert!(context.valid, "{json}");
        let entries = context.roster.into_iter();
        entries
            .map(|it| {
                (
                    it.ticket_id.into(),
                    it.party_size,
                    it.player_id.map(Into::into),
                )
            })
            .collect()
    }

    #[test]
    fn entries_that_cannot_be_used_are_skipped_and_the_others_count() {
        let json = r#"[
            {"ticketId":"a","partySize":2,"playerId":null,"attributes":{"x":1},"context":{"y":[]}},
            {"ticketId":"b","partySize":1,"playerId":"p"},
            {"ticketId":"c","partySize":2147483647},
            {"ticketId":"","partySize":1}, {"ticketId":1,"partySize":1}, {"partySize":1},
            {"ticketId":null,"partySize":1}, {"ticketId":"d"}, {"ticketId":"d","partySize":0},
            {"ticketId":"d","partySize":-1}, {"ticketId":"d","partySize":2147483648},
            {"ticketId":"d","partySize":"1"}, {"ticketId":"d","partySize":1.0},
            {"ticketId":"d","partySize":1,"playerId":""}, {"ticketId":"d","partySize":1,"playerId":7},
            null, 3, "d", ["d",1], true
        ]"#;
        let usable = [
            ("a".to_owned(), 2, None),
            ("b".to_owned(), 1, Some("p".to_owned())),
            ("c".to_owned(), i32::MAX, None),
        ];
        assert_eq!(roster(json), usable);
    }

    #[test]
    fn only_a_context_that_surely_has_no_roster_needs_none() {
        for (text, rosterless) in [
            ("{}", true),
            (r#"{"roster":null}"#, true),
            (r#"{"roster":[]}"#, true),
            (r#" {"mode":"ranked","matchmaker":false} "#, true),
            (r#"{"matchmaker":"yes"}"#, true),
            (r#"{"matchmaker":1}"#, true),
            (r#"{"matchmaker":true}"#, false),
            (r#"{"matchmaker":true,"roster":[]}"#, false),
            (r#"{"roster":{}}"#, false),
            (r#"{"roster":"none"}"#, false),
            (r#"{"roster":0}"#, false),
            (r#"{"roster":[null]}"#, false),
            (r#"{"roster":[{"ticketId":"","partySize":1}]}"#, false),
            (r#"{"roster":[{"ticketId":"a","partySize":1}]}"#, false),
            // Not one JSON object.
            ("", false),
            ("null", false),
            ("[]", false),
            ("\"{}\"", false),
            ("{}{}", false),
            ("{} x", false),
            ("{\"roster\":[}", false),
            (r#"{"roster":[],"roster":[]}"#, false),
        ] {
            assert_eq!(Context::parse(text).rosterless(), rosterless, "{text}");
        }
        assert!(Context::absent().rosterless());
        assert!(!Context::invalid().rosterless());
        assert!(!Context::parse("[]").valid);
    }

    #[test]
    fn a_huge_roster_costs_a_bounded_memory() {
        let entry = r#"{"ticketId":"t","partySize":1}"#;
        let many = format!(r#"{{"roster":[{}]}}"#, vec![entry; ENTRIES + 1].join(","));
        let context = Context::parse(&many);
        assert_eq!((context.roster.len(), context.cut), (ENTRIES, true));
        let exactly = format!(r#"{{"roster":[{}]}}"#, vec![entry; ENTRIES].join(","));
        assert!(!Context::parse(&exactly).cut);

        let id = "t".repeat(1000);
        let entry = format!(r#"{{"ticketId":"{id}","partySize":1}}"#);
        let long = format!(r#"{{"roster":[{}]}}"#, vec![entry; 1000].join(","));
        let context = Context::parse(&long);
        assert_eq!((context.roster.len(), context.cut), (IDS / 1000, true));
        let junk = format!(
            r#"{{"roster":{}1{}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert_eq!(Context::parse(&junk).roster, []);
    }

    #[test]
    fn a_ticket_is_never_shown() {
        let context = Context::parse(r#"{"roster":[{"ticketId":"q3Vx9m","partySize":1}]}"#);
        assert!(!format!("{context:?}").contains("q3Vx"));
    }
}
