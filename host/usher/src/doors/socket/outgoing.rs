//! What a turn has for players: it is kept until the turn is over, and then sent in few calls.
//!
//! Datagrams of one length for one player travel joined, and the system takes them apart again: that
//! saves their way through the kernel too. A shorter one may be the last of them: so an acknowledgement
//! travels with what is said. What is alone goes together with others that are alone; those to whom all goes
//! joined come before that, or they would break it up into many calls. The order of what one player gets is
//! kept.
//! In steady state nothing is allocated.

use super::path::Path;
use std::io::{self, ErrorKind};

/// How many datagrams are kept at most: a wave to a few hundred players.
const KEPT: usize = 256;

/// How many bytes are kept at most: what one call carries over IPv4, so that any run fits.
const ROOM: usize = 65_507;

/// How many datagrams that are alone are offered at a time.
pub(super) const MANY: usize = 32;

/// How datagrams leave.
pub(super) trait Way {
    /// Sends datagrams of `length` bytes that lie one after the other; the last may be shorter. All of
    /// them leave, or none.
    fn joined(&self, path: Path, bytes: &[u8], length: usize) -> io::Result<()>;

    /// Sends the first datagram, and as many of those after it as one call takes: how many. An error is
    /// about the first.
    fn several(&self, datagrams: &[(Path, &[u8])]) -> io::Result<usize>;
}

/// The datagrams that are kept.
pub(super) struct Outgoing {
    posted: Vec<Posted>,
    bytes: Vec<u8>,
    /// Where a run is put together.
    run: Vec<u8>,
    joins: Joins,
}

/// Which datagrams travel joined.
pub(super) struct Joins {
    /// The longest run that the system takes; 1 where it takes none.
    pub(super) longest: usize,
    /// The shortest run that is worth a call of its own.
    pub(super) shortest: usize,
}

#[derive(Clone, Copy)]
struct Posted {
    path: Path,
    start: usize,
    length: usize,
    /// The start of the first datagram of its run.
    run: usize,
    /// Not all that its player gets is one run.
    mixed: bool,
}

impl Outgoing {
    pub(super) fn new(joins: Joins) -> Outgoing {
        Outgoing {
            posted: Vec::with_capacity(KEPT),
            bytes: Vec::with_capacity(ROOM),
            run: Vec::with_capacity(ROOM),
            joins,
        }
    }

    /// Whether a datagram of this length can still be kept.
    pub(super) fn has_room(&self, length: usize) -> bool {
        self.posted.len() < KEPT && self.bytes.len() + length <= ROOM
    }

    /// Keeps a datagram.
    pub(super) fn post(&mut self, path: Path, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.posted.push(Posted {
            path,
            start,
            length: bytes.len(),
            run: start,
            mixed: false,
        });
    }

    /// Sends all that is kept, and says how much of it the system did not take.
    pub(super) fn send(&mut self, way: &impl Way) -> u64 {
        self.arrange();
        let Outgoing {
            posted,
            bytes,
            run: together,
            joins,
        } = self;
        let bytes_of = |one: &Posted| &bytes[one.start..one.start + one.length];
        let mut lost = 0;
        let mut joining = true;
        let mut refused = false;
        let mut rest = &posted[..];
        while let Some(first) = rest.first() {
            let run = length_of_run(rest);
            if joining && run >= joins.shortest {
                together.clear();
                for one in &rest[..run] {
                    together.extend_from_slice(bytes_of(one));
                }
                match way.joined(first.path, together, first.length) {
                    Ok(()) => rest = &rest[run..],
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    // Either nothing can go there, or not joined: one by one it shows.
                    Err(_) => (joining, refused) = (false, true),
                }
                continue;
            }
            let alone = match joining {
                true => runs(rest)
                    .take_while(|run| *run < joins.shortest)
                    .take(MANY)
                    .sum(),
                false => rest.len(),
            };
            let alone = alone.min(MANY);
            let offered: [_; MANY] = std::array::from_fn(|at| {
                rest.get(at)
                    .map_or((first.path, &[][..]), |one| (one.path, bytes_of(one)))
            });
            match way.several(&offered[..alone]) {
                // The system takes no more: what would wait is out of date before it is sent.
                Ok(0) => break,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Ok(sent) => {
                    rest = &rest[sent.min(alone)..];
                    if refused {
                        // Joining was the trouble: some network cards and tunnels cannot.
                        joins.longest = 1;
                    }
                }
                Err(_) => {
                    lost += 1;
                    rest = &rest[1..];
                }
            }
            refused = false;
        }
        lost += rest.len() as u64;
        self.posted.clear();
        self.bytes.clear();
        lost
    }

    /// Puts runs together. Sorting by where a datagram starts keeps the order of posting.
    fn arrange(&mut self) {
        if self.joins.longest < self.joins.shortest || self.posted.len() < 2 {
            return;
        }
        self.posted
            .sort_unstable_by_key(|one| (one.path.remote, one.start));
        let mut begun: Option<Posted> = None;
        let mut count = 0;
        for one in &mut self.posted {
            match &mut begun {
                // A shorter one ends its run, as the system wants it: nothing fits behind it.
                Some(run)
                    if run.path == one.path
                        && one.length <= run.length
                        && count < self.joins.longest =>
                {
                    one.run = run.run;
                    count = if one.length < run.length {
                        self.joins.longest
                    } else {
                        count + 1
                    };
                }
                _ => (begun, count) = (Some(*one), 1),
            }
        }
        for player in self
            .posted
            .chunk_by_mut(|one, next| one.path.remote == next.path.remote)
        {
            let [first, .., last] = player else {
                player[0].mixed = true;
                continue;
            };
            // What is sorted by place and one run at both ends is one in between.
            let mixed = first.run != last.run || player.len() < self.joins.shortest;
            player.iter_mut().for_each(|one| one.mixed = mixed);
        }
        self.posted
            .sort_unstable_by_key(|one| (one.mixed, one.run, one.start));
    }
}

/// How many datagrams belong to each run.
fn runs(posted: &[Posted]) -> impl Iterator<Item = usize> {
    posted
        .chunk_by(|one, next| one.run == next.run)
        .map(<[_]>::len)
}

fn length_of_run(posted: &[Posted]) -> usize {
    runs(posted).next().unwrap_or(0)
}

#[cfg(test)]
mod tests;
