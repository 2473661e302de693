//! Requests, as policies see them.

use super::duration::millis;
use super::key::key_out;
use super::question::fact_out;
use super::reason::room_out;
use crate::bindings::{admission as wit, types};
use std::time::Duration;
use usher_core::{
    Abilities, Ask, Attribute, AttributeValue, HeldUnit, Over, Reason, ReasonAbility, RequestData,
    RoomState, Why,
};

/// The request of an ask.
pub(crate) fn request_of_ask(ask: &Ask) -> wit::Request {
    let life = Life {
        ask: ask.id.0,
        why: ask.why,
        room: &ask.room,
        max_players: ask.max_players,
        host: &ask.host,
        server_closed: ask.server_closed.as_ref(),
        attempt: ask.attempt,
        position: ask.position,
        waited: ask.waited,
        held: &ask.held,
    };
    request(&ask.request, &life)
}

/// The facts of an ask.
pub(crate) fn facts_of_ask(ask: &Ask) -> Vec<wit::Fact> {
    let facts = ask.facts.iter();
    facts.map(|fact| fact_out(fact, ask.now)).collect()
}

/// The request that is over.
pub(crate) fn request_of_over(over: &Over) -> wit::Request {
    let life = Life {
        ask: over.id.0,
        why: Why::First,
        room: &over.room,
        max_players: over.max_players,
        host: &over.host,
        server_closed: over.server_closed.as_ref(),
        attempt: over.attempt,
        position: None,
        waited: over.waited,
        held: &[],
    };
    request(&over.request, &life)
}

/// What a request says of itself changes no more; this does.
struct Life<'a> {
    ask: u64,
    why: Why,
    room: &'a RoomState,
    max_players: u32,
    host: &'a [Attribute],
    server_closed: Option<&'a Reason>,
    attempt: u32,
    position: Option<u32>,
    waited: Duration,
    held: &'a [HeldUnit],
}

fn request(data: &RequestData, life: &Life<'_>) -> wit::Request {
    wit::Request {
        id: data.id.0,
        ask_id: life.ask,
        why: why(life.why),
        door: data.door_name.to_string(),
        protocol: data.protocol.to_string(),
        abilities: abilities(&data.abilities),
        room: room_out(life.room),
        max_players: life.max_players,
        peer: wit::Endpoint {
            address: data.peer.ip().to_canonical().to_string(),
            port: data.peer.port(),
            proven: data.proven,
        },
        name: data.name.as_deref().map(str::to_owned),
        password: data
            .password
            .as_ref()
            .map(|secret| secret.expose().to_owned()),
        args: data.args.iter().map(|arg| arg.to_string()).collect(),
        payload: data.payload.to_vec(),
        attributes: attributes(data, life),
        attempt: life.attempt,
        position: life.position,
        waited: millis(life.waited),
        one_way: data.one_way.map(millis),
        held: life.held.iter().map(held).collect(),
    }
}

fn why(why: Why) -> wit::Why {
    match why {
        Why::First => wit::Why::First,
        Why::Evidence => wit::Why::Evidence,
        Why::Offer => wit::Why::Offer,
        Why::Reload => wit::Why::Reload,
        Why::Recheck => wit::Why::Recheck,
    }
}

fn abilities(abilities: &Abilities) -> wit::DoorAbilities {
    wit::DoorAbilities {
        status: if abilities.status {
            wit::StatusAbility::Text
        } else {
            wit::StatusAbility::Silent
        },
        reasons: match abilities.reasons {
            ReasonAbility::Text => wit::ReasonAbility::Text,
            ReasonAbility::Code => wit::ReasonAbility::Code,
            ReasonAbility::None => wit::ReasonAbility::None,
        },
        longest_wait: abilities.longest_wait.map(millis),
    }
}

/// What is known of the request besides, and of the host.
fn attributes(data: &RequestData, life: &Life<'_>) -> Vec<types::Attribute> {
    let of_request = data.attributes.iter().chain(life.host).map(attribute);
    let closed = life.server_closed.map(|reason| types::Attribute {
        name: "server.closed".to_owned(),
        value: types::AttributeValue::Text(reason.code.to_string()),
    });
    of_request.chain(closed).collect()
}

fn attribute(attribute: &Attribute) -> types::Attribute {
    types::Attribute {
        name: attribute.name.to_string(),
        value: match &attribute.value {
            AttributeValue::Flag(flag) => types::AttributeValue::Flag(*flag),
            AttributeValue::Number(number) => types::AttributeValue::Number(*number),
            AttributeValue::Text(text) => types::AttributeValue::Text(text.to_string()),
            AttributeValue::Bytes(bytes) => types::AttributeValue::Bytes(bytes.to_vec()),
        },
    }
}

fn held(unit: &HeldUnit) -> wit::HeldUnit {
    wit::HeldUnit {
        key: key_out(&unit.key),
        index: unit.index,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_request_is_told_whole() {
        let mut ask = sample::ask("R9");
        ask.why = Why::Offer;
        ask.position = Some(2);
        ask.waited = Duration::from_millis(1_500);
        ask.held = vec![HeldUnit {
            key: usher_core::Key::server(),
            index: Some(3),
        }];
        let request = request_of_ask(&ask);
        assert_eq!(request.name.as_deref(), Some("R9"));
        assert!(matches!(request.why, wit::Why::Offer));
        assert_eq!((request.position, request.waited), (Some(2), 1_500));
        assert_eq!(request.held[0].index, Some(3));
        assert_eq!(request.room.name, "main");
        assert!(request.room.joinable);
    }

    #[test]
    fn what_the_host_says_of_itself_comes_with_every_request() {
        let text = |name: &str, value: &str| Attribute {
            name: name.into(),
            value: AttributeValue::Text(value.into()),
        };
        let mut ask = sample::ask("R9");
        let mut data = (*ask.request).clone();
        data.attributes = vec![text("peer.lang", "de")];
        ask.request = data.into();
        ask.host = [text("fleet.mode", "hosted")].into();
        let told = |ask: &Ask| {
            let attributes = request_of_ask(ask).attributes;
            let text = |it: types::Attribute| match it.value {
                types::AttributeValue::Text(value) => format!("{}={value}", it.name),
                other => panic!("{other:?}"),
            };
            attributes.into_iter().map(text).collect::<Vec<_>>()
        };
        assert_eq!(told(&ask), ["peer.lang=de", "fleet.mode=hosted"]);
        ask.server_closed = Some(Reason::new("stopping", "The server is stopping."));
        assert_eq!(
            told(&ask),
            [
                "peer.lang=de",
                "fleet.mode=hosted",
                "server.closed=stopping"
            ]
        );
    }

    #[test]
    fn a_mapped_address_is_told_as_ipv4() {
        let mut ask = sample::ask("R9");
        let mut data = (*ask.request).clone();
        data.peer = "[::ffff:192.0.2.7]:4000".parse().expect("an endpoint");
        ask.request = data.into();
        let request = request_of_ask(&ask);
        assert_eq!(request.peer.address, "192.0.2.7");
        assert_eq!(request.peer.port, 4_000);
    }
}
