//! Datagrams in batches: received with one call, and sent with one call, as far as the system lets it.

use quinn_udp::{BATCH_SIZE, RecvMeta, UdpSockRef, UdpSocketState};
use rustix::net::addr::SocketAddrArg as _;
use rustix::net::{MMsgHdr, SendAncillaryBuffer, SendFlags, SocketAddrAny, sendmmsg};
use std::array::from_fn;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

/// How many go out in a call.
const OUT: usize = 32;

/// The longest that the system hands over at once, also when it joins datagrams of one sender.
const BUFFER: usize = 65_535;

/// What the system should keep for us while we are busy, in bytes.
const KERNEL_BUFFER: usize = 16 << 20;

/// A socket that does not block.
pub(crate) struct Port {
    io: UdpSocket,
    state: UdpSocketState,
}

/// What was received last.
pub(crate) struct Received {
    buffers: Box<[u8]>,
    metas: [RecvMeta; BATCH_SIZE],
    filled: usize,
}

/// What is to be sent.
#[derive(Default)]
pub(crate) struct Sending {
    bytes: Vec<u8>,
    /// To whom, and where it ends.
    datagrams: Vec<(SocketAddr, usize)>,
}

impl Port {
    pub(crate) fn bind(address: SocketAddr) -> io::Result<Port> {
        let io = UdpSocket::bind(address)?;
        io.set_nonblocking(true)?;
        let state = UdpSocketState::new(UdpSockRef::from(&io))?;
        let forced = rustix::net::sockopt::set_socket_recv_buffer_size_force(&io, KERNEL_BUFFER);
        if forced.is_err() {
            let _ = state.set_recv_buffer_size(UdpSockRef::from(&io), KERNEL_BUFFER);
        }
        let _ = state.set_send_buffer_size(UdpSockRef::from(&io), KERNEL_BUFFER);
        Ok(Port { io, state })
    }

    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()
    }

    /// Receives what is there. False: nothing is.
    pub(crate) fn receive(&self, into: &mut Received) -> bool {
        let mut chunks = into.buffers.chunks_exact_mut(BUFFER);
        // There are BATCH_SIZE chunks, so no slice is ever the empty one.
        let mut slices: [IoSliceMut<'_>; BATCH_SIZE] =
            from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
        let received = self
            .state
            .recv(UdpSockRef::from(&self.io), &mut slices, &mut into.metas);
        into.filled = received.unwrap_or(0);
        into.filled > 0
    }

    /// Sends all that there is; what the system does not take is lost.
    pub(crate) fn send(&self, sending: &mut Sending) {
        let mut start = 0;
        for some in sending.datagrams.chunks(OUT) {
            self.send_some(&sending.bytes, start, some);
            start = some.last().map_or(start, |(_, end)| *end);
        }
        sending.bytes.clear();
        sending.datagrams.clear();
    }

    fn send_some(&self, bytes: &[u8], start: usize, some: &[(SocketAddr, usize)]) {
        let Some(last) = some.len().checked_sub(1) else {
            return;
        };
        // An array has to be full; what is behind the last is not handed over.
        let to: [SocketAddrAny; OUT] = from_fn(|place| some[place.min(last)].0.as_any());
        let mut from = start;
        let slices: [[IoSlice<'_>; 1]; OUT] = from_fn(|place| {
            let end = some.get(place).map_or(from, |(_, end)| *end);
            let slice = [IoSlice::new(&bytes[from..end])];
            from = end;
            slice
        });
        let mut nothing: [SendAncillaryBuffer<'_, '_, '_>; OUT] = from_fn(|_| Default::default());
        let mut parts = to.iter().zip(&slices);
        let mut headers = nothing.each_mut().map(|nothing| {
            let (to, slice) = parts.next().expect("arrays of the same length");
            MMsgHdr::new_with_addr(to, slice, nothing)
        });
        let _ = sendmmsg(&self.io, &mut headers[..some.len()], SendFlags::empty());
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.io.as_fd()
    }
}

impl Received {
    pub(crate) fn new() -> Received {
        Received {
            buffers: vec![0; BUFFER * BATCH_SIZE].into(),
            metas: [RecvMeta::default(); BATCH_SIZE],
            filled: 0,
        }
    }

    /// The datagrams, in order, and whose.
    pub(crate) fn datagrams(&self) -> impl Iterator<Item = (SocketAddr, &[u8])> {
        let received = self.buffers.chunks_exact(BUFFER).zip(&self.metas);
        received.take(self.filled).flat_map(|(buffer, meta)| {
            // An empty datagram has a stride of 0.
            let datagrams = buffer[..meta.len.min(BUFFER)].chunks(meta.stride.max(1));
            datagrams.map(|datagram| (meta.addr, datagram))
        })
    }
}

impl Sending {
    pub(crate) fn add(&mut self, to: SocketAddr, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.datagrams.push((to, self.bytes.len()));
    }
}
