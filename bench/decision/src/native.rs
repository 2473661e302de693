//! The rule as a Rust function, on a request that it is lent or on one of its own.

use std::hint::black_box;

use usher_bench_rule::{Calls, Case, Request, Side, Verdict, World, native, requests};

/// The side.
pub(crate) struct Native {
    cases: Vec<Case>,
    world: World,
    owned: bool,
}

impl Native {
    /// With a request of its own each time, as a plug-in is given one whose life it does not know.
    pub(crate) fn new(owned: bool) -> Native {
        Native {
            cases: requests(),
            world: World::new(),
            owned,
        }
    }

    fn decide(&self, request: &Request) -> Verdict {
        if self.owned {
            let own = black_box(request.clone());
            native::decide(&own, black_box(&self.world))
        } else {
            native::decide(black_box(request), black_box(&self.world))
        }
    }
}

impl Side for Native {
    fn verdict(&mut self, index: usize) -> Verdict {
        self.decide(&self.cases[index].request)
    }

    fn batch(&mut self, when: &mut Calls) {
        when.each(&self.cases, |request| self.decide(request));
    }
}
