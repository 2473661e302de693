//! Open-connection requests of nobody: random sources, good shape, nothing behind them. And noise, which a door
//! can only drop: second requests with cookies that nobody gave out, datagrams of connections that there are not,
//! random bytes.

use crate::pace::Pace;
use crate::socket::Port;
use crate::work::{Phase, Report, Work};
use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::time::Duration;

/// How many sockets, which is how many source ports, it comes from.
const PORTS: usize = 8;

/// What every offline message of the protocol has in it.
const MAGIC: [u8; 16] = [
    0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78,
];

/// Which kinds of datagrams are open-connection requests of nobody, and which are noise.
const FLOOD: Range<u32> = 0..4;
const NOISES: Range<u32> = 2..6;

/// How long noise is at most, in bytes.
const NOISE: usize = 200;

/// Between one burst and the next. A flood from elsewhere comes evenly; in longer bursts this thread would keep a
/// processor from whom it is to be measured by.
const BURST: Duration = Duration::from_micros(250);

/// Below this share of what was asked for, the flood was not the one that was asked for.
const ENOUGH: f64 = 0.98;

/// The flood.
pub(crate) struct Flood {
    ports: Vec<Port>,
    door: SocketAddr,
    random: StdRng,
    pace: Pace,
    noise: Pace,
    asked: u32,
    asked_noise: u32,
    sent: u64,
    sent_noise: u64,
    refused: u64,
    since: Duration,
    buffer: [u8; 1372],
}

impl Flood {
    /// A flood that has not begun.
    ///
    /// # Errors
    ///
    /// The system has no port to give.
    pub(crate) fn new(door: SocketAddr, seed: u64) -> io::Result<Flood> {
        Ok(Flood {
            ports: (0..PORTS)
                .map(|_| Port::open())
                .collect::<io::Result<_>>()?,
            door,
            random: StdRng::seed_from_u64(seed),
            pace: Pace::new(0, Duration::ZERO),
            noise: Pace::new(0, Duration::ZERO),
            asked: 0,
            asked_noise: 0,
            sent: 0,
            sent_noise: 0,
            refused: 0,
            since: Duration::ZERO,
            buffer: [0; 1372],
        })
    }

    /// Sends one of these kinds. Whether the system took it.
    fn send(&mut self, kinds: Range<u32>) -> bool {
        let length = self.write(kinds);
        let [_, b, c, d] = self.random.random::<u32>().to_be_bytes();
        // Half of the network is for the crowd, which has addresses of its own.
        let from = Ipv4Addr::new(127, b | 0x80, c, d);
        let port = &self.ports[self.random.random_range(0..PORTS)];
        let sent = port.send(from, self.door, &self.buffer[..length]);
        self.refused += u64::from(!sent);
        sent
    }

    /// Writes a first request (kinds 0 and 1), a second one with a cookie that nobody gave out (2), or one
    /// without (3), a datagram of no connection (4), or random bytes (5). How long it is.
    fn write(&mut self, kinds: Range<u32>) -> usize {
        let kind = self.random.random_range(kinds);
        if kind >= 4 {
            let length = self.random.random_range(20..=NOISE);
            self.random.fill_bytes(&mut self.buffer[..length]);
            if kind == 4 {
                self.buffer[0] = 0x84;
            }
            return length;
        }
        self.buffer[1..17].copy_from_slice(&MAGIC);
        if kind < 2 {
            self.buffer[0] = 0x05;
            self.buffer[17..].fill(0);
            self.buffer[17] = 7;
            return if kind == 0 { 548 } else { 1372 };
        }
        self.buffer[0] = 0x07;
        let cookie = if kind == 2 { 5 } else { 0 };
        self.random.fill_bytes(&mut self.buffer[17..22]);
        // That it has no challenge to answer.
        self.buffer[21] = 0;
        let (address, end) = (17 + cookie, 34 + cookie);
        self.buffer[address..address + 7].copy_from_slice(&[4, 0x80, 0xff, 0xff, 0xfe, 0, 0]);
        self.buffer[address + 7..address + 9].copy_from_slice(&1400u16.to_be_bytes());
        self.random.fill_bytes(&mut self.buffer[address + 9..end]);
        end
    }
}

