//! Take-over: someone who plays comes in again, and has their own place (semantics 15).
//!
//! It is about an identity that the policy says is proven, and about nothing else: the host claims one unit
//! of each such identity for its session. Where the newcomer may take over, its claims are tried as if the
//! session had let go of everything. A request that is offered or holds units that way is the session's
//! heir: nobody else can have them while that session plays, and when it ends, the heir has them.

use super::Core;
use super::state::Heir;
use crate::ask::HeldUnit;
use crate::claim::Claim;
use crate::config::Duplicates;
use crate::id::{RequestId, SessionId};
use crate::key::Key;
use crate::ledger::{Full, Holder, Op};
use crate::reason::{Reason, code};
use crate::session::SessionEnd;
use crate::timers::Timer;
use std::sync::Arc;
use std::time::Duration;

/// How long a session that came by take-over can't be taken over: two clients of one player must not
/// throw each other out without end.
const REST: Duration = Duration::from_secs(5);

impl Core {
    /// The unit that every session of a proven identity holds.
    pub(super) fn identity_claim(identity: &Arc<str>) -> Claim {
        let text = "You are already in this server.";
        let reason = Reason::new(code::DUPLICATE_IDENTITY, text);
        Claim::new(Key::identity(identity), 1, reason).into_backstop()
    }

    /// The session that a request with these claims takes over, if it may. Full if it may not: it is the
    /// older one, or too soon, or another is about to.
    pub(super) fn to_take_over(
        &self,
        id: RequestId,
        claims: &[Claim],
    ) -> Result<Option<SessionId>, Full> {
        if self.config.duplicates != Duplicates::TakeOver {
            return Ok(None);
        }
        let Some((claim, identity)) = claims.iter().find_map(own_identity) else {
            return Ok(None);
        };
        let Some(session) = self.sessions.of_proven(identity) else {
            return Ok(None);
        };
        let older = id < session.player.request;
        let too_soon = session.took_over && self.now < session.accepted.after(REST);
        if older || too_soon || session.heir.is_some_and(|heir| heir != id) {
            return Err(Full {
                key: claim.key.clone(),
                // What it waits for is no unit: it is looked at whenever something happens to the key.
                limit: u32::MAX,
                reason: claim.when_full.clone(),
                said: None,
            });
        }
        Ok(Some(session.player.session))
    }

    /// The session whose units a request counts on.
    pub(super) fn inherits_from(&self, id: RequestId) -> Option<SessionId> {
        self.heirs.get(&id).map(|heir| heir.of)
    }

    /// Whether a request can have these, as the heir of a session.
    pub(super) fn fits(
        &mut self,
        id: RequestId,
        claims: &[Claim],
        of: Option<SessionId>,
    ) -> Result<(), Full> {
        let holder = Holder::Request(id);
        match of {
            None => self.ledger.fits(holder, claims),
            Some(of) => {
                let release = Op::Release(Holder::Session(of));
                self.ledger.would(&[release, Op::Take(holder, claims)])
            }
        }
    }

    /// Takes these for a request besides what it holds. As the heir of a session it takes what that one
    /// does not have, and counts on the rest.
    pub(super) fn take_for(
        &mut self,
        id: RequestId,
        claims: &[Claim],
        of: Option<SessionId>,
    ) -> Result<(), Full> {
        let holder = Holder::Request(id);
        let Some(of) = of else {
            let freed = self.ledger.commit(&[Op::Take(holder, claims)])?;
            self.freed(freed);
            return Ok(());
        };
        self.fits(id, claims, Some(of))?;
        let counts_on = |claim: &&Claim| self.lets_go(of, &claim.key);
        let (inherited, own): (Vec<_>, Vec<_>) = claims.iter().partition(counts_on);
        let own: Vec<_> = own.into_iter().cloned().collect();
        let freed = self.ledger.commit(&[Op::Take(holder, &own)])?;
        self.freed(freed);
        if self.inherits_from(id) != Some(of) {
            self.disinherit(id);
        }
        let heir = self.heirs.entry(id).or_insert_with(|| Heir {
            of,
            claims: Vec::new(),
        });
        heir.claims.extend(inherited.into_iter().cloned());
        if let Some(session) = self.sessions.get_mut(of) {
            session.heir = Some(id);
        }
        Ok(())
    }

