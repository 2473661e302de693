//! What operators do, and the rules that they put in place.

use super::stage::{GAME_RULE, Stage};
use crate::*;
use std::sync::Arc;

impl Stage {
    pub(super) fn kick(&mut self) {
        let live = self.live();
        if !live.is_empty() {
            let session = self.chance.pick(&live);
            self.handle(Input::Kick {
                session,
                reason: Reason::new("kicked", ""),
            });
        }
    }

    pub(super) fn close_or_open(&mut self) {
        let key = self.chance.pick(&[Key::room("main"), Key::server()]);
        if self.chance.one_in(3) {
            self.handle(Input::Close {
                key,
                reason: Reason::new("closed", ""),
            });
        } else {
            self.handle(Input::Open { key });
        }
    }

    pub(super) fn recheck(&mut self) {
        let slot = SlotId(u16::try_from(self.chance.below(3)).unwrap());
        let forced = self.chance.one_in(2);
        self.handle(Input::Recheck { slot, forced });
        assert!(
            self.told_of_recheck.remove(&slot) || self.core.rechecks[&slot].running,
            "the operator is not told"
        );
    }

    pub(super) fn reload(&mut self) {
        self.rules += 1;
        let fail = self
            .chance
            .pick(&[FailMode::Closed, FailMode::Open, FailMode::LastGood]);
        self.saw_open |= fail == FailMode::Open;
        let slot = |name: &str, fail, recheck| SlotInfo {
            name: name.into(),
            fail,
            recheck,
            game_rule: name == GAME_RULE,
        };
        let chains: [&[SlotId]; 3] = [
            &[SlotId(0)],
            &[SlotId(0), SlotId(1)],
            &[SlotId(1), SlotId(0)],
        ];
        let chain = self.chance.pick(&chains);
        let [first, second] = [2, 4].map(|times| self.chance.one_in(times));
        self.handle(Input::Rules(Arc::new(Snapshot {
            number: self.rules,
            slots: vec![
                slot("a", fail, first),
                slot(GAME_RULE, FailMode::Closed, second),
            ],
            chains: vec![chain.into(); 2],
            pin: Pin(Arc::new(())),
        })));
    }
}
