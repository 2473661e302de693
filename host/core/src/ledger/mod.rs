//! The seat ledger.

mod view;

pub use view::TakenView;
