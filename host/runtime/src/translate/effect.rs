//! Messages and effects of rules.

use super::bound::{Breach, LONG, bytes};
use super::reason::reason_in;
use crate::bindings::rules as wit;
use crate::effect::{Delivery, Effect, Message};
use crate::escape::escaped;
use usher_core::SessionId;

/// The longest line that rules write for the operator, in bytes.
const LINE: usize = 1_024;

/// The effects of a call, in order.
pub(crate) fn effects_in(effects: Vec<wit::Effect>) -> Result<Vec<Effect>, Breach> {
    let translated = effects.into_iter().enumerate().map(|(index, effect)| {
        effect_in(effect).map_err(|breach| breach.within(&format!("effects[{index}]")))
    });
    translated.collect()
}

fn effect_in(effect: wit::Effect) -> Result<Effect, Breach> {
    Ok(match effect {
        wit::Effect::Send(sending) => Effect::Send {
            to: SessionId(sending.to),
            message: message_in(sending.message)?,
        },
        wit::Effect::Broadcast(broadcasting) => Effect::Broadcast {
            except: broadcasting.except.into_iter().map(SessionId).collect(),
            message: message_in(broadcasting.message)?,
        },
        wit::Effect::Kick(kicking) => Effect::Kick {
            session: SessionId(kicking.session),
            reason: reason_in(kicking.reason.into())?,
        },
        wit::Effect::Close(reason) => Effect::Close(reason_in(reason.into())?),
        wit::Effect::Open => Effect::Open,
        wit::Effect::Say(line) => Effect::Say(escaped(&line, LINE)),
    })
}

fn message_in(message: wit::Message) -> Result<Message, Breach> {
    Ok(Message {
        data: bytes(message.data, "message.data", LONG)?,
        delivery: match message.delivery {
            wit::Delivery::Unreliable => Delivery::Unreliable,
            wit::Delivery::Sequenced => Delivery::Sequenced,
            wit::Delivery::Reliable => Delivery::Reliable,
            wit::Delivery::Ordered => Delivery::Ordered,
        },
        channel: message.channel,
    })
}

/// A message as rules see it.
pub(crate) fn message_out(message: &Message) -> wit::Message {
    wit::Message {
        data: message.data.to_vec(),
        delivery: match message.delivery {
            Delivery::Unreliable => wit::Delivery::Unreliable,
            Delivery::Sequenced => wit::Delivery::Sequenced,
            Delivery::Reliable => wit::Delivery::Reliable,
            Delivery::Ordered => wit::Delivery::Ordered,
        },
        channel: message.channel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(size: usize) -> wit::Effect {
        wit::Effect::Send(wit::Sending {
            to: 4,
            message: wit::Message {
                data: vec![7; size],
                delivery: wit::Delivery::Sequenced,
                channel: 2,
            },
        })
    }

    #[test]
    fn effects_keep_their_order_and_content() {
        let say = wit::Effect::Say("one\ntwo".to_owned());
        let effects = effects_in(vec![send(1), say, wit::Effect::Open]).expect("within bounds");
        let message = Message {
            data: [7].into(),
            delivery: Delivery::Sequenced,
            channel: 2,
        };
        assert_eq!(message_out(&message).channel, 2);
        let expected = [
            Effect::Send {
                to: SessionId(4),
                message,
            },
            Effect::Say("one\\ntwo".to_owned()),
            Effect::Open,
        ];
        assert_eq!(effects, expected);
    }

    #[test]
    fn bounds_are_kept() {
        let breach = effects_in(vec![send(1), send(LONG + 1)]).unwrap_err();
        assert_eq!(
            breach.to_string(),
            "effects[1].message.data has 65537 bytes, at most 65536 are allowed"
        );
    }
}
