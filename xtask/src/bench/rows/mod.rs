//! The rows of the table, in its order.

mod admission;
mod admission_mafianet;
mod decision;
mod evidence;
mod fault;
mod flood;
mod pending;
mod rules;
mod scale;
mod start;
mod swap;

use super::instructions::Sides;
use super::row::Row;

/// All of them.
pub(crate) const ALL: &[Row] = &[
    // One a line, so that rows that come at the same time do not meet.
    decision::ROW,
    admission::ROW,
    admission_mafianet::ROW,
    pending::ROW,
    flood::ROW,
    evidence::ROW,
    swap::ROW,
    fault::ROW,
    rules::ROW,
    scale::ROW,
    start::ROW,
];

/// Those whose instructions can be counted.
pub(crate) const COUNTED: &[(&str, Sides)] = &[(decision::ROW.name, decision::counted)];
