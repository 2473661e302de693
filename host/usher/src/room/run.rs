//! The thread that plays a room.

use super::game::Game;
use super::mailbox::{Mail, Mails};
use super::script::Script;
use super::stage::{Host, Stage};
use crate::clock::Clock;
use crate::core_loop::{Handle, RoomEvent};
use crate::doors::link::DataLink;
use crate::text::Shown;
use rand::SeedableRng as _;
use rand::rngs::{StdRng, SysRng};
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use std::vec;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use usher_core::SessionId;
use usher_runtime::{Message, RulesSlot};

/// Ten times a second.
const TICK: Duration = Duration::from_millis(100);

/// How much mail is taken up before the time is looked at again.
const BATCH: usize = 128;

/// What a call of the rules may use of the stack, and then some.
const STACK: usize = 8 << 20;

/// Plays a room on a thread of its own, until its last mailbox is gone. What is returned ends with the
/// thread.
///
/// # Errors
///
/// What the system says when there is no thread to be had, or no chance.
pub fn start(
    room: Arc<str>,
    mails: Mails,
    rules: Arc<RulesSlot>,
    core: Handle,
    doors: Vec<Arc<dyn DataLink>>,
) -> io::Result<impl Future<Output = ()> + Send + 'static> {
    // Only to wait for mail until a moment; nothing else runs on it.
    let waiting = runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let chance = StdRng::try_from_rng(&mut SysRng).map_err(io::Error::other)?;
    let (alive, ended) = oneshot::channel::<()>();
    thread::Builder::new()
        .name(format!("usher-room-{room}"))
        .stack_size(STACK)
        .spawn(move || {
            let clock = core.clock();
            let stage = Host::new(core, doors, chance);
            let runner = Runner {
                game: Game::new(room, rules, stage),
                mails,
                bundle: Vec::new().into_iter(),
                clock,
                next_tick: Instant::now(),
                warned_of_rooms: false,
            };
            waiting.block_on(runner.run());
            drop(alive);
        })?;
    Ok(async {
        // Nothing is ever sent; the sender is dropped when the thread ends, however it does.
        let _ = ended.await;
    })
}

struct Runner<S: Script, W> {
    game: Game<S, W>,
    mails: Mails,
    /// Messages that were taken out together, and those of them that are still to be taken up.
    bundle: vec::IntoIter<(SessionId, Message)>,
    clock: Clock,
    next_tick: Instant,
    warned_of_rooms: bool,
}

impl<S: Script, W: Stage> Runner<S, W> {
    async fn run(mut self) {
        /// Where nothing is due: so far away that it never comes.
        const NEVER: Duration = Duration::from_secs(24 * 60 * 60);
        loop {
            if self.bundle.as_slice().is_empty() {
                let tick = self.game.is_on().then_some(self.next_tick);
                let save = self.save_due();
                let due = [tick, save].into_iter().flatten().min();
                let due = due.unwrap_or_else(|| Instant::now() + NEVER);
                match timeout_at(due, self.mails.from.next()).await {
                    Ok(Some(mail)) => self.take(mail),
                    Ok(None) => return,
                    Err(_) => {}
                }
            }
            self.take_batch();
            let now = Instant::now();
            if now >= self.next_tick {
                self.game.tick();
                // Ticks that were missed are not made up for.
                self.next_tick = (self.next_tick + TICK).max(now + TICK / 2);
            }
            if self.save_due().is_some_and(|due| now >= due) {
                self.game.save();
            }
            self.game.flush();
        }
    }

    fn save_due(&self) -> Option<Instant> {
        self.game.save_due().map(|due| self.clock.instant(due))
    }

    /// Takes up what is there, but no more than so much before time is looked at again.
    fn take_batch(&mut self) {
        let (mut messages, mut bytes) = (0, 0);
        for _ in 0..BATCH {
            if let Some((from, message)) = self.bundle.next() {
                messages += 1;
                bytes += message.data.len();
                self.game.message(from, &message);
            } else if let Some(mail) = self.mails.from.try_next() {
                self.take(mail);
            } else {
                break;
            }
        }
        self.mails.waiting.give_back(messages, bytes);
    }

    fn take(&mut self, mail: Mail) {
        match mail {
            Mail::Event(RoomEvent::Joined(player)) if player.room == *self.game.room() => {
                self.game.join(player);
            }
            Mail::Event(RoomEvent::Joined(player)) => self.warn_of_rooms(&player.room),
            Mail::Event(RoomEvent::Left { session, how, .. }) => self.game.leave(session, how),
            // Taken up one by one: the bundle before is used up whenever mail is taken out.
            Mail::Messages(messages) => self.bundle = messages.into_iter(),
            // Whoever asked may have stopped waiting.
            Mail::Swap(done) => drop(done.send(self.game.swap())),
        }
    }

    fn warn_of_rooms(&mut self, room: &str) {
        if !std::mem::replace(&mut self.warned_of_rooms, true) {
            tracing::warn!(
                "a policy lets players into room '{}', but only '{}' has rules; what they send is dropped",
                Shown(room),
                self.game.room()
            );
        }
    }
}