impl Work for Flood {
    fn begin(&mut self, phase: Phase, now: Duration) {
        (self.asked, self.asked_noise) = (phase.flood, phase.noise);
        (self.sent, self.sent_noise, self.refused) = (0, 0, 0);
        self.pace = Pace::new(phase.flood, now);
        self.noise = Pace::new(phase.noise, now);
        self.since = now;
    }

    fn turn(&mut self, now: Duration, _: &[bool]) -> Option<Duration> {
        for _ in 0..self.pace.due(now) {
            self.sent += u64::from(self.send(FLOOD));
        }
        for _ in 0..self.noise.due(now) {
            self.sent_noise += u64::from(self.send(NOISES));
        }
        let next = self.pace.next().or(self.noise.next());
        next.map(|_| now + BURST)
    }

    fn settled(&self) -> bool {
        true
    }

    fn report(&mut self, now: Duration) -> Report {
        let mut report = Report::default();
        let took = now.saturating_sub(self.since).as_secs_f64();
        let each_second = |sent: u64| sent as f64 / took.max(f64::MIN_POSITIVE);
        report.set("asked_each_second", self.asked);
        report.set("sent_each_second", each_second(self.sent).round());
        report.set("noise_sent", self.sent_noise);
        report.set("not_taken_by_the_system", self.refused);
        let asked = self.asked + self.asked_noise;
        let in_all = each_second(self.sent + self.sent_noise);
        if in_all < f64::from(asked) * ENOUGH {
            report.behind.push(format!(
                "the flood was {in_all:.0} datagrams a second, not {asked}"
            ));
        }
        report
    }

    fn leave(&mut self, now: Duration) {
        self.begin(Phase::default(), now);
    }

    fn is_gone(&self) -> bool {
        true
    }

    /// Nobody reads what is answered.
    fn ports(&self) -> &[Port] {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::socket::Batch;

    #[test]
    fn it_comes_at_the_rate_from_many_sources_in_the_shapes_of_the_protocol() {
        let door = Port::open().unwrap();
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, door.number));
        let mut flood = Flood::new(at, 1).unwrap();
        let phase = Phase {
            flood: 1000,
            ..Phase::default()
        };
        flood.begin(phase, Duration::ZERO);
        flood.turn(Duration::from_millis(100), &[]);
        let mut batch = Batch::new();
        let (mut sources, mut lengths) = (Vec::new(), Vec::new());
        while door.receive(&mut batch) {
            for received in batch.datagrams() {
                assert_eq!(received.bytes[1..17], MAGIC);
                sources.push(received.from);
                lengths.push((received.bytes[0], received.bytes.len()));
            }
        }
        assert_eq!(sources.len(), 100);
        sources.sort_unstable();
        sources.dedup();
        assert!(sources.len() > 90, "{}", sources.len());
        lengths.sort_unstable();
        lengths.dedup();
        assert_eq!(lengths, [(5, 548), (5, 1372), (7, 34), (7, 39)]);
        let report = flood.report(Duration::from_millis(100));
        assert_eq!(report.figures["sent_each_second"], 1000.0);
        assert!(report.behind.is_empty());
        assert_eq!(flood.report(Duration::from_secs(1)).behind.len(), 1);
    }
    #[test]
    fn noise_is_nothing_that_could_be_answered() {
        let door = Port::open().unwrap();
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, door.number));
        let mut flood = Flood::new(at, 1).unwrap();
        let phase = Phase {
            noise: 1000,
            ..Phase::default()
        };
        flood.begin(phase, Duration::ZERO);
        flood.turn(Duration::from_millis(100), &[]);
        let mut batch = Batch::new();
        let (mut all, mut requests) = (0, 0);
        while door.receive(&mut batch) {
            for received in batch.datagrams() {
                let is_offline = received.bytes.get(1..17) == Some(&MAGIC);
                assert!(!is_offline || received.bytes[0] == 0x07);
                all += 1;
                requests += u32::from(is_offline);
            }
        }
        assert_eq!(all, 100);
        assert!((20..80).contains(&requests), "{requests}");
        let report = flood.report(Duration::from_millis(100));
        assert_eq!(report.figures["noise_sent"], 100);
        assert!(report.behind.is_empty());
    }
}
