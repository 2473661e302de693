//! What everything has in common that is served over HTTP: bounded connections, callers that must hurry,
//! and who may call. What is answered is not its business.

mod body;
mod guard;
mod places;
mod server;

pub use body::{BodyError, read_body};
pub use guard::{Call, Denied, Unreadable, check_page, check_token, single};
pub use places::Place;
pub use server::{Bounds, Listener, Local};
