//! The book in virtual time, with the core played by hand.

mod requests;
mod sessions;

use super::*;
use crate::core_loop::DoorEvent;
use usher_core::{Grant, SessionEnd};

/// A book, what it wants of the core, and the time.
struct Door {
    book: Book,
    now: Moment,
    last: u64,
}

const LEASE: u64 = 30_000;

impl Door {
    fn new() -> Door {
        let terms = Terms {
            id: DoorId(0),
            name: "game".into(),
            room: "main".into(),
            confirm: Duration::from_secs(10),
            lease: Duration::from_millis(LEASE),
            full: Reason::new("pool-full", "Too many are waiting."),
        };
        Door {
            book: Book::new(terms, Run(0x00c0_ffee)),
            now: Moment::from_millis(1_000_000),
            last: 0,
        }
    }

    /// A call that is answered at once.
    fn call(&mut self, instance: Option<&str>) -> Result<(), Replaced> {
        let life = self.book.call(instance, self.now)?;
        self.book.answered(life, self.now);
        Ok(())
    }

    fn ask_for(&mut self, key: &str, name: &str) -> Result<Begun, NotBegun> {
        let json = format!("{{\"address\": \"192.0.2.7\", \"name\": {name:?}}}");
        let asked: NewRequest = serde_json::from_str(&json).expect("a request");
        let payload = asked.payload().expect("a payload");
        self.last += 1;
        let id = RequestId(self.last);
        let (key, body) = (Digest::of(key), Digest::of(&json));
        self.book.begin(id, key, body, asked, payload, self.now)
    }

    /// A new request with this key.
    fn begin(&mut self, key: &str) -> RequestId {
        let Ok(Begun::New(id)) = self.ask_for(key, "R9") else {
            panic!("{key} is not new");
        };
        id
    }

    fn deliver(&mut self, event: DoorEvent) {
        self.book.deliver(event, self.now);
    }

    fn accept(&mut self, request: RequestId, session: u64) -> String {
        let grant = Grant {
            session: SessionId(session),
            token: None,
            number: None,
            name: "R9".into(),
            room: "main".into(),
            config: (*b"map=7").into(),
        };
        self.deliver(DoorEvent::Accepted { request, grant });
        self.book.run.name(session)
    }

    fn refuse(&mut self, request: RequestId) {
        let reason = Reason::new("server-full", "The server is full.");
        self.deliver(DoorEvent::Refused {
            request,
            reason,
            at_knock: false,
        });
    }

    fn over(&mut self, request: RequestId, session: u64, how: SessionEnd) {
        let session = SessionId(session);
        self.deliver(DoorEvent::Ended {
            request,
            session,
            how,
        });
    }

    /// Time passes, with a look at what it brings every quarter of a second.
    fn pass(&mut self, millis: u64) {
        let end = self.now.after(Duration::from_millis(millis));
        while self.now < end {
            let step = Duration::from_millis(250).min(end.since(self.now));
            self.now = self.now.after(step);
            self.book.sweep(self.now);
        }
    }

    fn answer(&self, request: RequestId) -> Option<Answer> {
        let answer = self.book.requests.answer(request);
        answer.map(|answer| Answer::clone(&answer))
    }

    fn word(&self, request: RequestId) -> &'static str {
        self.answer(request).map_or("unknown", |it| it.word())
    }

    /// What the core is told.
    fn orders(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.book.order())
            .map(|order| match order {
                Order::Knock(data) => format!("knock {}", data.id),
                Order::Tell(Input::Gone { request, how }) => format!("gone {request} {how:?}"),
                Order::Tell(Input::Confirm { session }) => format!("confirm {session}"),
                Order::Tell(Input::Seen { session, at }) => {
                    format!("seen {session} {}", self.now.since(at).as_millis())
                }
                Order::Tell(other) => format!("{other:?}"),
            })
            .collect()
    }

    /// Nothing is left, once what is kept for a while was.
    fn close(mut self) {
        let (peers, bytes) = self.book.holds();
        assert!(peers.iter().all(|(_, count)| *count == 0), "{peers:?}");
        assert_eq!(bytes, 0);
        self.pass(20_000);
        for id in 1..=self.last {
            assert_eq!(self.word(RequestId(id)), "unknown");
        }
        assert!(!self.book.requests.untold());
        assert!(self.book.list(self.now).is_empty());
    }
}

fn gone(stage: watch::Receiver<Stage>) -> Option<How> {
    match &*stage.borrow() {
        Stage::Over(ended) => Some(ended.how),
        _ => None,
    }
}
