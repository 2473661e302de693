//! A store with one instance in it, and what has to be set before each call.

use crate::imports::answer::Answer;
use crate::imports::bucket::BucketsView;
use crate::imports::clock::FixedClock;
use crate::imports::details::Details;
use crate::imports::ledger::Ledger;
use crate::imports::log::{Lines, Log};
use crate::imports::params::ParamsView;
use crate::imports::random::Random;
use crate::imports::{Imports, Sight};
use crate::limits::Limits;
use crate::pulse::{Calling, PATIENCE, Pulse};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use usher_core::{Fault, TakenView};
use wasmtime::{Store, UpdateDeadline};

/// The most bytes that one answer, or the arguments of one import, may hand over: the contract's 1 MiB.
pub(crate) const HANDED_OVER: usize = 1 << 20;

/// For how long a call that overruns steps aside each time. A busy thread is let run for some milliseconds before one
/// that was woken meanwhile has its turn, to answer others; merely to yield does not always change that.
const ASIDE: Duration = Duration::from_micros(50);

/// What a store carries.
pub(crate) struct State {
    pub(crate) imports: Imports,
    pub(crate) limits: Limits,
    calling: Calling,
}

/// Who an instance belongs to, and what it may take.
#[derive(Clone)]
pub(crate) struct Owner {
    /// The slot's name.
    pub(crate) slot: Arc<str>,
    /// The generation's number.
    pub(crate) generation: u64,
    /// The most linear memory, in bytes.
    pub(crate) memory: usize,
    /// The ledger that it sees.
    pub(crate) taken: TakenView,
}

/// An empty store. What its instance logs counts among the module's lines.
pub(crate) fn store(
    engine: &wasmtime::Engine,
    pulse: &Arc<Pulse>,
    owner: &Owner,
    lines: &Arc<Lines>,
) -> Store<State> {
    let state = State {
        imports: Imports {
            details: Details::default(),
            answer: Answer::default(),
            ledger: Ledger::new(owner.taken.clone()),
            buckets: BucketsView::default(),
            params: ParamsView::default(),
            clock: FixedClock::default(),
            random: Random::default(),
            log: Log::new(Arc::clone(&owner.slot), owner.generation, Arc::clone(lines)),
        },
        limits: Limits::new(owner.memory),
        calling: Calling::new(Arc::clone(pulse)),
    };
    let mut store = Store::new(engine, state);
    store.limiter(|state| &mut state.limits);
    store.set_hostcall_fuel(HANDED_OVER);
    store.epoch_deadline_callback(|store| {
        if store.data().calling.is_overdue() {
            return Ok(UpdateDeadline::Interrupt);
        }
        if store.data().calling.overruns() {
            thread::sleep(ASIDE);
        }
        Ok(UpdateDeadline::Continue(1))
    });
    store
}

/// Sets how long what runs next in the store may run, up to [`disarm`].
pub(crate) fn arm(store: &mut Store<State>, deadline: Duration) {
    // The tick that is under way counts for less than a whole one.
    let ticks = crate::ticker::ticks(deadline).saturating_add(1);
    store.data_mut().calling.begin(ticks);
    store.set_epoch_deadline(ticks.min(PATIENCE));
}

/// Nothing in the store runs any more.
pub(crate) fn disarm(store: &mut Store<State>) {
    store.data_mut().calling.end();
}

/// Calls what is in the store. After an error the store must be dropped: the instance in it cannot be
/// entered any more.
pub(crate) fn call<T>(
    store: &mut Store<State>,
    sight: &Sight<'_>,
    deadline: Duration,
    run: impl FnOnce(&mut Store<State>) -> wasmtime::Result<T>,
) -> Result<T, Fault> {
    store.data_mut().imports.begin(sight);
    arm(store, deadline);
    let result = run(store);
    disarm(store);
    store.data_mut().imports.end();
    result.map_err(|error| {
        let last_words = store.data_mut().imports.log.last_words();
        crate::fault::of_call(&error, last_words, deadline)
    })
}
