//! Rechecks: a policy is asked again about those who play (semantics 23).
//!
//! A recheck asks one policy about everyone at the doors that ask it, a batch at a time. Whom it refuses
//! is noted, and nobody is ended before all have been asked about: new rules that would end more than a
//! fifth of those who play are more likely wrong than right, so they end nobody unless an operator says
//! so. One player may always be ended, or no ban would ever work on a small server.

use super::Core;
use super::state::{Asked, Out, Recheck};
use crate::ask::{Answer, Ask, Wanted, Why};
use crate::id::{AskId, SessionId, SlotId};
use crate::ledger::Holder;
use crate::output::Output;
use crate::reason::Reason;
use crate::record::{Decided, Outcome, PolicyStep, Rechecked, StepVerdict};
use crate::request::{Attribute, AttributeValue, RequestData};
use crate::session::{Player, Session, SessionEnd};
use crate::snapshot::Snapshot;
use crate::timers::Timer;
use crate::verdict::Decision as Said;
use std::sync::Arc;
use std::time::Duration;

/// One in this many of those who play may be ended.
const SHARE: u32 = 5;
/// How long those about whom the policy faulted are left alone: this, doubled each time, up to the limit.
const RETRY: Duration = Duration::from_secs(1);
const RETRY_LIMIT: Duration = Duration::from_secs(30);

impl Core {
    /// The rules have changed: policies that want it are asked anew about everyone.
    pub(super) fn recheck_all(&mut self) {
        self.stop_rechecks();
        let snapshot = self.snapshot.clone();
        for slot in snapshot.slot_ids() {
            if snapshot.slot(slot).is_some_and(|info| info.recheck) {
                self.begin_recheck(slot, Recheck::default());
            }
        }
    }

    /// An operator wants everyone asked about.
    pub(super) fn recheck_ordered(&mut self, slot: SlotId, forced: bool) {
        self.stop_recheck(slot);
        let recheck = Recheck {
            ordered: true,
            forced,
            ..Recheck::default()
        };
        self.begin_recheck(slot, recheck);
    }

    fn begin_recheck(&mut self, slot: SlotId, mut recheck: Recheck) {
        recheck.todo = self.asked_about(slot).collect();
        recheck.running = recheck.ordered || !recheck.todo.is_empty();
        self.rechecks.insert(slot, recheck);
    }

    /// Those who play at doors that ask a policy.
    fn asked_about(&self, slot: SlotId) -> impl Iterator<Item = SessionId> {
        let of_slot =
            move |session: &&Session| chained(&self.snapshot, session.player.door.0, slot);
        let sessions = self.sessions.iter().filter(of_slot);
        sessions.map(|session| session.player.session)
    }

    /// Someone was let in by older rules than those of now, so a recheck has missed them.
    pub(super) fn recheck_late(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let door = session.player.door;
        for slot in self.snapshot.chain(door).iter() {
            if !self.snapshot.slot(*slot).is_some_and(|info| info.recheck) {
                continue;
            }
            if let Some(recheck) = self.rechecks.get_mut(slot)
                && !recheck.stopped
            {
                recheck.todo.insert(id);
                recheck.running = true;
            }
        }
    }

    /// Keeps a batch of those who play under recheck until all have had their turn.
    pub(super) fn pump_rechecks(&mut self) {
        if self.rechecks.is_empty() {
            return;
        }
        let running = self.rechecks.iter().filter(|(_, it)| it.running);
        let slots: Vec<_> = running.map(|(slot, _)| *slot).collect();
        for slot in slots {
            while let Some(id) = self.next_to_recheck(slot) {
                self.ask_about(slot, id);
            }
            let over = |recheck: &&mut Recheck| {
                recheck.running && recheck.todo.is_empty() && recheck.out.is_empty()
            };
            if let Some(recheck) = self.rechecks.get_mut(&slot).filter(over) {
                recheck.running = false;
                self.conclude(slot);
            }
        }
    }

    /// Takes the next one to be asked about. Two policies do not ask about one player at once.
    fn next_to_recheck(&mut self, slot: SlotId) -> Option<SessionId> {
        let recheck = self.rechecks.get(&slot)?;
        if recheck.out.len() >= self.config.reload_batch.max(1) {
            return None;
        }
        let busy = |id: &SessionId| self.rechecks.values().any(|it| it.out.contains_key(id));
        let id = recheck.todo.iter().copied().find(|id| !busy(id))?;
        self.rechecks.get_mut(&slot)?.todo.remove(&id);
        Some(id)
    }

