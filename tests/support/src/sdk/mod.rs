//! A stand-in of the local SDK endpoint of a fleet.
//!
//! One state under one lock. Each change pushes one full view on every open watch before the write that
//! caused it is answered.

mod agones;
mod control;
mod hold;
mod integer;
mod list;
mod pingcore;
mod publish;
mod shared;
mod state;
mod view;

pub use hold::{Backfill, Hold};
pub use state::Dialect;

use crate::calls::{Call, Calls};
use crate::fault::Fault;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::shared::Site;
use crate::server::{Options, Server};
use hyper::body::Bytes;
use publish::{push, push_bytes};
use serde_json::Value;
use shared::Sdk;
use state::{Figures, State};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long anything may take that takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running endpoint on a port of 127.0.0.1. Dropping it ends it.
pub struct FakeSdk {
    site: Arc<Sdk>,
    server: Server,
}

impl Site for Sdk {
    fn answer(self: Arc<Self>, request: &Request) -> Reply {
        let dialect = self.state().dialect;
        match dialect {
            Dialect::PingCore => pingcore::answer(&mut self.state(), request),
            Dialect::Agones => agones::answer(&self, request),
        }
    }

    fn script(&self, request: &Request) -> Reply {
        let rest = request.path.strip_prefix("/fake/").unwrap_or_default();
        control::answer(self, rest, request)
    }
}

impl FakeSdk {
    /// One on a free port, in the fleet's own dialect: nothing is allocated, held or delivered.
    ///
    /// # Panics
    ///
    /// If loopback has no free port.
    pub fn start() -> FakeSdk {
        FakeSdk::with(Dialect::PingCore, Options::default()).expect("loopback has a free port")
    }

    /// The same in Agones' own dialect.
    ///
    /// # Panics
    ///
    /// If loopback has no free port.
    pub fn agones() -> FakeSdk {
        FakeSdk::with(Dialect::Agones, Options::default()).expect("loopback has a free port")
    }

    /// One that is set up like this.
    ///
    /// # Errors
    ///
    /// If the port is taken.
    pub fn with(dialect: Dialect, options: Options) -> io::Result<FakeSdk> {
        let site = Arc::new(Sdk(Mutex::new(State::new(dialect))));
        let server = Server::start(options, Arc::clone(&site))?;
        Ok(FakeSdk { site, server })
    }

