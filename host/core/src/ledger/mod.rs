//! The seat ledger: the one collection that counts (D4).
//!
//! A key has units, each with one holder, and a holder has at most one unit of a key. The only write is
//! [`Ledger::commit`]: it does all of a list of operations, or none. Nothing here knows about requests'
//! lives, queues or time passing; the engine says when a holder lets go and what time it is.

mod unit;
mod view;

pub(crate) use unit::{Holder, Unit};
pub use view::TakenView;

use crate::by_number::ByNumber;
use crate::claim::Claim;
use crate::key::Key;
use crate::reason::{Reason, Said};
use crate::time::Moment;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use unit::{Held, Units};

/// An operation of a commit.
#[derive(Debug)]
pub(crate) enum Op<'a> {
    /// The holder lets go: every unit that lasts until then is given back, timed ones stay.
    Release(Holder),
    /// The holder never was: every unit is given back, timed ones too.
    Forget(Holder),
    /// What one holder has becomes another's.
    Move {
        /// Who has it.
        from: Holder,
        /// Who gets it; has nothing yet.
        to: Holder,
    },
    /// Take these besides what the holder has. A key that it has already is satisfied.
    Take(Holder, &'a [Claim]),
    /// Give back what is not named here.
    Keep(Holder, &'a [Claim]),
}

/// Why a claim does not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Full {
    /// The key that has no room.
    pub(crate) key: Key,
    /// The limit that was tested.
    pub(crate) limit: u32,
    /// What the player is told.
    pub(crate) reason: Reason,
    /// What its policy said, where that is told in other words.
    pub(crate) said: Option<Said>,
}

/// The ledger of one host.
#[derive(Default, Debug)]
pub(crate) struct Ledger {
    keys: HashMap<Key, Units>,
    holders: ByNumber<Holder, Held>,
    closed: HashMap<Key, Reason>,
    expiries: BTreeSet<(Moment, Key, Holder)>,
    /// Units that last until their holder lets go.
    held: u32,
    view: TakenView,
}

/// What an undone commit puts back, in reverse.
type Undo = Vec<(Key, Holder, Option<Unit>)>;

