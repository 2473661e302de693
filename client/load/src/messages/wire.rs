//! The socket of one player: datagrams out and in, many a call.

use quinn_udp::{RecvMeta, UdpSockRef, UdpSocketState};
use rustix::net::{MMsgHdr, SendAncillaryBuffer, SendFlags, sendmmsg};
use std::array::from_fn;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

/// How many datagrams go out in a call, and how many runs of them come in.
const OUT: usize = 16;
const IN: usize = 4;

/// The longest that the system ever hands over at once.
const BUFFER: usize = 65_535;

/// What the system should keep for a player while we are busy, in bytes.
const KERNEL_BUFFER: usize = 1 << 20;

/// One player's socket.
pub(super) struct Wire {
    io: UdpSocket,
    state: UdpSocketState,
}

/// Where datagrams are received into.
pub(super) struct Received {
    buffers: Box<[u8]>,
    metas: [RecvMeta; IN],
    filled: usize,
}

/// Datagrams that are to be sent, one behind the other.
#[derive(Default)]
pub(super) struct Sending {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Wire {
    /// A socket that speaks with that address.
    pub(super) fn to(server: SocketAddrV4) -> io::Result<Wire> {
        let io = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        io.connect(server)?;
        io.set_nonblocking(true)?;
        let state = UdpSocketState::new(UdpSockRef::from(&io))?;
        let forced = rustix::net::sockopt::set_socket_recv_buffer_size_force(&io, KERNEL_BUFFER);
        if forced.is_err() {
            // What the system gives is enough, or shows as messages that are lost.
            let _ = state.set_recv_buffer_size(UdpSockRef::from(&io), KERNEL_BUFFER);
        }
        Ok(Wire { io, state })
    }

    /// Sends all of it. How many datagrams the system did not take.
    pub(super) fn send(&self, sending: &mut Sending) -> usize {
        let mut untaken = 0;
        let mut start = 0;
        for ends in sending.ends.chunks(OUT) {
            let sent = self.send_some(&sending.bytes, start, ends).unwrap_or(0);
            untaken += ends.len() - sent;
            start = ends.last().copied().unwrap_or(start);
        }
        sending.bytes.clear();
        sending.ends.clear();
        untaken
    }

    fn send_some(&self, bytes: &[u8], start: usize, ends: &[usize]) -> io::Result<usize> {
        if let [end] = ends {
            return self.io.send(&bytes[start..*end]).map(|_| 1);
        }
        // An array has to be full; what is behind the last is not handed over.
        let mut from = start;
        let slices: [[IoSlice<'_>; 1]; OUT] = from_fn(|place| {
            let end = ends.get(place).copied().unwrap_or(from);
            let slice = [IoSlice::new(&bytes[from..end])];
            from = end;
            slice
        });
        let mut nothing: [SendAncillaryBuffer<'_, '_, '_>; OUT] = from_fn(|_| Default::default());
        let mut slices = slices.iter();
        let mut headers = nothing.each_mut().map(|nothing| {
            let slice = slices.next().expect("arrays of the same length");
            MMsgHdr::new(slice, nothing)
        });
        Ok(sendmmsg(
            &self.io,
            &mut headers[..ends.len()],
            SendFlags::empty(),
        )?)
    }

    /// Receives what is there, at most a few runs. False: nothing is.
    pub(super) fn receive(&self, into: &mut Received) -> bool {
        let mut chunks = into.buffers.chunks_exact_mut(BUFFER);
        // There are as many chunks, so no slice is ever the empty one.
        let mut slices: [IoSliceMut<'_>; IN] =
            from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
        let received = self
            .state
            .recv(UdpSockRef::from(&self.io), &mut slices, &mut into.metas);
        into.filled = received.unwrap_or(0);
        into.filled > 0
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.io.as_fd()
    }
}

impl Received {
    pub(super) fn new() -> Received {
        Received {
            buffers: vec![0; BUFFER * IN].into(),
            metas: [RecvMeta::default(); IN],
            filled: 0,
        }
    }

    /// Whether there may be more than was received.
    pub(super) fn is_full(&self) -> bool {
        self.filled == IN
    }

    /// The datagrams that were received last, in order.
    pub(super) fn datagrams(&self) -> impl Iterator<Item = &[u8]> {
        let received = self.buffers.chunks_exact(BUFFER).zip(&self.metas);
        received.take(self.filled).flat_map(|(buffer, meta)| {
            // An empty datagram has a stride of 0.
            buffer[..meta.len.min(BUFFER)].chunks(meta.stride.max(1))
        })
    }
}

impl Sending {
    /// Adds a datagram.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }
}
