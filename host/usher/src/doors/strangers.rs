//! Connections that the core does not know: those that have not said all of their first message, and
//! those that were told their last one. They are bounded by themselves, so that ten thousand of them
//! take nothing from anyone who plays or waits. Where there are too many, one of the address that has the most
//! makes room, so that one address cannot keep the others out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use usher_core::AddressGroup;

/// At most this many at once at a door that says nothing else.
const BOUND: usize = 1024;

/// All of them at one door.
#[derive(Clone)]
pub(crate) struct Strangers(Arc<Mutex<Known>>);

struct Known {
    bound: usize,
    arrived: u64,
    count: usize,
    groups: HashMap<AddressGroup, Group>,
    /// The groups by how many are in each, and among equals by how late their oldest came: the last one has the
    /// most, and of those that have as many the oldest of all.
    order: BTreeMap<(usize, Reverse<u64>), AddressGroup>,
}

/// Those of one address, by their order of arrival. Never empty.
type Group = BTreeMap<u64, Arc<Notify>>;

/// One of them, until it is dropped.
pub(crate) struct Stranger {
    all: Strangers,
    group: AddressGroup,
    number: u64,
    evict: Arc<Notify>,
}

impl Default for Strangers {
    fn default() -> Strangers {
        Strangers::new(BOUND)
    }
}

impl Strangers {
    /// At most so many at once.
    pub(crate) fn new(bound: usize) -> Strangers {
        Strangers(Arc::new(Mutex::new(Known {
            bound,
            arrived: 0,
            count: 0,
            groups: HashMap::new(),
            order: BTreeMap::new(),
        })))
    }

