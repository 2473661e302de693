//! What a door knows: requests, sessions, who calls. It does no IO: calls, the core's events and time go
//! in, and what the core is to be told comes out, in order.

mod endings;
mod events;
mod id;
mod instance;
mod locals;
mod requests;
mod sessions;

#[cfg(test)]
mod tests;

pub(super) use endings::Read;
pub(super) use id::Run;
pub(super) use instance::{Life, Replaced};
pub(super) use locals::NotLocal;
pub(super) use requests::{Begun, NotBegun, Watched};
pub(super) use sessions::Stage;

use super::api::{Answer, Ended, How, Lease, NewRequest, Over, OverWhy, Session, Waiting};
use endings::Endings;
use instance::Instance;
use locals::Locals;
use requests::Requests;
use sessions::Sessions;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use usher_core::{
    Abilities, Departure, Digest, DoorId, Input, Moment, Reason, ReasonAbility, RequestData,
    RequestId, Secret, SessionId,
};

/// What a door is to be.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) id: DoorId,
    pub(super) name: Arc<str>,
    pub(super) room: Arc<str>,
    /// How soon an acceptance must be confirmed.
    pub(super) confirm: Duration,
    /// How long the game server may be silent.
    pub(super) lease: Duration,
    /// What a knock is told that the core never saw.
    pub(super) full: Reason,
}

/// What the core is to be told.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is handed on at once, and a box for each would cost an allocation"
)]
pub(super) enum Order {
    /// A player knocks. What cannot be handed in must be said to [`Book::shed`].
    Knock(Arc<RequestData>),
    /// Anything else.
    Tell(Input),
}

/// What a door knows.
pub(super) struct Book {
    terms: Terms,
    run: Run,
    protocol: Arc<str>,
    instance: Instance,
    requests: Requests,
    sessions: Sessions,
    locals: Locals,
    endings: Endings,
    /// When it was last looked whether the game server is there.
    looked: Option<Moment>,
    out: VecDeque<Order>,
}

/// There is nothing of this name, or not any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unknown;

/// Why a request cannot be given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotGivenUp {
    /// There is none of this name, or not any more.
    Unknown,
    /// Its player is in.
    Confirmed,
    /// Another game server has come.
    Replaced,
}

impl Book {
    pub(super) fn new(terms: Terms, run: Run) -> Book {
        Book {
            // An answer that may still be confirmed is not forgotten.
            requests: Requests::new(terms.confirm + Duration::from_secs(10)),
            terms,
            run,
            protocol: "http".into(),
            instance: Instance::new(),
            sessions: Sessions::default(),
            locals: Locals::default(),
            endings: Endings::new(),
            looked: None,
            out: VecDeque::new(),
        }
    }

    /// The next thing that the core is to be told.
    pub(super) fn order(&mut self) -> Option<Order> {
        self.out.pop_front()
    }

    /// A call came, of a game server that calls itself this; until [`Book::answered`].
    pub(super) fn call(&mut self, instance: Option<&str>, now: Moment) -> Result<Life, Replaced> {
        let (life, is_new) = self.instance.call(instance, now)?;
        if is_new {
            self.replace(now);
        }
        Ok(life)
    }

    /// Whether whoever called is still the one that is there: a call may take its time to say what it wants.
    pub(super) fn check(&self, life: Life) -> Result<(), Replaced> {
        match self.instance.is(life) {
            true => Ok(()),
            false => Err(Replaced),
        }
    }

    /// A call was answered, or its connection broke.
    pub(super) fn answered(&mut self, life: Life, now: Moment) {
        self.instance.answered(life, now);
    }

    /// A player wants to come in.
    pub(super) fn begin(
        &mut self,
        id: RequestId,
        key: Digest,
        body: Digest,
        asked: NewRequest,
        payload: Arc<[u8]>,
        now: Moment,
    ) -> Result<Begun, NotBegun> {
        let first = Answer::Waiting(Waiting {
            id: self.run.name(id.0),
            status: String::new(),
            position: None,
            version: 0,
        });
        let args: usize = asked.args.iter().map(String::len).sum();
        let bytes = payload.len() + args;
        let begun = self.requests.begin(id, key, body, bytes, first, now)?;
        if let Begun::New(id) = begun {
            let data = self.data(id, asked, payload);
            self.out.push_back(Order::Knock(Arc::new(data)));
        }
        Ok(begun)
    }

    fn data(&self, id: RequestId, asked: NewRequest, payload: Arc<[u8]>) -> RequestData {
        RequestData {
            id,
            door: self.terms.id,
            door_name: self.terms.name.clone(),
            protocol: self.protocol.clone(),
            abilities: Abilities {
                status: true,
                reasons: ReasonAbility::Text,
                longest_wait: None,
            },
            room: self.terms.room.clone(),
            peer: SocketAddr::new(asked.address, asked.port),
            proven: asked.proven,
            one_way: asked.one_way(),
            name: asked.name.filter(|name| !name.is_empty()).map(Arc::from),
            password: asked.password.map(Secret::new),
            args: asked.args.into_iter().map(Arc::from).collect(),
            payload,
            attributes: Vec::new(),
        }
    }

    /// The request of this name.
    pub(super) fn find(&self, name: &str) -> Option<RequestId> {
        self.run.number(name).map(RequestId)
    }

    /// Someone asks how a request stands, until [`Book::asked`].
    pub(super) fn ask(&mut self, id: RequestId) -> Option<Watched> {
        self.requests.ask(id)
    }

    /// Whoever asked asks no more; `told`: it was told the last answer.
    pub(super) fn asked(&mut self, id: RequestId, told: bool, now: Moment) {
        self.requests.asked(id, told, now);
    }