    /// The port, for `AGONES_SDK_HTTP_PORT`.
    pub fn port(&self) -> u16 {
        self.server.address().port()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Makes this the current allocation.
    pub fn allocate(&self, id: &str, context: &Value) {
        self.allocate_with_text(id, Some(&context.to_string()));
    }

    /// The same with any text for a context, or none.
    pub fn allocate_with_text(&self, id: &str, context: Option<&str>) {
        let mut state = self.site.state();
        state.allocate(id, context);
        push(&mut state);
    }

    /// Takes the current allocation back, as the platform does.
    pub fn clear_allocation(&self) {
        let mut state = self.site.state();
        state.clear_allocation();
        push(&mut state);
    }

    /// The current allocation's id.
    pub fn allocation(&self) -> Option<String> {
        self.site.state().allocation_id().map(str::to_owned)
    }

    /// Puts a hold there. One of the same id is replaced.
    pub fn hold(&self, hold: Hold) {
        self.site.state().keep(hold, 0);
    }

    /// The same, but so many lookups of it find nothing first.
    pub fn hold_after(&self, hold: Hold, lookups: u32) {
        self.site.state().keep(hold, lookups);
    }

    /// Takes a hold away.
    pub fn release(&self, reservation: &str) {
        self.site.state().release(reservation);
    }

    /// Lets a hold have expired a second ago. It is found no more.
    pub fn expire(&self, reservation: &str) {
        self.site.state().expire(reservation, false);
    }

    /// The same, but it is still shown, with its time in the past.
    pub fn expire_and_show(&self, reservation: &str) {
        self.site.state().expire(reservation, true);
    }

    /// Delivers a backfill.
    pub fn deliver_backfill(&self, backfill: Backfill) {
        let mut state = self.site.state();
        state.backfills.push(backfill);
        push(&mut state);
    }

    /// The same after a while.
    pub fn deliver_backfill_after(&self, backfill: Backfill, pause: Duration) {
        let site = Arc::downgrade(&self.site);
        std::thread::spawn(move || {
            std::thread::sleep(pause);
            if let Some(site) = site.upgrade() {
                let mut state = site.state();
                state.backfills.push(backfill);
                push(&mut state);
            }
        });
    }

    /// Takes every backfill away.
    pub fn clear_backfills(&self) {
        let mut state = self.site.state();
        state.backfills.clear();
        push(&mut state);
    }

    /// The game server is to shut down.
    pub fn shut_down(&self) {
        let mut state = self.site.state();
        state.shut_down();
        push(&mut state);
    }

    /// It is not, after all.
    pub fn undo_shut_down(&self) {
        let mut state = self.site.state();
        state.undo_shut_down();
        push(&mut state);
    }

    /// The platform takes the game for ready, though it said nothing.
    pub fn set_ready(&self) {
        let mut state = self.site.state();
        state.make_ready();
        push(&mut state);
    }

    /// A counter of the fleet, with its capacity.
    pub fn fleet_counter(&self, name: &str, capacity: i64) {
        let mut state = self.site.state();
        let figures = Figures {
            count: Some(0),
            capacity: Some(capacity),
        };
        state.fleet.insert(name.to_owned(), figures);
        push(&mut state);
    }

    /// A counter's count and capacity.
    pub fn counter(&self, name: &str) -> Option<(i64, i64)> {
        self.site.state().counter(name)
    }

    /// Whether the game wrote anything, which is what makes it integrated.
    pub fn integrated(&self) -> bool {
        self.site.state().integrated
    }

    /// Whether it is integrated and has not said that it is ready: such a game gets no players.
    pub fn draining(&self) -> bool {
        self.site.state().draining()
    }

    /// The state that the view shows.
    pub fn shown_state(&self) -> String {
        self.site.state().shown()
    }

    /// The whole view.
    pub fn view(&self) -> Value {
        view::of(&self.site.state())
    }

    /// The joinable record, if there is one.
    pub fn joinable(&self) -> Option<Value> {
        let state = self.site.state();
        let joinable = state.joinable.as_ref();
        joinable.and_then(|record| serde_json::to_value(record).ok())
    }

    /// The backfills that are delivered, by allocation id.
    pub fn backfills(&self) -> Vec<String> {
        let state = self.site.state();
        let all = state.backfills.iter();
        all.map(|it| it.allocation_id.clone()).collect()
    }

    /// How many watch.
    pub fn watches(&self) -> usize {
        self.site.state().watches()
    }

    /// Blocks until so many watch.
    ///
    /// # Panics
    ///
    /// If they never do.
    #[track_caller]
    pub fn wait_for_watches(&self, count: usize) {
        let end = Instant::now() + PATIENCE;
        while self.watches() != count {
            assert!(
                Instant::now() < end,
                "{} watch, not {count}",
                self.watches()
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Sends these bytes on every open watch, whatever they are.
    pub fn push_bytes(&self, bytes: impl Into<Bytes>) {
        push_bytes(&mut self.site.state(), &bytes.into());
    }

    /// Sends a full view on every open watch, though nothing changed.
    pub fn push_view(&self) {
        push(&mut self.site.state());
    }

    /// Ends every open watch in good order.
    pub fn end_watches(&self) {
        self.site.state().watches.clear();
    }

    /// Misbehaves from now on.
    pub fn fault(&self, fault: Fault) {
        self.server.fault(fault);
    }

    /// Behaves again.
    pub fn clear_faults(&self) {
        self.server.clear_faults();
    }

    /// What was asked of it.
    pub fn calls(&self) -> &Calls {
        self.server.calls()
    }

    /// What was written to it: the calls whose verb writes.
    pub fn writes(&self) -> Vec<Call> {
        self.server.calls().writes()
    }

    /// Listens no more; open watches stay open, as when a container is stopped.
    ///
    /// # Panics
    ///
    /// Not while this stand-in lives.
    pub fn gone(&self) {
        self.server.gone().expect("the stand-in runs");
    }

    /// Listens no more and closes every connection, as when the process dies. Its state is kept.
    ///
    /// # Panics
    ///
    /// Not while this stand-in lives.
    pub fn die(&self) {
        self.server.die().expect("the stand-in runs");
    }

    /// Closes every connection and goes on listening.
    ///
    /// # Panics
    ///
    /// Not while this stand-in lives.
    pub fn hang_up(&self) {
        self.server.hang_up().expect("the stand-in runs");
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
