//! `ledger`: how many units of a key others hold.

use crate::contract::Key;
use crate::translate::key::key_in;
use usher_core::{HeldUnit, TakenView};

/// The ledger, seen by one request.
pub(crate) struct Ledger {
    taken: TakenView,
    own: Vec<usher_core::Key>,
}

impl Ledger {
    /// Sees the ledger through a view.
    pub(crate) fn new(taken: TakenView) -> Ledger {
        Ledger {
            taken,
            own: Vec::new(),
        }
    }

    /// Before a call: what the request holds itself is left out.
    pub(crate) fn begin(&mut self, held: &[HeldUnit]) {
        self.own.clear();
        self.own.extend(held.iter().map(|unit| unit.key.clone()));
    }
}

impl Ledger {
    /// How many units others hold.
    pub(crate) fn taken(&self, key: Key) -> wasmtime::Result<u32> {
        let key = key_in(key).map_err(|breach| breach.within("ledger.taken: key"))?;
        let taken = self.taken.taken(&key);
        // A holder has one unit of a key at most (semantics 3).
        let own = u32::from(self.own.contains(&key));
        Ok(taken.saturating_sub(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(namespace: &str) -> Key {
        Key {
            namespace: namespace.into(),
            parts: Vec::new(),
        }
    }

    #[test]
    fn an_unknown_key_is_free() {
        let ledger = Ledger::new(TakenView::default());
        assert_eq!(ledger.taken(key("server")).ok(), Some(0));
    }

    #[test]
    fn what_the_request_holds_is_never_counted_below_zero() {
        let mut ledger = Ledger::new(TakenView::default());
        ledger.begin(&[HeldUnit {
            key: usher_core::Key::server(),
            index: None,
        }]);
        assert_eq!(ledger.taken(key("server")).ok(), Some(0));
    }

    #[test]
    fn a_malformed_key_is_the_modules_fault() {
        let ledger = Ledger::new(TakenView::default());
        let error = ledger.taken(key("")).unwrap_err().to_string();
        assert!(
            error.starts_with("ledger.taken: key.namespace has 0 bytes"),
            "{error}"
        );
    }
}
