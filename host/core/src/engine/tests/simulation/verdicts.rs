//! What policies say: anything that the contract allows.

use super::super::world::{claim, pass, question, reject, waiting};
use super::stage::{NAMES, Stage};
use crate::*;
use std::sync::Arc;
use std::time::Duration;

impl Stage {
    fn claims(&mut self, ask: &Ask) -> Vec<Claim> {
        let name = ask.request.name.clone().unwrap();
        let mut claims = vec![claim(&format!("name:{name}"), 1)];
        if self.chance.one_in(2) {
            let limit = 1 + u32::try_from(self.chance.below(4)).unwrap();
            claims.push(claim("server", limit));
        }
        if self.chance.one_in(3) {
            claims.push(claim("class:humans", 2));
        }
        if self.chance.one_in(6) {
            let soon = ask
                .now
                .after(Duration::from_millis(self.chance.below(8_000)));
            claims.push(claim(&format!("ticket:{}", ask.request.id), 1).until(Until::Time(soon)));
        }
        claims
    }

    /// An answer to an ask.
    pub(super) fn verdict(&mut self, ask: &Ask) -> Verdict {
        let claims = self.claims(ask);
        let known = !self.chance.one_in(3);
        let identity = known.then(|| ask.request.name.clone().unwrap());
        let identity_proven = !self.chance.one_in(4);
        let wait = Waiting {
            identity: identity.clone(),
            identity_proven,
            priority: i32::try_from(self.chance.below(3)).unwrap(),
            lane_rank: i32::try_from(self.chance.below(2)).unwrap(),
            status: self.chance.one_in(2).then(|| Arc::from(*b"wait")),
            ..waiting(claims.clone())
        };
        let then = self.chance.one_in(10).then(|| question("act"));
        let option = Admission {
            claims: claims.clone(),
            identity,
            identity_proven,
            ..Admission::default()
        };
        let often_rejects = ask.why == Why::Recheck && self.chance.one_in(4);
        let decision = match self.chance.below(20) {
            _ if often_rejects => reject("banned"),
            0..=2 => pass(claims),
            3 | 4 => reject("no"),
            5..=7 => Decision::Wait(wait),
            8 | 9 => Decision::Ask(Inquiry {
                questions: vec![question(&format!("q{}", self.chance.below(4)))],
                hold: if self.chance.one_in(2) {
                    claims
                } else {
                    Vec::new()
                },
            }),
            10 => Decision::Ask(Inquiry {
                questions: Vec::new(),
                hold: claims,
            }),
            11..=14 => Decision::Accept(Acceptance {
                options: vec![option.clone(), option],
                otherwise_wait: Some(wait),
                then,
            }),
            _ => Decision::Accept(Acceptance {
                options: vec![option],
                otherwise_wait: None,
                then,
            }),
        };
        let mut commands = Vec::new();
        if self.chance.one_in(15)
            && let Some(session) = self.sessions.keys().next_back()
        {
            commands.push(Command::KickSession(*session, Reason::new("kicked", "")));
        }
        if self.chance.one_in(30) {
            let name = self.chance.pick(&NAMES).into();
            commands.push(Command::KickIdentity(name, Reason::new("kicked", "")));
        }
        Verdict { decision, commands }
    }
}
