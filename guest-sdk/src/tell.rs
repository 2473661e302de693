//! How a verdict reaches the host: by the cheapest of the ways that the contract has for it. They differ in
//! nothing else.

use crate::bindings::admission::exports::usher::policy::admission::Decided;
use crate::bindings::admission::usher::policy::answer::{self, PlainClaim};
use crate::contract::{Admission, Claim, Decision, Reason, Until, Verdict};
use crate::part::Part;

/// Tells the host, where there is something to tell, and says what the call comes to.
pub(crate) fn tell(mut verdict: Verdict) -> Decided {
    if verdict.commands.is_empty() {
        match &mut verdict.decision {
            Decision::Pass(passing) if passing.claims.is_empty() && passing.then.is_none() => {
                return Decided::Pass;
            }
            Decision::Accept(accepted)
                if accepted.otherwise_wait.is_none() && accepted.then.is_none() =>
            {
                if let [option] = &mut accepted.options[..]
                    && let Some(decided) = tell_option(option)
                {
                    return decided;
                }
            }
            Decision::Reject(reason) => {
                answer::reject(reason);
                return Decided::Told;
            }
            _ => {}
        }
    }
    answer::give(&verdict);
    Decided::Told
}

/// Tells the only option, if it has nothing but an identity and claims, and leaves it as it was if not.
fn tell_option(option: &mut Admission) -> Option<Decided> {
    let bare = option.display_name.is_none()
        && option.room.is_none()
        && option.config.is_empty()
        && option.remember.is_empty();
    if !bare || !option.claims.iter().all(is_plain) {
        return None;
    }
    match &mut option.claims[..] {
        [] => {
            let nameless = option.identity.is_none() && !option.identity_proven;
            return nameless.then_some(Decided::Accept);
        }
        [first] => {
            let identity = option.identity.as_deref();
            answer::accept(identity, option.identity_proven, &plain(first), None);
        }
        [first, second] => {
            let (identity, second) = (option.identity.as_deref(), plain(second));
            let first = plain(first);
            answer::accept(identity, option.identity_proven, &first, Some(&second));
        }
        _ => return None,
    }
    Some(Decided::Told)
}

fn is_plain(claim: &Claim) -> bool {
    matches!(claim.until, Until::SessionEnd) && matches!(claim.key.parts[..], [] | [Part::Plain(_)])
}

/// What a plain claim says, taken out of it: its texts are not copied.
fn plain(claim: &mut Claim) -> PlainClaim {
    let part = match claim.key.parts.first_mut() {
        Some(Part::Plain(part) | Part::Secret(part)) => Some(std::mem::take(part)),
        None => None,
    };
    let reason = &mut claim.when_full;
    PlainClaim {
        namespace: std::mem::take(&mut claim.key.namespace),
        part,
        limit: claim.limit,
        when_full: Reason {
            code: std::mem::take(&mut reason.code),
            text: std::mem::take(&mut reason.text),
            number: reason.number,
        },
        lowest_index: claim.lowest_index,
    }
}
