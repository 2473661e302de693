//! The daemon: everything of Usher that touches a socket, a file, a clock or a signal.

pub mod admin;
pub mod audit;
pub mod buckets;
pub mod builtin;
pub mod cli;
pub mod clock;
pub mod config;
pub mod core_loop;
pub mod doors;
pub mod evidence;
pub mod files;
pub mod inbox;
pub mod metrics;
pub mod percent;
pub mod policies;
pub mod quota;
pub mod relay;
pub mod room;
pub mod seldom;
pub mod serve;
pub mod text;
pub mod web;
