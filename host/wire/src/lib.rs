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
//! * [`ticket`]: join tickets, which any of them may carry. A crate of its own, because policies need it too;
//!   a ticket decodes however its fields are ordered, so it is exact in what it says and not in its bytes.

#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod fuzzing;
pub mod raknet;
pub mod rtyp;
pub use usher_ticket as ticket;
