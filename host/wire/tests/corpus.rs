//! Replays the fuzz corpus, and mutations of it, in an ordinary test run.

use std::path::Path;
use std::time::{Duration, Instant, UNIX_EPOCH};
use std::{fs, panic};

use usher_wire::fuzzing;

/// Mutated inputs a target: about a second in a debug build, and the same ones on every run.
const MUTATIONS: usize = 300_000;
/// The same, for targets of which one input is a whole exchange.
const FEW_MUTATIONS: usize = 2_000;

#[test]
fn the_tcp_corpus_and_its_mutations_hold() {
    replay("rtyp_tcp", fuzzing::rtyp_tcp, MUTATIONS);
}

#[test]
fn the_udp_corpus_and_its_mutations_hold() {
    replay("rtyp_udp", fuzzing::rtyp_udp, MUTATIONS);
}

#[test]
fn the_offline_corpus_and_its_mutations_hold() {
    replay("raknet_offline", fuzzing::raknet_offline, MUTATIONS);
}

#[test]
fn the_datagram_corpus_and_its_mutations_hold() {
    replay("raknet_datagram", fuzzing::raknet_datagram, MUTATIONS / 3);
}

#[test]
fn the_reassembly_corpus_and_its_mutations_hold() {
    replay(
        "raknet_reassembly",
        fuzzing::raknet_reassembly,
        MUTATIONS / 10,
    );
}

#[test]
fn the_pair_corpus_and_its_mutations_hold() {
    replay("raknet_pair", fuzzing::raknet_pair, FEW_MUTATIONS);
}

#[test]
fn the_ticket_corpus_and_its_mutations_hold() {
    replay("ticket", fuzzing::ticket, MUTATIONS / 3);
}

/// A name and what it feeds.
type Target = (&'static str, fn(&[u8]));

/// `USHER_FUZZ_SECONDS=300 cargo test -p usher-wire --test corpus -- --ignored for_minutes`
#[test]
#[ignore = "for as long as USHER_FUZZ_SECONDS says, 60 by default, on new mutations each time"]
fn new_mutations_hold_for_minutes() {
    let targets: [Target; 7] = [
        ("raknet_datagram", fuzzing::raknet_datagram),
        ("raknet_offline", fuzzing::raknet_offline),
        ("raknet_pair", fuzzing::raknet_pair),
        ("raknet_reassembly", fuzzing::raknet_reassembly),
        ("rtyp_tcp", fuzzing::rtyp_tcp),
        ("rtyp_udp", fuzzing::rtyp_udp),
        ("ticket", fuzzing::ticket),
    ];
    let seconds = std::env::var("USHER_FUZZ_SECONDS")
        .map_or(60, |text| text.parse().expect("a number of seconds"));
    let end = Instant::now() + Duration::from_secs(seconds);
    let time = UNIX_EPOCH.elapsed().expect("a clock after 1970");
    let mut random = Random(time.as_nanos() as u64 | 1);
    let mut count = 0;
    let mut known = targets.map(|(target, _)| {
        let corpus = corpus(target);
        (corpus.len(), corpus)
    });
    while Instant::now() < end {
        for ((target, body), (seeds, known)) in targets.iter().zip(&mut known) {
            let any = [*seeds, known.len()][random.below(2)];
            let [input, other] = [any, known.len()].map(|any| random.below(any));
            let input = mutated(&known[input], &known[other], &mut random);
            if let Err(cause) = panic::catch_unwind(|| body(&input)) {
                eprintln!("{target}: {input:02x?}");
                panic::resume_unwind(cause);
            }
            count += 1;
            // Mutations of mutations lead further, if they are not always shorter.
            if (50..5_000).contains(&input.len()) && random.below(50) == 0 {
                if known.len() < *seeds + 2_000 {
                    known.push(input);
                } else {
                    let at = *seeds + random.below(2_000);
                    known[at] = input;
                }
            }
        }
    }
    println!("{count} inputs");
}

fn replay(target: &str, body: fn(&[u8]), mutations: usize) {
    let corpus = corpus(target);
    assert!(
        corpus.len() >= 5,
        "fuzz/corpus/{target} holds the seeds of this test"
    );
    for input in &corpus {
        body(input);
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for input in corpus.iter().cycle().take(mutations) {
        let other = random.pick(&corpus);
        body(&mutated(input, other, &mut random));
    }
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the corpus is in the repository")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| fs::read(file).expect("a readable file"))
        .collect()
}

/// One to four small damages: a changed byte, a cut, a byte more, or the tail of another input.
fn mutated(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = *random.pick(&[0, 1, 2, 4, 5, 0x7F, 0x80, 0xFF]),
            2 => bytes.truncate(at),
            3 => bytes.insert(at, random.below(256) as u8),
            _ => {
                bytes.truncate(at);
                bytes.extend(&other[random.below(other.len() + 1)..]);
            }
        }
    }
    bytes
}

/// xorshift64*: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
