//! Instructions in place of time, where clocks are too noisy: counted by callgrind, twice, to see how far they are
//! the same. What hashes with keys that are drawn at random is not to the digit.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::run::Run;
use super::site::cannot_use;
use super::stats::range;
use super::table::columns;
use super::unit::Unit;
use crate::debian;
use crate::process::{self, Outcome};

/// What a program calls before what is to be counted, and after it, on the thread that does it.
const BEGINS: &str = "*counting_begins*";
const ENDS: &str = "*counting_ends*";

/// How far counts of one side may be apart, as a share: further, and something else than a table's random keys is
/// not the same each time.
const APART: f64 = 0.001;

/// How often each is counted, to see that it is the same.
const TIMES: usize = 2;

/// One side: a program that says in a JSON line how many `decisions` each counted batch has.
pub(crate) struct Counted {
    pub(crate) side: String,
    pub(crate) program: Command,
}

/// Builds what is counted of a row.
pub(crate) type Sides = fn(&Run<'_>) -> Outcome<Vec<Counted>>;

/// Counts every side, says whether its counts are the same to the digit, and fails where they are far apart.
pub(crate) fn run(folder: &Path, mut sides: Vec<Counted>) -> Outcome {
    find_valgrind()?;
    let mut rows = vec![
        ["", "each", "in all", "the two counts"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let mut different = Vec::new();
    for counted in &mut sides {
        println!("  {} ...", counted.side);
        let counts = (0..TIMES).map(|_| count(folder, counted));
        let counts = counts.collect::<Outcome<Vec<_>>>()?;
        // It is counted more than once.
        let (instructions, decisions) = counts[0];
        let apart = apart(&counts);
        if apart > APART {
            different.push(format!("{} {counts:?}", counted.side));
        }
        rows.push(vec![
            counted.side.clone(),
            Unit::Instructions.show((instructions as f64 / decisions as f64).round()),
            Unit::Instructions.show(instructions as f64),
            match apart {
                0.0 => "the same".to_owned(),
                apart => format!("{:.4} % apart", apart * 100.0),
            },
        ]);
    }
    println!("\ninstructions of one decision, of a batch of them, counted {TIMES} times\n");
    println!("{}", columns(&rows));
    match different.as_slice() {
        [] => Ok(()),
        some => Err(format!("the counts differ: {}", some.join(", "))),
    }
}

/// The largest count beside the smallest, as a share of it.
fn apart(counts: &[(u64, u64)]) -> f64 {
    let of = |(instructions, _): &(u64, u64)| *instructions as f64;
    range(counts.iter().map(of)).map_or(0.0, |(low, high)| (high - low) / low.max(1.0))
}

/// The instructions of the last batch, when everything is warm, and how many decisions that had.
fn count(folder: &Path, counted: &Counted) -> Outcome<(u64, u64)> {
    let folder = folder.join("callgrind");
    let problem = |error| cannot_use(&folder, &error);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(problem(error)),
        _ => {}
    }
    fs::create_dir_all(&folder).map_err(problem)?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--quiet", "--separate-threads=yes"]);
    command
        .arg(format!("--zero-before={BEGINS}"))
        .arg(format!("--dump-before={ENDS}"))
        .arg(format!(
            "--callgrind-out-file={}",
            folder.join("out").display()
        ))
        .arg(counted.program.get_program())
        .args(counted.program.get_args())
        // Modules compile on one thread: where each piece of memory lies is then the same, and so is what malloc does.
        .env("RAYON_NUM_THREADS", "1");
    let said = process::output(&mut command)?;
    let decisions = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|said| said["decisions"].as_u64())
        .filter(|decisions| *decisions > 0);
    let decisions = decisions
        .ok_or_else(|| format!("{} did not say how many decisions it made", counted.side))?;
    let mut dumps = BTreeMap::new();
    for file in fs::read_dir(&folder).map_err(problem)?.flatten() {
        let Some(number) = file.file_name().to_str().and_then(dump_number) else {
            continue;
        };
        let text = fs::read_to_string(file.path()).map_err(problem)?;
        let instructions = total(&text).ok_or("callgrind wrote a dump without a total")?;
        // Each thread has a dump of its own. The one that does it has the most by far, and what the others
        // do meanwhile (ticking, sleeping) depends on the time that it takes.
        let most = dumps.entry(number).or_insert(0);
        *most = instructions.max(*most);
    }
    let last = dumps.pop_last();
    let (_, instructions) =
        last.ok_or_else(|| format!("{} never called {BEGINS} and {ENDS}", counted.side))?;
    Ok((instructions, decisions))
}

/// `out.3-02` is the third dump; `out-02`, what was left at the end of a thread, is none.
fn dump_number(name: &str) -> Option<u32> {
    let rest = name.strip_prefix("out.")?;
    let number = rest.split_once('-').map_or(rest, |(number, _)| number);
    number.parse().ok()
}

fn total(dump: &str) -> Option<u64> {
    let mut lines = dump.lines();
    lines.find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok())
}

fn find_valgrind() -> Outcome {
    let path = env::var_os("PATH").unwrap_or_default();
    if env::split_paths(&path).any(|folder| folder.join("valgrind").is_file()) {
        return Ok(());
    }
    if !debian::can_install() {
        return Err(
            "there is no valgrind: install it, such as Debian's package of that name".into(),
        );
    }
    eprintln!("xtask: no valgrind here; installing Debian's");
    process::run(&mut debian::apt_get(&["update"]))?;
    let words = ["install", "--yes", "--no-install-recommends", "valgrind"];
    process::run(&mut debian::apt_get(&words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_apart_by_a_share_of_the_smallest() {
        assert_eq!(apart(&[(200, 7), (200, 7)]), 0.0);
        assert_eq!(apart(&[(201, 7), (200, 7)]), 0.005);
    }

    #[test]
    fn dumps_are_told_from_what_was_left_at_the_end() {
        assert_eq!(dump_number("out.3-02"), Some(3));
        assert_eq!(dump_number("out.12"), Some(12));
        assert_eq!(dump_number("out-02"), None);
        assert_eq!(dump_number("out"), None);
        assert_eq!(total("summary: 7\n\ntotals: 191007\n"), Some(191_007));
        assert_eq!(total("summary: 7\n"), None);
    }
}