    fn ask_about(&mut self, slot: SlotId, id: SessionId) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        session.attempt += 1;
        let (attempt, arrived) = (session.attempt, session.arrived);
        let request = Arc::new(as_request(session));
        let (ask, seed) = (self.next_ask(Asked::Recheck(slot, id)), (self.entropy)());
        let deadline = self.now.after(self.config.decision_timeout);
        self.timers.set(Timer::RecheckAsk(ask), deadline);
        let life = Arc::default();
        let wanted = Wanted::with(&life);
        if let Some(recheck) = self.rechecks.get_mut(&slot) {
            recheck.out.insert(id, Out { ask, life });
        }
        self.emit(Output::Ask(Box::new(Ask {
            id: ask,
            slot,
            snapshot: self.snapshot.clone(),
            last_good: false,
            why: Why::Recheck,
            room: self.room_state(&request.room),
            max_players: self.config.max_players,
            host: self.config.attributes.clone(),
            server_closed: self.server_closed(),
            attempt,
            position: None,
            waited: self.now.since(arrived),
            held: self.held(Holder::Session(id)),
            facts: Vec::new(),
            rounds_left: 0,
            now: self.now,
            seed,
            deadline,
            wanted,
            request,
        })));
    }

    /// Takes a policy's answer about someone who plays. Only a reject matters; nothing else is taken,
    /// held or asked for (semantics 23).
    pub(super) fn recheck_answered(&mut self, slot: SlotId, id: SessionId, answer: Answer) {
        self.asks.remove(&answer.ask);
        self.timers.cancel(Timer::RecheckAsk(answer.ask));
        let policy = self.policy_name(slot);
        let Some(recheck) = self.rechecks.get_mut(&slot) else {
            return;
        };
        recheck.out.remove(&id);
        match answer.result {
            Err(_) => drop(recheck.again.insert(id)),
            Ok(verdict) => {
                if let Said::Reject(reason) = verdict.decision {
                    let step = PolicyStep {
                        policy,
                        generation: answer.generation,
                        why: Why::Recheck,
                        verdict: StepVerdict::Reject,
                        micros: answer.micros,
                        said: None,
                    };
                    recheck.refused.insert(id, (reason, step));
                }
                self.apply_commands(verdict.commands);
            }
        }
    }

    /// The policy took too long about someone who plays.
    pub(super) fn recheck_unanswered(&mut self, ask: AskId) {
        if let Some(Asked::Recheck(slot, id)) = self.asks.remove(&ask)
            && let Some(recheck) = self.rechecks.get_mut(&slot)
        {
            recheck.out.remove(&id);
            recheck.again.insert(id);
        }
    }

    /// Those about whom the policy faulted have their turn again.
    pub(super) fn recheck_again(&mut self, slot: SlotId) {
        if let Some(recheck) = self.rechecks.get_mut(&slot) {
            recheck.todo.append(&mut recheck.again);
            recheck.running = !recheck.todo.is_empty();
        }
    }

    /// Everyone has been asked about: ends whom the policy refuses, unless they are too many.
    fn conclude(&mut self, slot: SlotId) {
        let playing = count(self.asked_about(slot).count());
        let Some(recheck) = self.rechecks.get_mut(&slot) else {
            return;
        };
        let refused = std::mem::take(&mut recheck.refused);
        let seated = playing + recheck.ended;
        recheck.refusals += count(refused.len());
        let would_end = recheck.ended + count(refused.len());
        recheck.stopped = !recheck.forced && would_end > (seated / SHARE).max(1);
        if recheck.stopped {
            recheck.again.clear();
        } else {
            recheck.ended = would_end;
        }
        let retry = (!recheck.again.is_empty()).then(|| {
            recheck.faults += 1;
            RETRY
                .saturating_mul(1 << (recheck.faults - 1).min(5))
                .min(RETRY_LIMIT)
        });
        let stopped = recheck.stopped;
        let figures = (recheck.refusals, recheck.ended, count(recheck.again.len()));
        let told = recheck.told.replace((figures, stopped)) == Some((figures, stopped));
        let rechecked = Rechecked {
            slot,
            forced: recheck.forced,
            seated,
            refused: recheck.refusals,
            ended: recheck.ended,
            unanswered: figures.2,
            stopped,
            policy: self.policy_name(slot),
        };
        if let Some(wait) = retry {
            self.timers.set(Timer::Recheck(slot), self.now.after(wait));
        }
        if !stopped {
            for (id, (reason, step)) in refused {
                self.end_rechecked(id, reason, step);
            }
        }
        if !told {
            self.emit(Output::Rechecked(rechecked));
        }
    }

    fn end_rechecked(&mut self, id: SessionId, reason: Reason, step: PolicyStep) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let decided = Decided {
            at: self.now,
            request: session.player.request,
            door: session.player.door,
            peer: session.peer,
            name: session.name.clone(),
            room: session.player.room.clone(),
            attempt: session.attempt,
            steps: vec![step],
            outcome: Outcome::Ended(id, reason.clone()),
            waited: self.now.since(session.arrived),
        };
        self.end_session(id, SessionEnd::Kicked(reason));
        self.emit(Output::Decided(Box::new(decided)));
    }

    /// A session is over: nobody asks about it any more.
    pub(super) fn drop_from_rechecks(&mut self, id: SessionId) {
        for (slot, recheck) in &mut self.rechecks {
            recheck.todo.remove(&id);
            recheck.refused.remove(&id);
            if recheck.again.remove(&id) && recheck.again.is_empty() {
                self.timers.cancel(Timer::Recheck(*slot));
            }
            if let Some(out) = recheck.out.remove(&id) {
                self.asks.remove(&out.ask);
                self.timers.cancel(Timer::RecheckAsk(out.ask));
            }
        }
    }

    /// Gives every recheck up.
    pub(super) fn stop_rechecks(&mut self) {
        let slots: Vec<_> = self.rechecks.keys().copied().collect();
        for slot in slots {
            self.stop_recheck(slot);
        }
    }

    fn stop_recheck(&mut self, slot: SlotId) {
        self.timers.cancel(Timer::Recheck(slot));
        for out in self
            .rechecks
            .remove(&slot)
            .into_iter()
            .flat_map(|it| it.out)
        {
            self.asks.remove(&out.1.ask);
            self.timers.cancel(Timer::RecheckAsk(out.1.ask));
        }
    }

    fn policy_name(&self, slot: SlotId) -> Arc<str> {
        let info = self.snapshot.slot(slot);
        info.map_or_else(|| "".into(), |info| info.name.clone())
    }
}

