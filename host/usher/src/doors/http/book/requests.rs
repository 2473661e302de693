//! The requests of a door, by id and by the key that game servers repeat them with.
//!
//! An open one is bounded by the core's pending pool. What came of it is kept for a while, so that a
//! repeated call is told the same, and within bounds of its own.

use crate::doors::http::api::Answer;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use usher_core::{Digest, Moment, RequestId};

/// How long an answer is kept at least.
const KEPT: Duration = Duration::from_secs(20);

/// The most answers that are kept, and the most bytes of them: the oldest is forgotten for one more.
const MOST_KEPT: usize = 65_536;
const MOST_KEPT_BYTES: usize = 64 << 20;

/// The most bytes that undecided requests may carry together.
const MOST_OPEN_BYTES: usize = 16 << 20;

/// The requests.
pub(super) struct Requests {
    entries: HashMap<RequestId, Entry>,
    by_key: HashMap<Digest, RequestId>,
    /// When each was answered; an entry that was answered again since stands here twice.
    answered: VecDeque<(Moment, RequestId)>,
    kept: Duration,
    /// Those without an answer, in the order in which they came.
    open: BTreeSet<RequestId>,
    open_bytes: usize,
    kept_bytes: usize,
    /// How many answers nobody was told.
    untold: usize,
}

struct Entry {
    key: Digest,
    /// Of what was asked.
    body: Digest,
    /// What it carries while it is open, then what its answer does.
    bytes: usize,
    answer: watch::Sender<Arc<Answer>>,
    answered: Option<Moment>,
    /// It can still be confirmed, and is not forgotten; and whether it would have been.
    pinned: bool,
    parked: bool,
    told: bool,
    /// When someone last asked about it, and how many are asking.
    asked: Moment,
    asking: u32,
}

/// What came of a call with a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::doors::http) enum Begun {
    /// It is a new request.
    New(RequestId),
    /// It repeats this one.
    Known(RequestId),
}

/// Why a call with a key came to nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::doors::http) enum NotBegun {
    /// The key was used with another body.
    Reused,
    /// Undecided requests carry too much already.
    Busy,
}

/// What is asked about a request.
pub(in crate::doors::http) type Watched = watch::Receiver<Arc<Answer>>;

impl Requests {
    /// Answers are kept for some time, and at least this long.
    pub(super) fn new(at_least: Duration) -> Requests {
        Requests {
            entries: HashMap::new(),
            by_key: HashMap::new(),
            answered: VecDeque::new(),
            kept: KEPT.max(at_least),
            open: BTreeSet::new(),
            open_bytes: 0,
            kept_bytes: 0,
            untold: 0,
        }
    }

    /// A call: a new request with this id and first answer, or one that is known.
    pub(super) fn begin(
        &mut self,
        id: RequestId,
        key: Digest,
        body: Digest,
        bytes: usize,
        first: Answer,
        now: Moment,
    ) -> Result<Begun, NotBegun> {
        if let Some(known) = self.by_key.get(&key) {
            let same = self.entries.get(known).is_some_and(|it| it.body == body);
            return match same {
                true => Ok(Begun::Known(*known)),
                false => Err(NotBegun::Reused),
            };
        }
        if self.open_bytes + bytes > MOST_OPEN_BYTES {
            return Err(NotBegun::Busy);
        }
        self.open.insert(id);
        self.open_bytes += bytes;
        self.by_key.insert(key, id);
        let entry = Entry {
            key,
            body,
            bytes,
            answer: watch::Sender::new(Arc::new(first)),
            answered: None,
            pinned: false,
            parked: false,
            told: false,
            asked: now,
            asking: 0,
        };
        self.entries.insert(id, entry);
        Ok(Begun::New(id))
    }

    /// Someone asks, until [`Requests::asked`].
    pub(super) fn ask(&mut self, id: RequestId) -> Option<Watched> {
        let entry = self.entries.get_mut(&id)?;
        entry.asking += 1;
        Some(entry.answer.subscribe())
    }

