//! A UDP socket that speaks for a whole network: 127.0.0.0/8 is one machine, and an unbound socket may send
//! from any address of it. So ten thousand clients, each with an address of its own, cost a few sockets.

use quinn_udp::{BATCH_SIZE, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// The longest that the system ever hands over at once, also when it joins datagrams of one sender.
const BUFFER: usize = 65_535;

/// What the system should keep for us while we are busy, in bytes.
const KERNEL_BUFFER: usize = 8 << 20;

/// One socket.
#[derive(Debug)]
pub(crate) struct Port {
    io: UdpSocket,
    state: UdpSocketState,
    /// Where it is bound, in host order.
    pub(crate) number: u16,
}

/// Where datagrams are received into; used again and again.
pub(crate) struct Batch {
    buffers: Box<[u8]>,
    metas: [RecvMeta; BATCH_SIZE],
    filled: usize,
}

/// A datagram that came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received<'a> {
    pub(crate) from: SocketAddr,
    /// The address of ours that it was sent to.
    pub(crate) to: Option<Ipv4Addr>,
    /// When the system had it, since the Unix epoch, where it says so.
    pub(crate) at: Option<Duration>,
    pub(crate) bytes: &'a [u8],
}

impl Port {
    /// A free port of every address there is.
    pub(crate) fn open() -> io::Result<Port> {
        let io = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        io.set_nonblocking(true)?;
        let number = io.local_addr()?.port();
        let state = UdpSocketState::new(UdpSockRef::from(&io))?;
        // What the system gives is enough or shows as datagrams that were dropped.
        let forced = rustix::net::sockopt::set_socket_recv_buffer_size_force(&io, KERNEL_BUFFER);
        if forced.is_err() {
            let _ = state.set_recv_buffer_size(UdpSockRef::from(&io), KERNEL_BUFFER);
        }
        let _ = state.set_send_buffer_size(UdpSockRef::from(&io), KERNEL_BUFFER);
        Ok(Port { io, state, number })
    }

    /// Sends from this address. Whether the system took it.
    pub(crate) fn send(&self, from: Ipv4Addr, to: SocketAddr, bytes: &[u8]) -> bool {
        self.transmit(from, to, bytes, None)
    }

    /// Sends datagrams of `length` bytes that lie one after the other; the last may be shorter.
    pub(crate) fn send_joined(
        &self,
        from: Ipv4Addr,
        to: SocketAddr,
        bytes: &[u8],
        length: usize,
    ) -> bool {
        self.transmit(from, to, bytes, Some(length))
    }

    fn transmit(
        &self,
        from: Ipv4Addr,
        to: SocketAddr,
        contents: &[u8],
        segment_size: Option<usize>,
    ) -> bool {
        let transmit = Transmit {
            destination: to,
            ecn: None,
            contents,
            segment_size,
            src_ip: Some(IpAddr::V4(from)),
        };
        let sent = self.state.try_send(UdpSockRef::from(&self.io), &transmit);
        sent.is_ok()
    }

    /// Receives what is there, at most a batch. `false` when nothing is, or nothing can be received.
    pub(crate) fn receive(&self, batch: &mut Batch) -> bool {
        let mut chunks = batch.buffers.chunks_exact_mut(BUFFER);
        // There are BATCH_SIZE chunks, so no slice is ever the empty one.
        let mut slices: [IoSliceMut<'_>; BATCH_SIZE] =
            std::array::from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
        let received = self
            .state
            .recv(UdpSockRef::from(&self.io), &mut slices, &mut batch.metas);
        batch.filled = received.unwrap_or(0);
        batch.filled > 0
    }
}

impl Port {
    /// How many datagrams the system dropped because we did not fetch them in time. 0 where it does not say.
    pub(crate) fn dropped(&self) -> u64 {
        let list = std::fs::read_to_string("/proc/net/udp").unwrap_or_default();
        // sl, local_address in hexadecimal, ..., drops.
        let mine = format!(":{:04X}", self.number);
        let lines = list.lines().map(|line| line.split_whitespace());
        let drops = lines.filter_map(|mut fields| {
            let at = fields.nth(1)?;
            at.ends_with(&mine).then_some(())?;
            fields.next_back()?.parse::<u64>().ok()
        });
        drops.sum()
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.io.as_fd()
    }
}

impl Batch {
    pub(crate) fn new() -> Batch {
        Batch {
            buffers: vec![0; BUFFER * BATCH_SIZE].into(),
            metas: [RecvMeta::default(); BATCH_SIZE],
            filled: 0,
        }
    }

    /// One that nothing fits in, to stand where another one is in use.
    pub(crate) fn empty() -> Batch {
        Batch {
            buffers: Box::default(),
            metas: [RecvMeta::default(); BATCH_SIZE],
            filled: 0,
        }
    }

    /// The datagrams that were received last, in order.
    pub(crate) fn datagrams(&self) -> impl Iterator<Item = Received<'_>> {
        let received = self.buffers.chunks_exact(BUFFER).zip(&self.metas);
        received.take(self.filled).flat_map(|(buffer, meta)| {
            let to = match meta.dst_ip {
                Some(IpAddr::V4(to)) => Some(to),
                _ => None,
            };
            let bytes = &buffer[..meta.len.min(BUFFER)];
            // An empty datagram has a stride of 0.
            bytes.chunks(meta.stride.max(1)).map(move |bytes| Received {
                from: meta.addr,
                to,
                at: meta.timestamp,
                bytes,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, poll};

    fn receive(port: &Port, batch: &mut Batch) {
        let mut fds = [PollFd::new(port, PollFlags::IN)];
        let patience = rustix::event::Timespec {
            tv_sec: 30,
            tv_nsec: 0,
        };
        assert_eq!(poll(&mut fds, Some(&patience)), Ok(1), "something comes");
        assert!(port.receive(batch));
    }

    #[test]
    fn one_socket_speaks_and_is_spoken_to_at_many_addresses() {
        let (crowd, door) = (Port::open().unwrap(), Port::open().unwrap());
        let here = Ipv4Addr::LOCALHOST;
        let at = |address: Ipv4Addr, port: &Port| SocketAddr::from((address, port.number));
        let mut batch = Batch::new();
        for client in [Ipv4Addr::new(127, 1, 0, 1), Ipv4Addr::new(127, 200, 3, 9)] {
            assert!(crowd.send(client, at(here, &door), b"hello"));
            receive(&door, &mut batch);
            let asked = batch.datagrams().next().unwrap();
            assert_eq!(
                (asked.from, asked.bytes),
                (at(client, &crowd), &b"hello"[..])
            );
            assert!(door.send(here, asked.from, b"welcome"));
            receive(&crowd, &mut batch);
            let told = batch.datagrams().next().unwrap();
            assert_eq!((told.to, told.bytes), (Some(client), &b"welcome"[..]));
        }
    }
}
