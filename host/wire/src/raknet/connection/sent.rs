//! A datagram that was sent: when, and which reliable messages it carries.

/// What is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    UnderWay,
    Lost,
    Acked,
}

/// One datagram.
#[derive(Debug)]
pub(super) struct Sent {
    /// In nanoseconds.
    pub(super) at: u64,
    pub(super) state: State,
    pub(super) messages: Numbers,
}

impl Sent {
    pub(super) fn new(at: u64) -> Self {
        Self {
            at,
            state: State::UnderWay,
            messages: Numbers::default(),
        }
    }

    pub(super) fn add(&mut self, number: u64) {
        self.messages.add(number);
    }
}

/// Message numbers: mostly one run of them.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    first: u64,
    count: u16,
    /// More runs, first and count.
    more: Vec<(u64, u16)>,
}

impl Numbers {
    fn add(&mut self, number: u64) {
        let (first, count) = match self.more.last_mut() {
            Some((first, count)) => (first, count),
            None => (&mut self.first, &mut self.count),
        };
        if *count == 0 {
            *first = number;
            *count = 1;
        } else if *first + u64::from(*count) == number {
            *count += 1;
        } else {
            self.more.push((number, 1));
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        std::iter::once((self.first, self.count))
            .chain(self.more.iter().copied())
            .flat_map(|(first, count)| first..first + u64::from(count))
    }

    pub(super) fn memory(&self) -> usize {
        self.more.capacity() * size_of::<(u64, u16)>()
    }
}
