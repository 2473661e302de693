//! What the black-box tests are made of: the real binary, real modules, real sockets.
//!
//! A test starts a [`Usher`] of its own on ports of its own, speaks to it as players and operators do,
//! and ends with [`Usher::stop`], which asserts that nothing was left behind and that the host stops in
//! good order. `cargo xtask test` builds what is needed and says where it is, in `USHER_BIN` and
//! `USHER_MODULES`.

mod admin;
mod asked;
mod audit;
mod base64;
mod calls;
mod guest;
mod host;
mod joining;
pub mod keep;
mod modules;
mod page;
mod player;
mod search;
mod setup;
pub mod tickets;
mod visitor;

pub use admin::Admin;
pub use asked::{Asked, Desk};
pub use audit::decisions;
pub use calls::{Event, Events, GameServer, Reply};
pub use guest::Guest;
pub use host::{Usher, binary};
pub use joining::{join, lines};
pub use modules::{module, place};
pub use page::Page;
pub use player::{Answer, Endpoint, Player, knock, knock_from};
pub use search::Search;
pub use setup::Setup;
pub use visitor::{Door, Visitor};
