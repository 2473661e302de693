//! The ledger against a model that is too simple to be wrong: a list of who has what.

use super::*;
use crate::id::SessionId;
use proptest::prelude::*;
use std::collections::BTreeSet;

const HOLDERS: u64 = 6;
const KEYS: usize = 4;

#[derive(Clone, Debug)]
enum Step {
    Take {
        holder: u64,
        claims: Vec<(usize, u32, bool)>,
    },
    Release(u64),
    Forget(u64),
    Swap {
        victim: u64,
        holder: u64,
        claims: Vec<(usize, u32, bool)>,
    },
    Close(usize),
    Open(usize),
}

fn claims() -> impl Strategy<Value = Vec<(usize, u32, bool)>> {
    prop::collection::vec((0..KEYS, 0..4_u32, any::<bool>()), 1..4)
}

fn step() -> impl Strategy<Value = Step> {
    let holder = 0..HOLDERS;
    prop_oneof![
        6 => (holder.clone(), claims()).prop_map(|(holder, claims)| Step::Take { holder, claims }),
        2 => holder.clone().prop_map(Step::Release),
        1 => holder.clone().prop_map(Step::Forget),
        2 => (holder.clone(), holder, claims())
            .prop_map(|(victim, holder, claims)| Step::Swap { victim, holder, claims }),
        1 => (0..KEYS).prop_map(Step::Close),
        1 => (0..KEYS).prop_map(Step::Open),
    ]
}

fn key(number: usize) -> Key {
    Key::of("key", &number.to_string())
}

fn real(claims: &[(usize, u32, bool)]) -> Vec<Claim> {
    let reason = Reason::new("full", "");
    let claim = |(number, limit, index): &(usize, u32, bool)| {
        let claim = Claim::new(key(*number), *limit, reason.clone());
        if *index {
            claim.with_lowest_index()
        } else {
            claim
        }
    };
    claims.iter().map(claim).collect()
}

/// Who has what, and which keys are closed.
#[derive(Clone, Default)]
struct Model {
    units: BTreeSet<(usize, u64)>,
    closed: BTreeSet<usize>,
}

impl Model {
    fn take(&mut self, holder: u64, claims: &[(usize, u32, bool)]) -> bool {
        let fits = claims.iter().all(|(key, limit, _)| {
            let others = self
                .units
                .iter()
                .filter(|(k, h)| k == key && *h != holder)
                .count();
            let has = self.units.contains(&(*key, holder));
            !self.closed.contains(key) && (has || others < *limit as usize)
        });
        if fits {
            self.units
                .extend(claims.iter().map(|(key, _, _)| (*key, holder)));
        }
        fits
    }

    fn release(&mut self, holder: u64) {
        self.units.retain(|(_, h)| *h != holder);
    }
}

fn session(number: u64) -> Holder {
    Holder::Session(SessionId(number))
}

proptest! {
    #[test]
    fn the_ledger_agrees_with_a_list_of_who_has_what(steps in prop::collection::vec(step(), 1..80)) {
        let (mut ledger, mut model) = (Ledger::default(), Model::default());
        for step in steps {
            let before: Vec<_> = (0..KEYS).map(|number| ledger.taken(&key(number))).collect();
            match step {
                Step::Take { holder, claims } => {
                    let committed = ledger.commit(&[Op::Take(session(holder), &real(&claims))]);
                    prop_assert_eq!(committed.is_ok(), model.take(holder, &claims));
                }
                Step::Release(holder) => {
                    prop_assert!(ledger.commit(&[Op::Release(session(holder))]).is_ok());
                    model.release(holder);
                }
                Step::Forget(holder) => {
                    prop_assert!(ledger.commit(&[Op::Forget(session(holder))]).is_ok());
                    model.release(holder);
                }
                Step::Swap { victim, holder, claims } => {
                    let claims_real = real(&claims);
                    let ops = [Op::Release(session(victim)), Op::Take(session(holder), &claims_real)];
                    let mut after = model.clone();
                    after.release(victim);
                    let expected = after.take(holder, &claims);
                    let committed = ledger.commit(&ops);
                    prop_assert_eq!(committed.is_ok(), expected);
                    if let Ok(freed) = committed {
                        model = after;
                        for (number, before) in before.iter().enumerate() {
                            let fewer = ledger.taken(&key(number)) < *before;
                            prop_assert_eq!(freed.contains(&key(number)), fewer);
                        }
                    }
                }
                Step::Close(number) => {
                    ledger.close(key(number), Reason::new("closed", ""));
                    model.closed.insert(number);
                }
                Step::Open(number) => {
                    prop_assert_eq!(ledger.open(&key(number)), model.closed.remove(&number));
                }
            }
            for number in 0..KEYS {
                let taken = model.units.iter().filter(|(k, _)| *k == number).count();
                prop_assert_eq!(ledger.taken(&key(number)) as usize, taken);
                prop_assert_eq!(ledger.view().taken(&key(number)) as usize, taken);
            }
            prop_assert_eq!(ledger.held() as usize, model.units.len());
            indices_are_distinct(&ledger)?;
        }
    }
}

fn indices_are_distinct(ledger: &Ledger) -> Result<(), TestCaseError> {
    let mut seen = BTreeSet::new();
    for holder in 0..HOLDERS {
        for (key, unit) in ledger.of(session(holder)) {
            if let Some(index) = unit.index {
                prop_assert!(seen.insert((key.clone(), index)), "{key} {index} twice");
                prop_assert!(
                    u64::from(index) < HOLDERS,
                    "{key} {index} is not among the lowest"
                );
            }
        }
    }
    Ok(())
}
