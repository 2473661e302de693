//! What the endpoint says of the game server, decoded: PingCore's view, and Agones' own, which has more
//! and lacks the allocation.

use super::loose::{Loose, Part};
use serde::Deserialize;

/// The state of a game server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ServerState {
    /// It starts, or is not ready yet, by whatever name.
    Scheduled,
    /// It is not for players, and saying that it is ready would not make it so: one of Agones' own states.
    Other,
    /// It may be given a match.
    Ready,
    /// It has one.
    Allocated,
    /// It is to go away.
    Shutdown,
}

impl ServerState {
    pub(super) fn word(self) -> &'static str {
        match self {
            ServerState::Scheduled => "Scheduled",
            ServerState::Other => "Other",
            ServerState::Ready => "Ready",
            ServerState::Allocated => "Allocated",
            ServerState::Shutdown => "Shutdown",
        }
    }
}

/// A game server, as far as it matters here.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct View {
    pub(super) state: ServerState,
    /// The current allocation.
    pub(super) allocation: Option<Annotated>,
    /// The capacity of the counter `players`, where there is one above 0.
    pub(super) capacity: Option<i32>,
}

/// An allocation, as the annotations have it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Annotated {
    pub(super) id: Box<str>,
    pub(super) context: ContextText,
}

/// A context, as the annotation has it: JSON in a text.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum ContextText {
    Absent,
    Text(Box<str>),
    /// Something that is no text.
    Other,
}

/// Why something is no view. Says nothing of what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not the view of a game server")]
pub(super) struct NoView;

#[derive(Deserialize)]
struct Framed {
    result: GameServer,
}

#[derive(Deserialize)]
struct GameServer {
    #[serde(default, alias = "objectMeta")]
    object_meta: Part<Meta>,
    status: Status,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    annotations: Part<Annotations>,
}

#[derive(Deserialize)]
struct Annotations {
    #[serde(default, rename = "pingcore.io/allocation-id")]
    id: Loose,
    /// The line that it comes in is bounded.
    #[serde(
        default,
        rename = "pingcore.io/allocation-context",
        deserialize_with = "Loose::unbounded"
    )]
    context: Loose,
}

#[derive(Deserialize)]
struct Status {
    state: Loose,
    #[serde(default)]
    counters: Part<Counters>,
}

#[derive(Deserialize)]
struct Counters {
    #[serde(default)]
    players: Part<Counter>,
}

#[derive(Deserialize)]
struct Counter {
    #[serde(default)]
    capacity: Loose,
}

/// A line of the watch stream.
pub(super) fn frame(line: &[u8]) -> Result<View, NoView> {
    let framed: Framed = serde_json::from_slice(line).map_err(|_| NoView)?;
    view(framed.result)
}

/// The answer to a plain read.
pub(super) fn game_server(body: &[u8]) -> Result<View, NoView> {
    view(serde_json::from_slice(body).map_err(|_| NoView)?)
}

