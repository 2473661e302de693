//! Sessions: a player's stay, from acceptance to its one end.

mod end;
mod player;
mod table;
mod token;

pub use end::{Parting, SessionEnd};
pub use player::Player;
pub(crate) use table::{Bound, Session, Sessions};
pub use token::SessionToken;
