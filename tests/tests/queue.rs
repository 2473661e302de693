//! The built-in queue: who comes first, and how an operator changes that while they wait.

use std::fs;
use std::net::SocketAddr;
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use usher_tests::{Answer, Player, Setup, Usher, knock};

/// Who waits, and is let in one after the other.
struct Line {
    host: Usher,
    entering: UnboundedSender<(&'static str, Player)>,
    entered: UnboundedReceiver<(&'static str, Player)>,
}

impl Line {
    fn at(host: Usher) -> Line {
        let (entering, entered) = unbounded_channel();
        Line {
            host,
            entering,
            entered,
        }
    }

    /// Has a player wait, and returns once he does.
    fn wait(&self, name: &'static str) {
        let waiting = |status: &serde_json::Value| status["pending"]["waiting"].as_u64();
        let before = waiting(&self.host.admin.status());
        let (tcp, entering) = (self.host.tcp, self.entering.clone());
        tokio::spawn(async move {
            let player = answer(tcp, name).await.accepted();
            let _ = entering.send((name, player));
        });
        self.host
            .wait_for("waiting", |status| waiting(status) > before);
    }

    /// Whoever is let in next.
    async fn next(&mut self) -> (&'static str, Player) {
        self.entered.recv().await.expect("someone waits")
    }

    /// Everyone who waits is let in and leaves, in this order.
    async fn is_served(&mut self, first: Player, order: &[&str]) {
        let mut seated = first;
        for name in order {
            seated.leave().await;
            let (entered, player) = self.next().await;
            assert_eq!(entered, *name, "of {order:?}");
            seated = player;
        }
        seated.leave().await;
    }
}

async fn answer(tcp: SocketAddr, name: &str) -> Answer {
    knock(tcp, name).await.expect("the host answers")
}

fn queue(seats: u32, params: &str) -> Setup {
    Setup::new()
        .policy(
            "queue",
            "builtin:queue",
            &format!("params = {{ {params} }}"),
        )
        .limit("max-players", &seats.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn priorities_change_while_they_wait_and_nobody_loses_the_time_of_arrival() {
    let host = Usher::start(&queue(1, "vip = [\"nobody\"]"));
    let mut line = Line::at(host);
    let first = answer(line.host.tcp, "first").await.accepted();
    for name in ["a", "b", "c", "d"] {
        line.wait(name);
    }
    let file = line.host.dir().join("usher.toml");
    let text = fs::read_to_string(&file).expect("there");
    fs::write(&file, text.replace("nobody", "c")).expect("written");
    line.host.signal("-HUP");
    let said = "the configuration was read again";
    line.host
        .wait_for("read again", |_| line.host.log().contains(said));
    line.wait("e");
    line.is_served(first, &["c", "a", "b", "d", "e"]).await;
    line.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_put_on_the_list_while_waiting_comes_first() {
    let dir = TempDir::new().expect("there is room for a directory");
    let file = dir.path().join("vip.txt");
    fs::write(&file, "").expect("a file");
    let bucket = format!("[[bucket]]\nname = \"vip\"\nfile = {file:?}\n");
    let params = "vip-bucket = \"vip\", vip-lane = \"vip\"";
    let mut line = Line::at(Usher::start(&queue(1, params).more(&bucket)));
    let first = answer(line.host.tcp, "first").await.accepted();
    for name in ["a", "b", "c"] {
        line.wait(name);
    }
    fs::write(&file, "c # paid\nb\n").expect("written");
    line.host
        .wait_for("read", |status| status["buckets"][0]["entries"] == 2);
    line.wait("d");
    line.is_served(first, &["b", "c", "a", "d"]).await;
    line.host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_seats_are_for_those_they_are_reserved_for_and_they_may_have_any() {
    let host = Usher::start(&queue(4, "reserved = 2, vip = \"v1, v2, v3\""));
    let mut line = Line::at(host);
    let tcp = line.host.tcp;
    let a = answer(tcp, "a").await.accepted();
    let b = answer(tcp, "b").await.accepted();
    line.wait("c");
    let v1 = answer(tcp, "v1").await.accepted();
    let v2 = answer(tcp, "v2").await.accepted();
    line.wait("v3");
    // A seat that an ordinary player leaves is anyone's, and a vip comes first.
    a.leave().await;
    let (name, v3) = line.next().await;
    assert_eq!(name, "v3");
    // Three are in, and the last two seats are not for c.
    v1.leave().await;
    assert_eq!(line.host.admin.status()["pending"]["waiting"], 1);
    v2.leave().await;
    line.host
        .wait_for("seated", |status| status["players"]["connected"] == 2);
    b.leave().await;
    let (name, c) = line.next().await;
    assert_eq!(name, "c");
    v3.leave().await;
    c.leave().await;
    line.host.stop();
}
