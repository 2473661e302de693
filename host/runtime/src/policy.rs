//! A loaded admission policy: its code, and instances that are ready to be called.

use crate::bindings::policy::AdmissionPolicyPre;
use crate::bucket::Buckets;
use crate::config::Params;
use crate::engine::Engine;
use crate::exports::{Exports, Linked, NotStarted};
use crate::fault::{bad_answer, of_start};
use crate::guest::{self, Owner, State};
use crate::imports::Sight;
use crate::imports::details::About;
use crate::imports::log::{Lines, Log};
use crate::load::{self, Compiled, LoadError, World};
use crate::sample;
use crate::translate::ask::{request_of_ask, request_of_over};
use crate::translate::command::commands_in;
use crate::translate::description::{Description, description_in};
use crate::translate::ending::ending_out;
use crate::translate::verdict::{answerable, decided_in};
use crate::translate::waiter::{texts_in, waiter_out};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use usher_core::{Ask, AskStatus, Command, Fault, FaultKind, Over, Verdict};
use wasmtime::Store;

/// How long a canned call may run: long enough for code that is run for the first time on a busy
/// machine.
const CANNED: Duration = Duration::from_secs(1);

/// How a call is made.
pub(crate) struct Terms<'a> {
    /// The operator's settings.
    pub(crate) params: &'a Arc<Params>,
    /// The operator's lists.
    pub(crate) buckets: &'a Arc<Buckets>,
    /// How long it may run.
    pub(crate) deadline: Duration,
}

/// What a canned call is told of the configuration: params and buckets.
pub(crate) type Told<'a> = (&'a Arc<Params>, &'a Arc<Buckets>);

/// A loaded policy. Calls may come from any thread, and at the same time.
pub(crate) struct PolicyModule {
    engine: Arc<Engine>,
    linked: Linked,
    owner: Owner,
    lines: Arc<Lines>,
    description: Description,
    /// Instances that nobody is in. There are as many as there were calls at a time.
    idle: Mutex<Vec<PolicyInstance>>,
    hears_endings: AtomicBool,
}

struct PolicyInstance {
    store: Store<State>,
    exports: Exports,
    /// The memory that it had when it was new.
    begun_with: usize,
}

/// What came of a call that had to be over soon.
pub(crate) enum Soon<T> {
    /// It was.
    Done(Result<T, Fault>),
    /// It was stopped, and nothing has come of it.
    GivenUp,
    /// There is no instance to call, and to make one takes longer.
    NotReady,
}

/// What a module answered when it was tried.
pub(crate) struct Tried {
    /// The module, with one instance that has been called.
    pub(crate) module: PolicyModule,
    /// What it answered to the canned request.
    pub(crate) verdict: Verdict,
}

impl PolicyModule {
    /// Links a compiled module and tries it: `describe`, and a canned request with these params.
    pub(crate) fn load(
        engine: &Arc<Engine>,
        compiled: &Compiled,
        owner: Owner,
        told: Told<'_>,
    ) -> Result<Tried, LoadError> {
        load::expect_world(compiled.world, World::AdmissionPolicy)?;
        let linked = engine.policies().instantiate_pre(&compiled.component);
        let linked = linked.and_then(AdmissionPolicyPre::new);
        let linked = linked.map_err(|error| load::other_shape(&error))?;
        let linked = Linked::new(&compiled.component, linked.instance_pre().clone())
            .map_err(|error| load::other_shape(&error))?;
        let terms = Terms::canned(told);
        let lines = Arc::default();
        let begun = begin(engine, &linked, (&owner, &lines), CANNED);
        let mut instance = begun.map_err(|error| match error {
            NotStarted::Shape(error) => load::other_shape(&error),
            NotStarted::Start(error) => LoadError::SelfTest(of_start(&error, CANNED)),
        })?;
        let PolicyInstance { store, exports, .. } = &mut instance;
        exports
            .check(store)
            .map_err(|error| load::other_shape(&error))?;
        let description = instance.describe(&terms).map_err(LoadError::SelfTest)?;
        let verdict = instance
            .canned(&terms, &description)
            .map_err(LoadError::SelfTest)?;
        let module = PolicyModule {
            engine: Arc::clone(engine),
            linked,
            owner,
            lines,
            description,
            idle: Mutex::new(vec![instance]),
            hears_endings: AtomicBool::new(true),
        };
        Ok(Tried { module, verdict })
    }

    /// What it says of itself.
    pub(crate) fn description(&self) -> &Description {
        &self.description
    }

