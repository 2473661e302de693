//! The table of rules and tests beside this crate's sources names tests that there are.

const TABLE: &str = include_str!("../../../SEMANTICS.md");

const FILES: [(&str, &str); 32] = [
    ("acts", include_str!("acts.rs")),
    ("chain", include_str!("chain.rs")),
    ("claims", include_str!("claims.rs")),
    ("closing", include_str!("closing.rs")),
    ("confirmation", include_str!("confirmation.rs")),
    ("deadlines", include_str!("deadlines.rs")),
    ("declining", include_str!("declining.rs")),
    ("endings", include_str!("endings.rs")),
    ("evidence", include_str!("evidence.rs")),
    ("faults", include_str!("faults.rs")),
    ("game_rule", include_str!("game_rule.rs")),
    ("last_unit", include_str!("last_unit.rs")),
    ("leaving", include_str!("leaving.rs")),
    ("offers", include_str!("offers.rs")),
    ("places", include_str!("places.rs")),
    ("pool", include_str!("pool.rs")),
    ("recheck_limits", include_str!("recheck_limits.rs")),
    ("rechecks", include_str!("rechecks.rs")),
    ("reload", include_str!("reload.rs")),
    ("replay", include_str!("replay.rs")),
    ("returns", include_str!("returns.rs")),
    ("sessions", include_str!("sessions.rs")),
    ("simulation", include_str!("simulation/mod.rs")),
    ("status", include_str!("status.rs")),
    ("stopping", include_str!("stopping.rs")),
    ("takeover", include_str!("takeover.rs")),
    ("takeover_waiting", include_str!("takeover_waiting.rs")),
    ("waiting", include_str!("waiting.rs")),
    ("ledger", include_str!("../../ledger/tests.rs")),
    ("key", include_str!("../../key.rs")),
    ("secret", include_str!("../../secret.rs")),
    ("timers", include_str!("../../timers.rs")),
];

#[test]
fn every_test_that_the_table_of_rules_names_is_there() {
    let mut named = 0;
    for (file, test) in TABLE.split('`').filter_map(|word| word.split_once("::")) {
        let source = FILES.iter().find(|(name, _)| *name == file);
        let (_, source) = source.unwrap_or_else(|| panic!("no file {file}"));
        let test = format!("fn {test}()");
        assert!(source.contains(&test), "{file} has no {test}");
        named += 1;
    }
    assert!(named > 100, "{named}");
}
