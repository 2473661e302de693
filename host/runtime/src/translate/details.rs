//! What is known of a request besides, as policies that ask for it see it.

use super::duration::millis;
use super::key::key_out;
use crate::bindings::{details as wit, types};
use usher_core::{
    Abilities, Attribute, AttributeValue, HeldUnit, Reason, ReasonAbility, RequestData,
};

/// The door that it came through.
pub(crate) fn door_out(data: &RequestData) -> wit::DoorInfo {
    wit::DoorInfo {
        name: data.door_name.to_string(),
        protocol: data.protocol.to_string(),
        abilities: abilities(&data.abilities),
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

/// What is known of the request, and of the host.
pub(crate) fn attributes_out(
    data: &RequestData,
    host: &[Attribute],
    server_closed: Option<&Reason>,
) -> Vec<types::Attribute> {
    let known = data.attributes.iter().chain(host).map(attribute);
    let closed = server_closed.map(|reason| types::Attribute {
        name: "server.closed".to_owned(),
        value: types::AttributeValue::Text(reason.code.to_string()),
    });
    known.chain(closed).collect()
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

/// A unit that it holds.
pub(crate) fn held_out(held: &HeldUnit) -> wit::HeldUnit {
    wit::HeldUnit {
        key: key_out(&held.key),
        index: held.index,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn what_the_host_says_of_itself_comes_with_what_is_known_of_the_request() {
        let text = |name: &str, value: &str| Attribute {
            name: name.into(),
            value: AttributeValue::Text(value.into()),
        };
        let mut data = sample::request("R9");
        data.attributes = vec![text("peer.lang", "de")];
        let host = [text("fleet.mode", "hosted")];
        let told = |closed: Option<&Reason>| {
            let text = |it: types::Attribute| match it.value {
                types::AttributeValue::Text(value) => format!("{}={value}", it.name),
                other => panic!("{other:?}"),
            };
            let attributes = attributes_out(&data, &host, closed).into_iter();
            attributes.map(text).collect::<Vec<_>>()
        };
        assert_eq!(told(None), ["peer.lang=de", "fleet.mode=hosted"]);
        let stopping = Reason::new("stopping", "The server is stopping.");
        assert_eq!(
            told(Some(&stopping)),
            [
                "peer.lang=de",
                "fleet.mode=hosted",
                "server.closed=stopping"
            ]
        );
    }
}
