//! What comes of accept and wait, once a policy has said so.

use super::Core;
use super::state::WaitState;
use crate::ask::{Wanted, Why};
use crate::claim::Claim;
use crate::config::PlayerNumber;
use crate::id::{DoorId, RequestId};
use crate::key::Key;
use crate::ledger::{Full, Holder, Op};
use crate::output::{LookupKind, Output};
use crate::queue::Rank;
use crate::record::Outcome;
use crate::timers::Timer;
use crate::verdict::{Acceptance, Admission, Waiting};
use std::sync::Arc;

impl Core {
    /// Lets a request in by the first option that fits, or keeps it waiting, or refuses it (semantics
    /// 10). With acts, the first that fits is held, the acts are done, and their policy confirms.
    pub(super) fn accepted(&mut self, id: RequestId, mut acceptance: Acceptance) {
        let Some(decision) = self.decision_mut(id) else {
            return;
        };
        if decision.accepted.is_none() {
            let at = decision.at;
            decision
                .acts
                .extend(acceptance.then.take().map(|act| (at, act)));
        }
        let acts = !decision.acts.is_empty();
        let mut first_full: Option<Full> = None;
        for option in &acceptance.options {
            let claims = self.option_claims(id, option);
            let taken = if acts {
                self.set_aside(id, &claims)
            } else {
                self.admit_session(id, option, &claims)
            };
            match taken {
                Ok(()) if acts => {
                    // The act is for this option and no other.
                    let options = vec![option.clone()];
                    let acceptance = Acceptance {
                        options,
                        ..acceptance
                    };
                    return self.begin_act(id, acceptance);
                }
                Ok(()) => return,
                Err(full) => {
                    first_full.get_or_insert(full);
                }
            }
        }
        match acceptance.otherwise_wait.take() {
            Some(waiting) => {
                let options = acceptance.options.iter().map(|option| {
                    self.option_claims(id, option)
                        .into_iter()
                        .chain(waiting.claims.iter().cloned())
                        .collect()
                });
                let options = options.collect();
                self.wait_for(id, waiting, options);
            }
            None => match first_full {
                Some(full) => self.reject_full(id, full),
                None => self.reject(id, self.undecided(id)),
            },
        }
    }

    /// All claims of one way in: those of policies that passed, the host's own, the option's. It is the order in
    /// which they are tested when nobody else comes, so that who loses a race is told the same reason.
    fn option_claims(&self, id: RequestId, option: &Admission) -> Vec<Claim> {
        let identity = option.identity.as_ref().filter(|_| option.identity_proven);
        self.claims_of(id, option.room.as_deref(), identity, &option.claims)
    }

    fn claims_of(
        &self,
        id: RequestId,
        room: Option<&str>,
        proven: Option<&Arc<str>>,
        claims: &[Claim],
    ) -> Vec<Claim> {
        let Some(request) = self.requests.get(&id) else {
            return Vec::new();
        };
        let room = Key::room(room.unwrap_or(request.room()));
        let closed = self.own.room_closed.clone();
        let decision = request.decision.iter();
        let mut all: Vec<_> = decision.flat_map(|it| &it.gathered).cloned().collect();
        all.push(Claim::new(room, u32::MAX, closed).into_backstop());
        // That they play already says more than that there is no seat.
        all.extend(proven.map(Core::identity_claim));
        all.push(self.own.seat(request.door));
        all.extend_from_slice(claims);
        if let Some(number) = self.player_number(request.door)
            && !bound_slots(&mut all, number)
        {
            let slot = Claim::new(Key::slot(), number.limit, self.own.full(request.door));
            all.push(slot.into_backstop().with_lowest_index());
        }
        all
    }

    fn player_number(&self, door: DoorId) -> Option<PlayerNumber> {
        self.door(door)?.player_number
    }

    /// Adds the host's own limits where seats or slots are claimed: no policy can overfill, not even to
    /// hold.
    pub(super) fn with_own_limits(&self, id: RequestId, mut claims: Vec<Claim>) -> Vec<Claim> {
        let Some(door) = self.requests.get(&id).map(|request| request.door) else {
            return claims;
        };
        if claims.iter().any(|claim| claim.key.is_server()) {
            claims.push(self.own.seat(door));
        }
        if let Some(number) = self.player_number(door) {
            bound_slots(&mut claims, number);
        }
        claims
    }

    /// Takes one way in for a request, besides what it holds already.
    pub(super) fn set_aside(&mut self, id: RequestId, claims: &[Claim]) -> Result<(), Full> {
        let of = self.to_take_over(id, claims)?;
        self.take_for(id, claims, of)
    }

