//! A game: one instance of the rules, the players in its room, and what holds both together when the
//! instance traps or is replaced.

use super::roster::{Roster, Save};
use super::script::{Play, Script};
use super::stage::Stage;
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Fault, Input, Key, Moment, Parting, Player, Reason, SessionId};
use usher_runtime::{At, Effect, Message, StartError};

/// A second trap within this ends the game of everyone in the room.
const TRAPS_APART: Duration = Duration::from_secs(10);

/// How old the state may be that a trap throws the game back to.
const SAVE_AFTER: Duration = Duration::from_secs(5);

/// The game of one room.
pub(super) struct Game<S: Script, W> {
    room: Arc<str>,
    script: S,
    stage: W,
    /// None while no rules can be started; whoever comes is then sent away.
    playing: Option<Playing<S::Play>>,
    roster: Roster,
    save: Save,
    last_trap: Option<Moment>,
}

struct Playing<P> {
    generation: u64,
    play: P,
}

impl<S: Script, W: Stage> Game<S, W> {
    /// A game in an empty room.
    pub(super) fn new(room: Arc<str>, script: S, stage: W) -> Game<S, W> {
        let mut game = Game {
            room,
            script,
            stage,
            playing: None,
            roster: Roster::default(),
            save: Save::default(),
            last_trap: None,
        };
        game.begin_anew();
        game
    }

    pub(super) fn room(&self) -> &Arc<str> {
        &self.room
    }

    /// Whether anyone is there whom the rules know.
    pub(super) fn is_on(&self) -> bool {
        self.roster.told().next().is_some()
    }

    /// When the state is to be saved, if anything has happened to it.
    pub(super) fn save_due(&self) -> Option<Moment> {
        let due = self.save.stale && self.playing.is_some();
        due.then(|| self.save.taken.after(SAVE_AFTER))
    }

    /// Someone is in.
    pub(super) fn join(&mut self, player: Box<Player>) {
        let session = player.session;
        self.roster.join(player);
        self.tell_join(session);
    }

    /// Someone is gone.
    pub(super) fn leave(&mut self, session: SessionId, how: Parting) {
        let Some(member) = self.roster.leave(session) else {
            return;
        };
        if member.told {
            self.save.note_gone(session, how);
            self.call(|play, at| play.on_leave(at, session, how));
        }
    }

    /// Someone sent something. Dropped unless the rules know who it is.
    pub(super) fn message(&mut self, from: SessionId, message: &Message) {
        if !self.roster.get(from).is_some_and(|member| member.told) {
            return;
        }
        self.call(|play, at| play.on_message(at, from, message));
    }

    /// Time passes.
    pub(super) fn tick(&mut self) {
        if self.is_on() {
            self.call(|play, at| play.on_tick(at));
        }
    }

    /// Has what the rules said be on its way.
    pub(super) fn flush(&mut self) {
        self.stage.flush();
    }

    /// Saves the state for after a trap. False if it was this that trapped.
    pub(super) fn save(&mut self) -> bool {
        let at = self.stage.at();
        let Some(playing) = &mut self.playing else {
            return true;
        };
        let saved = playing.play.save(at);
        self.script.note(&saved);
        match saved {
            Ok(state) => {
                self.save = Save {
                    state: Some(state),
                    knows: self.roster.told().collect(),
                    gone: Vec::new(),
                    stale: false,
                    taken: at.now,
                };
                true
            }
            Err(fault) => {
                self.trapped(&fault);
                false
            }
        }
    }

