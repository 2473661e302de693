//! The UDP socket: many datagrams a call, each with the address that it came to or leaves from.

#[cfg(target_os = "linux")]
mod mmsg;
mod outgoing;
pub(in crate::doors) mod path;

use outgoing::{Joins, Outgoing, Way};
use path::Path;
use quinn_udp::{BATCH_SIZE, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use std::io::{self, ErrorKind, IoSliceMut};
use std::net::SocketAddr;
use tokio::io::Interest;
use tokio::net::UdpSocket;

/// The longest that the system ever hands over at once, also when it joins datagrams of one sender.
const BUFFER: usize = 65_535;

/// From where one datagram is received into to where the next is. Not a power of two: beginnings that are as far
/// apart as that share their place in the processor's caches, and push each other out of it.
const STRIDE: usize = BUFFER + 2_177;

/// A port that is taken, before anyone waits for what comes there.
pub(in crate::doors) struct TakenPort {
    socket: socket2::Socket,
    /// Everything leaves from one address, whatever is said about it.
    one_address: bool,
    /// What the system should keep for us while we are busy, in bytes.
    kernel_buffer: usize,
}

pub(in crate::doors) struct Socket {
    port: Port,
    outgoing: Outgoing,
    /// What was posted since the last flush and is lost already.
    lost: u64,
}

struct Port {
    io: UdpSocket,
    state: UdpSocketState,
    /// Everything leaves from one address, whatever is said about it.
    one_address: bool,
}

/// Where datagrams are received into; used again and again.
pub(in crate::doors) struct Batch {
    buffers: Box<[u8]>,
    metas: [RecvMeta; BATCH_SIZE],
    filled: usize,
}

impl TakenPort {
    /// Takes a port. The system is asked to keep `kernel_buffer` bytes for us while we are busy.
    pub(in crate::doors) fn bind(
        address: SocketAddr,
        kernel_buffer: usize,
    ) -> io::Result<TakenPort> {
        let socket = socket2::Socket::new(
            socket2::Domain::for_address(address),
            socket2::Type::DGRAM,
            Some(socket2::Protocol::UDP),
        )?;
        if address.is_ipv6() {
            // Whatever the system's default is, `[::]` means both.
            socket.set_only_v6(false)?;
        }
        socket.set_nonblocking(true)?;
        socket.bind(&address.into())?;
        Ok(TakenPort {
            socket,
            one_address: !address.ip().to_canonical().is_unspecified(),
            kernel_buffer,
        })
    }

    pub(in crate::doors) fn local_addr(&self) -> io::Result<SocketAddr> {
        let address = self.socket.local_addr()?;
        address.as_socket().ok_or(io::ErrorKind::Unsupported.into())
    }

    /// Begins to wait for what comes. Must be called within the runtime that the socket is used on.
    pub(in crate::doors) fn open(self) -> io::Result<Socket> {
        let TakenPort {
            socket,
            one_address,
            kernel_buffer,
        } = self;
        let io = UdpSocket::from_std(socket.into())?;
        let state = UdpSocketState::new(UdpSockRef::from(&io))?;
        // The system may give less; it is only a cushion.
        if !force_receive_buffer(&io, kernel_buffer) {
            let _ = state.set_recv_buffer_size(UdpSockRef::from(&io), kernel_buffer);
        }
        let _ = state.set_send_buffer_size(UdpSockRef::from(&io), kernel_buffer);
        let port = Port {
            io,
            state,
            one_address,
        };
        let outgoing = Outgoing::new(port.joins());
        Ok(Socket {
            port,
            outgoing,
            lost: 0,
        })
    }
}

/// Asks for more than the system's limit, which root may have.
fn force_receive_buffer(io: &UdpSocket, size: usize) -> bool {
    #[cfg(target_os = "linux")]
    let forced = rustix::net::sockopt::set_socket_recv_buffer_size_force(io, size).is_ok();
    #[cfg(not(target_os = "linux"))]
    let forced = false;
    forced
}

impl Socket {
    /// Until there may be something to receive.
    pub(in crate::doors) async fn readable(&self) -> io::Result<()> {
        self.port.io.readable().await
    }

    /// Receives what is there, at most a batch. `WouldBlock` when nothing is.
    pub(in crate::doors) fn receive(&self, batch: &mut Batch) -> io::Result<()> {
        batch.clear();
        let mut chunks = batch.buffers.chunks_exact_mut(STRIDE);
        // There are BATCH_SIZE chunks, so no slice is ever the empty one.
        let mut slices: [IoSliceMut<'_>; BATCH_SIZE] =
            std::array::from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
        let Port { io, state, .. } = &self.port;
        batch.filled = io.try_io(Interest::READABLE, || {
            state.recv(UdpSockRef::from(io), &mut slices, &mut batch.metas)
        })?;
        Ok(())
    }

    /// After a batch that came back less than full: that was all, and [`readable`](Socket::readable) is to wait for
    /// what comes from now on. What came since then is not missed: the system tells of each that comes.
    pub(in crate::doors) fn wait_for_more(&self) {
        let all_is_fetched = || Err::<(), _>(ErrorKind::WouldBlock.into());
        let _ = self.port.io.try_io(Interest::READABLE, all_is_fetched);
    }

    /// Sends a datagram, with those that are posted until the next flush.
    pub(in crate::doors) fn post(&mut self, path: Path, bytes: &[u8]) {
        if !self.outgoing.has_room(bytes.len()) {
            self.lost += self.outgoing.send(&self.port);
        }
        self.outgoing.post(path, bytes);
    }

    /// Has the system take what was posted. How many datagrams it did not take, since the last flush.
    pub(in crate::doors) fn flush(&mut self) -> u64 {
        std::mem::take(&mut self.lost) + self.outgoing.send(&self.port)
    }
}

impl Port {
    fn joins(&self) -> Joins {
        Joins {
            longest: self.state.max_gso_segments(),
            shortest: 2,
        }
    }

    /// Whether datagrams to several players can go in one call. Not where each must say which address
    /// it leaves from: there is no safe way to say it then.
    fn takes_several(&self) -> bool {
        cfg!(target_os = "linux") && self.one_address
    }

    fn send(&self, path: Path, contents: &[u8], segment_size: Option<usize>) -> io::Result<()> {
        let transmit = Transmit {
            destination: path.remote,
            ecn: None,
            contents,
            segment_size,
            src_ip: path.local,
        };
        self.io.try_io(Interest::WRITABLE, || {
            self.state.try_send(UdpSockRef::from(&self.io), &transmit)
        })
    }
}

impl Way for Port {
    fn joined(&self, path: Path, bytes: &[u8], length: usize) -> io::Result<()> {
        self.send(path, bytes, Some(length))
    }

    fn several(&self, datagrams: &[(Path, &[u8])]) -> io::Result<usize> {
        #[cfg(target_os = "linux")]
        if self.takes_several() && datagrams.len() > 1 {
            return self
                .io
                .try_io(Interest::WRITABLE, || mmsg::send(&self.io, datagrams));
        }
        match datagrams {
            [(path, bytes), ..] => self.send(*path, bytes, None).map(|()| 1),
            [] => Ok(0),
        }
    }
}

impl Batch {
    pub(in crate::doors) fn new() -> Batch {
        Batch {
            buffers: vec![0; STRIDE * BATCH_SIZE].into(),
            metas: [RecvMeta::default(); BATCH_SIZE],
            filled: 0,
        }
    }

    /// Whether there may be more than what was received.
    pub(in crate::doors) fn is_full(&self) -> bool {
        self.filled == BATCH_SIZE
    }

    /// Forgets what was received.
    pub(in crate::doors) fn clear(&mut self) {
        self.filled = 0;
    }

    /// The datagrams that were received last, in order.
    pub(in crate::doors) fn datagrams(&self) -> impl Iterator<Item = (Path, &[u8])> {
        let received = self.buffers.chunks_exact(STRIDE).zip(&self.metas);
        received.take(self.filled).flat_map(|(buffer, meta)| {
            let path = Path {
                remote: meta.addr,
                local: meta.dst_ip,
            };
            let bytes = &buffer[..meta.len.min(BUFFER)];
            // An empty datagram has a stride of 0, and yields nothing; it would only be counted.
            bytes
                .chunks(meta.stride.max(1))
                .map(move |datagram| (path, datagram))
        })
    }
}

#[cfg(test)]
mod tests;
