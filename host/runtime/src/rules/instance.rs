//! One room's rules, running.

use crate::bindings::game::GameRules;
use crate::bindings::rules as wit;
use crate::config::Params;
use crate::effect::{Effect, Message};
use crate::fault::{bad_answer, fault};
use crate::guest::{self, HANDED_OVER, State};
use crate::imports::Sight;
use crate::imports::details::About;
use crate::translate::bound;
use crate::translate::description::{Description, description_in};
use crate::translate::effect::{effects_in, message_out};
use crate::translate::ending::parting_out;
use crate::translate::player::player_out;
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Fault, FaultKind, Moment, Parting, Player, SessionId};
use wasmtime::Store;

/// The most bytes of a saved state.
const SAVE: usize = 16 << 20;

/// What a call of rules sees of time and chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The moment that the rules see as now.
    pub now: Moment,
    /// The seed of their random numbers; new for each call.
    pub seed: u64,
}

/// Why rules did not start.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
pub enum StartError {
    /// They can't read the state, and say why: the old version plays on.
    #[error("can't take the state over: {0}")]
    Refused(String),
    /// The call faulted.
    #[error("{}", .0.message)]
    Fault(Fault),
}

impl From<Fault> for StartError {
    fn from(fault: Fault) -> StartError {
        StartError::Fault(fault)
    }
}

/// One room's rules, running. Owned by the thread that plays the room; that thread needs 2 MiB of
/// stack. After any fault it is dead: every later call faults at once, and the room goes on with a new
/// instance and the last save.
pub struct RulesInstance {
    /// Gone after a fault.
    store: Option<Store<State>>,
    guest: GameRules,
    params: Arc<Params>,
    deadline: Duration,
}

impl RulesInstance {
    /// An instance that has not been called yet.
    pub(super) fn new(
        store: Store<State>,
        guest: GameRules,
        params: Arc<Params>,
        deadline: Duration,
    ) -> RulesInstance {
        RulesInstance {
            store: Some(store),
            guest,
            params,
            deadline,
        }
    }

    /// Begins a room, or takes over what an earlier version saved.
    pub fn start(
        &mut self,
        at: At,
        room: &str,
        saved: Option<&[u8]>,
    ) -> Result<Vec<Effect>, StartError> {
        let started = self.call(at, |rules, store| rules.call_start(store, room, saved))?;
        match started {
            Ok(effects) => Ok(self.effects(effects)?),
            Err(why) => {
                let why = crate::escape::escaped(&why, 1_024);
                Err(StartError::Refused(why))
            }
        }
    }

    /// A player is in.
    pub fn on_join(&mut self, at: At, player: &Player) -> Result<Vec<Effect>, Fault> {
        let player = player_out(player);
        let effects = self.call(at, |rules, store| rules.call_on_join(store, &player))?;
        self.effects(effects)
    }

    /// A player has sent something.
    pub fn on_message(
        &mut self,
        at: At,
        from: SessionId,
        message: &Message,
    ) -> Result<Vec<Effect>, Fault> {
        let message = message_out(message);
        let effects = self.call(at, |rules, store| {
            rules.call_on_message(store, from.0, &message)
        })?;
        self.effects(effects)
    }

    /// A player is gone.
    pub fn on_leave(
        &mut self,
        at: At,
        session: SessionId,
        how: Parting,
    ) -> Result<Vec<Effect>, Fault> {
        let how = parting_out(how);
        let effects = self.call(at, |rules, store| {
            rules.call_on_leave(store, session.0, how)
        })?;
        self.effects(effects)
    }

    /// Time passes.
    pub fn on_tick(&mut self, at: At) -> Result<Vec<Effect>, Fault> {
        let now = at.now.as_millis();
        let effects = self.call(at, |rules, store| rules.call_on_tick(store, now))?;
        self.effects(effects)
    }

    /// The state, for a later version or after a trap. At most 16 MiB.
    pub fn save(&mut self, at: At) -> Result<Vec<u8>, Fault> {
        let saved = self.call(at, |rules, store| {
            // A saved state may be larger than any other answer.
            store.set_hostcall_fuel(SAVE + HANDED_OVER);
            let saved = rules.call_save(&mut *store);
            store.set_hostcall_fuel(HANDED_OVER);
            saved
        })?;
        if let Err(breach) = bound::length(saved.len(), "save", "bytes", 0..=SAVE) {
            self.store = None;
            return Err(bad_answer(&breach));
        }
        Ok(saved)
    }

    /// Whether a call faulted, so that nothing can be asked of it any more.
    pub fn is_dead(&self) -> bool {
        self.store.is_none()
    }

    /// What the module says of itself.
    pub(super) fn describe(&mut self, at: At) -> Result<Description, Fault> {
        let described = self.call(at, |rules, store| rules.call_describe(store))?;
        description_in(described).map_err(|breach| bad_answer(&breach.within("describe")))
    }

    fn call<T>(
        &mut self,
        at: At,
        run: impl FnOnce(&wit::Guest, &mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, Fault> {
        // Taken out, and put back only if all went well.
        let Some(mut store) = self.store.take() else {
            let message = "the rules faulted before and must be started anew";
            return Err(fault(FaultKind::NotLoaded, message));
        };
        let sight = Sight {
            now: at.now,
            seed: at.seed,
            params: &self.params,
            buckets: None,
            about: About::Nothing,
        };
        let rules = self.guest.usher_policy_rules();
        let result = guest::call(&mut store, &sight, self.deadline, |store| run(rules, store))?;
        self.store = Some(store);
        Ok(result)
    }

    fn effects(&mut self, effects: Vec<wit::Effect>) -> Result<Vec<Effect>, Fault> {
        let mut effects = effects_in(effects).map_err(|breach| {
            self.store = None;
            bad_answer(&breach)
        })?;
        if let Some(store) = &mut self.store {
            // What they say is a line of the log like any other, and counts as one.
            let log = &mut store.data_mut().imports.log;
            effects.retain(|effect| !matches!(effect, Effect::Say(_)) || log.admits());
        }
        Ok(effects)
    }
}
