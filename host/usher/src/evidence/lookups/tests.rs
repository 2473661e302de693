use super::*;
use crate::clock::Clock;
use crate::config::Config;
use crate::core_loop;
use crate::evidence::Chosen;
use std::path::Path;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::timeout;
use usher_core::QuestionArg;
use usher_stand_ins::{FakeDiscovery, Fault, What};

const PATIENCE: Duration = Duration::from_secs(30);

/// Evidence of two services: one that hangs and one that answers.
struct World {
    fake: FakeDiscovery,
    evidence: Evidence,
    answers: UnboundedReceiver<Input>,
    _parts: JoinSet<()>,
}

impl World {
    fn new(in_flight: usize) -> World {
        let fake = FakeDiscovery::start("another");
        fake.fault(Fault::at("/hung", What::Silence));
        fake.fault(Fault::at("/good", What::json(200, "yes")));
        let service = |name: &str| {
            let url = fake.url();
            format!("[[service]]\nname = {name:?}\nurl = \"{url}/{name}\"\ntimeout = \"1m\"\n")
        };
        let text = service("hung")
            + &service("good")
            + "[[policy]]\nname = \"all\"\nmodule = \"builtin:open\"\n[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:0\"\nudp = \"127.0.0.1:0\"\n";
        let config = Config::parse(&text, Path::new("usher.toml"));
        let config = config.unwrap_or_else(|error| panic!("{error}"));
        let chosen = Chosen::choose(&config, None);
        let (core, _inbox) = core_loop::channel(Clock::start());
        let mut parts = JoinSet::new();
        let sources = Sources::start(&config, &chosen, &core, &mut parts).expect("it starts");
        let (to, answers) = unbounded_channel();
        let tell = move |input| drop(to.send(input));
        World {
            fake,
            evidence: Evidence::telling(Arc::new(sources), in_flight, tell),
            answers,
            _parts: parts,
        }
    }

    fn ask(&self, request: u64, name: &str, arguments: &[&str], wanted: Wanted) {
        let arguments = arguments
            .iter()
            .map(|text| QuestionArg::Plain((*text).into()));
        self.evidence.look_up(Lookup {
            request: RequestId(request),
            attempt: 7,
            question: Question {
                name: name.into(),
                args: arguments.collect(),
                body: [].into(),
            },
            kind: LookupKind::Question,
            wanted,
        });
    }

    /// The next answer, and to which request.
    async fn next(&mut self) -> (u64, FactAnswer) {
        let next = timeout(PATIENCE, self.answers.recv()).await;
        match next.expect("in time").expect("evidence lives") {
            Input::Fact {
                request,
                attempt: 7,
                answer,
                ..
            } => (request.0, answer),
            input => panic!("no answer: {input:?}"),
        }
    }

    async fn hangs(&self, count: usize) {
        let end = Instant::now() + PATIENCE;
        while self.fake.calls().count("GET", "/hung") < count {
            assert!(Instant::now() < end, "they never came");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn unavailable(why: &str) -> FactAnswer {
    FactAnswer::Unavailable(why.into())
}

#[tokio::test]
async fn what_nobody_knows_is_unavailable_at_once() {
    let mut world = World::new(8);
    world.ask(1, "weather", &[], Wanted::default());
    let why = "no source is configured for weather";
    assert_eq!(world.next().await, (1, unavailable(why)));
    world.ask(2, "verify", &["r", "p"], Wanted::default());
    let why = "nobody knows in mode none";
    assert_eq!(world.next().await, (2, unavailable(why)));
}

#[tokio::test]
async fn those_that_hang_hold_up_nobody_else() {
    let mut world = World::new(100);
    for request in 0..50 {
        world.ask(request, "fetch", &["hung"], Wanted::default());
    }
    world.hangs(50).await;
    world.ask(50, "fetch", &["good"], Wanted::default());
    let yes = FactAnswer::Found((*b"yes").into());
    assert_eq!(world.next().await, (50, yes));
}

#[tokio::test]
async fn who_finds_no_room_is_told_so_and_room_comes_back() {
    let mut world = World::new(2);
    let (life, other) = (Arc::new(()), Arc::new(()));
    world.ask(1, "fetch", &["hung"], Wanted::with(&life));
    world.ask(2, "fetch", &["hung"], Wanted::with(&other));
    world.ask(3, "fetch", &["good"], Wanted::default());
    let full = unavailable("too many lookups are under way");
    assert_eq!(world.next().await, (3, full.clone()));
    world.hangs(2).await;
    // One of them goes, and what it asked is given up soon, without an answer.
    drop(life);
    let end = Instant::now() + PATIENCE;
    loop {
        world.ask(4, "fetch", &["good"], Wanted::default());
        match world.next().await {
            (4, answer) if answer == full => {
                assert!(Instant::now() < end, "its place never came back");
                tokio::time::sleep(LOOK / 10).await;
            }
            answer => {
                assert_eq!(answer, (4, FactAnswer::Found((*b"yes").into())));
                break;
            }
        }
    }
    drop(other);
}

#[tokio::test]
async fn what_nobody_waits_for_is_never_asked() {
    let mut world = World::new(8);
    let life = Arc::new(());
    let wanted = Wanted::with(&life);
    drop(life);
    world.ask(1, "fetch", &["hung"], wanted);
    world.ask(2, "fetch", &["good"], Wanted::default());
    assert_eq!(world.next().await.0, 2);
    assert_eq!(world.fake.calls().count("GET", "/hung"), 0);
    assert!(world.answers.try_recv().is_err());
}
