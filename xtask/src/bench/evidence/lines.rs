//! The lines that the figures have to reach.

use super::super::verdict::Verdict;
use super::quarter::Quarter;

/// How much memory may grow from the end of the first quarter, when everything that is made once is made, to
/// that of the last, in percent.
const GROWTH: f64 = 5.0;

/// How far decisions may stay behind those who come, in percent: some are under way when a quarter ends.
const BEHIND: f64 = 2.0;

/// Judges a run. `rate` is how many were to come in a second, `left_open` what stayed open of the host's files
/// and sockets.
pub(super) fn judge(quarters: &[Quarter], rate: u32, left_open: u64) -> Vec<Verdict> {
    vec![
        count(
            "decisions later than 10 s, `approval_timeout` and clients that gave up",
            total(quarters, late),
        ),
        count(
            "refused or without an answer, though all had a reservation",
            total(quarters, not_accepted).map(f64::abs),
        ),
        Verdict {
            what: "decisions behind those who come, at worst",
            figure: behind(quarters, rate),
            line: BEHIND,
            unit: " %",
            below: false,
            always: false,
        },
        Verdict {
            what: "memory grown from the first quarter to the last",
            figure: growth(quarters),
            line: GROWTH,
            unit: " %",
            below: false,
            always: false,
        },
        count("files and sockets left open", Some(left_open as f64)),
    ]
}

/// Something of which there must be none.
fn count(what: &'static str, figure: Option<f64>) -> Verdict {
    Verdict {
        what,
        figure,
        line: 0.0,
        unit: "",
        below: false,
        always: true,
    }
}

/// Nothing where one of the quarters was not measured, or nobody came.
fn total(quarters: &[Quarter], of: impl Fn(&Quarter) -> Option<f64>) -> Option<f64> {
    let came: f64 = quarters.iter().filter_map(|it| it.figure("came")).sum();
    let total = quarters.iter().map(of).sum::<Option<f64>>()?;
    (came > 0.0).then_some(total)
}

fn late(quarter: &Quarter) -> Option<f64> {
    let told = quarter.figure("rejected/approval_timeout").unwrap_or(0.0);
    Some(quarter.figure("too_late")? + told + quarter.sum("lost")?)
}

/// Who came in one quarter may be answered in the next, so this means something only for all of them together.
fn not_accepted(quarter: &Quarter) -> Option<f64> {
    Some(quarter.figure("came")? - quarter.figure("accepted")?)
}

fn behind(quarters: &[Quarter], rate: u32) -> Option<f64> {
    let loaded = quarters.iter().filter(|it| it.is_loaded());
    let decided: Option<Vec<_>> = loaded
        .map(|it| it.figure("decided_each_second"))
        // In the first one some wait that nobody came before.
        .skip(1)
        .collect();
    let fewest = decided?.into_iter().reduce(f64::min)?;
    Some((100.0 - fewest / f64::from(rate) * 100.0).max(0.0))
}

fn growth(quarters: &[Quarter]) -> Option<f64> {
    let mut loaded = quarters.iter().filter(|it| it.is_loaded());
    let first = loaded.next()?.memory as f64;
    let last = loaded.next_back()?.memory as f64;
    Some((last / first - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::super::quarter::tests::quarter;
    use super::*;
    use serde_json::json;

    fn held(quarters: &[Quarter], left_open: u64) -> Vec<bool> {
        let verdicts = judge(quarters, 100, left_open);
        verdicts.iter().map(Verdict::holds).collect()
    }

    #[test]
    fn a_run_in_which_all_were_let_in_and_nothing_grew_is_good() {
        // Some are answered when nobody comes any more.
        let mut after = quarter("last answers", 1, 2_000_000);
        after.said["joiners"]["asked_each_second"] = 0.into();
        after.said["joiners"]["came"] = 0.into();
        let good = [
            quarter("first quarter", 99, 1_000_000),
            quarter("last quarter", 100, 1_040_000),
            after,
        ];
        assert_eq!(held(&good, 0), [true; 5]);
        assert_eq!(held(&good, 1), [true, true, true, true, false]);
        assert_eq!(held(&[], 0), [false, false, false, false, true]);
    }

    #[test]
    fn who_was_late_lost_or_refused_is_missed() {
        let first = quarter("first quarter", 100, 1_000_000);
        for (key, value, missed) in [
            ("too_late", json!(1), [false, true]),
            ("lost", json!({"SessionTimeout": 1}), [false, true]),
            ("rejected", json!({"approval_timeout": 1}), [false, true]),
            ("accepted", json!(99), [true, false]),
        ] {
            let mut second = quarter("last quarter", 100, 1_000_000);
            second.said["joiners"][key] = value;
            assert_eq!(held(&[first.clone(), second], 0)[..2], missed, "{key}");
        }
        let slow = quarter("last quarter", 97, 1_100_000);
        assert_eq!(held(&[first, slow], 0), [true, false, false, false, true]);
    }
}
