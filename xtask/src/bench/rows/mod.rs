//! The rows of the table, in its order.

mod evidence;
mod pending;
mod scale;
mod start;

use super::row::Row;

/// All of them.
pub(crate) const ALL: [Row; 4] = [pending::ROW, evidence::ROW, scale::ROW, start::ROW];
