//! What sockets are ready: thousands of them, without looking at each.

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// How many are taken up in one go.
const BATCH: usize = 256;

/// Who listens to sockets.
pub(crate) struct Events {
    epoll: OwnedFd,
    ready: Vec<Event>,
}

impl Events {
    pub(crate) fn new() -> io::Result<Events> {
        Ok(Events {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            ready: Vec::with_capacity(BATCH),
        })
    }

    /// Tells of a socket that has something to be read, by this number, for as long as it has.
    pub(crate) fn while_readable(&self, socket: impl AsFd, number: u64) -> io::Result<()> {
        self.add(socket, number, EventFlags::IN)
    }

    /// Tells of a socket each time that something about it changes, until it is closed.
    pub(crate) fn when_changed(&self, socket: impl AsFd, number: u64) -> io::Result<()> {
        let all = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        self.add(socket, number, all)
    }

    fn add(&self, socket: impl AsFd, number: u64, flags: EventFlags) -> io::Result<()> {
        Ok(epoll::add(
            &self.epoll,
            socket,
            EventData::new_u64(number),
            flags,
        )?)
    }

    /// The numbers of those that are ready, as soon as one is or this has passed.
    pub(crate) fn next(&mut self, within: Duration, numbers: &mut Vec<u64>) -> io::Result<()> {
        if self.take(numbers)? > 0 || within.is_zero() {
            return Ok(());
        }
        let within = Timespec {
            // Nobody asks for more than some seconds.
            tv_sec: within.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: within.subsec_nanos().into(),
        };
        // It waits to the microsecond, where waiting for the events themselves would be to the millisecond.
        let mut all = [PollFd::new(&self.epoll, PollFlags::IN)];
        match poll(&mut all, Some(&within)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        self.take(numbers)?;
        Ok(())
    }

    fn take(&mut self, numbers: &mut Vec<u64>) -> io::Result<usize> {
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        self.ready.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.ready), Some(&now)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        numbers.extend(self.ready.iter().map(|event| event.data.u64()));
        Ok(self.ready.len())
    }
}
