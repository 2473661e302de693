//! The seat ledger: the one collection that counts (D4).
//!
//! A key has units, each with one holder, and a holder has at most one unit of a key. The only write is
//! [`Ledger::commit`]: it does all of a list of operations, or none. Nothing here knows about requests'
//! lives, queues or time passing; the engine says when a holder lets go and what time it is.

mod book;
mod op;
mod unit;
mod view;

pub(crate) use op::{Full, Op};
pub(crate) use unit::{Holder, Unit};
pub use view::TakenView;

use crate::claim::Claim;
use crate::key::Key;
use crate::reason::Reason;
use crate::time::Moment;
use book::{Book, Change, fewer};
use unit::Held;

/// The ledger of one host.
#[derive(Default, Debug)]
pub(crate) struct Ledger {
    /// How much is taken of each key. Others may read it, never in the middle of a commit.
    taken: TakenView,
    book: Book,
    /// Room for the changes of a commit.
    changes: Vec<Change>,
}

impl Ledger {
    /// Does all operations in order, or none. Returns the keys of which fewer units are taken after.
    pub(crate) fn commit(&mut self, ops: &[Op<'_>]) -> Result<Vec<Key>, Full> {
        let mut keys = self.taken.write();
        let done = self.book.try_all(&mut keys, ops, &mut self.changes);
        drop(keys);
        done.map(|()| fewer(&mut self.changes))
    }

    /// Whether all operations could be done in order; if not, the first claim that is full. Does none.
    pub(crate) fn would(&mut self, ops: &[Op<'_>]) -> Result<(), Full> {
        let mut keys = self.taken.write();
        let would = self.book.try_all(&mut keys, ops, &mut self.changes);
        self.book.undo(&mut keys, &mut self.changes);
        would
    }

    /// Whether the claims could be taken besides what the holder has; if not, the first that is full.
    pub(crate) fn fits(&self, holder: Holder, claims: &[Claim]) -> Result<(), Full> {
        self.book.fits(&self.taken.read(), holder, claims)
    }

    /// Gives back timed units that expire by `now`. Returns the keys of which fewer are taken after.
    pub(crate) fn expire(&mut self, now: Moment) -> Vec<Key> {
        let mut keys = self.taken.write();
        self.book.expire(&mut keys, now, &mut self.changes);
        drop(keys);
        fewer(&mut self.changes)
    }

    /// When the next timed unit expires.
    pub(crate) fn next_expiry(&self) -> Option<Moment> {
        self.book.expiries.first().map(|(at, _, _)| *at)
    }

    /// Closes a key: every claim on it is full with this reason.
    pub(crate) fn close(&mut self, key: Key, reason: Reason) {
        self.book.closed.insert(key, reason);
    }

    /// Opens a key. Returns whether it was closed.
    pub(crate) fn open(&mut self, key: &Key) -> bool {
        self.book.closed.remove(key).is_some()
    }

    /// Why a key is closed, if it is.
    pub(crate) fn closed(&self, key: &Key) -> Option<&Reason> {
        self.book.closed(key)
    }

    /// Whether any key is closed.
    pub(crate) fn any_closed(&self) -> bool {
        !self.book.closed.is_empty()
    }

    /// How many units of a key are taken.
    pub(crate) fn taken(&self, key: &Key) -> u32 {
        self.taken.taken(key)
    }

    /// What a holder has, in the order of keys.
    pub(crate) fn of(&self, holder: Holder) -> impl Iterator<Item = (&Key, Unit)> {
        let held = self.book.holders.get(&holder);
        held.into_iter()
            .flat_map(Held::iter)
            .map(|(key, unit)| (key, *unit))
    }

    /// How many units last until their holder lets go: what must be none when nobody is there.
    pub(crate) fn held(&self) -> u32 {
        self.book.held
    }

    /// A view for other threads.
    pub(crate) fn view(&self) -> TakenView {
        self.taken.clone()
    }

    /// What a holder has of a key.
    pub(crate) fn unit(&self, key: &Key, holder: Holder) -> Option<Unit> {
        self.book.unit(key, holder)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