fn chained(snapshot: &Snapshot, door: u16, slot: SlotId) -> bool {
    let chain = snapshot.chains.get(usize::from(door));
    chain.is_some_and(|chain| chain.contains(&slot))
}

/// What is kept of the request that became a session, as a policy sees it.
fn as_request(session: &Session) -> RequestData {
    let player = &session.player;
    RequestData {
        id: player.request,
        door: player.door,
        door_name: player.door_name.clone(),
        protocol: player.protocol.clone(),
        abilities: session.abilities,
        room: player.room.clone(),
        peer: session.peer,
        proven: session.proven,
        name: session.name.clone(),
        password: None,
        args: Vec::new(),
        payload: Arc::default(),
        attributes: attributes(player),
        one_way: None,
    }
}

fn attributes(player: &Player) -> Vec<Attribute> {
    let attribute = |name: &str, value| Attribute {
        name: name.into(),
        value,
    };
    let number = i64::try_from(player.session.0).unwrap_or(i64::MAX);
    let mut all = vec![
        attribute("session.id", AttributeValue::Number(number)),
        attribute(
            "session.identity-proven",
            AttributeValue::Flag(player.identity_proven),
        ),
        attribute(
            "session.display-name",
            AttributeValue::Text(player.name.clone()),
        ),
        attribute(
            "session.remember",
            AttributeValue::Bytes(player.remember.clone()),
        ),
    ];
    if let Some(identity) = player.identity.clone() {
        all.push(attribute(
            "session.identity",
            AttributeValue::Text(identity),
        ));
    }
    all
}

/// A count of live peers, which is far below 2^32.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
