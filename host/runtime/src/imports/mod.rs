//! What a module can ask the host for while it runs, or tell it. A file is one import, with its tests; none of
//! them can block, change anything or reach the outside.

pub(crate) mod answer;
pub(crate) mod bucket;
pub(crate) mod clock;
pub(crate) mod details;
pub(crate) mod ledger;
pub(crate) mod log;
pub(crate) mod params;
pub(crate) mod random;

use crate::bucket::Buckets;
use crate::config::Params;
use answer::Answer;
use bucket::BucketsView;
use clock::FixedClock;
use details::{About, Details};
use ledger::Ledger;
use log::Log;
use params::ParamsView;
use random::Random;
use std::sync::Arc;
use usher_core::Moment;

/// The imports of one instance. What they answer is set anew before each call.
pub(crate) struct Imports {
    pub(crate) details: Details,
    /// Opened before a call that decides, and by nothing else.
    pub(crate) answer: Answer,
    pub(crate) ledger: Ledger,
    pub(crate) buckets: BucketsView,
    pub(crate) params: ParamsView,
    pub(crate) clock: FixedClock,
    pub(crate) random: Random,
    pub(crate) log: Log,
}

/// What one call sees of the world.
pub(crate) struct Sight<'a> {
    /// The moment.
    pub(crate) now: Moment,
    /// The seed of its random numbers.
    pub(crate) seed: u64,
    /// The operator's settings.
    pub(crate) params: &'a Arc<Params>,
    /// The operator's lists; rules have no way to look into them.
    pub(crate) buckets: Option<&'a Arc<Buckets>>,
    /// The request that it is about.
    pub(crate) about: About<'a>,
}

impl Imports {
    /// Before a call.
    pub(crate) fn begin(&mut self, sight: &Sight<'_>) {
        self.details.begin(&sight.about);
        self.ledger.begin(sight.about.held());
        self.buckets.begin(sight.buckets);
        self.params.begin(sight.params);
        self.clock.begin(sight.now);
        self.random.begin(sight.seed);
        self.log.begin(sight.now);
    }

    /// After a call: what was asked is not kept.
    pub(crate) fn end(&mut self) {
        self.details.end();
    }
}