    /// Begins the next act of an acceptance whose claims are held (semantics 13).
    fn begin_act(&mut self, id: RequestId, acceptance: Acceptance) {
        let Some(decision) = self.decision_mut(id) else {
            return;
        };
        // Acts have a turn each, in the order of the chain.
        let (at, act) = decision.acts.remove(0);
        decision.at = at;
        decision.accepted = Some(acceptance);
        decision.acting = Some(act.clone());
        let late = self
            .late_acts
            .iter()
            .position(|late| *late == (id, act.clone()));
        if let Some(index) = late {
            // An earlier decision of this waiter began it and was given up. It runs once.
            self.late_acts.swap_remove(index);
            return;
        }
        let attempt = self.requests.get(&id).map_or(0, |request| request.attempt);
        self.emit(Output::Lookup {
            request: id,
            attempt,
            question: act,
            kind: LookupKind::Act,
            wanted: Wanted::default(),
        });
    }

    /// Makes the session if all claims can be had. Nothing changes otherwise.
    fn admit_session(
        &mut self,
        id: RequestId,
        admission: &Admission,
        claims: &[Claim],
    ) -> Result<(), Full> {
        let session = self.next_session();
        let holder = Holder::Session(session);
        let takes_over = self.to_take_over(id, claims)?;
        let release = takes_over.map(|of| Op::Release(Holder::Session(of)));
        let become_session = [
            Op::Move {
                from: Holder::Request(id),
                to: holder,
            },
            Op::Keep(holder, claims),
            Op::Take(holder, claims),
        ];
        let ops: Vec<_> = release.into_iter().chain(become_session).collect();
        let freed = self.ledger.commit(&ops)?;
        self.freed(freed);
        if let Some(of) = takes_over {
            self.taken_over(id, of);
        }
        if let Some(entry) = self.queue.get(id) {
            let lane = entry.lane.clone();
            self.queue.served(&lane, self.now);
        }
        self.seat(id, session, admission, takes_over.is_some());
        Ok(())
    }

    /// Keeps a request waiting for what its policy named.
    pub(super) fn wait(&mut self, id: RequestId, waiting: Waiting) {
        let proven = waiting
            .identity
            .as_ref()
            .filter(|_| waiting.identity_proven);
        let claims = self.claims_of(id, None, proven, &waiting.claims);
        self.wait_for(id, waiting, vec![claims]);
    }

    fn wait_for(&mut self, id: RequestId, waiting: Waiting, options: Vec<Vec<Claim>>) {
        let Some(request) = self.requests.get(&id) else {
            return;
        };
        let (was_waiting, group, door) = (request.waiting.is_some(), request.group(), request.door);
        let told = waiting.status.is_some();
        let Some(decision) = &request.decision else {
            return;
        };
        let why = decision.why;
        // Who did not wait yet when something changed was not among those to be decided anew.
        let redecide = match &request.waiting {
            Some(waiting) => waiting.redecide,
            None => decision.changes != self.changes,
        };
        let Some(slot) = decision.slot() else { return };
        if !was_waiting {
            self.take_up_place(id, &waiting, group);
            if let Some(longest) = self.longest_wait(id) {
                self.timers
                    .set(Timer::LongestWait(id), self.now.after(longest));
            }
        }
        let Some(request) = self.requests.get_mut(&id) else {
            return;
        };
        let rank = Rank::new(waiting.lane_rank, waiting.priority, request.arrival);
        let before = request
            .waiting
            .as_ref()
            .and_then(|it| it.identity.as_deref());
        self.queue.wait_as(id, waiting.identity.as_deref(), before);
        request.waiting = Some(WaitState {
            slot,
            identity: waiting.identity,
            identity_proven: waiting.identity_proven,
            faults: 0,
            redecide: false,
        });
        self.queue.put(id, rank, waiting.lane.clone(), &options);
        self.close_decision(id, Outcome::Waiting(waiting.lane));
        self.timers.cancel(Timer::Retry(id));
        if let Some(text) = waiting.status {
            self.send_text(id, text);
        }
        if told {
            self.set_status(id, self.status_pace(door));
        }
        if why == Why::Offer {
            self.declined(id);
        } else {
            // What it holds goes back, and it stands in line for it like everyone else. That may be what
            // was set aside for it while it was decided anew: this was no answer to that.
            let freed = self.take_back(id);
            if !freed.is_empty() || !self.freed.is_empty() {
                self.queue.index(id);
                self.freed(freed);
                self.offer_freed();
            }
            self.consider(id);
        }
        if redecide {
            self.reload.push(id);
        }
    }

    /// The longest that this request can wait at its door.
    fn longest_wait(&self, id: RequestId) -> Option<std::time::Duration> {
        let abilities = self.requests.get(&id)?.data()?.abilities;
        let silent = (!abilities.status).then_some(self.config.queue_max_wait);
        silent.into_iter().chain(abilities.longest_wait).min()
    }
}

/// Has the claims of slots hand out a number that the protocol has. Returns whether there is one.
fn bound_slots(claims: &mut [Claim], number: PlayerNumber) -> bool {
    let mut any = false;
    for slot in claims.iter_mut().filter(|claim| claim.key.is_slot()) {
        slot.lowest_index = true;
        slot.limit = slot.limit.min(number.limit);
        any = true;
    }
    any
}
