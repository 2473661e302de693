//! The floor of the rules: each datagram goes back to whom it came from, a batch in with one call and out with
//! one call.

use crate::batch::{Port, Received, Sending};
use crate::ready::ready;
use rustix::event::{PollFd, PollFlags, poll};
use serde_json::json;
use std::io;
use std::net::SocketAddr;

/// Serves until the process ends.
///
/// # Errors
///
/// The system has no such port to give.
pub(crate) fn run(listen: SocketAddr) -> io::Result<()> {
    let port = Port::bind(listen)?;
    ready(&json!({"udp": port.address()?}))?;
    let mut received = Received::new();
    let mut sending = Sending::default();
    loop {
        poll(&mut [PollFd::new(&port, PollFlags::IN)], None)?;
        while port.receive(&mut received) {
            for (from, datagram) in received.datagrams() {
                sending.add(from, datagram);
            }
            port.send(&mut sending);
        }
    }
}
