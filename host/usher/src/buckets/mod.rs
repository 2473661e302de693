//! The operator's named lists: read from files, filled by policies, and looked into by both.

mod desk;
mod file;
mod keeper;
mod list;

#[cfg(test)]
mod tests;

pub use desk::{Desk, keep, open};
pub use file::{FileError, count};
pub use keeper::{Keeper, OpenError};
