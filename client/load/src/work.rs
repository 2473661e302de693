//! A thread that does one part of the load, and how the timeline speaks to it.

use crate::socket::Port;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Map, Value};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often a thread with nothing to do looks for orders.
const LOOK: Duration = Duration::from_millis(10);

/// How much load a phase has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Phase {
    /// How many wait.
    pub(crate) waiting: u32,
    /// How many begin to wait in a second, until that many do.
    pub(crate) ramp: u32,
    /// How many come and go in a second.
    pub(crate) arrivals: u32,
    /// How many open-connection requests of nobody come in a second.
    pub(crate) flood: u32,
    /// How many datagrams that nobody can answer come in a second.
    pub(crate) noise: u32,
}

/// What came of a part in a phase.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Figures by name.
    pub(crate) figures: Map<String, Value>,
    /// Where the generator itself could not keep up, in words.
    pub(crate) behind: Vec<String>,
}

impl Report {
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.figures.insert(name.to_owned(), value.into());
    }
}

/// One part of the load.
pub(crate) trait Work {
    /// The load changes, and figures begin anew, if not at the last report already.
    fn begin(&mut self, phase: Phase, now: Duration);

    /// Does what is due and takes what came to those ports that are readable. The moment at which something
    /// is due next.
    fn turn(&mut self, now: Duration, readable: &[bool]) -> Option<Duration>;

    /// Whether what the phase asked for stands.
    fn settled(&self) -> bool;

    /// What came of the phase.
    fn report(&mut self, now: Duration) -> Report;

    /// Ends everything in good order.
    fn leave(&mut self, now: Duration);

    /// Whether all have left.
    fn is_gone(&self) -> bool;

    /// The sockets to listen to.
    fn ports(&self) -> &[Port];

    /// How long to rest after each turn, whatever comes. Where many come, a turn for each costs more than all
    /// else.
    fn rest(&self) -> Duration {
        Duration::ZERO
    }
}

enum Order {
    Begin(Phase),
    Report(Sender<Report>),
    Leave,
}

/// The timeline's end of a thread. The thread ends when all of its part have left, or when this is dropped.
pub(crate) struct Worker {
    orders: Sender<Order>,
    settled: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<()>>,
}

impl Worker {
    /// Starts a thread. All threads count time from the same moment.
    ///
    /// # Errors
    ///
    /// The system has no thread to give.
    pub(crate) fn start(
        name: &str,
        mut work: impl Work + Send + 'static,
        zero: Instant,
    ) -> io::Result<Worker> {
        let (orders, from) = channel();
        let settled = Arc::new(AtomicBool::new(false));
        let tell = settled.clone();
        let thread = thread::Builder::new()
            .name(format!("load-{name}"))
            .spawn(move || run(&mut work, &from, &tell, zero))?;
        Ok(Worker {
            orders,
            settled,
            thread,
        })
    }

    pub(crate) fn begin(&self, phase: Phase) {
        self.settled.store(false, Ordering::SeqCst);
        // A thread that ended says why when it is joined.
        let _ = self.orders.send(Order::Begin(phase));
    }

    /// Whether what the phase asked for stands.
    pub(crate) fn settled(&self) -> bool {
        self.settled.load(Ordering::SeqCst)
    }

    /// What came of the phase. Nothing of a thread that has ended.
    pub(crate) fn report(&self) -> Report {
        let (to, from) = channel();
        let asked = self.orders.send(Order::Report(to));
        asked
            .ok()
            .and_then(|()| from.recv().ok())
            .unwrap_or_default()
    }

    pub(crate) fn leave(&self) {
        let _ = self.orders.send(Order::Leave);
    }

    /// Waits for the end of the thread.
    ///
    /// # Errors
    ///
    /// Why it ended before it should.
    pub(crate) fn join(self) -> io::Result<()> {
        let broken = |_| Err(io::Error::other("a thread panicked"));
        self.thread.join().unwrap_or_else(broken)
    }
}

fn run(
    work: &mut impl Work,
    orders: &Receiver<Order>,
    settled: &AtomicBool,
    zero: Instant,
) -> io::Result<()> {
    let mut leaving = false;
    let mut readable = vec![false; work.ports().len()];
    loop {
        loop {
            match orders.try_recv() {
                Ok(Order::Begin(phase)) => {
                    work.begin(phase, zero.elapsed());
                    settled.store(false, Ordering::SeqCst);
                }
                Ok(Order::Report(to)) => {
                    let _ = to.send(work.report(zero.elapsed()));
                }
                Ok(Order::Leave) => {
                    work.leave(zero.elapsed());
                    leaving = true;
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) if leaving => break,
                Err(TryRecvError::Disconnected) => return Ok(()),
            }
        }
        let due = work.turn(zero.elapsed(), &readable);
        settled.store(work.settled(), Ordering::SeqCst);
        if leaving && work.is_gone() {
            return Ok(());
        }
        thread::sleep(work.rest());
        let until = due.map_or(LOOK, |due| due.saturating_sub(zero.elapsed()));
        listen(work.ports(), until.min(LOOK), &mut readable)?;
    }
}

/// Waits until something comes or this has passed, and says to which ports.
fn listen(ports: &[Port], within: Duration, readable: &mut [bool]) -> io::Result<()> {
    let mut fds: Vec<_> = ports
        .iter()
        .map(|port| PollFd::new(port, PollFlags::IN))
        .collect();
    let within = Timespec {
        tv_sec: 0,
        // Less than a second, see `LOOK`.
        tv_nsec: within.subsec_nanos().into(),
    };
    match poll(&mut fds, Some(&within)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    for (readable, fd) in readable.iter_mut().zip(&fds) {
        *readable = !fd.revents().is_empty();
    }
    Ok(())
}
