//! A stand-in of Discovery, as far as a game server speaks with it: verify, heartbeat, delist.
//!
//! It counts seats as Discovery does where its answers are verdicts only: a player whom it let in once it
//! lets in again.

mod control;
mod routes;
mod state;

pub use state::{HeartbeatAnswer, Reservation};

use crate::calls::Calls;
use crate::fault::Fault;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::shared::Site;
use crate::server::{Options, Server};
use serde_json::Value;
use state::{Discovery, State};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

impl Site for Discovery {
    fn answer(self: Arc<Self>, request: &Request) -> Reply {
        routes::answer(&mut self.state(), request)
    }

    fn script(&self, request: &Request) -> Reply {
        let rest = request.path.strip_prefix("/fake/").unwrap_or_default();
        control::answer(&mut self.state(), rest, request)
    }
}

/// A running Discovery on a port of 127.0.0.1. Dropping it ends it.
pub struct FakeDiscovery {
    site: Arc<Discovery>,
    server: Server,
}

impl FakeDiscovery {
    /// One on a free port that knows this token and no reservation, and whose answers are detailed.
    ///
    /// # Panics
    ///
    /// If loopback has no free port.
    pub fn start(token: &str) -> FakeDiscovery {
        FakeDiscovery::with(token, Options::default()).expect("loopback has a free port")
    }

    /// One that is set up like this.
    ///
    /// # Errors
    ///
    /// If the port is taken.
    pub fn with(token: &str, options: Options) -> io::Result<FakeDiscovery> {
        let site = Arc::new(Discovery(Mutex::new(State::new(token))));
        let server = Server::start(options, Arc::clone(&site))?;
        Ok(FakeDiscovery { site, server })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Its base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// Whether its verify answers are verdicts only, as an open app's token gets them.
    pub fn verdicts_only(&self, yes: bool) {
        self.site.state().verdicts_only = yes;
    }

    /// Knows a reservation. One of the same id is replaced.
    pub fn reserve(&self, reservation: Reservation) {
        self.site.state().reserve(reservation);
    }

    /// Knows it no more.
    pub fn release(&self, reservation: &str) {
        self.site.state().release(reservation);
    }

    /// Answers every question about this reservation with this, whatever it knows.
    pub fn answer_verify(&self, reservation: &str, answer: &Value) {
        let mut state = self.site.state();
        state
            .scripted
            .insert(reservation.to_owned(), answer.clone());
    }

    /// How the next heartbeats are answered, in order; those after them are accepted.
    pub fn answer_heartbeats(&self, answers: impl IntoIterator<Item = HeartbeatAnswer>) {
        self.site.state().beats.extend(answers);
    }

    /// The token that it takes from now on.
    pub fn change_token(&self, token: &str) {
        token.clone_into(&mut self.site.state().token);
    }

    /// The server that is listed, by its id.
    pub fn listed(&self) -> Option<String> {
        self.site.state().listed.clone()
    }

    /// Misbehaves from now on.
    pub fn fault(&self, fault: Fault) {
        self.server.fault(fault);
    }

    /// Behaves again.
    pub fn clear_faults(&self) {
        self.server.clear_faults();
    }

    /// What was asked of it, and when: `POST /v1/heartbeat` among it.
    pub fn calls(&self) -> &Calls {
        self.server.calls()
    }

    /// Listens no more.
    ///
    /// # Panics
    ///
    /// Not while this stand-in lives.
    pub fn gone(&self) {
        self.server.gone().expect("the stand-in runs");
    }

    /// Listens no more and closes every connection.
    ///
    /// # Panics
    ///
    /// Not while this stand-in lives.
    pub fn die(&self) {
        self.server.die().expect("the stand-in runs");
    }

    /// Listens again, on the same port.
    ///
    /// # Panics
    ///
    /// If another program took the port by force.
    pub fn back(&self) {
        self.server.back().expect("the port is still ours");
    }

    /// Serves until the process ends.
    pub(crate) fn serve(self) {
        self.server.join();
    }
}