    /// A newcomer from this address. If there are too many now, the oldest of the address that has the most is
    /// evicted.
    pub(crate) fn enter(&self, address: IpAddr) -> Stranger {
        let (group, evict) = (AddressGroup::of(address), Arc::new(Notify::new()));
        let mut known = self.lock();
        known.arrived += 1;
        let number = known.arrived;
        known.insert(group, number, evict.clone());
        if known.count > known.bound {
            known.evict_one();
        }
        drop(known);
        Stranger {
            all: self.clone(),
            group,
            number,
            evict,
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        // At most the bound.
        u32::try_from(self.lock().count).unwrap_or(u32::MAX)
    }

    /// Makes room for those who wait outside: half of them go, at least one.
    pub(crate) fn evict_half(&self) {
        let mut known = self.lock();
        for _ in 0..known.count.div_ceil(2) {
            known.evict_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // Nothing panics between two steps that belong together.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn insert(&mut self, group: AddressGroup, number: u64, evict: Arc<Notify>) {
        let members = self.groups.entry(group).or_default();
        if let Some(place) = place(members) {
            self.order.remove(&place);
        }
        members.insert(number, evict);
        if let Some(place) = place(members) {
            self.order.insert(place, group);
        }
        self.count += 1;
    }

    fn remove(&mut self, group: AddressGroup, number: u64) -> Option<Arc<Notify>> {
        let members = self.groups.get_mut(&group)?;
        let before = place(members);
        let removed = members.remove(&number)?;
        if let Some(before) = before {
            self.order.remove(&before);
        }
        match place(members) {
            Some(place) => drop(self.order.insert(place, group)),
            None => drop(self.groups.remove(&group)),
        }
        self.count -= 1;
        Some(removed)
    }

    fn evict_one(&mut self) {
        let Some((&(_, Reverse(oldest)), &group)) = self.order.last_key_value() else {
            return;
        };
        if let Some(evicted) = self.remove(group, oldest) {
            evicted.notify_one();
        }
    }
}

/// Where a group stands among the others.
fn place(members: &Group) -> Option<(usize, Reverse<u64>)> {
    let (oldest, _) = members.first_key_value()?;
    Some((members.len(), Reverse(*oldest)))
}

impl Stranger {
    /// Until it has to make room.
    pub(crate) async fn evicted(&self) {
        self.evict.notified().await;
    }

    /// It turns out to come from this address, on whose behalf another one connected.
    pub(crate) fn is_from(&mut self, address: IpAddr) {
        let group = AddressGroup::of(address);
        let mut known = self.all.lock();
        // One that is evicted stays so.
        if let Some(evict) = known.remove(self.group, self.number) {
            known.insert(group, self.number, evict);
            self.group = group;
        }
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.all.lock().remove(self.group, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn is_evicted(stranger: &Stranger) -> bool {
        let evicted = pin!(stranger.evicted());
        evicted
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_ready()
    }

    /// Whether these, by their places, were evicted since it was last asked, and no others.
    #[track_caller]
    fn assert_evicted(strangers: &[Stranger], wanted: &[usize]) {
        let all = strangers.iter().enumerate();
        let evicted = all.filter(|(_, it)| is_evicted(it));
        let places: Vec<usize> = evicted.map(|(place, _)| place).collect();
        assert_eq!(places, wanted);
    }

    fn address(last: u16) -> IpAddr {
        let [a, b] = last.to_be_bytes();
        IpAddr::from([192, 0, a, b])
    }

    fn assert_empty(strangers: &Strangers) {
        let known = strangers.lock();
        let left = (known.count, known.groups.len(), known.order.len());
        assert_eq!(left, (0, 0, 0));
    }

    #[test]
    fn of_many_addresses_with_one_each_the_oldest_makes_room() {
        let strangers = Strangers::default();
        let mut all: Vec<Stranger> = (0..1024).map(|it| strangers.enter(address(it))).collect();
        assert_evicted(&all, &[]);
        all.remove(0);
        all.push(strangers.enter(address(2000)));
        assert_evicted(&all, &[]);
        all.push(strangers.enter(address(2001)));
        assert_evicted(&all, &[0]);
        assert_eq!(strangers.count(), 1024);
        drop(all);
        assert_empty(&strangers);
    }

    #[test]
    fn the_address_that_has_the_most_makes_room_and_no_other() {
        let strangers = Strangers::new(10);
        let first = strangers.enter(address(1));
        let mut flood: Vec<Stranger> = (0..9).map(|_| strangers.enter(address(2))).collect();
        let others = [strangers.enter(address(3)), strangers.enter(address(4))];
        assert_evicted(&flood, &[0, 1]);
        for _ in 0..100 {
            flood.push(strangers.enter(address(2)));
        }
        assert_evicted(&others, &[]);
        assert!(!is_evicted(&first));
        assert_eq!(strangers.count(), 10);
        drop((first, flood, others));
        assert_empty(&strangers);
    }

    #[test]
    fn an_ipv6_network_is_one_address() {
        let strangers = Strangers::new(3);
        let v6 = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, last]);
        let one = strangers.enter(address(1));
        let network = [1, 2, 3].map(|last| strangers.enter(v6(last)));
        assert_evicted(&network, &[0]);
        assert!(!is_evicted(&one));
    }

    #[test]
    fn who_comes_through_a_proxy_counts_by_its_own_address() {
        let strangers = Strangers::new(3);
        let proxy = address(9);
        let mut quiet = strangers.enter(proxy);
        quiet.is_from(address(1));
        let mut flood: Vec<Stranger> = (0..2).map(|_| strangers.enter(proxy)).collect();
        for stranger in &mut flood {
            stranger.is_from(address(2));
        }
        let last = strangers.enter(proxy);
        assert_evicted(&flood, &[0]);
        assert!(!is_evicted(&quiet));
        flood[0].is_from(address(3));
        assert_eq!(strangers.count(), 3, "one that is evicted stays so");
        drop((quiet, flood, last));
        assert_empty(&strangers);
    }

    #[test]
    fn half_of_them_go_where_the_system_has_no_room() {
        let strangers = Strangers::default();
        let all: Vec<Stranger> = (0..5).map(|it| strangers.enter(address(it))).collect();
        strangers.evict_half();
        assert_evicted(&all, &[0, 1, 2]);
        assert_eq!(strangers.count(), 2);
    }
}
