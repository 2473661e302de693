//! `details`: what else is known of the request that a call is about.

use crate::bindings::{details, types};
use crate::translate::bound::Breach;
use crate::translate::details::{attributes_out, door_out, held_out};
use crate::translate::duration::millis;
use crate::translate::question::fact_out;
use crate::translate::reason::room_out;
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Ask, Attribute, Fact, HeldUnit, Moment, Over, Reason, RequestData, RoomState};

/// What a call is about.
pub(crate) enum About<'a> {
    /// A request that is decided.
    Ask(&'a Ask),
    /// A request that is over.
    Over(&'a Over),
    /// No one request.
    Nothing,
}

impl<'a> About<'a> {
    /// The units that the request holds.
    pub(crate) fn held(&self) -> &'a [HeldUnit] {
        match self {
            About::Ask(ask) => &ask.held,
            About::Over(_) | About::Nothing => &[],
        }
    }
}

/// The request of the call that is being made, if it is about one.
#[derive(Default)]
pub(crate) struct Details(Option<Request>);

/// Only pointers are cloned for it, as long as the request holds nothing and nothing was found out.
struct Request {
    ask: u64,
    data: Arc<RequestData>,
    room: RoomState,
    host: Arc<[Attribute]>,
    server_closed: Option<Reason>,
    position: Option<u32>,
    waited: Duration,
    held: Vec<HeldUnit>,
    facts: Vec<Fact>,
    now: Moment,
}

impl Details {
    /// Before a call.
    pub(crate) fn begin(&mut self, about: &About<'_>) {
        self.0 = match about {
            About::Ask(ask) => Some(Request {
                ask: ask.id.0,
                data: Arc::clone(&ask.request),
                room: ask.room.clone(),
                host: Arc::clone(&ask.host),
                server_closed: ask.server_closed.clone(),
                position: ask.position,
                waited: ask.waited,
                held: ask.held.clone(),
                facts: ask.facts.clone(),
                now: ask.now,
            }),
            About::Over(over) => Some(Request {
                ask: over.id.0,
                data: Arc::clone(&over.request),
                room: over.room.clone(),
                host: Arc::clone(&over.host),
                server_closed: over.server_closed.clone(),
                position: None,
                waited: over.waited,
                held: Vec::new(),
                facts: Vec::new(),
                now: over.now,
            }),
            About::Nothing => None,
        };
    }

    /// After a call: a password is not kept longer than it has to be.
    pub(crate) fn end(&mut self) {
        self.0 = None;
    }

    fn request(&self) -> wasmtime::Result<&Request> {
        let problem = "asks about a request in a call that is about none";
        let none = || Breach::new("details", problem).into();
        self.0.as_ref().ok_or_else(none)
    }
}

impl details::Host for Details {
    fn door(&mut self) -> wasmtime::Result<details::DoorInfo> {
        Ok(door_out(&self.request()?.data))
    }

    fn progress(&mut self) -> wasmtime::Result<details::ProgressInfo> {
        let request = self.request()?;
        Ok(details::ProgressInfo {
            ask_id: request.ask,
            position: request.position,
            waited: millis(request.waited),
            one_way: request.data.one_way.map(millis),
        })
    }

    fn room(&mut self) -> wasmtime::Result<types::RoomState> {
        Ok(room_out(&self.request()?.room))
    }

    fn password(&mut self) -> wasmtime::Result<Option<String>> {
        let password = self.request()?.data.password.as_ref();
        Ok(password.map(|secret| secret.expose().to_owned()))
    }

    fn args(&mut self) -> wasmtime::Result<Vec<String>> {
        let args = self.request()?.data.args.iter();
        Ok(args.map(|arg| arg.to_string()).collect())
    }

    fn attributes(&mut self) -> wasmtime::Result<Vec<types::Attribute>> {
        let request = self.request()?;
        Ok(attributes_out(
            &request.data,
            &request.host,
            request.server_closed.as_ref(),
        ))
    }

    fn held(&mut self) -> wasmtime::Result<Vec<details::HeldUnit>> {
        Ok(self.request()?.held.iter().map(held_out).collect())
    }

    fn facts(&mut self) -> wasmtime::Result<Vec<types::Fact>> {
        let request = self.request()?;
        let facts = request.facts.iter();
        Ok(facts.map(|fact| fact_out(fact, request.now)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use details::Host as _;

    #[test]
    fn a_request_is_told_whole() {
        let mut ask = sample::ask("R9");
        ask.position = Some(2);
        ask.waited = Duration::from_millis(1_500);
        ask.held = vec![HeldUnit {
            key: usher_core::Key::server(),
            index: Some(3),
        }];
        let mut details = Details::default();
        details.begin(&About::Ask(&ask));
        let progress = details.progress().expect("a request");
        assert_eq!((progress.position, progress.waited), (Some(2), 1_500));
        assert_eq!(details.held().expect("a request")[0].index, Some(3));
        let room = details.room().expect("a request");
        assert_eq!(room.name, "main");
        assert!(room.joinable);
        assert_eq!(details.door().expect("a request").protocol, "rtyp");
    }

    #[test]
    fn a_call_about_no_request_is_told_so_and_nothing_is_left_of_the_last() {
        let mut details = Details::default();
        details.begin(&About::Ask(&sample::ask("R9")));
        assert!(details.password().is_ok());
        details.end();
        let error = details.password().unwrap_err().to_string();
        assert_eq!(
            error,
            "details asks about a request in a call that is about none"
        );
    }
}