    /// Whoever asked asks no more, and may have been told the last answer.
    pub(super) fn asked(&mut self, id: RequestId, told: bool, now: Moment) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.asking = entry.asking.saturating_sub(1);
            entry.asked = now;
            if told && entry.answered.is_some() && !entry.told {
                entry.told = true;
                self.untold -= 1;
            }
        }
    }

    /// How a request stands.
    pub(super) fn answer(&self, id: RequestId) -> Option<Arc<Answer>> {
        let entry = self.entries.get(&id)?;
        Some(entry.answer.borrow().clone())
    }

    /// Changes how an open request stands.
    pub(super) fn change(&mut self, id: RequestId, change: impl FnOnce(&mut Answer)) {
        let open = self.entries.get(&id).filter(|it| it.answered.is_none());
        if let Some(entry) = open {
            entry
                .answer
                .send_modify(|answer| change(Arc::make_mut(answer)));
        }
    }

    /// Gives a request its answer. False if it is not known, or has one; unless `anew`, which gives it
    /// another.
    pub(super) fn settle(
        &mut self,
        id: RequestId,
        answer: Answer,
        anew: bool,
        now: Moment,
    ) -> bool {
        let Some(entry) = self.entries.get_mut(&id) else {
            return false;
        };
        match entry.answered {
            Some(_) if !anew => return false,
            Some(_) => self.kept_bytes -= entry.bytes,
            None => {
                self.open.remove(&id);
                self.open_bytes -= entry.bytes;
                self.untold += 1;
            }
        }
        entry.bytes = weight(&answer);
        (entry.answered, entry.parked) = (Some(now), false);
        entry.answer.send_replace(Arc::new(answer));
        self.kept_bytes += entry.bytes;
        self.answered.push_back((now, id));
        while self.answered.len() > MOST_KEPT || self.kept_bytes > MOST_KEPT_BYTES {
            if !self.forget_oldest() {
                break;
            }
        }
        true
    }

    /// Forgets answers that were kept for long enough.
    pub(super) fn sweep(&mut self, now: Moment) {
        while let Some((at, _)) = self.answered.front() {
            if now < at.after(self.kept) {
                break;
            }
            self.forget_oldest();
        }
    }

    /// The open ones that nobody has asked about for so long.
    pub(super) fn unasked(&self, patience: Duration, now: Moment) -> Vec<RequestId> {
        let unasked = |id: &RequestId| {
            let entry = self.entries.get(id);
            entry.is_some_and(|it| it.asking == 0 && now >= it.asked.after(patience))
        };
        let open = self.open.iter().copied();
        open.filter(unasked).collect()
    }

    /// All that are open, in the order in which they came.
    pub(super) fn all_open(&self) -> Vec<RequestId> {
        self.open.iter().copied().collect()
    }

    /// How many are open, and what they carry.
    pub(super) fn open(&self) -> (u32, usize) {
        let open = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        (open, self.open_bytes)
    }

    /// Whether there are answers that nobody was told.
    pub(super) fn untold(&self) -> bool {
        self.untold > 0
    }

    /// Forgets every answer, however new.
    pub(super) fn forget_all(&mut self) {
        let open = &self.open;
        self.entries.retain(|id, _| open.contains(id));
        self.by_key.retain(|_, id| open.contains(id));
        self.answered.clear();
        self.kept_bytes = 0;
        self.untold = 0;
    }

    /// What was accepted is not forgotten until it is confirmed, or over.
    pub(super) fn pin(&mut self, id: RequestId) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.pinned = true;
        }
    }

    /// And is from then on what any other answer is.
    pub(super) fn unpin(&mut self, id: RequestId) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.pinned = false;
            if std::mem::take(&mut entry.parked)
                && let Some(at) = entry.answered
            {
                self.answered.push_back((at, id));
            }
        }
    }

    /// For so long nobody could ask.
    pub(super) fn pardon(&mut self, gap: Duration) {
        for id in &self.open {
            if let Some(entry) = self.entries.get_mut(id) {
                entry.asked = entry.asked.after(gap);
            }
        }
    }

    /// Whether there was anything to forget.
    fn forget_oldest(&mut self) -> bool {
        let Some((at, id)) = self.answered.pop_front() else {
            return false;
        };
        match self.entries.get_mut(&id) {
            // It was answered again since, and stands further behind.
            None => {}
            Some(entry) if entry.answered != Some(at) => {}
            Some(entry) if entry.pinned => entry.parked = true,
            Some(_) => {
                if let Some(entry) = self.entries.remove(&id) {
                    self.kept_bytes -= entry.bytes;
                    self.untold -= usize::from(!entry.told);
                    self.by_key.remove(&entry.key);
                }
            }
        }
        true
    }
}

/// What an answer costs to keep.
fn weight(answer: &Answer) -> usize {
    match answer {
        Answer::Accepted(it) => {
            let config = it.config.as_ref().map_or(0, String::len);
            config + it.config_base64.len() + it.name.len() + it.room.len()
        }
        Answer::Rejected(it) => it.code.len() + it.text.len(),
        Answer::Waiting(_) | Answer::Over(_) => 0,
    }
}
