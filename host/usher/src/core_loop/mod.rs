//! The task or thread that owns the core: takes up what happened, in order, and hands out what is to be done.

mod calls;
mod dispatch;
mod handle;
mod links;

pub use handle::{Handle, Inbox, Shed, Stopped, channel};
pub use links::{
    AuditSender, DoorEvent, DoorLink, EvidenceLink, Links, Lookup, PolicyCall, PolicyLink,
    RoomEvent, RoomLink,
};

use dispatch::Dispatch;
use handle::Item;
use std::io;
use std::pin::{Pin, pin};
use std::thread;
use std::time::Duration;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use usher_core::{Core, Input};

/// How many events are taken up before others get their turn.
const BATCH: usize = 64;

/// With how many events a turn on a thread of its own is one of a crowd: the next ones are left to gather, because
/// a core that falls asleep between two of them is woken for each, which costs as much as the event.
const CROWD: usize = 4;

/// For how long. A system adds about half of it. Nobody in a crowd notices.
const GATHER: Duration = Duration::from_micros(100);

/// Where the core runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Among the tasks of the runtime: the best one where doors are tasks too, because one thread then goes from the
    /// one to the other.
    Task,
    /// On a thread of its own: the best one where a door has its own, because each wake-up of a task wakes a second
    /// thread of the runtime to look for more work.
    Thread,
}

/// Runs the core until its last handle is gone, or what is given back is dropped. Must be called within a runtime.
///
/// # Errors
///
/// What the system says when it has no thread to give.
pub fn start(
    core: Core,
    inbox: Inbox,
    links: Links,
    place: Place,
) -> io::Result<Pin<Box<dyn Future<Output = ()> + Send>>> {
    let running = Loop {
        core,
        inbox,
        dispatch: Dispatch::new(links),
        awaiting_empty: Vec::new(),
        place,
    };
    match place {
        Place::Task => Ok(Box::pin(running.run())),
        Place::Thread => Ok(Box::pin(run_apart(running)?)),
    }
}

fn run_apart(running: Loop) -> io::Result<impl Future<Output = ()> + Send> {
    let runtime = runtime::Handle::current();
    let (wanted, unwanted) = oneshot::channel::<()>();
    let (alive, ended) = oneshot::channel::<()>();
    thread::Builder::new()
        .name("usher-core".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = running.run() => {}
                    // Nothing is ever sent; it is dropped.
                    _ = unwanted => {}
                }
            });
            drop(alive);
        })?;
    Ok(async move {
        let _wanted = wanted;
        // The sender is dropped when the thread ends, however it does.
        let _ = ended.await;
    })
}

struct Loop {
    core: Core,
    inbox: Inbox,
    dispatch: Dispatch,
    awaiting_empty: Vec<oneshot::Sender<()>>,
    place: Place,
}

impl Loop {
    async fn run(mut self) {
        /// Where nothing is due: so far away that it never comes.
        const NEVER: Duration = Duration::from_secs(24 * 60 * 60);
        let clock = self.inbox.clock;
        self.publish();
        let mut sleep = pin!(sleep_until(Instant::now() + NEVER));
        loop {
            let due = self.core.poll_timeout();
            let wake = due.map_or_else(|| Instant::now() + NEVER, |due| clock.instant(due));
            // A timer is only moved when it must ring earlier than set; one that rings early is a tick
            // that does nothing, which is cheaper than moving it at every event.
            if wake < sleep.deadline() || sleep.is_elapsed() {
                sleep.as_mut().reset(wake);
            }
            let mut taken = 0;
            tokio::select! {
                item = self.inbox.items.next() => match item {
                    Some(item) => taken = self.take_batch(item),
                    None => return,
                },
                () = sleep.as_mut() => {
                    self.dispatch.calls.begin_turn();
                    self.handle(Input::Tick, clock.now());
                }
            }
            self.dispatch.hurry();
            self.tell_of_endings().await;
            self.tell_if_empty();
            self.publish();
            if taken >= CROWD && self.place == Place::Thread && self.inbox.items.is_empty() {
                // Nothing else runs there.
                thread::sleep(GATHER);
            }
        }
    }

    /// Once nobody waits for the core, policies hear of those whose requests have ended.
    async fn tell_of_endings(&mut self) {
        while self.dispatch.calls.any_notices() && self.inbox.items.is_empty() {
            match self.dispatch.next_notice() {
                Some(answer) => {
                    self.handle(answer, self.inbox.clock.now());
                    self.dispatch.hurry();
                }
                // The turn has had its calls.
                None => {
                    tokio::task::yield_now().await;
                    self.dispatch.calls.begin_turn();
                }
            }
        }
        if self.dispatch.calls.turn_is_over() {
            // What the policies may take of a processor that doors need too is bounded.
            tokio::task::yield_now().await;
        }
    }

    /// What doors may know at any moment.
    fn publish(&self) {
        self.inbox
            .publish(self.core.players(), self.core.has_room());
    }

    /// Takes up what is there, at most a batch: how many events.
    fn take_batch(&mut self, first: Item) -> usize {
        self.dispatch.calls.begin_turn();
        self.take(first);
        let mut taken = 1;
        while taken < BATCH
            && !self.dispatch.calls.turn_is_over()
            && let Some(item) = self.inbox.items.try_next()
        {
            self.take(item);
            taken += 1;
        }
        taken
    }

    fn take(&mut self, item: Item) {
        match item {
            Item::Input(input, at) => self.handle(input, at),
            Item::Arrival(request, at) => {
                let knock = Input::Knock {
                    request: request.id,
                    door: request.door,
                    peer: request.peer,
                    room: request.room.clone(),
                };
                self.handle(knock, at);
                self.handle(Input::Submit(request), at);
            }
            // Whoever asked may have stopped waiting.
            Item::Report(to) => drop(to.send(self.core.report(self.inbox.clock.now()))),
            Item::WhenEmpty(to) => self.awaiting_empty.push(to),
        }
    }

    fn handle(&mut self, input: Input, at: usher_core::Moment) {
        self.core.handle(input, at);
        self.carry_out_all();
        while let Some(answer) = self.dispatch.next_answer() {
            self.core.handle(answer, self.inbox.clock.now());
            self.carry_out_all();
        }
    }

    fn carry_out_all(&mut self) {
        while let Some(output) = self.core.poll_output() {
            if !self.dispatch.carry_out(output) {
                self.inbox.count_lost_audit();
            }
        }
    }

    fn tell_if_empty(&mut self) {
        if !self.awaiting_empty.is_empty() && self.core.is_empty() {
            for waiting in self.awaiting_empty.drain(..) {
                let _ = waiting.send(());
            }
        }
    }
}
