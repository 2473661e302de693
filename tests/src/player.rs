//! A player of `rtyp`, as thin as possible so that thousands fit in one test.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream, UdpSocket};
use tokio::time::timeout;
use usher_wire::rtyp::{
    ClientMessage, Datagram, Framer, Kind, LoginRequest, LogoutReason, MAX_DATAGRAM, PlayerName,
    RECEIVE_BUFFER, Sequencer, ServerMessage, SessionToken, Side,
};

/// How long an answer may take that takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// What came of a login.
#[derive(Debug)]
pub enum Answer {
    /// In.
    Accepted(Player),
    /// Refused, with this reason's byte.
    Rejected(u8),
}

impl Answer {
    /// The player that was let in.
    ///
    /// # Panics
    ///
    /// If it was refused.
    #[track_caller]
    pub fn accepted(self) -> Player {
        match self {
            Answer::Accepted(player) => player,
            Answer::Rejected(reason) => panic!("refused with {reason}"),
        }
    }

    /// The byte of the reason that it was refused with.
    ///
    /// # Panics
    ///
    /// If it was let in.
    #[track_caller]
    pub fn rejected(self) -> u8 {
        match self {
            Answer::Accepted(player) => panic!("let in as player {}", player.number),
            Answer::Rejected(reason) => reason,
        }
    }
}

/// Someone who was let in. Dropping it closes the connection.
#[derive(Debug)]
pub struct Player {
    stream: TcpStream,
    framer: Framer,
    token: SessionToken,
    /// The player's number.
    pub number: u8,
    server: SocketAddr,
}

/// Logs in under a name and waits for the answer, for as long as the host keeps the login waiting.
///
/// # Errors
///
/// Those of the connection; one that closes without an answer is `UnexpectedEof`.
pub async fn knock(tcp: SocketAddr, name: &str) -> io::Result<Answer> {
    log_in(TcpStream::connect(tcp).await?, tcp, name).await
}

/// The same, from one of this machine's own addresses, of which 127.0.0.0/8 has many.
///
/// # Errors
///
/// Those of [`knock`].
pub async fn knock_from(from: IpAddr, tcp: SocketAddr, name: &str) -> io::Result<Answer> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(from, 0))?;
    log_in(socket.connect(tcp).await?, tcp, name).await
}

async fn log_in(mut stream: TcpStream, tcp: SocketAddr, name: &str) -> io::Result<Answer> {
    let name: PlayerName = name.parse().map_err(io::Error::other)?;
    stream.set_nodelay(true)?;
    let mut request = Vec::new();
    ClientMessage::LoginRequest(LoginRequest::new(&name)).encode(&mut request);
    stream.write_all(&request).await?;
    let mut framer = Framer::new();
    match read(&mut stream, &mut framer).await? {
        ServerMessage::LoginAccepted {
            session,
            player,
            udp_port,
        } => {
            let server = SocketAddr::new(tcp.ip(), udp_port);
            let player = Player {
                stream,
                framer,
                token: session,
                number: player,
                server,
            };
            Ok(Answer::Accepted(player))
        }
        ServerMessage::LoginRejected(reason) => Ok(Answer::Rejected(reason.byte())),
        ServerMessage::Logout(reason) => Err(io::Error::other(format!(
            "logged out before an answer: {reason:?}"
        ))),
    }
}

async fn read(stream: &mut TcpStream, framer: &mut Framer) -> io::Result<ServerMessage> {
    let mut buffer = [0; 512];
    loop {
        if let Some(frame) = framer.next_frame().map_err(io::Error::other)? {
            return ServerMessage::decode(frame).map_err(io::Error::other);
        }
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        framer.push(&buffer[..read]);
    }
}

impl Player {
    /// Binds a UDP endpoint: sends Connect every 250 ms until the Accept.
    ///
    /// # Panics
    ///
    /// If no Accept comes.
    pub async fn bind(&self) -> Endpoint {
        let socket = UdpSocket::bind("127.0.0.1:0")
            .await
            .expect("loopback has a free port");
        socket
            .connect(self.server)
            .await
            .expect("the server has an address");
        let mut endpoint = Endpoint {
            socket,
            token: self.token,
            sequencer: Sequencer::new(),
        };
        let bound = async {
            loop {
                endpoint.send(Kind::Connect, b"").await;
                let answer = timeout(Duration::from_millis(250), endpoint.receive(Kind::Accept));
                if answer.await.is_ok() {
                    return;
                }
            }
        };
        timeout(PATIENCE, bound)
            .await
            .expect("the host accepts the endpoint");
        endpoint
    }

    /// Says goodbye and waits until the host has closed.
    ///
    /// # Panics
    ///
    /// If it does not.
    pub async fn leave(mut self) {
        let mut goodbye = Vec::new();
        ClientMessage::Logout(LogoutReason::Left).encode(&mut goodbye);
        // The host may have ended the session at the same moment; then it closes too.
        let _ = self.stream.write_all(&goodbye).await;
        let mut rest = Vec::new();
        let closed = timeout(PATIENCE, self.stream.read_to_end(&mut rest)).await;
        assert!(closed.is_ok(), "the host never closed");
    }

    /// Waits for the host to end the session: the byte of its reason.
    ///
    /// # Panics
    ///
    /// If it closes without one.
    pub async fn ended(mut self) -> u8 {
        let message = timeout(PATIENCE, read(&mut self.stream, &mut self.framer)).await;
        match message
            .expect("the host ends the session")
            .expect("the host says why")
        {
            ServerMessage::Logout(reason) => reason.byte(),
            other => panic!("{other:?} after the login"),
        }
    }
}

/// The UDP side of a player.
#[derive(Debug)]
pub struct Endpoint {
    socket: UdpSocket,
    token: SessionToken,
    sequencer: Sequencer,
}

impl Endpoint {
    /// Sends game data.
    pub async fn say(&mut self, data: &[u8]) {
        self.send(Kind::Data, data).await;
    }

    /// Waits for game data.
    ///
    /// # Panics
    ///
    /// If none comes.
    pub async fn hear(&mut self) -> Vec<u8> {
        timeout(PATIENCE, self.receive(Kind::Data))
            .await
            .expect("the host sends data")
    }

    async fn send(&mut self, kind: Kind, payload: &[u8]) {
        let mut buffer = [0; MAX_DATAGRAM];
        let datagram = self.sequencer.stamp(kind, self.token, payload);
        let bytes = datagram
            .encode(&mut buffer)
            .expect("the payload is short enough");
        // A refused datagram shows up as an answer that never comes.
        let _ = self.socket.send(bytes).await;
    }

    async fn receive(&mut self, kind: Kind) -> Vec<u8> {
        let mut buffer = [0; RECEIVE_BUFFER];
        loop {
            let Ok(length) = self.socket.recv(&mut buffer).await else {
                continue;
            };
            let Ok(datagram) = Datagram::decode(&buffer[..length], Side::Server) else {
                continue;
            };
            self.sequencer.receive(datagram.sequence);
            if datagram.kind == kind && datagram.session == self.token {
                return datagram.payload.to_vec();
            }
        }
    }
}
