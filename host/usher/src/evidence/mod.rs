//! Evidence: what policies want found out, or done, outside of this program.

pub mod http;
