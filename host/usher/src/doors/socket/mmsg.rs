//! Datagrams to several players in one call, where that can be said without unsafe code.
//!
//! `rustix` has no control message for the address that a datagram leaves from, so this is for sockets
//! that have only one. `nix` has it, but counts what was sent only by way of addresses that nothing was
//! written to (`MultiResults` of 0.32).

use super::outgoing::MANY;
use super::path::Path;
use rustix::net::addr::SocketAddrArg as _;
use rustix::net::{MMsgHdr, SendAncillaryBuffer, SendFlags, SocketAddrAny, sendmmsg};
use std::array::from_fn;
use std::io::{self, IoSlice};
use std::os::fd::AsFd;

/// Sends the first datagram, and as many of those after it as the system takes: how many. An error is
/// about the first.
pub(super) fn send(socket: impl AsFd, datagrams: &[(Path, &[u8])]) -> io::Result<usize> {
    let count = datagrams.len().min(MANY);
    let Some(last) = count.checked_sub(1) else {
        return Ok(0);
    };
    // An array has to be full; what is behind the last is not handed over.
    let at = |place: usize| datagrams[place.min(last)];
    let to: [SocketAddrAny; MANY] = from_fn(|place| at(place).0.remote.as_any());
    let bytes: [[IoSlice<'_>; 1]; MANY] = from_fn(|place| [IoSlice::new(at(place).1)]);
    let mut nothing: [SendAncillaryBuffer<'_, '_, '_>; MANY] = from_fn(|_| Default::default());
    let mut parts = to.iter().zip(&bytes);
    let mut headers = nothing.each_mut().map(|nothing| {
        let (to, bytes) = parts.next().expect("arrays of the same length");
        MMsgHdr::new_with_addr(to, bytes, nothing)
    });
    Ok(sendmmsg(socket, &mut headers[..count], SendFlags::empty())?)
}
