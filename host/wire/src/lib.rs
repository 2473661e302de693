//! Codecs of the protocols that Usher's doors speak: pure functions on bytes.
//!
//! Nothing here owns a socket, reads a clock or draws a random number. Bytes come in, values go out, and
//! the other way round; what to do about a value is for the door (server side) or the client library.
//! So every codec can be tested with tables, property tests and a fuzzer, and used on both sides of the wire.
//!
//! Two rules hold for every decoder in this crate:
//!
//! * **Strict.** What the specification does not allow is an error with its cause, never a best guess.
//! * **Exact.** Whatever decodes encodes again to the same bytes.
//!
//! One module a protocol:
//!
//! * [`rtyp`]: login over TCP, the game over UDP bound by a session token.
//! * [`raknet`]: the RakNet family, MafiaNet first; over UDP with a reliability layer of its own.

#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod fuzzing;
pub mod raknet;
pub mod rtyp;
