//! One room's rules, running.

use super::effect::{Effect, Message};
use crate::status::GenerationInfo;
use usher_core::{Fault, Moment, Parting, Player, SessionId};

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

/// A loaded module that holds the rules of a game. Cheap to clone.
#[derive(Clone)]
pub struct RulesModule {
    info: GenerationInfo,
}

impl RulesModule {
    /// Which load this is.
    pub fn info(&self) -> &GenerationInfo {
        &self.info
    }

    /// A new instance, for [`RulesInstance::start`]. Takes well under a millisecond.
    pub fn instantiate(&self) -> Result<RulesInstance, Fault> {
        Ok(RulesInstance(()))
    }
}

/// One room's rules, running. Owned by the thread that plays the room. After any fault it is dead:
/// every later call faults at once, and the room goes on with a new instance and the last save.
pub struct RulesInstance(());

impl RulesInstance {
    /// Begins a room, or takes over what an earlier version saved.
    pub fn start(
        &mut self,
        at: At,
        room: &str,
        saved: Option<&[u8]>,
    ) -> Result<Vec<Effect>, StartError> {
        let _ = (at, room, saved);
        Ok(Vec::new())
    }

    /// A player is in.
    pub fn on_join(&mut self, at: At, player: &Player) -> Result<Vec<Effect>, Fault> {
        let _ = (at, player);
        Ok(Vec::new())
    }

    /// A player has sent something.
    pub fn on_message(
        &mut self,
        at: At,
        from: SessionId,
        message: &Message,
    ) -> Result<Vec<Effect>, Fault> {
        let _ = (at, from, message);
        Ok(Vec::new())
    }

    /// A player is gone.
    pub fn on_leave(
        &mut self,
        at: At,
        session: SessionId,
        how: Parting,
    ) -> Result<Vec<Effect>, Fault> {
        let _ = (at, session, how);
        Ok(Vec::new())
    }

    /// Time passes.
    pub fn on_tick(&mut self, at: At) -> Result<Vec<Effect>, Fault> {
        let _ = at;
        Ok(Vec::new())
    }

    /// The state, for a later version or after a trap. At most 16 MiB.
    pub fn save(&mut self, at: At) -> Result<Vec<u8>, Fault> {
        let _ = at;
        Ok(Vec::new())
    }

    /// Whether a call faulted, so that nothing can be asked of it any more.
    pub fn is_dead(&self) -> bool {
        false
    }
}
