use super::*;
use std::path::Path;
use std::time::{Duration, Instant};
use usher_core::Secret;
use usher_stand_ins::{FakeDiscovery, Fault, What};

const REST: &str = "[[policy]]\nname = \"all\"\nmodule = \"builtin:open\"\n[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:0\"\nudp = \"127.0.0.1:0\"\n";

/// A web service, which says what it is scripted to.
struct World {
    fake: FakeDiscovery,
    folder: tempfile::TempDir,
    services: Services,
}

impl World {
    /// Services with these lines, in which `URL` is where the web service is.
    fn new(lines: &str) -> World {
        let folder = tempfile::tempdir().expect("a directory");
        std::fs::write(folder.path().join("secret"), "Bearer s3cret\n").expect("written");
        let fake = FakeDiscovery::start("another token");
        let config = config(&fake, folder.path(), lines);
        let services = Services::new(&config).expect("plain HTTP needs nothing");
        World {
            fake,
            folder,
            services,
        }
    }

    fn says(&self, path: &str, what: What) {
        self.fake.fault(Fault::at(path, what));
    }

    async fn fetch(&self, arguments: &[&str], body: &str) -> FactAnswer {
        let arguments = arguments.iter().enumerate();
        let question = Question {
            name: "fetch".into(),
            args: arguments
                .map(|(place, text)| match place {
                    2 => QuestionArg::Secret(Secret::new(*text)),
                    _ => QuestionArg::Plain((*text).into()),
                })
                .collect(),
            body: body.as_bytes().into(),
        };
        self.services.fetch(&question).await
    }
}

fn config(fake: &FakeDiscovery, folder: &Path, lines: &str) -> Config {
    let text = lines.replace("URL", &fake.url()) + REST;
    let config = Config::parse(&text, &folder.join("usher.toml"));
    config.unwrap_or_else(|error| panic!("{error}"))
}

fn found(text: &str) -> FactAnswer {
    FactAnswer::Found(text.as_bytes().into())
}

fn unavailable(why: &str) -> FactAnswer {
    FactAnswer::Unavailable(why.into())
}

const TWO: &str = r#"
[[service]]
name = "players"
url = "URL/players/{0}?by={1}"
timeout = "300ms"
max-response = 16
[[service]]
name = "judge"
url = "URL/judge"
method = "POST"
headers = { x-game = "usher" }
header-files = { authorization = "secret" }
"#;

#[tokio::test]
async fn a_service_is_asked_with_arguments_in_their_places() {
    let world = World::new(TWO);
    world.says("/players/", What::json(200, "[1]"));
    let answer = world.fetch(&["players", "a/../b?c", "s&x=1"], "").await;
    assert_eq!(answer, found("[1]"));
    let calls = world.fake.calls().all();
    let [call] = &calls[..] else {
        panic!("one call: {calls:?}");
    };
    assert_eq!((&*call.method, &*call.body), ("GET", ""));
    assert_eq!(call.path, "/players/a%2F..%2Fb%3Fc");
    assert_eq!(call.query.as_deref(), Some("by=s%26x%3D1"));
    assert_eq!(call.bearer, None);
}

#[tokio::test]
async fn a_service_gets_a_body_and_the_secrets_of_now() {
    let world = World::new(TWO);
    world.says("/judge", What::json(201, ""));
    assert_eq!(world.fetch(&["judge"], "{\"a\":1}").await, found(""));
    let file = world.folder.path().join("secret");
    std::fs::write(&file, "Bearer an0ther").expect("written");
    let again = config(&world.fake, world.folder.path(), TWO);
    world.services.configure(&again);
    assert_eq!(world.fetch(&["judge"], "").await, found(""));
    let calls = world.fake.calls().to("POST", "/judge");
    let shown: Vec<_> = calls
        .iter()
        .map(|call| (call.bearer.as_deref(), &*call.body))
        .collect();
    let expected = [(Some("s3cret"), "{\"a\":1}"), (Some("an0ther"), "")];
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn what_does_not_fit_is_not_asked() {
    let world = World::new(TWO);
    for (arguments, why) in [
        (&[][..], "no service is named "),
        (&["elsewhere"], "no service is named elsewhere"),
        (&["players"], "players: it takes 2 arguments"),
        (&["players", "a", "b", "c"], "players: it takes 2 arguments"),
        (
            &["players", "..", "b"],
            "players: an argument makes another address of it",
        ),
        (
            &["players", "", "b"],
            "players: an argument makes another address of it",
        ),
        (&["judge", "a"], "judge: it takes 0 arguments"),
    ] {
        assert_eq!(world.fetch(arguments, "").await, unavailable(why));
    }
    let long = "a".repeat(9000);
    let answer = world.fetch(&["players", &long, ""], "").await;
    assert_eq!(answer, unavailable("players: its arguments are too long"));
    assert!(world.fake.calls().all().is_empty());
}

#[tokio::test]
async fn whatever_a_service_does_it_is_a_fact() {
    let world = World::new(TWO);
    for (what, answer) in [
        (What::json(404, "nobody"), FactAnswer::Missing),
        (What::page(404), FactAnswer::Missing),
        (What::json(204, ""), found("")),
        (What::json(302, ""), unavailable("players: it answered 302")),
        (What::json(410, ""), unavailable("players: it answered 410")),
        (What::page(500), unavailable("players: it answered 500")),
        (
            What::Flood(17),
            unavailable("players: its answer is too long"),
        ),
        (
            What::Silence,
            unavailable("players: there was no answer in time"),
        ),
        (
            What::Drip(Duration::from_millis(50)),
            unavailable("players: there was no answer in time"),
        ),
        (
            What::Close,
            unavailable("players: its answer broke off, or is no HTTP"),
        ),
        (
            What::Die,
            unavailable("players: its answer broke off, or is no HTTP"),
        ),
    ] {
        world.fake.clear_faults();
        world.says("/players/", what.clone());
        let began = Instant::now();
        let learned = world.fetch(&["players", "a", "b"], "").await;
        assert_eq!(learned, answer, "{what:?}");
        assert!(began.elapsed() < Duration::from_secs(5));
    }
    let gone = world.fetch(&["players", "a", "b"], "").await;
    assert_eq!(gone, unavailable("players: it cannot be reached"));
    world.fake.back();
}

#[tokio::test]
async fn a_service_that_hangs_takes_nothing_from_another() {
    let world = World::new(TWO);
    world.says("/players/", What::Silence);
    world.says("/judge", What::json(200, "yes"));
    let hung = async {
        let all = (0..50).map(|_| world.fetch(&["players", "a", "b"], ""));
        let mut all: Vec<_> = all.map(Box::pin).collect();
        for one in &mut all {
            assert!(matches!(one.await, FactAnswer::Unavailable(_)));
        }
    };
    tokio::select! {
        biased;
        () = hung => panic!("nobody answers these"),
        answer = world.fetch(&["judge"], "") => assert_eq!(answer, found("yes")),
    }
}