    /// Whether a session has a unit that it gives back when it ends.
    fn lets_go(&self, session: SessionId, key: &Key) -> bool {
        let unit = self.ledger.unit(key, Holder::Session(session));
        unit.is_some_and(|unit| unit.time.is_none())
    }

    /// What a request can have from the session that it is the heir of.
    pub(super) fn inherited(&self, id: RequestId) -> Vec<HeldUnit> {
        let claims = self.heirs.get(&id).into_iter().flat_map(|it| &it.claims);
        let mut keys: Vec<_> = claims.map(|claim| claim.key.clone()).collect();
        keys.sort_unstable();
        keys.dedup();
        let unit = |key| HeldUnit { key, index: None };
        keys.into_iter().map(unit).collect()
    }

    /// A request counts on nothing of a session any more. Another of the same player may.
    pub(super) fn disinherit(&mut self, id: RequestId) {
        let Some(heir) = self.heirs.remove(&id) else {
            return;
        };
        if let Some(session) = self.sessions.get_mut(heir.of) {
            session.heir = None;
            let identity = session.player.identity.clone();
            let key = identity.map(|identity| (Key::identity(&identity), false));
            self.freed.extend(key);
        }
    }

    /// Ends the session whose place was just taken.
    pub(super) fn taken_over(&mut self, by: RequestId, session: SessionId) {
        // It has everything already.
        self.disinherit(by);
        self.end_session(session, SessionEnd::TakenOver);
    }

    /// A session lets go of everything, for its heir first. Returns the keys of which a unit is free.
    pub(super) fn let_go(&mut self, session: SessionId, heir: Option<RequestId>) -> Vec<Key> {
        let release = || Op::Release(Holder::Session(session));
        let heir = heir.and_then(|id| Some((id, self.heirs.remove(&id)?)));
        if let Some((id, heir)) = heir {
            let inherit = Op::Take(Holder::Request(id), &heir.claims);
            if let Ok(freed) = self.ledger.commit(&[release(), inherit]) {
                return freed;
            }
        }
        // Giving back needs no room, so it can't fail.
        self.ledger.commit(&[release()]).unwrap_or_default()
    }

    /// Someone was let in who waits by a later request too: that one may take the session over.
    pub(super) fn tell_own_waiters(&mut self, session: SessionId) {
        if self.config.duplicates != Duplicates::TakeOver {
            return;
        }
        let player = self.sessions.get(session).map(|session| &session.player);
        let Some(identity) = player
            .filter(|player| player.identity_proven)
            .and_then(|player| player.identity.clone())
        else {
            return;
        };
        for id in self.queue.waiting_as(&identity) {
            let request = self.requests.get(&id);
            let decision = request.and_then(|request| request.decision.as_ref());
            // One that is passed over has said that it does not want what it can have.
            if !decision.is_some_and(|it| it.offered) && !self.queue.is_passed_over(id) {
                self.queue.index(id);
            }
        }
        self.freed.push_back((Key::identity(&identity), false));
    }

    /// A session that came by take-over is to be taken over no sooner than this.
    pub(super) fn begin_rest(&mut self, session: SessionId) {
        let at = self.now.after(REST);
        self.timers.set(Timer::Rest(session), at);
    }

    /// It can be taken over now, by one who waits for that.
    pub(super) fn rested(&mut self, session: SessionId) {
        let player = self.sessions.get(session).map(|session| &session.player);
        let identity = player.and_then(|player| player.identity.clone());
        self.freed(identity.as_deref().map(Key::identity).into_iter().collect());
    }
}

/// The host's own claim of an identity, and that identity.
fn own_identity(claim: &Claim) -> Option<(&Claim, &str)> {
    let identity = claim.key.as_identity().filter(|_| claim.backstop)?;
    Some((claim, identity))
}
