//! What an instance may take of the host's memory.

use wasmtime::ResourceLimiter;

/// Counts what an instance takes, over all its memories and tables, and stops it at a bound.
pub(crate) struct Limits {
    memory: usize,
    memory_most: usize,
    table: usize,
}

/// The most table elements of an instance, a pointer each. A policy has a few hundred.
const TABLE_MOST: usize = 100_000;

/// An instance wanted more than it may have.
#[derive(thiserror::Error, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OverLimit {
    /// More linear memory.
    #[error("wanted {wanted} bytes of memory, it may have {most}")]
    Memory {
        /// How much in all.
        wanted: usize,
        /// How much it may have.
        most: usize,
    },
    /// More table elements.
    #[error("wanted {wanted} table elements, it may have {TABLE_MOST}")]
    Table {
        /// How many in all.
        wanted: usize,
    },
}

impl Limits {
    /// At most so many bytes of linear memory.
    pub(crate) fn new(memory_most: usize) -> Limits {
        Limits {
            memory: 0,
            memory_most,
            table: 0,
        }
    }
}

impl Limits {
    /// The linear memory that it has, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.memory
    }

    /// Whether it has grown since it had so much, and little is left: a module that leaks is better
    /// replaced between two calls than stopped within one.
    pub(crate) fn is_worn(&self, begun_with: usize) -> bool {
        self.memory > begun_with && self.memory > self.memory_most / 4 * 3
    }
}

impl ResourceLimiter for Limits {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let wanted = self.memory.saturating_add(desired.saturating_sub(current));
        if wanted > self.memory_most {
            let most = self.memory_most;
            // An error traps at once; a mere refusal would let the module go on with what it has.
            return Err(OverLimit::Memory { wanted, most }.into());
        }
        self.memory = wanted;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let wanted = self.table.saturating_add(desired.saturating_sub(current));
        if wanted > TABLE_MOST {
            return Err(OverLimit::Table { wanted }.into());
        }
        self.table = wanted;
        Ok(true)
    }

    fn instances(&self) -> usize {
        32
    }

    fn tables(&self) -> usize {
        32
    }

    fn memories(&self) -> usize {
        8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_counted_together() {
        let mut limits = Limits::new(100);
        assert!(limits.memory_growing(0, 60, None).is_ok());
        assert!(limits.memory_growing(0, 40, None).is_ok());
        let error = limits.memory_growing(60, 61, None).unwrap_err();
        let most = 100;
        assert_eq!(
            error.downcast_ref::<OverLimit>(),
            Some(&OverLimit::Memory { wanted: 101, most })
        );
        assert!(limits.memory_growing(usize::MAX, 0, None).is_ok());
    }

    #[test]
    fn a_leak_is_noticed_before_it_hurts() {
        let mut limits = Limits::new(100);
        assert!(limits.memory_growing(0, 75, None).is_ok());
        assert!(!limits.is_worn(50), "a quarter is left");
        assert!(limits.memory_growing(75, 76, None).is_ok());
        assert!(limits.is_worn(50));
        assert!(!limits.is_worn(76), "it needs that much");
    }

    #[test]
    fn tables_are_counted_together() {
        let mut limits = Limits::new(0);
        assert!(limits.table_growing(0, TABLE_MOST, None).is_ok());
        assert!(limits.table_growing(0, 1, None).is_err());
    }
}
