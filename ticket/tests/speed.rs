//! What a decode costs at most. Printed, not asserted: machines differ. That time grows with the payload and no
//! faster is a test of `json.rs`.
//!
//! `cargo test --release -p usher-ticket --test speed -- --ignored --nocapture`

use std::time::{Duration, Instant};

use usher_ticket::{JoinTicket, MAX_BYTES};

const ROUNDS: u32 = 20_000;

#[test]
#[ignore = "prints figures"]
fn what_a_payload_costs() {
    let ticket = r#"{"v":1,"kind":"match","protocolVersion":3,"playerId":"p","ticketId":"t","allocationId":"a"}"#;
    let object = |inside: &str| format!("{{{inside}}}");
    let many = |piece: &str| piece.repeat((MAX_BYTES - 40) / piece.len());
    let keys = |make: fn(usize) -> String| (0..140).map(make).collect::<String>();
    let deep = format!("{}{}", r#"{"":["#.repeat(31), "]}".repeat(31));
    for (name, payload) in [
        ("a ticket", ticket.to_owned()),
        ("a ticket and spaces", format!("{ticket:MAX_BYTES$}")),
        (
            "many keys",
            object(&format!(r#"{}"":1"#, keys(|key| format!(r#""{key}":1,"#)))),
        ),
        (
            "many long keys",
            object(&format!(
                r#"{}"":1"#,
                (10..60)
                    .map(|key| format!(r#""aaaaaaaaaa{key}":1,"#))
                    .collect::<String>()
            )),
        ),
        (
            "many escaped keys",
            object(&format!(
                r#"{}"":1"#,
                (1000..1090)
                    .map(|key| format!(r#""\u{key}":1,"#))
                    .collect::<String>()
            )),
        ),
        (
            "many objects",
            object(&format!(r#""a":[{}1]"#, many(r#"{"":1},"#))),
        ),
        (
            "deep and wide",
            object(&format!(r#""a":[{}1]"#, many(&format!("{deep},")))),
        ),
        (
            "one escaped text",
            object(&format!(r#""a":"{}""#, many(r"\u0041"))),
        ),
        ("open brackets", "[".repeat(MAX_BYTES)),
        ("one long number", object(&format!(r#""a":{}"#, many("9")))),
    ] {
        assert!(payload.len() <= MAX_BYTES, "{name}: {}", payload.len());
        let mut least = Duration::MAX;
        let start = Instant::now();
        for _ in 0..ROUNDS {
            let one = Instant::now();
            std::hint::black_box(JoinTicket::decode(std::hint::black_box(payload.as_bytes()))).ok();
            least = least.min(one.elapsed());
        }
        let mean = start.elapsed() / ROUNDS;
        println!(
            "{name}: {mean:?} a payload of {} bytes, {least:?} at best",
            payload.len()
        );
    }
}