    /// Makes sure that so many instances are ready and warm, so that no call pays for making one.
    pub(crate) fn warm(&self, instances: usize, told: Told<'_>) -> Result<(), Fault> {
        if self.engine.config().fresh_instances {
            self.cool();
            return Ok(());
        }
        let terms = Terms::canned(told);
        while self.idle().len() < instances {
            let mut instance = self.instantiate(CANNED)?;
            instance.canned(&terms, &self.description)?;
            self.idle().push(instance);
        }
        Ok(())
    }

    /// Whether it answers the canned request with other params.
    pub(crate) fn try_params(&self, told: Told<'_>) -> Result<(), Fault> {
        let terms = Terms::canned(told);
        let mut instance = self.instantiate(CANNED)?;
        instance.canned(&terms, &self.description).map(drop)
    }

    /// How many instances are ready.
    #[cfg(test)]
    pub(crate) fn ready(&self) -> usize {
        self.idle().len()
    }

    /// Lets the instances go; the next call makes one.
    pub(crate) fn cool(&self) {
        self.idle().clear();
    }

    /// Calls `on-connect-request`.
    pub(crate) fn ask(&self, ask: &Ask, terms: &Terms<'_>) -> Result<Verdict, Fault> {
        self.call(terms, |instance| {
            instance.ask(ask, terms, &self.description)
        })
    }

    /// Calls `on-connect-request`, if an instance is ready; within the terms' deadline or not at all.
    pub(crate) fn ask_soon(&self, ask: &Ask, terms: &Terms<'_>) -> Soon<Verdict> {
        self.call_soon(|instance| instance.ask(ask, terms, &self.description))
    }

    /// Calls `on-ended` in the same way.
    pub(crate) fn over_soon(&self, over: &Over, terms: &Terms<'_>) -> Soon<Vec<Command>> {
        self.call_soon(|instance| Ok(self.heard(instance.over(over, terms)?)))
    }

    /// Whether `on-ended` is to be called: until the module once says that it has no use for it. Each
    /// generation is asked anew.
    pub(crate) fn hears_endings(&self) -> bool {
        self.hears_endings.load(Ordering::Relaxed)
    }

    fn heard(&self, commands: Option<Vec<Command>>) -> Vec<Command> {
        if commands.is_none() {
            self.hears_endings.store(false, Ordering::Relaxed);
        }
        commands.unwrap_or_default()
    }

    /// Calls `on-waiting`.
    pub(crate) fn status(
        &self,
        ask: &AskStatus,
        terms: &Terms<'_>,
    ) -> Result<Vec<Option<Arc<[u8]>>>, Fault> {
        self.call(terms, |instance| instance.status(ask, terms))
    }

    /// Calls `on-ended`.
    pub(crate) fn over(&self, over: &Over, terms: &Terms<'_>) -> Result<Vec<Command>, Fault> {
        self.call(
            terms,
            |instance| Ok(self.heard(instance.over(over, terms)?)),
        )
    }

    /// Calls an idle instance, or a new one. One that failed in any way is dropped: a trap leaves it in
    /// the middle of something, and it can't be entered again.
    fn call<T>(
        &self,
        terms: &Terms<'_>,
        run: impl FnOnce(&mut PolicyInstance) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let ready = self.idle().pop();
        let mut instance = match ready {
            Some(instance) => instance,
            None => self.instantiate(terms.deadline)?,
        };
        let result = run(&mut instance)?;
        self.keep(instance);
        Ok(result)
    }

    /// The same, but what is stopped by its deadline has not been: its lines in the log are never said.
    fn call_soon<T>(&self, run: impl FnOnce(&mut PolicyInstance) -> Result<T, Fault>) -> Soon<T> {
        let Some(mut instance) = self.idle().pop() else {
            return Soon::NotReady;
        };
        instance.log().hold();
        let result = run(&mut instance);
        if matches!(&result, Err(fault) if fault.kind == FaultKind::Deadline) {
            instance.log().take_back();
            return Soon::GivenUp;
        }
        instance.log().release();
        if result.is_ok() {
            self.keep(instance);
        }
        Soon::Done(result)
    }

    fn keep(&self, instance: PolicyInstance) {
        let worn = instance.store.data().limits.is_worn(instance.begun_with);
        if !worn && !self.engine.config().fresh_instances {
            self.idle().push(instance);
        }
    }