impl Ledger {
    /// Does all operations in order, or none. Returns the keys of which fewer units are taken after.
    pub(crate) fn commit(&mut self, ops: &[Op<'_>]) -> Result<Vec<Key>, Full> {
        let mut undo = Undo::new();
        for op in ops {
            if let Err(full) = self.apply(op, &mut undo) {
                self.undo(undo);
                return Err(full);
            }
        }
        Ok(self.settle(undo))
    }

    /// Whether all operations could be done in order; if not, the first claim that is full. Does none.
    pub(crate) fn would(&mut self, ops: &[Op<'_>]) -> Result<(), Full> {
        let mut undo = Undo::new();
        let result = ops.iter().try_for_each(|op| self.apply(op, &mut undo));
        self.undo(undo);
        result
    }

    fn undo(&mut self, mut undo: Undo) {
        while let Some((key, holder, before)) = undo.pop() {
            self.put(&key, holder, before);
        }
    }

    /// Whether the claims could be taken besides what the holder has; if not, the first that is full.
    pub(crate) fn fits(&self, holder: Holder, claims: &[Claim]) -> Result<(), Full> {
        merged(claims)
            .into_iter()
            .try_for_each(|same_key| self.test(holder, &same_key))
    }

    /// Gives back timed units that expire by `now`. Returns the keys of which fewer are taken after.
    pub(crate) fn expire(&mut self, now: Moment) -> Vec<Key> {
        let mut undo = Undo::new();
        while let Some((at, key, holder)) = self.expiries.first().cloned() {
            if at > now {
                break;
            }
            // An expiry stands for a unit with that time, and goes with it.
            let unit = self.unit(&key, holder);
            let after = unit
                .filter(|unit| unit.held)
                .map(|unit| Unit { time: None, ..unit });
            self.expiries.remove(&(at, key.clone(), holder));
            undo.push((key.clone(), holder, self.put(&key, holder, after)));
        }
        self.settle(undo)
    }

    /// When the next timed unit expires.
    pub(crate) fn next_expiry(&self) -> Option<Moment> {
        self.expiries.first().map(|(at, _, _)| *at)
    }

    /// Closes a key: every claim on it is full with this reason.
    pub(crate) fn close(&mut self, key: Key, reason: Reason) {
        self.closed.insert(key, reason);
    }

    /// Opens a key. Returns whether it was closed.
    pub(crate) fn open(&mut self, key: &Key) -> bool {
        self.closed.remove(key).is_some()
    }

    /// Why a key is closed, if it is.
    pub(crate) fn closed(&self, key: &Key) -> Option<&Reason> {
        self.closed.get(key)
    }

    /// How many units of a key are taken.
    pub(crate) fn taken(&self, key: &Key) -> u32 {
        self.keys.get(key).map_or(0, Units::len)
    }

    /// What a holder has, in the order of keys.
    pub(crate) fn of(&self, holder: Holder) -> impl Iterator<Item = (&Key, Unit)> {
        let held = self.holders.get(&holder).into_iter().flat_map(Held::iter);
        held.map(|(key, unit)| (key, *unit))
    }

    /// How many units last until their holder lets go: what must be none when nobody is there.
    pub(crate) fn held(&self) -> u32 {
        self.held
    }

    /// A view for other threads.
    pub(crate) fn view(&self) -> TakenView {
        self.view.clone()
    }

    /// What a holder has of a key.
    pub(crate) fn unit(&self, key: &Key, holder: Holder) -> Option<Unit> {
        self.holders.get(&holder)?.get(key)
    }

    fn apply(&mut self, op: &Op<'_>, undo: &mut Undo) -> Result<(), Full> {
        match op {
            Op::Release(holder) => {
                for key in self.keys_of(*holder) {
                    let unit = self.unit(&key, *holder);
                    let after = unit.filter(|unit| unit.time.is_some());
                    let after = after.map(|unit| Unit {
                        held: false,
                        index: None,
                        ..unit
                    });
                    undo.push((key.clone(), *holder, self.put(&key, *holder, after)));
                }
            }
            Op::Forget(holder) => {
                for key in self.keys_of(*holder) {
                    undo.push((key.clone(), *holder, self.put(&key, *holder, None)));
                }
            }
            Op::Move { from, to } => {
                for key in self.keys_of(*from) {
                    let unit = self.put(&key, *from, None);
                    undo.push((key.clone(), *from, unit));
                    undo.push((key.clone(), *to, self.put(&key, *to, unit)));
                }
            }
            Op::Keep(holder, claims) => {
                for key in self.keys_of(*holder) {
                    if !claims.iter().any(|claim| claim.key == key) {
                        undo.push((key.clone(), *holder, self.put(&key, *holder, None)));
                    }
                }
            }
            Op::Take(holder, claims) => {
                for same_key in merged(claims) {
                    self.test(*holder, &same_key)?;
                    self.take(*holder, &same_key, undo);
                }
            }
        }
        Ok(())
    }

    /// Tests the claims of one key, in the order in which they were made (semantics 3, 4 and 6).
    fn test(&self, holder: Holder, same_key: &[&Claim]) -> Result<(), Full> {
        let key = &same_key[0].key;
        if let Some(reason) = self.closed.get(key) {
            return Err(Full {
                key: key.clone(),
                limit: u32::MAX,
                reason: reason.clone(),
                said: None,
            });
        }
        if self.unit(key, holder).is_some() {
            return Ok(());
        }
        // It has none of them: all are others'.
        full(same_key, self.taken(key))
    }

    fn take(&mut self, holder: Holder, same_key: &[&Claim], undo: &mut Undo) {
        let key = &same_key[0].key;
        let before = self.unit(key, holder);
        let mut unit = Unit::of(same_key.iter().copied());
        if let Some(before) = before {
            unit.index = before.index;
            unit.held |= before.held;
            unit.time = unit.time.max(before.time);
        }
        if unit.index.is_none() && same_key.iter().any(|claim| claim.lowest_index) {
            unit.index = Some(self.keys.get(key).map_or(0, Units::lowest_free));
        }
        if before != Some(unit) {
            undo.push((key.clone(), holder, self.put(key, holder, Some(unit))));
        }
    }

    /// The only place where a unit changes.
    fn put(&mut self, key: &Key, holder: Holder, unit: Option<Unit>) -> Option<Unit> {
        // Holders have the ledger's own copy of a key: of one that everyone has, it is one for all.
        let mut units = match self.keys.entry(key.clone()) {
            Entry::Occupied(units) => units,
            Entry::Vacant(none) => none.insert_entry(Units::default()),
        };
        let mut holders = match self.holders.entry(holder) {
            Entry::Occupied(held) => held,
            Entry::Vacant(none) => none.insert_entry(Held::default()),
        };
        let before = holders.get_mut().put(units.key(), unit);
        units.get_mut().change(before, unit);
        if units.get().len() == 0 {
            units.remove();
        }
        if holders.get().is_empty() {
            holders.remove();
        }
        if let Some(at) = before.and_then(|unit| unit.time) {
            self.expiries.remove(&(at, key.clone(), holder));
        }
        if let Some(at) = unit.and_then(|unit| unit.time) {
            self.expiries.insert((at, key.clone(), holder));
        }
        self.held -= u32::from(before.is_some_and(|unit| unit.held));
        self.held += u32::from(unit.is_some_and(|unit| unit.held));
        before
    }

    /// Publishes what a commit changed, and says of which keys fewer units are taken.
    fn settle(&mut self, mut changes: Undo) -> Vec<Key> {
        // Of several changes of one unit, the first knows what there was before the commit.
        changes.sort_by(|(key, holder, _), (other, another, _)| {
            key.cmp(other).then_with(|| holder.cmp(another))
        });
        changes.dedup_by(|(key, holder, _), (first, same, _)| holder == same && key == first);
        let mut fewer = Vec::new();
        let mut changed = Vec::with_capacity(changes.len());
        for of_key in changes.chunk_by(|(key, ..), (next, ..)| key == next) {
            let key = &of_key[0].0;
            let difference: i64 = of_key
                .iter()
                .map(|(_, holder, was)| {
                    let is = self.unit(key, *holder).is_some();
                    i64::from(is) - i64::from(was.is_some())
                })
                .sum();
            if difference != 0 {
                changed.push((key, self.taken(key)));
            }
            if difference < 0 {
                fewer.push(key.clone());
            }
        }
        self.view.publish(&changed);
        fewer
    }

    fn keys_of(&self, holder: Holder) -> Vec<Key> {
        self.of(holder).map(|(key, _)| key.clone()).collect()
    }
}

/// The claims by key, keys in the order of their first claim.
fn merged(claims: &[Claim]) -> Vec<Vec<&Claim>> {
    let mut merged: Vec<Vec<&Claim>> = Vec::with_capacity(claims.len());
    for claim in claims {
        match merged
            .iter_mut()
            .find(|same_key| same_key[0].key == claim.key)
        {
            Some(same_key) => same_key.push(claim),
            None => merged.push(vec![claim]),
        }
    }
    merged
}

/// The first claim that does not fit beside `others`; a policy's before the host's own.
fn full(same_key: &[&Claim], others: u32) -> Result<(), Full> {
    let failing = |claim: &&&Claim| others >= claim.limit;
    let first = same_key
        .iter()
        .filter(failing)
        .find(|claim| !claim.backstop)
        .or_else(|| same_key.iter().find(failing));
    match first {
        None => Ok(()),
        Some(claim) => {
            // The lowest limit decides when there is room again.
            let limit = same_key
                .iter()
                .map(|claim| claim.limit)
                .min()
                .unwrap_or(claim.limit);
            Err(Full {
                key: claim.key.clone(),
                limit,
                reason: claim.when_full.clone(),
                said: claim.said.clone(),
            })
        }
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
