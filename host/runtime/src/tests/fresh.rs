//! Calls that each have an instance of their own.

use super::bench::{Bench, accepted, module_file, settings};
use crate::pinned::Pinned;
use crate::*;
use usher_core::SlotId;

#[test]
fn no_instance_is_called_a_second_time() {
    let engine = Engine::new(EngineConfig {
        fresh_instances: true,
        ..EngineConfig::default()
    });
    let engine = engine.expect("an engine");
    let bench = Bench::on(engine, Source::File(module_file("open")), settings(), 2);
    for name in ["R9", "D2"] {
        accepted(bench.answer(name));
        let snapshot = bench.snapshot();
        let pinned = Pinned::slot(&snapshot, SlotId(0)).expect("the slot");
        assert_eq!(pinned.generation.module.ready(), 0);
    }
}
