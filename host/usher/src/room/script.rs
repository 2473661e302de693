//! Rules, as a game needs them: what the runtime offers, so that a test can play rules of its own.

use std::sync::Arc;
use usher_core::{Fault, Parting, Player, SessionId};
use usher_runtime::{At, Effect, Message, RulesInstance, RulesSlot, StartError};

/// Where instances of the rules come from.
pub(super) trait Script {
    /// An instance.
    type Play: Play;

    /// A new instance of the rules that are current, and which generation these are.
    fn begin(&self) -> (u64, Result<Self::Play, Fault>);

    /// A generation could not take the game over: the one before it becomes the current one.
    fn refuse(&self, generation: u64, why: &StartError);

    /// A call was made.
    fn note<T>(&self, result: &Result<T, Fault>);
}

/// An instance. After a fault it is dead.
pub(super) trait Play {
    fn start(
        &mut self,
        at: At,
        room: &str,
        saved: Option<&[u8]>,
    ) -> Result<Vec<Effect>, StartError>;
    fn on_join(&mut self, at: At, player: &Player) -> Result<Vec<Effect>, Fault>;
    fn on_message(
        &mut self,
        at: At,
        from: SessionId,
        message: &Message,
    ) -> Result<Vec<Effect>, Fault>;
    fn on_leave(&mut self, at: At, session: SessionId, how: Parting) -> Result<Vec<Effect>, Fault>;
    fn on_tick(&mut self, at: At) -> Result<Vec<Effect>, Fault>;
    fn save(&mut self, at: At) -> Result<Vec<u8>, Fault>;
}

impl Script for Arc<RulesSlot> {
    type Play = RulesInstance;

    fn begin(&self) -> (u64, Result<RulesInstance, Fault>) {
        let module = self.current();
        (module.info().number, module.instantiate())
    }

    fn refuse(&self, generation: u64, why: &StartError) {
        RulesSlot::refuse(self, generation, why);
    }

    fn note<T>(&self, result: &Result<T, Fault>) {
        RulesSlot::note(self, result);
    }
}

impl Play for RulesInstance {
    fn start(
        &mut self,
        at: At,
        room: &str,
        saved: Option<&[u8]>,
    ) -> Result<Vec<Effect>, StartError> {
        RulesInstance::start(self, at, room, saved)
    }

    fn on_join(&mut self, at: At, player: &Player) -> Result<Vec<Effect>, Fault> {
        RulesInstance::on_join(self, at, player)
    }

    fn on_message(
        &mut self,
        at: At,
        from: SessionId,
        message: &Message,
    ) -> Result<Vec<Effect>, Fault> {
        RulesInstance::on_message(self, at, from, message)
    }

    fn on_leave(&mut self, at: At, session: SessionId, how: Parting) -> Result<Vec<Effect>, Fault> {
        RulesInstance::on_leave(self, at, session, how)
    }

    fn on_tick(&mut self, at: At) -> Result<Vec<Effect>, Fault> {
        RulesInstance::on_tick(self, at)
    }

    fn save(&mut self, at: At) -> Result<Vec<u8>, Fault> {
        RulesInstance::save(self, at)
    }
}
