//! What is lost between a door and the game server, counted by cause.

use crate::metrics;
use std::io::{self, ErrorKind};

/// Why a datagram is lost, or a session. One word each, for the metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Loss {
    /// There was no socket to be had: the session ends.
    NoSocket,
    /// Nobody listens where the game server should.
    Gone,
    /// The system does not take more for the game server at this moment.
    Busy,
    /// Longer than a datagram can be on the way to the game server.
    TooLong,
    /// Anything else that the system says of it.
    Failed,
}

impl Loss {
    const ALL: [Loss; 5] = [
        Loss::NoSocket,
        Loss::Gone,
        Loss::Busy,
        Loss::TooLong,
        Loss::Failed,
    ];

    pub(super) fn word(self) -> &'static str {
        match self {
            Loss::NoSocket => "no-socket",
            Loss::Gone => "server-gone",
            Loss::Busy => "queue-full",
            Loss::TooLong => "too-long",
            Loss::Failed => "send-failed",
        }
    }

    /// What an error of a connected socket means.
    pub(super) fn of(error: &io::Error) -> Loss {
        match error.kind() {
            ErrorKind::ConnectionRefused => Loss::Gone,
            ErrorKind::WouldBlock => Loss::Busy,
            _ if error.raw_os_error() == Some(rustix::io::Errno::MSGSIZE.raw_os_error()) => {
                Loss::TooLong
            }
            _ => Loss::Failed,
        }
    }
}

/// A door's losses that the metrics do not know yet. A server that is gone loses everything that players
/// send, so that counting must cost no more than an addition.
#[derive(Default)]
pub(super) struct Losses([u64; Loss::ALL.len()]);

impl Losses {
    pub(super) fn count(&mut self, loss: Loss) {
        self.0[loss as usize] += 1;
    }

    pub(super) fn any(&self) -> bool {
        self.0.iter().any(|count| *count > 0)
    }

    /// Hands on what was counted.
    pub(super) fn flush(&mut self, door: &str) {
        for loss in Loss::ALL {
            let count = std::mem::take(&mut self.0[loss as usize]);
            if count > 0 {
                metrics::relay_lost(door, loss.word(), count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loss_has_a_place_and_a_word_of_its_own() {
        for (place, loss) in Loss::ALL.into_iter().enumerate() {
            assert_eq!(loss as usize, place);
            let same = Loss::ALL.iter().filter(|other| other.word() == loss.word());
            assert_eq!(same.count(), 1, "{loss:?}");
        }
    }

    #[test]
    fn what_was_handed_on_is_not_counted_again() {
        let mut losses = Losses::default();
        assert!(!losses.any());
        losses.count(Loss::Gone);
        assert!(losses.any());
        losses.flush("main");
        assert!(!losses.any());
    }
}
