//! What players say around their coming and going.

use usher_client::raknet::{Client, Options, Reliability};
use usher_tests::{Guest, Setup, Usher, module};

/// Whoever is in can be faster than the news of it on its way to the rules, and be gone before it is there.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_in_one_breath_with_hello_and_goodbye_is_heard() {
    const EACH: usize = 25;
    let host = Usher::start(&Setup::mafianet().policy("prover", module("prover"), ""));
    let mut witness = Guest::come(host.udp, "eve");
    witness.accepted().await;
    let talkers: Vec<_> = (0..3)
        .map(|talker| {
            let door = host.udp;
            tokio::spawn(async move {
                for _ in 0..EACH {
                    let options = Options::default().payload(format!("p{talker}"));
                    let mut client = Client::connect(door, options).await.expect("let in");
                    let ordered = Reliability::ReliableOrdered;
                    let said = client.send(b"\x87hello", ordered, 0).await;
                    said.expect("it is in");
                    client.leave(b"").await.expect("it has a socket");
                }
            })
        })
        .collect();
    let mut heard = Vec::new();
    while heard.len() < 3 * EACH * 3 {
        heard.push(witness.hear().await);
        let left = heard.last().filter(|word| word.starts_with(b"-"));
        if let Some(left) = left {
            let number = &left[1..];
            let hello = [number, b":\x87hello"].concat();
            let said = heard.iter().filter(|word| **word == hello).count();
            let gone = heard.iter().filter(|word| *word == left).count();
            assert_eq!(
                said, gone,
                "{} said goodbye and not hello",
                number[0] as char
            );
        }
    }
    for talker in talkers {
        talker.await.expect("no panic");
    }
    witness.leave().await;
    host.stop();
}
