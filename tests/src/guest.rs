//! A client of `mafianet`, from the first request to the goodbye, as a task that obeys: it can wait, play,
//! leave, vanish without a word, and stand still with its socket open.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;
use usher_client::raknet::{Client, Error, Options, Reliability, Step};

/// How long anything may take that takes milliseconds on an idle machine. What the protocol itself has wait
/// for ten seconds is well within.
const PATIENCE: Duration = Duration::from_secs(40);

/// Someone at the door, or inside. Dropping it is a crash: its socket is gone, and nothing was said.
#[derive(Debug)]
pub struct Guest {
    orders: mpsc::Sender<Order>,
    seen: mpsc::UnboundedReceiver<Seen>,
}

#[derive(Debug)]
enum Order {
    Say(Vec<u8>),
    Freeze,
    Leave,
}

#[derive(Debug)]
enum Seen {
    Step(Step),
    Message(Vec<u8>),
    Failed(Error),
    Left,
}

impl Guest {
    /// Comes to a door with a payload, from a free port.
    pub fn come(door: SocketAddr, payload: &str) -> Guest {
        Guest::come_from(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0), door, payload)
    }

    /// Comes from this address; port 0 is a free one.
    pub fn come_from(local: SocketAddrV4, door: SocketAddr, payload: &str) -> Guest {
        Guest::come_with(Options::default().local(local).payload(payload), door)
    }

    /// Comes with these options.
    pub fn come_with(options: Options, door: SocketAddr) -> Guest {
        let (orders, from) = mpsc::channel(8);
        let (tell, seen) = mpsc::unbounded_channel();
        // A status has to come in 10 s, unless the options say otherwise: what a default client does.
        tokio::spawn(live(options, door, from, tell));
        Guest { orders, seen }
    }

    /// What it is told next while it waits.
    ///
    /// # Panics
    ///
    /// If it is told nothing, or its request ends.
    #[track_caller]
    pub fn status(&mut self) -> impl Future<Output = String> {
        let caller = std::panic::Location::caller();
        async move {
            loop {
                match self.see().await {
                    Seen::Step(Step::Status(status)) => {
                        return String::from_utf8_lossy(&status).into_owned();
                    }
                    Seen::Step(Step::Accepted { .. }) => panic!("{caller}: accepted"),
                    Seen::Step(_) => {}
                    other => panic!("{caller}: {other:?} in place of a status"),
                }
            }
        }
    }

    /// Waits to be told this.
    pub async fn wait_for_status(&mut self, wanted: &str) {
        let mut last = String::new();
        let told = async {
            while last != wanted {
                last = self.status().await;
            }
        };
        if timeout(PATIENCE, told).await.is_err() {
            panic!("it is told {last:?} and never {wanted:?}");
        }
    }

    /// How its request ends: with a config, or why not. Statuses are passed over.
    pub async fn outcome(&mut self) -> Result<Vec<u8>, Error> {
        loop {
            match self.see().await {
                Seen::Step(Step::Accepted { config }) => return Ok(config),
                Seen::Step(_) => {}
                Seen::Failed(error) => return Err(error),
                other => panic!("{other:?} before an answer"),
            }
        }
    }

    /// The same, where it must be let in: its config.
    ///
    /// # Panics
    ///
    /// If it is not.
    pub async fn accepted(&mut self) -> Vec<u8> {
        self.outcome().await.expect("it is let in")
    }

    /// The same, where it must be rejected by a decision: the reason.
    ///
    /// # Panics
    ///
    /// If it is not.
    pub async fn rejected(&mut self) -> String {
        match self.outcome().await {
            Err(Error::Rejected(reason)) => String::from_utf8_lossy(&reason).into_owned(),
            other => panic!("{other:?} in place of a rejection"),
        }
    }

    /// A message of the game, once it is in.
    ///
    /// # Panics
    ///
    /// If none comes.
    pub async fn hear(&mut self) -> Vec<u8> {
        match self.see().await {
            Seen::Message(message) => message,
            other => panic!("{other:?} in place of a message"),
        }
    }

    /// Says something in the game, reliable and ordered; the message's id first.
    pub async fn say(&self, message: &[u8]) {
        self.obey(Order::Say(message.to_vec())).await;
    }

    /// How its session ends. Messages are passed over.
    ///
    /// # Panics
    ///
    /// If it does not.
    pub async fn ended(&mut self) -> Error {
        loop {
            match self.see().await {
                Seen::Message(_) => {}
                Seen::Failed(error) => return error,
                other => panic!("{other:?} in place of an end"),
            }
        }
    }

    /// Stands still from now on: nothing is read, acknowledged or sent, and the socket stays.
    pub async fn freeze(&self) {
        self.obey(Order::Freeze).await;
    }

    /// Says goodbye, and waits until that was heard.
    ///
    /// # Panics
    ///
    /// If it has ended before.
    pub async fn leave(mut self) {
        self.obey(Order::Leave).await;
        loop {
            match self.see().await {
                Seen::Left => return,
                Seen::Failed(error) => panic!("{error}: it has ended before it left"),
                Seen::Step(_) | Seen::Message(_) => {}
            }
        }
    }

    /// Is gone without a word.
    pub fn vanish(self) {}

    async fn obey(&self, order: Order) {
        // Whoever has ended obeys no more, and what it does next says so.
        let _ = self.orders.send(order).await;
    }

    async fn see(&mut self) -> Seen {
        let seen = timeout(PATIENCE, self.seen.recv()).await;
        seen.expect("something happens")
            .expect("it has not ended before")
    }
}

async fn live(
    options: Options,
    door: SocketAddr,
    mut orders: mpsc::Receiver<Order>,
    tell: mpsc::UnboundedSender<Seen>,
) {
    let mut client = match Client::begin(door, options).await {
        Ok(client) => client,
        Err(error) => {
            let _ = tell.send(Seen::Failed(error));
            return;
        }
    };
    let mut inside = false;
    loop {
        let seen = tokio::select! {
            order = orders.recv() => match order {
                Some(Order::Say(message)) => {
                    let sent = client.send(&message, Reliability::ReliableOrdered, 0).await;
                    match sent {
                        Ok(()) => continue,
                        Err(error) => Seen::Failed(error),
                    }
                }
                Some(Order::Freeze) => {
                    while orders.recv().await.is_some() {}
                    return;
                }
                Some(Order::Leave) => match client.leave(b"").await {
                    Ok(()) => {
                        let _ = tell.send(Seen::Left);
                        return;
                    }
                    Err(error) => {
                        let _ = tell.send(Seen::Failed(error));
                        return;
                    }
                },
                None => return,
            },
            seen = next(&mut client, inside) => seen,
        };
        inside |= matches!(seen, Seen::Step(Step::Accepted { .. }));
        let over = matches!(seen, Seen::Failed(_));
        if tell.send(seen).is_err() || over {
            return;
        }
    }
}

async fn next(client: &mut Client, inside: bool) -> Seen {
    if inside {
        let message = client.recv().await;
        return message.map_or_else(Seen::Failed, |it| Seen::Message(it.bytes));
    }
    let step = client.step().await;
    step.map_or_else(Seen::Failed, Seen::Step)
}
