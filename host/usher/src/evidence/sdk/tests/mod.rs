//! The endpoint in virtual time: a scripted one answers, and each call is noted with its moment.

mod backfills;
mod claims;
mod ends;
mod holds;
mod junk;
mod lifecycle;
mod sessions;
mod sockets;
mod stage;
mod watching;
