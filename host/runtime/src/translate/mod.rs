//! Between the contract's types and the core's. What comes from a module is checked against the bounds
//! that the contract names; what breaches one is a fault of the module, and the message names the field.
//!
//! A file is one direction of one thing. Nothing here calls a module or knows the engine.

pub(crate) mod ask;
pub(crate) mod bound;
pub(crate) mod claim;
pub(crate) mod command;
pub(crate) mod description;
pub(crate) mod details;
pub(crate) mod duration;
pub(crate) mod effect;
pub(crate) mod ending;
pub(crate) mod key;
pub(crate) mod plain;
pub(crate) mod player;
pub(crate) mod question;
pub(crate) mod reason;
pub(crate) mod verdict;
pub(crate) mod waiter;
