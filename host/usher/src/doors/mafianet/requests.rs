//! What the core is told of peers, and what is counted and logged of them.

use super::password::PasswordFile;
use super::peers::Peer;
use crate::core_loop::{Handle, Shed};
use crate::metrics;
use crate::seldom::Seldom;
use crate::text::Shown;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use usher_core::{
    Abilities, Attribute, AttributeValue, DoorId, Grant, Input, Reason, ReasonAbility, RequestData,
    RequestId, Secret, SessionEnd, SessionId,
};
use usher_wire::raknet::Dialect;

/// How long a client without a session exchange can wait: it gives up 10 s after it was welcomed.
const LONGEST_SILENCE: Duration = Duration::from_secs(8);

/// How many lines there are in a second of those who come in and go. Where thousands do, writing a line for each
/// costs as much as letting them in.
const LINES: u32 = 100;

/// What all requests of a door have in common.
pub(super) struct Requests {
    pub(super) door: DoorId,
    pub(super) name: Arc<str>,
    pub(super) room: Arc<str>,
    pub(super) password: PasswordFile,
    /// What is said to someone for whose request there is no room; may be empty.
    pub(super) full: Arc<str>,
    /// Whether addresses are proven.
    pub(super) proves: bool,
    protocols: Vec<(u8, Arc<str>)>,
    guid: Arc<str>,
    /// Of those who come in and go.
    lines: Seldom,
    /// Ended sessions that the metrics do not know yet, by what ended them.
    ended: Vec<(&'static str, u64)>,
}

impl Requests {
    pub(super) fn new(
        door: DoorId,
        name: Arc<str>,
        room: Arc<str>,
        password: PasswordFile,
        full: Arc<str>,
        proves: bool,
    ) -> Requests {
        let dialects = [Dialect::MAFIANET, Dialect::RAKNET4];
        let protocols = dialects.into_iter().flat_map(|dialect| {
            let name: Arc<str> = dialect.name.into();
            let numbers = dialect.protocols.iter();
            numbers.map(move |number| (*number, name.clone()))
        });
        Requests {
            door,
            name,
            room,
            password,
            full,
            proves,
            protocols: protocols.collect(),
            guid: "peer.guid".into(),
            lines: Seldom::several(LINES, Duration::from_secs(1)),
            ended: Vec::new(),
        }
    }

    /// A peer shows itself.
    pub(super) fn knock(
        &self,
        core: &Handle,
        request: RequestId,
        peer: SocketAddr,
    ) -> Result<(), Shed> {
        let knocked = core.announce(request, self.door, peer, self.room.clone());
        if knocked.is_err() {
            metrics::knock_refused(&self.name, usher_core::code::POOL_FULL);
        }
        knocked
    }

    /// A peer has said all that it has to say.
    pub(super) fn submit(&self, core: &Handle, peer: &mut Peer, payload: Vec<u8>) {
        let opening = peer.acceptor.opening();
        let dialect = opening.dialect;
        let exchange = dialect.session_exchange;
        let password = peer.password.take();
        let request = RequestData {
            id: peer.request,
            door: self.door,
            door_name: self.name.clone(),
            protocol: self.protocol(dialect),
            abilities: Abilities {
                status: exchange,
                reasons: match exchange {
                    true => ReasonAbility::Text,
                    false => ReasonAbility::None,
                },
                longest_wait: (!exchange).then_some(LONGEST_SILENCE),
            },
            room: self.room.clone(),
            peer: SocketAddr::V4(opening.client),
            proven: self.proves,
            name: None,
            password: password
                .map(|password| Secret::new(&*String::from_utf8_lossy(password.expose()))),
            args: Vec::new(),
            payload: payload.into(),
            attributes: vec![Attribute {
                name: self.guid.clone(),
                // As a number it takes no memory of its own.
                value: AttributeValue::Number(opening.guid.0.cast_signed()),
            }],
            one_way: peer.acceptor.rtt().map(|trip| trip / 2),
        };
        core.send(Input::Submit(Arc::new(request)));
    }

    fn protocol(&self, dialect: &Dialect) -> Arc<str> {
        let mut known = self.protocols.iter();
        let known = known.find(|(number, _)| dialect.protocols.contains(number));
        known.map_or_else(|| dialect.name.into(), |(_, name)| name.clone())
    }

    /// Whether a password is the door's; `None` where the policies judge it.
    pub(super) fn password_is_right(&self, password: &[u8]) -> Option<bool> {
        self.password.is(password)
    }

    /// What is said to someone for whose request there is no room.
    pub(super) fn full_text(&self) -> Arc<str> {
        self.full.clone()
    }

    pub(super) fn count_wrong_password(&self) {
        metrics::knock_refused(&self.name, super::reasons::INVALID_PASSWORD);
    }

    pub(super) fn count_refused(&self, reason: &Reason) {
        metrics::knock_refused(&self.name, &reason.code);
    }

    pub(super) fn count_accepted(&self, grant: &Grant) {
        if self.may_say() {
            tracing::info!(
                door = &*self.name,
                session = %grant.session,
                "'{}' was let in",
                Shown(&grant.name)
            );
        }
    }

    pub(super) fn count_ended(&mut self, session: SessionId, how: &SessionEnd) {
        let word = how.word();
        if self.may_say() {
            tracing::info!(door = &*self.name, %session, "over: {word}");
        }
        // There are a handful of words.
        match self.ended.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => self.ended.push((word, 1)),
        }
    }

    /// Whether there is a line to be said of someone who comes in or goes.
    fn may_say(&self) -> bool {
        let unsaid = self.lines.may_say(Instant::now());
        if let Some(unsaid @ 1..) = unsaid {
            tracing::info!(
                door = &*self.name,
                "{unsaid} times someone came in or went without a line of their own"
            );
        }
        unsaid.is_some()
    }

    /// Whether the metrics are to be told something.
    pub(super) fn has_news(&self) -> bool {
        self.ended.iter().any(|(_, count)| *count > 0)
    }

    /// Tells the metrics what was counted.
    pub(super) fn hand_on(&mut self) {
        for (word, count) in &mut self.ended {
            let count = std::mem::take(count);
            if count > 0 {
                metrics::sessions_ended(&self.name, word, count);
            }
        }
    }
}