    fn instantiate(&self, deadline: Duration) -> Result<PolicyInstance, Fault> {
        let whose = (&self.owner, &self.lines);
        instantiate(&self.engine, &self.linked, whose, deadline)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<PolicyInstance>> {
        // Only whole instances are ever in the list, so a panic elsewhere does not spoil it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn instantiate(
    engine: &Engine,
    linked: &Linked,
    whose: (&Owner, &Arc<Lines>),
    deadline: Duration,
) -> Result<PolicyInstance, Fault> {
    let begun = begin(engine, linked, whose, deadline);
    // Its shape was right when it was loaded.
    begun.map_err(|error| match error {
        NotStarted::Shape(error) | NotStarted::Start(error) => of_start(&error, deadline),
    })
}

fn begin(
    engine: &Engine,
    linked: &Linked,
    (owner, lines): (&Owner, &Arc<Lines>),
    deadline: Duration,
) -> Result<PolicyInstance, NotStarted> {
    let mut store = guest::store(engine.wasm(), engine.pulse(), owner, lines);
    guest::arm(&mut store, deadline);
    let exports = linked.instantiate(&mut store)?;
    guest::disarm(&mut store);
    let begun_with = store.data().limits.memory();
    Ok(PolicyInstance {
        store,
        exports,
        begun_with,
    })
}

impl PolicyInstance {
    fn log(&mut self) -> &mut Log {
        &mut self.store.data_mut().imports.log
    }

    fn describe(&mut self, terms: &Terms<'_>) -> Result<Description, Fault> {
        let sample = sample::ask("describe");
        let sight = terms.sight(&sample);
        let exports = &mut self.exports;
        let described = guest::call(&mut self.store, &sight, terms.deadline, |store| {
            exports.describe(store)
        })?;
        description_in(described).map_err(|breach| bad_answer(&breach.within("describe")))
    }

    /// A call with the canned request, of which nothing is logged.
    fn canned(&mut self, terms: &Terms<'_>, description: &Description) -> Result<Verdict, Fault> {
        self.log().mute(true);
        let verdict = self.ask(&sample::ask("self-test"), terms, description)?;
        self.log().mute(false);
        self.begun_with = self.store.data().limits.memory();
        Ok(verdict)
    }

    fn ask(
        &mut self,
        ask: &Ask,
        terms: &Terms<'_>,
        description: &Description,
    ) -> Result<Verdict, Fault> {
        let request = request_of_ask(ask);
        let exports = &self.exports;
        // After an error the store is dropped, and what was told with it.
        self.store.data_mut().imports.answer.open();
        let decided = guest::call(
            &mut self.store,
            &terms.sight(ask),
            terms.deadline,
            |store| exports.decide(store, request),
        )?;
        let told = self.store.data_mut().imports.answer.close();
        let verdict = decided_in(decided, told, &description.questions);
        let verdict = verdict.and_then(|verdict| answerable(verdict, ask));
        verdict.map_err(|breach| bad_answer(&breach))
    }

    fn status(
        &mut self,
        ask: &AskStatus,
        terms: &Terms<'_>,
    ) -> Result<Vec<Option<Arc<[u8]>>>, Fault> {
        let waiters: Vec<_> = ask.waiters.iter().map(waiter_out).collect();
        let sight = Sight {
            now: ask.now,
            seed: ask.seed,
            params: terms.params,
            buckets: Some(terms.buckets),
            about: About::Nothing,
        };
        let (exports, asked) = (&mut self.exports, waiters.len());
        let texts = guest::call(&mut self.store, &sight, terms.deadline, |store| {
            exports.waiting(store, waiters)
        })?;
        texts_in(texts, asked).map_err(|breach| bad_answer(&breach))
    }

    /// Nothing, if the module has no use for endings.
    fn over(&mut self, over: &Over, terms: &Terms<'_>) -> Result<Option<Vec<Command>>, Fault> {
        let (request, how) = (request_of_over(over), ending_out(&over.how));
        let sight = Sight {
            now: over.now,
            seed: over.seed,
            params: terms.params,
            buckets: Some(terms.buckets),
            about: About::Over(over),
        };
        let exports = &mut self.exports;
        let commands = guest::call(&mut self.store, &sight, terms.deadline, |store| {
            exports.ended(store, request, how)
        })?;
        let commands = commands.map(commands_in).transpose();
        commands.map_err(|breach| bad_answer(&breach))
    }
}

impl<'a> Terms<'a> {
    fn canned((params, buckets): Told<'a>) -> Terms<'a> {
        Terms {
            params,
            buckets,
            deadline: CANNED,
        }
    }

    fn sight(&self, ask: &'a Ask) -> Sight<'a> {
        Sight {
            now: ask.now,
            seed: ask.seed,
            params: self.params,
            buckets: Some(self.buckets),
            about: About::Ask(ask),
        }
    }
}
