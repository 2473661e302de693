//! The rows of the table, in its order.

mod evidence;
mod pending;
mod start;

use super::row::Row;

/// All of them.
pub(crate) const ALL: [Row; 3] = [pending::ROW, evidence::ROW, start::ROW];
