//! Evidence: what policies want found out, or done, outside of this program.
//!
//! A policy asks by name and reads what came of it; it reaches nothing itself. Here a name is given to its
//! source, which answers in a task of its own: neither a thread nor an instance of a module waits for it. A
//! source that is slow or gone costs those who asked it, each until its own time is up, and nobody else.

mod complaints;
pub mod discovery;
pub mod fetch;
pub mod http;
mod lookups;
pub mod mode;
pub mod sdk;
mod sources;

pub use discovery::ListingStatus;
pub use http::HttpError;
pub use lookups::Evidence;
pub use mode::{Chosen, PORT_VARIABLE};
pub use sdk::SdkStatus;
pub use sources::{Sources, SourcesStatus};
