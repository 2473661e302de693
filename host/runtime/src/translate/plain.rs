//! What a policy tells by the short ways of the contract: the commonest verdicts, without lists. Their texts are
//! looked at where they lie in the module's memory, and copied to where they stay.

use super::bound::{Breach, ID, LONG, WORD, length};
use super::reason::stable;
use std::sync::Arc;
use usher_core::{Acceptance, Admission, Claim, Decision, Key, Reason};

/// A reason.
pub(crate) struct PlainReason<'a> {
    pub(crate) code: &'a str,
    pub(crate) text: &'a str,
    pub(crate) number: Option<u32>,
}

/// A claim on a key of at most one part, which is no secret, until the session ends.
pub(crate) struct PlainClaim<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) part: Option<&'a str>,
    pub(crate) limit: u32,
    pub(crate) when_full: PlainReason<'a>,
    pub(crate) lowest_index: bool,
}

/// An accept with one option, which has an identity and these claims. Most modules give the same reasons each
/// time: `known` are those of the last, in the order of the claims, which are not copied again.
pub(crate) fn accept_in<'a>(
    identity: Option<&str>,
    identity_proven: bool,
    claims: impl Iterator<Item = PlainClaim<'a>>,
    known: &[Option<Reason>],
) -> Result<Decision, Breach> {
    let option = option_in(identity, identity_proven, claims, known);
    let option = option.map_err(|breach| breach.within("accept.options[0]"))?;
    Ok(Decision::Accept(Acceptance {
        options: vec![option],
        otherwise_wait: None,
        then: None,
    }))
}

/// A refusal.
pub(crate) fn reject_in(
    reason: &PlainReason<'_>,
    known: Option<&Reason>,
) -> Result<Decision, Breach> {
    let reason = reason_in(reason, known).map_err(|breach| breach.within("reject"))?;
    Ok(Decision::Reject(reason))
}

fn option_in<'a>(
    identity: Option<&str>,
    identity_proven: bool,
    claims: impl Iterator<Item = PlainClaim<'a>>,
    known: &[Option<Reason>],
) -> Result<Admission, Breach> {
    if let Some(identity) = identity {
        length(identity.len(), "identity", "bytes", 0..=ID)?;
    }
    let claims = claims.enumerate().map(|(index, claim)| {
        let known = known.get(index).and_then(Option::as_ref);
        claim_in(&claim, known).map_err(|breach| breach.within(&format!("claims[{index}]")))
    });
    Ok(Admission {
        identity: identity.map(Arc::from),
        identity_proven,
        claims: claims.collect::<Result<_, _>>()?,
        ..Admission::default()
    })
}

fn claim_in(claim: &PlainClaim<'_>, known: Option<&Reason>) -> Result<Claim, Breach> {
    let key = key_in(claim.namespace, claim.part).map_err(|breach| breach.within("key"))?;
    let when_full = reason_in(&claim.when_full, known);
    let when_full = when_full.map_err(|breach| breach.within("when-full"))?;
    let translated = Claim::new(key, claim.limit, when_full);
    Ok(match claim.lowest_index {
        true => translated.with_lowest_index(),
        false => translated,
    })
}

fn key_in(namespace: &str, part: Option<&str>) -> Result<Key, Breach> {
    length(namespace.len(), "namespace", "bytes", 1..=WORD)?;
    match part {
        None => Ok(Key::bare(namespace)),
        Some(part) => {
            length(part.len(), "parts[0].plain", "bytes", 0..=ID)?;
            Ok(Key::of(namespace, part))
        }
    }
}

fn reason_in(reason: &PlainReason<'_>, known: Option<&Reason>) -> Result<Reason, Breach> {
    let &PlainReason { code, text, number } = reason;
    if let Some(known) = known
        && (&*known.code, &*known.text, known.number) == (code, text, number)
    {
        return Ok(known.clone());
    }
    stable(code)?;
    length(text.len(), "text", "bytes", 0..=LONG)?;
    Ok(Reason {
        code: code.into(),
        text: text.into(),
        number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason<'a>(code: &'a str, text: &'a str) -> PlainReason<'a> {
        PlainReason {
            code,
            text,
            number: Some(3),
        }
    }

    fn claim<'a>(namespace: &'a str, part: Option<&'a str>, code: &'a str) -> PlainClaim<'a> {
        PlainClaim {
            namespace,
            part,
            limit: 4,
            when_full: reason(code, "Full"),
            lowest_index: part.is_none(),
        }
    }

    fn full() -> Reason {
        Reason {
            number: Some(3),
            ..Reason::new("full", "Full")
        }
    }

    #[test]
    fn everything_that_is_told_is_kept() {
        let claims = [
            claim("name", Some("R9"), "full"),
            claim("slot", None, "full"),
        ];
        let told = accept_in(Some("R9"), true, claims.into_iter(), &[]);
        let expected = Admission {
            identity: Some("R9".into()),
            identity_proven: true,
            claims: vec![
                Claim::new(Key::of("name", "R9"), 4, full()),
                Claim::new(Key::bare("slot"), 4, full()).with_lowest_index(),
            ],
            ..Admission::default()
        };
        let Ok(Decision::Accept(acceptance)) = told else {
            panic!("not accepted: {told:?}");
        };
        assert_eq!(acceptance.options, [expected]);
        assert_eq!((acceptance.otherwise_wait, acceptance.then), (None, None));

        let rejected = reject_in(&reason("full", "Full"), None);
        assert_eq!(rejected, Ok(Decision::Reject(full())));
    }

    #[test]
    fn a_reason_is_the_last_one_only_if_it_is_the_same() {
        let known = full();
        for (code, text, number, same) in [
            ("full", "Full", Some(3), true),
            ("fuller", "Full", Some(3), false),
            ("full", "Fuller", Some(3), false),
            ("full", "Full", None, false),
        ] {
            let given = PlainReason { code, text, number };
            let reason = reason_in(&given, Some(&known)).expect("within bounds");
            assert_eq!((&*reason.code, &*reason.text), (code, text));
            assert_eq!(reason.number, number);
            assert_eq!(
                Arc::ptr_eq(&reason.text, &known.text),
                same,
                "{code} {text}"
            );
        }
    }

    #[test]
    fn a_breach_names_the_whole_way_to_the_field() {
        let long = "x".repeat(LONG + 1);
        let told = |identity, claim| {
            let claims = [claim].into_iter();
            accept_in(identity, false, claims, &[])
                .unwrap_err()
                .to_string()
        };
        let good = || claim("name", None, "full");
        let text = PlainClaim {
            when_full: reason("full", &long),
            ..good()
        };
        for (said, says) in [
            (
                told(Some(&long[..513]), good()),
                "accept.options[0].identity has 513 bytes",
            ),
            (
                told(None, claim("", None, "full")),
                "accept.options[0].claims[0].key.namespace has 0 bytes",
            ),
            (
                told(None, claim("n", Some(&long[..513]), "full")),
                "accept.options[0].claims[0].key.parts[0].plain has 513 bytes",
            ),
            (
                told(None, claim("n", None, "Full")),
                "accept.options[0].claims[0].when-full.code must be lower-case",
            ),
            (
                told(None, text),
                "accept.options[0].claims[0].when-full.text has 65537 bytes",
            ),
            (
                reject_in(&reason("", ""), None).unwrap_err().to_string(),
                "reject.code has 0 bytes",
            ),
        ] {
            assert!(said.starts_with(says), "{said}");
        }
    }
}
