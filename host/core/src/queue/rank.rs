//! The order of those who wait. It is total: lane rank, then priority, then arrival (semantics 17).

use crate::time::Moment;
use std::cmp::Reverse;

/// When a request arrived, made distinct by the order of arrival. A place passes it on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Arrival {
    /// When.
    pub(crate) at: Moment,
    /// In which order among all requests.
    pub(crate) serial: u64,
}

/// Where someone stands; the least is served first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Rank {
    lane_rank: i32,
    priority: Reverse<i32>,
    /// The serial of the arrival, which is in the order of time.
    arrival: u64,
}

impl Rank {
    /// A rank: lanes of a lower rank first, in them higher priorities, and among these who came first.
    pub(crate) fn new(lane_rank: i32, priority: i32, arrival: Arrival) -> Rank {
        Rank {
            lane_rank,
            priority: Reverse(priority),
            arrival: arrival.serial,
        }
    }

    /// The same, had they come then.
    pub(crate) fn arrived(self, arrival: Arrival) -> Rank {
        Rank {
            arrival: arrival.serial,
            ..self
        }
    }
}
