//! The engine: inputs in, outputs out.

use crate::config::Config;
use crate::input::Input;
use crate::ledger::TakenView;
use crate::output::Output;
use crate::record::Report;
use crate::time::Moment;
use std::collections::VecDeque;

/// The admission engine of one host. See the crate's documentation.
pub struct Core {
    config: Config,
    entropy: Box<dyn FnMut() -> u64 + Send>,
    taken: TakenView,
    out: VecDeque<Output>,
}

impl Core {
    /// A core with no peers. `entropy` gives 64 random bits a call; the host backs it with the operating
    /// system's generator, because session tokens come from it.
    pub fn new(config: Config, entropy: Box<dyn FnMut() -> u64 + Send>) -> Core {
        Core {
            config,
            entropy,
            taken: TakenView::default(),
            out: VecDeque::new(),
        }
    }

    /// Takes an event that arrived at `now`. First fires every timer that is due by then; expiry is
    /// inclusive (semantics 25). A `now` earlier than the last one counts as the last one.
    pub fn handle(&mut self, input: Input, now: Moment) {
        let _ = (input, now, &mut self.entropy);
    }

    /// The next thing to do. To be called until it returns `None`, after every [`Core::handle`].
    pub fn poll_output(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    /// When to call [`Core::handle`] with [`Input::Tick`], if nothing else happens before.
    pub fn poll_timeout(&self) -> Option<Moment> {
        None
    }

    /// How many units are taken, readable from policy workers.
    pub fn taken_view(&self) -> TakenView {
        self.taken.clone()
    }

    /// How things stand, for operators.
    pub fn report(&self, _now: Moment) -> Report {
        Report {
            max_players: self.config.max_players,
            ..Report::default()
        }
    }

    /// Whether nothing is left: no request, session, place, unit, endpoint or timer. Timed units that
    /// have not expired do not count (semantics 7).
    pub fn is_empty(&self, _now: Moment) -> bool {
        true
    }
}