    /// The game server gives a request up: how it stands then.
    pub(super) fn give_up(
        &mut self,
        id: RequestId,
        now: Moment,
    ) -> Result<Arc<Answer>, NotGivenUp> {
        let answer = self.requests.answer(id).ok_or(NotGivenUp::Unknown)?;
        match (&*answer, self.sessions.of_request(id)) {
            (_, Some(session)) if session.is_confirmed() => return Err(NotGivenUp::Confirmed),
            (Answer::Waiting(_), _) | (_, Some(_)) => {}
            // There is nothing to give up any more.
            _ => return Ok(answer),
        }
        self.end_request(id, OverWhy::Cancelled, Departure::Left, now);
        self.requests.answer(id).ok_or(NotGivenUp::Unknown)
    }

    fn end_request(&mut self, id: RequestId, why: OverWhy, how: Departure, now: Moment) {
        let over = Answer::Over(Over {
            id: self.run.name(id.0),
            why,
        });
        self.requests.settle(id, over, true, now);
        self.tell(Input::Gone { request: id, how });
    }

    /// The game server says that the player is in. Where that leads is to be seen.
    pub(super) fn confirm(&mut self, name: &str) -> Result<watch::Receiver<Stage>, Unknown> {
        if let Some(local) = self.run.local_number(name)
            && self.locals.has(local)
        {
            return Ok(watch::Sender::new(Stage::Confirmed).subscribe());
        }
        let session = self.run.number(name).map(SessionId);
        let known = session.and_then(|id| Some((id, self.sessions.get(id)?)));
        let Some((session, known)) = known else {
            return self.over(name);
        };
        let stage = known.watch();
        if !known.is_confirmed() {
            self.tell(Input::Confirm { session });
        }
        Ok(stage)
    }

    /// The game server says that the player is gone. Where that leads is to be seen.
    pub(super) fn end(
        &mut self,
        name: &str,
        how: Departure,
        now: Moment,
    ) -> Result<watch::Receiver<Stage>, Unknown> {
        if let Some(local) = self.run.local_number(name)
            && self.locals.end(local, now)
        {
            let how = match how {
                Departure::Left => How::Left,
                _ => How::Dropped,
            };
            self.note_local(local, how);
            return self.over(name);
        }
        let session = self.run.number(name).map(SessionId);
        let Some(known) = session.and_then(|id| self.sessions.get(id)) else {
            return self.over(name);
        };
        let (stage, request) = (known.watch(), known.request);
        self.tell(Input::Gone { request, how });
        Ok(stage)
    }

    /// How a session ended that is over.
    fn over(&self, name: &str) -> Result<watch::Receiver<Stage>, Unknown> {
        let ended = self.endings.of(name).ok_or(Unknown)?;
        Ok(watch::Sender::new(Stage::Over(ended.clone())).subscribe())
    }

    /// A session without a seat: its name.
    pub(super) fn local(
        &mut self,
        key: Digest,
        name: Arc<str>,
        now: Moment,
    ) -> Result<String, NotLocal> {
        let number = self.locals.begin(key, name, now)?;
        Ok(self.run.local_name(number))
    }

    fn note_local(&mut self, number: u64, how: How) {
        self.endings.note(Ended {
            session: self.run.local_name(number),
            how,
            code: None,
            text: None,
        });
    }

    /// The session of this name.
    pub(super) fn session(&self, name: &str, now: Moment) -> Option<Session> {
        if let Some(local) = self.run.local_number(name) {
            let session = name.to_owned();
            return self.locals.shown(local, session, &self.terms.room, now);
        }
        let known = self.sessions.get(SessionId(self.run.number(name)?))?;
        Some(known.shown(name.to_owned(), now))
    }

    /// Every session.
    pub(super) fn list(&self, now: Moment) -> Vec<Session> {
        let seated = self.sessions.list(|id| self.run.name(id.0), now);
        let locals = |number| self.run.local_name(number);
        let mut all = self.locals.list(locals, &self.terms.room, now);
        all.extend(seated);
        all
    }

    /// What has ended since.
    pub(super) fn endings(&self, after: Option<&str>) -> Read {
        // A place of another run is one that is not known any more.
        let seen = after.map(|after| self.run.number(after).unwrap_or(u64::MAX));
        self.endings.after(seen)
    }

    /// Sees how many have ended.
    pub(super) fn watch_endings(&self) -> watch::Receiver<u64> {
        self.endings.watch()
    }

    /// The name of a place in the endings.
    pub(super) fn place(&self, number: u64) -> String {
        self.run.name(number)
    }

    /// The game server was told what ended, up to here.
    pub(super) fn told_endings(&mut self, until: u64) {
        self.endings.told(until);
    }

    /// Whether there is something that the game server was not told.
    pub(super) fn untold(&self) -> bool {
        self.requests.untold() || self.endings.untold()
    }

    /// How the game server stands with this door.
    pub(super) fn lease(&self) -> Lease {
        let (unconfirmed, confirmed) = self.sessions.count();
        Lease {
            run: self.run.to_string(),
            lease_ms: u64::try_from(self.terms.lease.as_millis()).unwrap_or(u64::MAX),
            requests: self.requests.open().0,
            sessions: unconfirmed + confirmed,
            local: self.locals.count(),
        }
    }

    /// Peers by where they stand, and bytes of requests that are open.
    pub(super) fn holds(&self) -> (Vec<(&'static str, u32)>, u64) {
        let (open, bytes) = self.requests.open();
        let (unconfirmed, confirmed) = self.sessions.count();
        let peers = vec![
            ("pending", open),
            ("unconfirmed", unconfirmed),
            ("confirmed", confirmed),
            ("local", self.locals.count()),
        ];
        (peers, u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    fn tell(&mut self, input: Input) {
        self.out.push_back(Order::Tell(input));
    }
}
