//! The UDP socket: datagrams of the server, and of nobody else.

use std::io;
use std::net::{SocketAddr, SocketAddrV4};

use tokio::net::UdpSocket;

/// More than any datagram of the protocol.
const LONGEST: usize = 2048;

pub(super) struct Socket {
    io: UdpSocket,
    server: SocketAddrV4,
    received: Box<[u8; LONGEST]>,
}

impl Socket {
    /// Binds this address. The socket is not connected: the system would report a closed port as an error,
    /// where the protocol goes on asking.
    pub(super) async fn open(local: SocketAddrV4, server: SocketAddrV4) -> io::Result<Self> {
        let io = UdpSocket::bind(local).await?;
        // Datagrams that are too large have to get lost, or the size that gets through is never found. Where
        // that cannot be had they arrive in fragments, which is slower and works.
        #[cfg(target_os = "linux")]
        {
            use rustix::net::sockopt::{Ipv4PathMtuDiscovery, set_ip_mtu_discover};
            let _ = set_ip_mtu_discover(&io, Ipv4PathMtuDiscovery::PROBE);
        }
        Ok(Self {
            io,
            server,
            received: Box::new([0; LONGEST]),
        })
    }

    pub(super) fn local(&self) -> io::Result<SocketAddr> {
        self.io.local_addr()
    }

    /// Sends a datagram. One that the system refuses is as good as lost on its way.
    pub(super) async fn send(&self, datagram: &[u8]) {
        let _ = self.io.send_to(datagram, self.server).await;
    }

    /// The next datagram of the server. Safe to cancel.
    pub(super) async fn receive(&mut self) -> io::Result<&[u8]> {
        let length = loop {
            match self.io.recv_from(&mut *self.received).await {
                Ok((length, source)) if source == SocketAddr::V4(self.server) => break length,
                Ok(_) => {}
                // Some systems report here that an earlier datagram met a closed port.
                Err(error) if is_bounce(&error) => {}
                Err(error) => return Err(error),
            }
        };
        Ok(&self.received[..length])
    }
}

fn is_bounce(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}
