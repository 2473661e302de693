//! Who has what, and the one place where that changes.

use super::op::{Full, Op};
use super::unit::{Held, Holder, Unit, Units};
use crate::by_choice::ByChoice;
use crate::by_number::ByNumber;
use crate::claim::Claim;
use crate::key::Key;
use crate::reason::Reason;
use crate::time::Moment;
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

/// How much is taken of each key of which any is.
pub(super) type Keys = ByChoice<Key, Units>;

/// What the ledger knows besides how much is taken of each key, which others may read.
#[derive(Default, Debug)]
pub(super) struct Book {
    pub(super) holders: ByNumber<Holder, Held>,
    pub(super) closed: ByChoice<Key, Reason>,
    pub(super) expiries: BTreeSet<(Moment, Key, Holder)>,
    /// Units that last until their holder lets go.
    pub(super) held: u32,
}

/// A unit that was changed.
#[derive(Debug)]
pub(super) struct Change {
    key: Key,
    holder: Holder,
    before: Option<Unit>,
    /// How many units more or fewer the holder has.
    gain: i32,
}

impl Book {
    /// What a holder has of a key.
    pub(super) fn unit(&self, key: &Key, holder: Holder) -> Option<Unit> {
        self.holders.get(&holder)?.get(key)
    }

    /// Does all operations in order, or none.
    pub(super) fn try_all(
        &mut self,
        keys: &mut Keys,
        ops: &[Op<'_>],
        changes: &mut Vec<Change>,
    ) -> Result<(), Full> {
        let done = ops.iter().try_for_each(|op| self.apply(keys, op, changes));
        if done.is_err() {
            self.undo(keys, changes);
        }
        done
    }

    /// Does an operation, or as much of it as can be done before a claim is full.
    fn apply(
        &mut self,
        keys: &mut Keys,
        op: &Op<'_>,
        changes: &mut Vec<Change>,
    ) -> Result<(), Full> {
        match *op {
            Op::Release(holder) => self.let_go(keys, holder, changes, |unit| {
                let timed = Unit {
                    held: false,
                    index: None,
                    ..unit
                };
                unit.time.is_some().then_some(timed)
            }),
            Op::Forget(holder) => self.let_go(keys, holder, changes, |_| None),
            Op::Move { from, to } => self.hand_over(from, to, changes),
            Op::Keep(holder, claims) => {
                let named = |key: &Key| claims.iter().any(|claim| claim.key == *key);
                let held = self.holders.get(&holder).into_iter().flat_map(Held::iter);
                let keys_of = held.map(|(key, _)| key).filter(|key| !named(key));
                for key in keys_of.cloned().collect::<Vec<_>>() {
                    self.change(keys, key, holder, None, changes);
                }
            }
            Op::Take(holder, claims) => {
                let mut held = self.holders.remove(&holder).unwrap_or_default();
                let taken = self.take(keys, holder, &mut held, claims, changes);
                if !held.is_empty() {
                    self.holders.insert(holder, held);
                }
                taken?;
            }
        }
        Ok(())
    }

    /// Puts back what was before the changes.
    pub(super) fn undo(&mut self, keys: &mut Keys, changes: &mut Vec<Change>) {
        while let Some(change) = changes.pop() {
            self.put(keys, &change.key, change.holder, change.before);
        }
    }

    /// Gives back timed units that expire by `now`.
    pub(super) fn expire(&mut self, keys: &mut Keys, now: Moment, changes: &mut Vec<Change>) {
        while let Some((at, _, _)) = self.expiries.first()
            && *at <= now
            && let Some((_, key, holder)) = self.expiries.pop_first()
        {
            // An expiry stands for a unit with that time, and goes with it.
            let unit = self.unit(&key, holder).filter(|unit| unit.held);
            let after = unit.map(|unit| Unit { time: None, ..unit });
            self.change(keys, key, holder, after, changes);
        }
    }

    /// Whether the claims could be taken besides what the holder has; if not, the first that is full.
    pub(super) fn fits(&self, keys: &Keys, holder: Holder, claims: &[Claim]) -> Result<(), Full> {
        by_key(claims).try_for_each(|same_key| {
            self.open(same_key)?;
            match self.unit(same_key.key(), holder) {
                Some(_) => Ok(()),
                // It has none of them: all are others'.
                None => same_key.test(keys.get(same_key.key()).map_or(0, Units::len)),
            }
        })
    }

    /// Why a key is closed, if it is. Mostly none is.
    pub(super) fn closed(&self, key: &Key) -> Option<&Reason> {
        if self.closed.is_empty() {
            return None;
        }
        self.closed.get(key)
    }

    fn open(&self, same_key: SameKey<'_>) -> Result<(), Full> {
        match self.closed(same_key.key()) {
            None => Ok(()),
            Some(reason) => Err(Full {
                key: same_key.key().clone(),
                limit: u32::MAX,
                reason: reason.clone(),
                said: None,
            }),
        }
    }

    /// Takes these for a holder besides what it has, which is in nobody's hands meanwhile.
    fn take(
        &mut self,
        keys: &mut Keys,
        holder: Holder,
        held: &mut Held,
        claims: &[Claim],
        changes: &mut Vec<Change>,
    ) -> Result<(), Full> {
        for same_key in by_key(claims) {
            self.open(same_key)?;
            let before = held.get(same_key.key());
            let mut units = keys.entry(same_key.key().clone());
            if before.is_none() {
                same_key.test(taken(&units))?;
            }
            let mut unit = Unit::of(same_key.claims());
            if let Some(before) = before {
                unit.index = before.index;
                unit.held |= before.held;
                unit.time = unit.time.max(before.time);
            }
            if unit.index.is_none() && same_key.claims().any(|claim| claim.lowest_index) {
                unit.index = Some(match &units {
                    Entry::Occupied(units) => units.get().lowest_free(),
                    Entry::Vacant(_) => 0,
                });
            }
            if before == Some(unit) {
                continue;
            }
            // Holders have the ledger's own copy of a key: of one that everyone has, it is one for all.
            let key = match &mut units {
                Entry::Occupied(units) => units.key().clone(),
                Entry::Vacant(none) => none.key().clone(),
            };
            units.or_default().change(before, Some(unit));
            held.put(&key, Some(unit));
            self.note(&key, holder, before, Some(unit));
            changes.push(Change::new(key, holder, before, Some(unit)));
        }
        Ok(())
    }

    /// A holder has of each key what is said there of what it had.
    fn let_go(
        &mut self,
        keys: &mut Keys,
        holder: Holder,
        changes: &mut Vec<Change>,
        after: impl Fn(Unit) -> Option<Unit>,
    ) {
        let mut left = Held::default();
        for (key, unit) in self.holders.remove(&holder).into_iter().flatten() {
            let (before, after) = (Some(unit), after(unit));
            count(keys, &key, before, after);
            self.note(&key, holder, before, after);
            left.put(&key, after);
            changes.push(Change::new(key, holder, before, after));
        }
        if !left.is_empty() {
            self.holders.insert(holder, left);
        }
    }

    /// What one holder has becomes another's, who has nothing yet.
    fn hand_over(&mut self, from: Holder, to: Holder, changes: &mut Vec<Change>) {
        let Some(held) = self.holders.remove(&from) else {
            return;
        };
        for (key, unit) in held.iter() {
            let unit = Some(*unit);
            self.note(key, from, unit, None);
            self.note(key, to, None, unit);
            changes.push(Change::new(key.clone(), from, unit, None));
            changes.push(Change::new(key.clone(), to, None, unit));
        }
        self.holders.insert(to, held);
    }

    fn change(
        &mut self,
        keys: &mut Keys,
        key: Key,
        holder: Holder,
        after: Option<Unit>,
        changes: &mut Vec<Change>,
    ) {
        let before = self.put(keys, &key, holder, after);
        changes.push(Change::new(key, holder, before, after));
    }

    /// Puts a holder's unit of a key to a state, and returns the state before.
    fn put(
        &mut self,
        keys: &mut Keys,
        key: &Key,
        holder: Holder,
        after: Option<Unit>,
    ) -> Option<Unit> {
        let own = keys.get_key_value(key).map_or(key, |(own, _)| own).clone();
        let held = self.holders.entry(holder).or_default();
        let before = held.put(&own, after);
        if held.is_empty() {
            self.holders.remove(&holder);
        }
        count(keys, key, before, after);
        self.note(key, holder, before, after);
        before
    }

    /// Notes what depends on a unit besides how much of its key is taken.
    fn note(&mut self, key: &Key, holder: Holder, before: Option<Unit>, after: Option<Unit>) {
        let time = |unit: Option<Unit>| unit.and_then(|unit| unit.time);
        if time(before) != time(after) {
            if let Some(at) = time(before) {
                self.expiries.remove(&(at, key.clone(), holder));
            }
            if let Some(at) = time(after) {
                self.expiries.insert((at, key.clone(), holder));
            }
        }
        self.held += u32::from(after.is_some_and(|unit| unit.held));
        self.held -= u32::from(before.is_some_and(|unit| unit.held));
    }
}

impl Change {
    fn new(key: Key, holder: Holder, before: Option<Unit>, after: Option<Unit>) -> Change {
        Change {
            key,
            holder,
            before,
            gain: i32::from(after.is_some()) - i32::from(before.is_some()),
        }
    }
}

/// The keys of which fewer units are taken after the changes, in order.
pub(super) fn fewer(changes: &mut Vec<Change>) -> Vec<Key> {
    let mut fewer = Vec::new();
    if changes.iter().any(|change| change.gain < 0) {
        changes.sort_by(|one, other| one.key.cmp(&other.key));
        for of_key in changes.chunk_by(|one, next| one.key == next.key) {
            if of_key.iter().map(|change| change.gain).sum::<i32>() < 0 {
                fewer.push(of_key[0].key.clone());
            }
        }
    }
    changes.clear();
    fewer
}

/// Counts a holder's unit of a key that goes from one state to another.
fn count(keys: &mut Keys, key: &Key, before: Option<Unit>, after: Option<Unit>) {
    match keys.get_mut(key) {
        Some(units) => {
            units.change(before, after);
            if units.len() == 0 {
                keys.remove(key);
            }
        }
        None => {
            let mut units = Units::default();
            units.change(before, after);
            if units.len() > 0 {
                keys.insert(key.clone(), units);
            }
        }
    }
}

fn taken(units: &Entry<'_, Key, Units>) -> u32 {
    match units {
        Entry::Occupied(units) => units.get().len(),
        Entry::Vacant(_) => 0,
    }
}

/// Claims of one key: a list of claims that begins with the first of them.
#[derive(Clone, Copy)]
struct SameKey<'a>(&'a [Claim]);

