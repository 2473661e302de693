//! A small HTTP server that can be told to be gone, to die and to come back on the same port.
//!
//! It has one thread, with a runtime of its own: whoever uses it may block, or have another runtime. What it
//! answers is a [`Site`]'s business.

mod connection;
pub(crate) mod shared;

use crate::calls::Calls;
use crate::fault::{Fault, Faults};
use shared::{Act, Order, Shared, Site};
use std::future::pending;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 4096;

/// How a server is set up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Where it listens on 127.0.0.1; 0 is a free port.
    pub port: u16,
    /// Whether `/fake/...` scripts it, and requests are printed: for people, not for tests.
    pub by_hand: bool,
}

/// A running server. Dropping it ends it.
pub(crate) struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one; it listens when this returns.
    pub(crate) fn start<S: Site>(options: Options, site: Arc<S>) -> io::Result<Server> {
        let (orders, inbox) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            site,
            calls: Calls::default(),
            faults: Faults::default(),
            gatherings: Mutex::default(),
            orders,
            by_hand: options.by_hand,
        });
        let (tell, hear) = blocking::channel();
        let inner = Arc::clone(&shared);
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let thread = std::thread::Builder::new()
            .name("stand-in".into())
            .spawn(move || {
                runtime.block_on(async {
                    match Place::take(options.port) {
                        Ok(place) => {
                            let _ = tell.send(Ok(place.address));
                            run(inner, place, inbox).await;
                        }
                        Err(error) => {
                            let _ = tell.send(Err(error));
                        }
                    }
                });
            })?;
        let address = hear
            .recv()
            .map_err(|_| io::Error::other("the thread ended"))??;
        Ok(Server {
            shared,
            address,
            thread: Some(thread),
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn calls(&self) -> &Calls {
        &self.shared.calls
    }

    pub(crate) fn fault(&self, fault: Fault) {
        self.shared.faults.add(fault);
    }

    pub(crate) fn clear_faults(&self) {
        self.shared.faults.clear();
    }

    pub(crate) fn gone(&self) -> io::Result<()> {
        self.act(Act::Gone)
    }

    pub(crate) fn die(&self) -> io::Result<()> {
        self.act(Act::Die)
    }

    pub(crate) fn hang_up(&self) -> io::Result<()> {
        self.act(Act::HangUp)
    }

    pub(crate) fn back(&self) -> io::Result<()> {
        self.act(Act::Back)
    }

    /// Waits for the server's end, which is the process's.
    pub(crate) fn join(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    fn act(&self, what: Act) -> io::Result<()> {
        let (done, hear) = blocking::channel();
        let gone = || io::Error::other("the server has ended");
        let order = Order {
            what,
            done: Some(done),
        };
        self.shared.orders.send(order).map_err(|_| gone())?;
        hear.recv().map_err(|_| gone())?
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = self.act(Act::Stop);
            let _ = thread.join();
        }
    }
}

/// A port that is ours even while nobody listens there: a second socket is bound to it and never listens.
struct Place {
    _reserved: TcpSocket,
    address: SocketAddr,
    listener: Option<TcpListener>,
}

impl Place {
    fn take(port: u16) -> io::Result<Place> {
        let reserved = socket(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        let address = reserved.local_addr()?;
        let listener = socket(address)?.listen(BACKLOG)?;
        Ok(Place {
            _reserved: reserved,
            address,
            listener: Some(listener),
        })
    }

    fn listen(&mut self) -> io::Result<()> {
        if self.listener.is_none() {
            self.listener = Some(socket(self.address)?.listen(BACKLOG)?);
        }
        Ok(())
    }

    async fn accept(&self) -> io::Result<TcpStream> {
        match &self.listener {
            Some(listener) => listener.accept().await.map(|(stream, _)| stream),
            None => pending().await,
        }
    }
}

fn socket(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

async fn run(shared: Arc<Shared>, mut place: Place, mut orders: mpsc::UnboundedReceiver<Order>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            order = orders.recv() => {
                let Some(order) = order else { return };
                let mut done = Ok(());
                match order.what {
                    Act::Back => done = place.listen(),
                    Act::Gone => place.listener = None,
                    Act::HangUp => connections.shutdown().await,
                    Act::Die => {
                        place.listener = None;
                        connections.shutdown().await;
                    }
                    Act::Stop => return,
                }
                if let Some(tell) = order.done {
                    let _ = tell.send(done);
                }
            }
            accepted = place.accept() => match accepted {
                Ok(stream) => {
                    connections.spawn(connection::serve(Arc::clone(&shared), stream));
                }
                // Out of files or memory: it may pass.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
