//! What the black-box tests are made of: the real binary, real modules, real sockets.
//!
//! A test starts a [`Usher`] of its own on ports of its own, speaks to it as players and operators do,
//! and ends with [`Usher::stop`], which asserts that nothing was left behind and that the host stops in
//! good order. `cargo xtask test` builds what is needed and says where it is, in `USHER_BIN` and
//! `USHER_MODULES`.

mod admin;
mod audit;
mod guest;
mod host;
mod modules;
mod player;
mod setup;

pub use admin::Admin;
pub use audit::decisions;
pub use guest::Guest;
pub use host::{Usher, binary};
pub use modules::{module, place};
pub use player::{Answer, Endpoint, Player, knock, knock_from};
pub use setup::Setup;
