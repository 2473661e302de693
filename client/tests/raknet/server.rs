//! A server for one client that opens a connection, and says then only what a test has it say.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use usher_wire::raknet::{
    Addresses, Budget, Class, Connection, Dialect, Guid, Incoming, Limits, Message, Offline,
    Refusal, Reliability, classify,
};

/// Longer than anything in these tests takes, so that a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(10);

const GUID: Guid = Guid(7);

pub(crate) struct Server {
    address: SocketAddr,
    orders: mpsc::Sender<(Vec<u8>, Reliability)>,
    heard: mpsc::Receiver<Incoming>,
    pub(crate) client: SocketAddr,
    clients: mpsc::Receiver<SocketAddr>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::launch(None).await
    }

    /// One that refuses before there is a connection.
    pub(crate) async fn refusing(refusal: Refusal) -> Self {
        Self::launch(Some(refusal)).await
    }

    async fn launch(refusal: Option<Refusal>) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a free port");
        let address = socket.local_addr().expect("bound");
        let (orders, from) = mpsc::channel(16);
        let (to, heard) = mpsc::channel(64);
        let (tell, clients) = mpsc::channel(1);
        let now = Instant::now();
        let task = Task {
            socket,
            connection: Connection::new(
                1400,
                Limits::pending(1400),
                Budget::default(),
                Duration::ZERO,
            ),
            start: now,
            client: None,
            refusal,
            tell,
        };
        tokio::spawn(task.run(from, to));
        Self {
            address,
            orders,
            heard,
            client: address,
            clients,
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for a message with this id, and lets the client go on where the protocol needs it.
    pub(crate) async fn heard(&mut self, id: u8) -> Incoming {
        loop {
            let message = timeout(PATIENCE, self.heard.recv()).await;
            let message = message.expect("the client says it").expect("a server");
            if message.bytes[0] == 0x09 {
                self.client = self.clients.recv().await.expect("a client");
                self.accept_request().await;
            }
            if message.bytes[0] == id {
                return message;
            }
        }
    }

    async fn accept_request(&self) {
        let SocketAddr::V4(client) = self.client else {
            panic!("an IPv6 client");
        };
        let accepted = Message::Accepted {
            client,
            index: 0,
            addresses: Addresses::new(&[], Dialect::MAFIANET),
            request_time: 0,
            time: 0,
        };
        self.say(&accepted).await;
    }

    /// Says something, ordered, on channel 0.
    pub(crate) async fn say(&self, message: &Message<'_>) {
        self.send(&message.to_bytes(), Reliability::ReliableOrdered)
            .await;
    }

    pub(crate) async fn send(&self, bytes: &[u8], reliability: Reliability) {
        let order = (bytes.to_vec(), reliability);
        self.orders.send(order).await.expect("a server");
    }
}

struct Task {
    socket: UdpSocket,
    connection: Connection,
    start: Instant,
    client: Option<SocketAddr>,
    refusal: Option<Refusal>,
    tell: mpsc::Sender<SocketAddr>,
}

impl Task {
    async fn run(
        mut self,
        mut orders: mpsc::Receiver<(Vec<u8>, Reliability)>,
        heard: mpsc::Sender<Incoming>,
    ) {
        let mut received = [0; 2048];
        let mut datagram = Vec::new();
        loop {
            let now = self.start.elapsed();
            while self.connection.poll_transmit(now, &mut datagram) {
                let client = self.client.expect("nobody to talk to");
                self.socket.send_to(&datagram, client).await.expect("sent");
            }
            let due = self.connection.poll_timeout().unwrap_or(now + PATIENCE);
            tokio::select! {
                got = self.socket.recv_from(&mut received) => {
                    let (length, from) = got.expect("received");
                    self.take(&received[..length], from).await;
                }
                order = orders.recv() => match order {
                    Some((bytes, reliability)) => {
                        self.connection.send(&bytes, reliability, 0).expect("room");
                    }
                    None => return,
                },
                () = sleep_until(self.start + due) => {}
            }
            while let Some(message) = self.connection.poll_message() {
                if heard.send(message).await.is_err() {
                    return;
                }
            }
        }
    }

    async fn take(&mut self, datagram: &[u8], from: SocketAddr) {
        if classify(datagram) == Class::Connected {
            let now = self.start.elapsed();
            return self.connection.receive(datagram, now).expect("well formed");
        }
        let SocketAddr::V4(client) = from else {
            panic!("an IPv6 client");
        };
        // Replies to second requests are looked for with a cookie, because the first replies gave one.
        let reply = match Offline::parse(datagram, true).expect("an offline message") {
            Offline::Request1 { length, .. } => Offline::Reply1 {
                guid: GUID,
                cookie: Some(0xC00C_1E55),
                mtu: Dialect::offered_mtu(length),
            },
            Offline::Request2 { mtu, cookie, .. } => {
                assert_eq!(cookie, Some(0xC00C_1E55));
                match self.refusal {
                    Some(refusal) => Offline::Refused {
                        refusal,
                        guid: GUID,
                    },
                    None => {
                        self.client = Some(from);
                        let _ = self.tell.try_send(from);
                        Offline::Reply2 {
                            guid: GUID,
                            client,
                            mtu,
                        }
                    }
                }
            }
            other => panic!("{other:?}"),
        };
        let mut bytes = Vec::new();
        reply.encode(&mut bytes);
        self.socket.send_to(&bytes, from).await.expect("sent");
    }
}
