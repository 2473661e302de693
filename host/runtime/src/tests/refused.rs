//! Modules that are not loaded, and what is said about them.

use super::bench::{Bench, Place, engine, module};
use crate::*;

fn refusal(bytes: &[u8]) -> String {
    match inspect(&engine(), bytes) {
        Err(error) => error.to_string(),
        Ok(inspection) => panic!("loaded: {inspection:?}"),
    }
}

#[test]
fn each_says_what_is_wrong_and_what_to_do() {
    for (name, says, advises) in [
        (
            "wrong-import",
            "imports wasi:cli/environment@0.2.0",
            "without WASI",
        ),
        (
            "new-contract",
            "built for usher:policy 0.2.0, this host speaks 0.1.0",
            "build it with usher-sdk 0.1",
        ),
        (
            "old-contract",
            "built for usher:policy 0.0.9",
            "build it with usher-sdk 0.1",
        ),
        ("wrong-world", "exports neither", "implement one of the two"),
        (
            "bare-module",
            "is a core module without a contract",
            "usher-sdk",
        ),
        (
            "raw-list",
            "fails its self-test: bad answer: ",
            "usher check",
        ),
    ] {
        let said = refusal(&module(name));
        assert!(said.starts_with(says), "{name}: {said}");
        assert!(said.contains(advises), "{name}: {said}");
        assert_eq!(said.lines().count(), 1, "{name}: {said}");
    }
}

#[test]
fn a_module_in_the_wrong_place_is_told_where_it_belongs() {
    let bench = Bench::of("open");
    let place = Place::new();
    let path = place.put("m.wasm", &module("arena"));
    let slot = SlotConfig {
        name: "p".into(),
        source: Source::File(path),
        settings: SlotSettings::default(),
    };
    let failure = Policies::start(
        engine(),
        vec![slot],
        usher_core::TakenView::default(),
        LiveBuckets::default(),
        std::num::NonZeroUsize::MIN,
        bench.clock.clock(),
        drop,
    );
    let said = failure.err().expect("refused").to_string();
    assert!(
        said.starts_with("p: is game rules, and here an admission policy"),
        "{said}"
    );

    let rules = RulesConfig {
        name: "r".into(),
        source: Source::File(place.put("m.wasm", &module("open"))),
        deadline: SlotSettings::DEADLINE,
        params: Params::new(),
    };
    let failure = RulesSlot::load(engine(), rules, bench.clock.clock());
    let said = failure.err().expect("refused").to_string();
    assert!(
        said.starts_with("r: is an admission policy, and here game rules"),
        "{said}"
    );
}

/// The version of the contract is right, and yet it is another contract.
#[test]
fn what_has_another_shape_is_told_what_differs() {
    let mut bytes = module("new-contract");
    let (new, ours) = (b"policy@0.2.0", b"policy@0.1.0");
    for at in 0..bytes.len() - new.len() {
        if bytes[at..].starts_with(b"policy/admission@0.2.0") {
            bytes[at + 17..at + 22].copy_from_slice(b"0.1.0");
        } else if bytes[at..].starts_with(new) {
            bytes[at..at + new.len()].copy_from_slice(ours);
        }
    }
    let said = refusal(&bytes);
    assert!(
        said.starts_with("does not fit usher:policy 0.1.0 ("),
        "{said}"
    );
    assert!(
        said.ends_with("build it with this host's usher-sdk"),
        "{said}"
    );
}

/// The names are right, but two functions have each other's type.
#[test]
fn functions_of_another_type_are_told_as_another_shape() {
    let component = wit_component::ComponentEncoder::default()
        .module(&module("marked"))
        .and_then(|encoder| encoder.encode());
    let mut bytes = component.expect("a component");
    let names = [b"on-ended", b"describe"];
    for at in 0..bytes.len() - names[0].len() {
        let place = &mut bytes[at..at + names[0].len()];
        if let Some(found) = names.iter().position(|name| place == *name) {
            place.copy_from_slice(names[1 - found]);
        }
    }
    let said = refusal(&bytes);
    assert!(
        said.starts_with("does not fit usher:policy 0.1.0 ("),
        "{said}"
    );
}

/// A truncated or damaged module is refused or, where the damage does not matter, loads as it should.
#[test]
fn damage_never_panics() {
    let whole = module("open");
    let engine = engine();
    for cut in (0..16).map(|part| whole.len() * part / 16) {
        assert!(inspect(&engine, &whole[..cut]).is_err(), "cut at {cut}");
    }
    let flips = 48;
    for part in 0..flips {
        let mut damaged = whole.clone();
        let at = whole.len() * part / flips + part % 7;
        damaged[at.min(whole.len() - 1)] ^= 1 << (part % 8);
        if let Ok(inspection) = inspect(&engine, &damaged) {
            assert_eq!(inspection.world, World::AdmissionPolicy, "flip {part}");
        }
    }
}

#[test]
fn zeros_are_no_module() {
    assert!(refusal(b"").starts_with("is empty"));
    assert!(refusal(&[0; 4_096]).starts_with("is not WebAssembly"));
}

#[test]
fn a_failed_reload_leaves_the_old_generation_and_is_remembered() {
    let place = Place::new();
    let path = place.put("m.wasm", &module("version-a"));
    let bench = Bench::new(Source::File(path));
    let good = module("version-a");
    for bad in [
        &b""[..],
        b"\0",
        &good[..good.len() / 2],
        &module("wrong-import"),
    ] {
        place.put("m.wasm", bad);
        let failure = bench.policies.reload("p", false).expect_err("refused");
        assert_eq!(&*failure.slot, "p");
        let status = bench.status();
        assert_eq!(status.state, SlotState::FailedToLoad);
        assert_eq!(status.last_error, Some(failure.error.to_string()));
        assert_eq!(bench.answer("R9").generation, 1);
        // The same bytes are not tried again.
        assert_eq!(
            bench.policies.reload("p", false).ok(),
            Some(Reload::Unchanged)
        );
    }
    std::fs::remove_file(place.at("m.wasm")).expect("there");
    std::fs::create_dir(place.at("m.wasm")).expect("a directory");
    let said = bench
        .policies
        .reload("p", false)
        .expect_err("refused")
        .to_string();
    assert!(said.contains("is not a file"), "{said}");
    assert_eq!(bench.answer("R9").generation, 1);
    std::fs::remove_dir(place.at("m.wasm")).expect("there");
    let large = std::fs::File::create(place.at("m.wasm")).expect("a file");
    large.set_len(64 << 20).expect("a sparse file");
    let said = bench
        .policies
        .reload("p", false)
        .expect_err("refused")
        .to_string();
    assert!(said.contains("larger than 32 MiB"), "{said}");
    assert_eq!(bench.answer("R9").generation, 1);
}

#[test]
fn there_is_no_slot_of_another_name() {
    let bench = Bench::of("open");
    let failure = bench.policies.reload("q", false).expect_err("no such slot");
    assert_eq!(
        failure.to_string(),
        "q: there is no slot of that name: `GET /v1/status` lists them"
    );
    assert!(bench.policies.rollback("q").is_err());
}
