//! TCP connections on which half of a message comes and never the rest.

use crate::work::Report;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::io::{self, Write as _};
use std::net::{SocketAddr, SocketAddrV4, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The first byte of a frame's length.
const HALF: &[u8] = &[0x10];

/// How many connections there are to be, and where.
#[derive(Debug)]
pub(crate) struct Halves {
    door: SocketAddrV4,
    count: u32,
}

impl Halves {
    /// Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// So many files may not be open at once.
    pub(crate) fn new(door: SocketAddrV4, count: u32) -> io::Result<Halves> {
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        setrlimit(Resource::Nofile, limit)?;
        match limit
            .maximum
            .is_some_and(|most| most < u64::from(count) + 100)
        {
            true => Err(io::Error::other(format!(
                "{count} connections need a higher limit of open files"
            ))),
            false => Ok(Halves { door, count }),
        }
    }

    /// Connects them, and keeps them until so long is over. The door may close them before.
    pub(crate) fn keep(self, lasts: Duration) -> Report {
        let until = Instant::now() + lasts;
        let mut report = Report::default();
        let mut open = Vec::new();
        let mut failed = 0_u32;
        for _ in 0..self.count {
            let connected = TcpStream::connect(SocketAddr::V4(self.door));
            match connected.and_then(|mut stream| stream.write_all(HALF).map(|()| stream)) {
                Ok(stream) => open.push(stream),
                Err(_) => failed += 1,
            }
        }
        let late = Instant::now() > until;
        sleep(until.saturating_duration_since(Instant::now()));
        report.set("connected", open.len());
        report.set("failed", failed);
        if late {
            let behind = format!("connecting {} took longer than the phase", self.count);
            report.behind.push(behind);
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    fn half_of_something_comes_on_each() {
        let door = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let SocketAddr::V4(address) = door.local_addr().unwrap() else {
            panic!("it was bound to an IPv4 address");
        };
        let halves = Halves::new(address, 3).unwrap();
        let report = halves.keep(Duration::ZERO);
        assert_eq!(report.figures["connected"], 3);
        for _ in 0..3 {
            let mut said = Vec::new();
            door.accept().unwrap().0.read_to_end(&mut said).unwrap();
            assert_eq!(said, HALF);
        }
    }
}