/// The claims by key, keys in the order of their first claim.
fn by_key(claims: &[Claim]) -> impl Iterator<Item = SameKey<'_>> {
    let first = |at: &usize| {
        let (before, from) = claims.split_at(*at);
        !before.iter().any(|claim| claim.key == from[0].key)
    };
    (0..claims.len())
        .filter(first)
        .map(|at| SameKey(&claims[at..]))
}

impl<'a> SameKey<'a> {
    fn key(self) -> &'a Key {
        &self.0[0].key
    }

    fn claims(self) -> impl Iterator<Item = &'a Claim> {
        self.0.iter().filter(move |claim| claim.key == *self.key())
    }

    /// The first claim that does not fit beside `others`; a policy's before the host's own.
    fn test(self, others: u32) -> Result<(), Full> {
        let failing = || self.claims().filter(|claim| others >= claim.limit);
        let first = failing().find(|claim| !claim.backstop);
        let Some(claim) = first.or_else(|| failing().next()) else {
            return Ok(());
        };
        // The lowest limit decides when there is room again.
        let limit = self.claims().map(|claim| claim.limit).min();
        Err(Full {
            key: claim.key.clone(),
            limit: limit.unwrap_or(claim.limit),
            reason: claim.when_full.clone(),
            said: claim.said.clone(),
        })
    }
}
