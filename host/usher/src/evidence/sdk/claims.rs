//! Which claim of a session is under way, and whether another may be sent. No IO.

use super::tracking::Counts;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long no second claim is sent after one of which nobody knows what came.
const HOLD_BACK: Duration = Duration::from_secs(10);

/// What came of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The game server shows the session.
    Claimed,
    /// It does not; why.
    Failed(&'static str),
}

/// What came of a claim, once that is known. All who wait for it have one.
pub(super) type Flight = watch::Receiver<Option<Outcome>>;

/// The claims of this host: one at a time.
#[derive(Default)]
pub(super) struct Claims {
    flight: Option<Flight>,
    hold_back: Option<HoldBack>,
}

struct HoldBack {
    until: Instant,
    /// How many views had shown an allocation when the claim was sent.
    allocated: u64,
}

/// What someone who wants a session is to do.
pub(super) enum Next {
    /// Send the claim, and tell all what comes of it.
    Send(watch::Sender<Option<Outcome>>, Flight),
    /// Wait for the one that is under way.
    Join(Flight),
    /// Nothing may be sent: see whether one comes of the last claim after all.
    HeldBack,
}

impl Claims {
    /// What to do now. There must be no allocation, as far as is known.
    pub(super) fn next(&mut self, counts: Counts, now: Instant) -> Next {
        if let Some(flight) = &self.flight {
            return Next::Join(flight.clone());
        }
        let holds = |it: &HoldBack| now < it.until && counts.allocated == it.allocated;
        if self.hold_back.as_ref().is_some_and(holds) {
            return Next::HeldBack;
        }
        self.hold_back = None;
        let (tell, flight) = watch::channel(None);
        self.flight = Some(flight.clone());
        Next::Send(tell, flight)
    }

    /// Nobody knows what came of the claim that was sent when the views were these.
    pub(super) fn hold_back(&mut self, sent: Counts, now: Instant) {
        self.hold_back = Some(HoldBack {
            until: now + HOLD_BACK,
            allocated: sent.allocated,
        });
    }

    /// The claim that was under way is settled.
    pub(super) fn landed(&mut self) {
        self.flight = None;
    }

    /// Whether one is under way.
    pub(super) fn under_way(&self) -> bool {
        self.flight.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(next: &Next) -> &'static str {
        match next {
            Next::Send(..) => "send",
            Next::Join(_) => "join",
            Next::HeldBack => "held back",
        }
    }

    #[test]
    fn one_is_under_way_and_after_a_lost_one_none_for_a_while() {
        let mut claims = Claims::default();
        let start = Instant::now();
        let mut counts = Counts::default();
        let at = |millis| start + Duration::from_millis(millis);
        assert_eq!(word(&claims.next(counts, start)), "send");
        assert_eq!(word(&claims.next(counts, start)), "join");
        claims.landed();
        assert_eq!(word(&claims.next(counts, start)), "send");
        claims.landed();
        claims.hold_back(counts, start);
        // Views without an allocation change nothing.
        counts.views += 1;
        assert_eq!(word(&claims.next(counts, at(9_999))), "held back");
        assert_eq!(word(&claims.next(counts, at(10_000))), "send");
        claims.landed();
        claims.hold_back(counts, start);
        counts.allocated += 1;
        assert_eq!(word(&claims.next(counts, at(1))), "send");
    }
}