fn view(server: GameServer) -> Result<View, NoView> {
    let Some(state) = server.status.state.text() else {
        return Err(NoView);
    };
    let state = match &*state {
        "Ready" => ServerState::Ready,
        "Allocated" => ServerState::Allocated,
        "Shutdown" => ServerState::Shutdown,
        "Scheduled" | "PortAllocation" | "Creating" | "Starting" | "RequestReady" => {
            ServerState::Scheduled
        }
        // `Reserved`, `Unhealthy`, `Error`, and whatever is yet to come.
        _ => ServerState::Other,
    };
    let annotations = server.object_meta.0.and_then(|meta| meta.annotations.0);
    let allocation = match annotations {
        None => None,
        Some(annotations) => match annotations.id {
            Loose::Null => None,
            Loose::Text(id) if id.is_empty() => None,
            Loose::Text(id) => Some(Annotated {
                id,
                context: match annotations.context {
                    Loose::Null => ContextText::Absent,
                    Loose::Text(text) => ContextText::Text(text),
                    _ => ContextText::Other,
                },
            }),
            // An allocation that cannot be named. What it is must not be guessed.
            _ => return Err(NoView),
        },
    };
    let players = server.status.counters.0.and_then(|all| all.players.0);
    let capacity = players.and_then(|players| players.capacity.number());
    let capacity = capacity.filter(|capacity| *capacity > 0);
    Ok(View {
        state,
        allocation,
        capacity: capacity.map(|capacity| i32::try_from(capacity).unwrap_or(i32::MAX)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the public contract of the fleet's endpoint shows it.
    const PINGCORE: &str = r#"{"object_meta":{"name":"gameserver-42","namespace":"default","labels":{},"annotations":{"pingcore.io/allocation-id":"match-1","pingcore.io/allocation-context":"{\"mode\":\"ranked\"}","pingcore.io/backfill-id":"b1","pingcore.io/backfill-context":"{\"backfill\":true,\"sessionId\":\"match-1\",\"roster\":[]}"}},"status":{"state":"Allocated","address":"203.0.113.1","ports":[{"name":"game","port":27015}],"counters":{}}}"#;

    /// As Agones' own local server answers.
    const AGONES: &str = r#"{"object_meta":{"name":"local","namespace":"default","uid":"1234","resource_version":"v1","generation":"1","creation_timestamp":"1790938521","deletion_timestamp":"0","annotations":{"annotation":"true"},"labels":{"islocal":"true"}},"spec":{"health":{"disabled":false,"period_seconds":3,"failure_threshold":5,"initial_delay_seconds":10}},"status":{"state":"Ready","address":"127.0.0.1","addresses":[],"ports":[{"name":"default","port":7777}],"players":null,"counters":{"rooms":{"count":"1","capacity":"10"}},"lists":{"players":{"capacity":"100","values":["test0"]}}}}"#;

    #[test]
    fn both_dialects_are_read() {
        let view = game_server(PINGCORE.as_bytes()).ok().unwrap();
        assert_eq!(view.state, ServerState::Allocated);
        let allocation = view.allocation.unwrap();
        assert_eq!(&*allocation.id, "match-1");
        assert!(allocation.context == ContextText::Text(r#"{"mode":"ranked"}"#.into()));
        let framed = format!(r#"{{"result":{PINGCORE}}}"#);
        assert!(frame(framed.as_bytes()).is_ok_and(|view| view.allocation.is_some()));

        let view = game_server(AGONES.as_bytes()).ok().unwrap();
        assert_eq!((view.state, view.capacity), (ServerState::Ready, None));
        assert!(view.allocation.is_none());
    }

    fn capacity(counter: &str) -> Option<i32> {
        let json =
            format!(r#"{{"status":{{"state":"Ready","counters":{{"players":{counter}}}}}}}"#);
        game_server(json.as_bytes()).ok().unwrap().capacity
    }

    #[test]
    fn a_capacity_counts_when_it_is_a_number_above_nothing() {
        for (counter, expected) in [
            (r#"{"count":"3","capacity":"8"}"#, Some(8)),
            (r#"{"count":3,"capacity":8}"#, Some(8)),
            (r#"{"capacity":"9223372036854775807"}"#, Some(i32::MAX)),
            (r#"{"capacity":"9223372036854775808"}"#, None),
            (r#"{"capacity":"0"}"#, None),
            (r#"{"capacity":-1}"#, None),
            (r#"{"capacity":"8.0"}"#, None),
            (r#"{"capacity":"many"}"#, None),
            (r#"{"capacity":[8]}"#, None),
            (r#"{"count":"3"}"#, None),
            ("null", None),
            ("8", None),
        ] {
            assert_eq!(capacity(counter), expected, "{counter}");
        }
    }

    #[test]
    fn what_is_no_view_is_none() {
        for json in [
            "",
            "{}",
            "null",
            "[]",
            r#"{"status":null}"#,
            r#"{"status":{}}"#,
            r#"{"status":{"state":""}}"#,
            r#"{"status":{"state":1}}"#,
            r#"{"status":{"state":"Ready"}} {}"#,
            r#"{"object_meta":{"annotations":{"pingcore.io/allocation-id":7}},"status":{"state":"Ready"}}"#,
            r#"{"error":{"code":14,"message":"gone"}}"#,
        ] {
            assert!(game_server(json.as_bytes()).is_err(), "{json}");
            assert!(
                frame(format!(r#"{{"result":{json}}}"#).as_bytes()).is_err(),
                "{json}"
            );
        }
        assert!(frame(br#"{"status":{"state":"Ready"}}"#).is_err());
        assert!(frame(&[b'{', 0xff, b'}']).is_err());
    }

    #[test]
    fn junk_beside_what_matters_does_no_harm() {
        for json in [
            r#"{"object_meta":null,"status":{"state":"Ready"}}"#,
            r#"{"object_meta":7,"status":{"state":"Reserved","counters":[1]}}"#,
            r#"{"object_meta":{"annotations":["x"]},"status":{"state":"Ready","ports":"none"}}"#,
            r#"{"object_meta":{"annotations":{"pingcore.io/allocation-id":""}},"status":{"state":"Ready"}}"#,
            r#"{"object_meta":{"annotations":{"pingcore.io/allocation-id":null}},"status":{"state":"Ready"}}"#,
        ] {
            let view = game_server(json.as_bytes()).ok().unwrap();
            assert!(view.allocation.is_none(), "{json}");
        }
        let json = r#"{"object_meta":{"annotations":{"pingcore.io/allocation-id":"a","pingcore.io/allocation-context":{"roster":[]}}},"status":{"state":"Ready"}}"#;
        let view = game_server(json.as_bytes()).ok().unwrap();
        assert!(view.allocation.unwrap().context == ContextText::Other);
    }
}