    /// Hands the game over to the rules that are current now. The error says why the old ones play on.
    pub(super) fn swap(&mut self) -> Result<(), String> {
        let (generation, begun) = self.script.begin();
        if !self.save() {
            // Others have taken over already, from the save before: these, if they could.
            let playing = self.playing.as_ref().map(|playing| playing.generation);
            return match playing == Some(generation) {
                true => Ok(()),
                false => Err("neither these nor the rules before could go on".to_owned()),
            };
        }
        let begun = begun.map_err(StartError::Fault);
        match begun.and_then(|play| self.start(generation, play)) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.script.refuse(generation, &error);
                Err(error.to_string())
            }
        }
    }

    /// Has an instance take over from the last save.
    fn start(&mut self, generation: u64, mut play: S::Play) -> Result<(), StartError> {
        let at = self.stage.at();
        let effects = play.start(at, &self.room, self.save.state.as_deref())?;
        self.playing = Some(Playing { generation, play });
        for member in self.roster.members_mut() {
            member.told = self.save.knows.contains(&member.player.session);
        }
        self.apply(effects);
        self.reconcile();
        Ok(())
    }

    /// Tells an instance that has taken over from a save what has happened since.
    fn reconcile(&mut self) {
        for (session, how) in self.save.gone.clone() {
            if !self.call(|play, at| play.on_leave(at, session, how)) {
                return;
            }
        }
        for session in self.roster.untold() {
            if !self.tell_join(session) {
                return;
            }
        }
    }

    fn tell_join(&mut self, session: SessionId) -> bool {
        let Some(member) = self.roster.get_mut(session) else {
            return true;
        };
        if self.playing.is_none() {
            member.leaving = true;
            let reason = rules_fault();
            self.stage.tell_core(Input::Kick { session, reason });
            return false;
        }
        member.told = true;
        let player = member.player.clone();
        self.call(|play, at| play.on_join(at, &player))
    }

    /// Makes a call and applies what comes of it. False if it faulted: the instance that plays then, if
    /// any, has been told everything, and whatever was still to be told must not be told again.
    fn call(&mut self, run: impl FnOnce(&mut S::Play, At) -> Result<Vec<Effect>, Fault>) -> bool {
        let at = self.stage.at();
        let Some(playing) = &mut self.playing else {
            return false;
        };
        let result = run(&mut playing.play, at);
        self.script.note(&result);
        self.save.stale = true;
        match result {
            Ok(effects) => {
                self.apply(effects);
                true
            }
            Err(fault) => {
                self.trapped(&fault);
                false
            }
        }
    }

    /// The instance is dead: another takes over from the last save, unless that has just happened.
    fn trapped(&mut self, fault: &Fault) {
        let now = self.stage.at().now;
        let before = self.last_trap.replace(now);
        tracing::error!(room = &*self.room, "the rules trapped: {}", fault.message);
        let died_of = self.playing.take().map(|playing| playing.generation);
        if before.is_some_and(|before| now < before.after(TRAPS_APART)) {
            return self.give_up();
        }
        let (mut generation, mut begun) = self.script.begin();
        loop {
            let started = begun.map_err(StartError::Fault);
            let Err(error) = started.and_then(|play| self.start(generation, play)) else {
                return;
            };
            tracing::error!(
                room = &*self.room,
                generation,
                "the rules cannot go on from the last save: {error}"
            );
            if died_of == Some(generation) {
                return self.give_up();
            }
            // Rules that have only just come, and could not take over.
            self.script.refuse(generation, &error);
            let refused = generation;
            (generation, begun) = self.script.begin();
            if generation == refused {
                return self.give_up();
            }
        }
    }

    /// Sends everyone away and begins anew.
    fn give_up(&mut self) {
        tracing::error!(
            room = &*self.room,
            "the game ends for everyone in the room, because the rules keep failing"
        );
        for member in self.roster.members_mut() {
            member.told = false;
            if !std::mem::replace(&mut member.leaving, true) {
                self.stage.tell_core(Input::Kick {
                    session: member.player.session,
                    reason: rules_fault(),
                });
            }
        }
        self.begin_anew();
    }

    fn begin_anew(&mut self) {
        self.playing = None;
        self.save = Save::default();
        // Whatever the rules before had closed.
        self.apply(vec![Effect::Open]);
        let (generation, begun) = self.script.begin();
        let begun = begun.map_err(StartError::Fault);
        if let Err(error) = begun.and_then(|play| self.start(generation, play)) {
            tracing::error!(
                room = &*self.room,
                "the rules cannot start, and nobody can play until other rules are loaded: {error}"
            );
        }
    }

    fn apply(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send { to, message } => {
                    if let Some(member) = self.roster.get(to) {
                        self.stage.send(&member.player, message);
                    }
                }
                Effect::Broadcast { except, message } => {
                    for player in self.roster.players() {
                        if !except.contains(&player.session) {
                            self.stage.send(player, message.clone());
                        }
                    }
                }
                Effect::Kick { session, reason } => {
                    if self.roster.get(session).is_some() {
                        self.stage.tell_core(Input::Kick { session, reason });
                    }
                }
                Effect::Close(reason) => {
                    let key = Key::room(&self.room);
                    self.stage.tell_core(Input::Close { key, reason });
                }
                Effect::Open => {
                    let key = Key::room(&self.room);
                    self.stage.tell_core(Input::Open { key });
                }
                // Escaped, cut and counted where it came in.
                Effect::Say(line) => tracing::info!(room = &*self.room, "{line}"),
            }
        }
    }
}

fn rules_fault() -> Reason {
    Reason::new("rules-fault", "The rules of the game failed.")
}

#[cfg(test)]
mod tests;
