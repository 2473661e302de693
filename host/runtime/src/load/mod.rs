//! From bytes to something that can be called: read, make a component, check, compile, test.

mod error;

pub use error::LoadError;
