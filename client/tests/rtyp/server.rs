//! A server for one client that does what a test tells it to.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::timeout;
use usher_wire::rtyp::{
    ClientMessage, Datagram, Framer, Kind, MAX_DATAGRAM, RECEIVE_BUFFER, Sequencer, ServerMessage,
    SessionToken, Side,
};

/// Longer than anything in these tests takes, so that a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) const TOKEN: u32 = 0xDEAD_BEEF;

pub(crate) fn token(value: u32) -> SessionToken {
    SessionToken::new(value).expect("not zero")
}

pub(crate) struct Server {
    listener: TcpListener,
    pub(crate) udp: UdpSocket,
    pub(crate) sequencer: Sequencer,
}

/// A datagram that arrived, with its payload.
pub(crate) struct Got {
    pub(crate) kind: Kind,
    pub(crate) sequence: u16,
    pub(crate) ack: (u16, u32),
    pub(crate) session: SessionToken,
    pub(crate) payload: Vec<u8>,
    pub(crate) from: SocketAddr,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self {
            listener: TcpListener::bind("127.0.0.1:0").await.expect("a free port"),
            udp: UdpSocket::bind("127.0.0.1:0").await.expect("a free port"),
            sequencer: Sequencer::new(),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.listener.local_addr().expect("bound")
    }

    /// Takes the connection and its login, and gives back the name.
    pub(crate) async fn login(&self) -> (Peer, String) {
        let (stream, _) = within(self.listener.accept()).await.expect("a connection");
        let mut peer = Peer {
            stream,
            framer: Framer::new(),
        };
        let frame = peer.frame().await.expect("a login");
        let Ok(ClientMessage::LoginRequest(request)) = ClientMessage::decode(&frame) else {
            panic!("{frame:02x?} is no login");
        };
        let name = request.outcome().expect("a good login");
        (peer, name.as_str().to_owned())
    }

    /// Login and acceptance as player 2.
    pub(crate) async fn accept(&self) -> Peer {
        let (mut peer, _) = self.login().await;
        let udp_port = self.udp.local_addr().expect("bound").port();
        peer.send(ServerMessage::LoginAccepted {
            session: token(TOKEN),
            player: 2,
            udp_port,
        })
        .await;
        peer
    }

    /// Login, acceptance and the Accept of the first Connect; gives the client's endpoint as well.
    pub(crate) async fn bind(&mut self) -> (Peer, SocketAddr) {
        let peer = self.accept().await;
        let connect = self.next().await;
        assert_eq!(connect.kind, Kind::Connect);
        self.send(Kind::Accept, &[], connect.from).await;
        (peer, connect.from)
    }

    /// The next datagram; notes its number.
    pub(crate) async fn next(&mut self) -> Got {
        let mut buffer = [0; RECEIVE_BUFFER];
        let (length, from) = within(self.udp.recv_from(&mut buffer))
            .await
            .expect("a datagram");
        let datagram = Datagram::decode(&buffer[..length], Side::Client).expect("a good datagram");
        self.sequencer.receive(datagram.sequence);
        Got {
            kind: datagram.kind,
            sequence: datagram.sequence,
            ack: (datagram.ack, datagram.ack_bits),
            session: datagram.session,
            payload: datagram.payload.to_vec(),
            from,
        }
    }

    /// The next datagram that is no Connect: on a busy machine the client may have sent that again.
    pub(crate) async fn next_of_the_game(&mut self) -> Got {
        loop {
            let got = self.next().await;
            if got.kind != Kind::Connect {
                return got;
            }
        }
    }

    /// Sends the next datagram of the session.
    pub(crate) async fn send(&mut self, kind: Kind, payload: &[u8], to: SocketAddr) {
        let datagram = self.sequencer.stamp(kind, token(TOKEN), payload);
        send(&self.udp, &datagram, to).await;
    }
}

pub(crate) async fn send(from: &UdpSocket, datagram: &Datagram<'_>, to: SocketAddr) {
    let mut buffer = [0; MAX_DATAGRAM];
    let bytes = datagram.encode(&mut buffer).expect("within its limits");
    from.send_to(bytes, to).await.expect("sent");
}

/// The server's end of the TCP connection.
pub(crate) struct Peer {
    stream: TcpStream,
    framer: Framer,
}

impl Peer {
    pub(crate) async fn send(&mut self, message: ServerMessage) {
        let mut frame = Vec::new();
        message.encode(&mut frame);
        self.send_raw(&frame).await;
    }

    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("written");
    }

    /// The next frame, `None` at the end of the stream.
    pub(crate) async fn frame(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(frame) = self.framer.next_frame().expect("well formed") {
                return Some(frame.to_vec());
            }
            let mut read = [0; 512];
            match within(self.stream.read(&mut read)).await {
                Ok(0) | Err(_) => return None,
                Ok(length) => self.framer.push(&read[..length]),
            }
        }
    }
}

async fn within<T>(what: impl Future<Output = T>) -> T {
    timeout(PATIENCE, what).await.expect("in time")
}
