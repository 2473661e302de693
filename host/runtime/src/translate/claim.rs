//! Claims.

use super::bound::{Breach, list};
use super::key::key_in;
use super::reason::reason_in;
use crate::contract as wit;
use usher_core::{Claim, Moment, Until};

/// The most claims in one list.
const CLAIMS: usize = 32;

/// The claims in a field of a verdict.
pub(crate) fn claims_in(claims: Vec<wit::Claim>, field: &str) -> Result<Vec<Claim>, Breach> {
    list(claims, field, 0..=CLAIMS, claim_in)
}

fn claim_in(claim: wit::Claim) -> Result<Claim, Breach> {
    let key = key_in(claim.key).map_err(|breach| breach.within("key"))?;
    let when_full = reason_in(claim.when_full).map_err(|breach| breach.within("when-full"))?;
    let until = match claim.until {
        wit::Until::SessionEnd => Until::SessionEnd,
        wit::Until::Time(moment) => Until::Time(Moment::from_millis(moment)),
    };
    let translated = Claim::new(key, claim.limit, when_full).until(until);
    Ok(if claim.lowest_index {
        translated.with_lowest_index()
    } else {
        translated
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use usher_core::{Key, Reason};

    fn claim(until: wit::Until, lowest_index: bool) -> wit::Claim {
        wit::Claim {
            key: wit::Key {
                namespace: "slot".into(),
                parts: Vec::new(),
            },
            limit: 4,
            when_full: wit::Reason {
                code: "full".into(),
                text: "".into(),
                number: None,
            },
            until,
            lowest_index,
        }
    }

    #[test]
    fn everything_that_a_claim_says_is_kept() {
        let expected = || Claim::new(Key::bare("slot"), 4, Reason::new("full", ""));
        let later = Moment::from_millis(9);
        for (given, wanted) in [
            (claim(wit::Until::SessionEnd, false), expected()),
            (
                claim(wit::Until::SessionEnd, true),
                expected().with_lowest_index(),
            ),
            (
                claim(wit::Until::Time(9), false),
                expected().until(Until::Time(later)),
            ),
        ] {
            assert_eq!(claims_in(vec![given], "claims"), Ok(vec![wanted]));
        }
    }

    #[test]
    fn there_are_at_most_32() {
        let many = (0..33).map(|_| claim(wit::Until::SessionEnd, false));
        let breach = claims_in(many.collect(), "hold").unwrap_err();
        assert_eq!(
            breach.to_string(),
            "hold has 33 entries, at most 32 are allowed"
        );
    }
}
