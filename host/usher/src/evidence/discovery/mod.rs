//! The directory: it lists this server, and says whether a reservation is good here.
//!
//! `schedule` says when a heartbeat is due, `beat` what is in it, `verdict` what an answer about a reservation
//! means; `listing` and `directory` send them. Who may come is for a policy to decide.

mod beat;
mod directory;
mod listing;
mod schedule;
#[cfg(test)]
mod tests;
mod verdict;

pub use directory::Directory;
pub use listing::{Listing, ListingStatus};
