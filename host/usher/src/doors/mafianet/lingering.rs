//! Those who said goodbye and were told that it was heard: should that be lost on them, they say it again, and are
//! to be told again. An address and a time are all that it takes, where a whole peer would be kept for a second.

use super::client::Client;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// How much later than it could be one is forgotten: many at once, so that nobody wakes for each.
const TOGETHER: Duration = Duration::from_millis(50);

/// All of them.
pub(super) struct Lingering {
    until: HashMap<Client, Duration>,
    /// The oldest first; with some that came back.
    order: VecDeque<(Duration, Client)>,
    most: usize,
}

impl Lingering {
    /// At most so many; the oldest makes room.
    pub(super) fn new(most: u32) -> Lingering {
        Lingering {
            until: HashMap::new(),
            order: VecDeque::new(),
            most: most as usize,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.until.len()
    }

    /// Someone has left, and lingers until then, which is no earlier than for those before.
    pub(super) fn add(&mut self, client: Client, until: Duration) {
        self.until.insert(client, until);
        self.order.push_back((until, client));
        while self.order.len() > self.most {
            self.forget_oldest();
        }
    }

    /// Someone is back, or came to its place.
    pub(super) fn remove(&mut self, client: Client) {
        if !self.until.is_empty() {
            self.until.remove(&client);
        }
    }

    pub(super) fn has(&self, client: Client) -> bool {
        self.until.contains_key(&client)
    }

    /// When some are to be forgotten.
    pub(super) fn due(&self) -> Option<Duration> {
        let (until, _) = self.order.front()?;
        Some(*until + TOGETHER)
    }

    /// Forgets those whose time is over.
    pub(super) fn tick(&mut self, now: Duration) {
        if self.due().is_none_or(|due| now < due) {
            return;
        }
        while self.order.front().is_some_and(|(until, _)| *until <= now) {
            self.forget_oldest();
        }
        if self.order.is_empty() {
            // After a crowd, memory is given back.
            *self = Lingering::new(self.most as u32);
        }
    }

    fn forget_oldest(&mut self) {
        if let Some((until, client)) = self.order.pop_front()
            && self.until.get(&client) == Some(&until)
        {
            self.until.remove(&client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(port: u16) -> Client {
        Client::of(std::net::SocketAddrV4::new([192, 0, 2, 1].into(), port))
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn each_is_kept_for_its_time_and_forgotten_soon_after() {
        let mut lingering = Lingering::new(10);
        assert_eq!(lingering.due(), None);
        lingering.add(client(1), SECOND);
        lingering.add(client(2), SECOND + TOGETHER);
        lingering.tick(SECOND);
        assert!(lingering.has(client(1)));
        let due = lingering.due().unwrap();
        lingering.tick(due);
        assert_eq!(lingering.len(), 0);
        assert_eq!(lingering.due(), None);
    }

    #[test]
    fn who_is_back_and_leaves_again_is_kept_from_then_on() {
        let mut lingering = Lingering::new(10);
        lingering.add(client(1), SECOND);
        lingering.remove(client(1));
        assert!(!lingering.has(client(1)));
        lingering.add(client(1), 2 * SECOND);
        lingering.tick(SECOND + TOGETHER);
        assert!(lingering.has(client(1)));
        lingering.tick(2 * SECOND + TOGETHER);
        assert!(!lingering.has(client(1)));
    }

    #[test]
    fn they_are_bounded_and_the_oldest_makes_room() {
        let mut lingering = Lingering::new(2);
        for port in 1..=5 {
            lingering.add(client(port), SECOND);
        }
        let kept = (1..=5).filter(|port| lingering.has(client(*port)));
        assert_eq!(kept.collect::<Vec<_>>(), [4, 5]);
        assert_eq!(lingering.order.len(), 2);
    }
}
