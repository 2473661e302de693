//! Join tickets from outside: a table of worlds, each a host with the evidence that it finds, and of rows, each
//! a few players who come with tickets and are told what the table says.

mod data;
mod names;
mod play;
mod scene;
mod setup;
mod table;

pub use data::{Join, Row, World};
pub use names::{Names, mint};
pub use scene::{HOLDS, SERVICE, Scene};
pub use setup::PROTOCOL;
pub use table::{data, hold_to, play_all};
