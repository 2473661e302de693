//! Short ways to say what a policy answers.

use crate::*;

/// A claim on `namespace` or `namespace:part`, whose reason's code is `namespace-full`.
pub(super) fn claim(key: &str, limit: u32) -> Claim {
    let (namespace, part) = key.split_once(':').unwrap_or((key, ""));
    let key = if part.is_empty() {
        Key::bare(namespace)
    } else {
        Key::of(namespace, part)
    };
    Claim::new(key, limit, Reason::new(&format!("{namespace}-full"), ""))
}

pub(super) fn accept(claims: impl IntoIterator<Item = Claim>) -> Decision {
    let option = Admission {
        claims: claims.into_iter().collect(),
        ..Admission::default()
    };
    Decision::Accept(Acceptance {
        options: vec![option],
        ..Acceptance::default()
    })
}

/// Accept, or wait in lane `main` with this status.
pub(super) fn accept_or_wait(claims: impl IntoIterator<Item = Claim>, status: &str) -> Decision {
    let option = Admission {
        claims: claims.into_iter().collect(),
        ..Admission::default()
    };
    let mut waiting = waiting([]);
    waiting.status = Some(status.as_bytes().into());
    Decision::Accept(Acceptance {
        options: vec![option],
        otherwise_wait: Some(waiting),
        then: None,
    })
}

/// Accept as someone whose identity is proven.
pub(super) fn accept_as(identity: &str, claims: impl IntoIterator<Item = Claim>) -> Decision {
    let option = Admission {
        identity: Some(identity.into()),
        identity_proven: true,
        claims: claims.into_iter().collect(),
        ..Admission::default()
    };
    Decision::Accept(Acceptance {
        options: vec![option],
        ..Acceptance::default()
    })
}

/// The same, or wait in lane `main`.
pub(super) fn accept_or_wait_as(
    identity: &str,
    claims: impl IntoIterator<Item = Claim>,
) -> Decision {
    let Decision::Accept(mut acceptance) = accept_as(identity, claims) else {
        unreachable!("it accepts")
    };
    acceptance.otherwise_wait = Some(waiting_as(identity, []));
    Decision::Accept(acceptance)
}

/// Waiting as someone whose identity is proven.
pub(super) fn waiting_as(identity: &str, claims: impl IntoIterator<Item = Claim>) -> Waiting {
    Waiting {
        identity: Some(identity.into()),
        identity_proven: true,
        ..waiting(claims)
    }
}

pub(super) fn reject(code: &str) -> Decision {
    Decision::Reject(Reason::new(code, ""))
}

/// Waiting in lane `main` for these.
pub(super) fn waiting(claims: impl IntoIterator<Item = Claim>) -> Waiting {
    Waiting {
        lane: "main".into(),
        lane_rank: 0,
        priority: 0,
        status: None,
        identity: None,
        identity_proven: false,
        claims: claims.into_iter().collect(),
    }
}

pub(super) fn wait(claims: impl IntoIterator<Item = Claim>) -> Decision {
    Decision::Wait(waiting(claims))
}

pub(super) fn pass(claims: impl IntoIterator<Item = Claim>) -> Decision {
    Decision::Pass(Passing {
        claims: claims.into_iter().collect(),
        then: None,
    })
}

/// Find these out first.
pub(super) fn ask(questions: &[&str]) -> Decision {
    Decision::Ask(Inquiry {
        questions: questions.iter().map(|name| question(name)).collect(),
        hold: vec![],
    })
}

/// The same acceptance, with an act.
pub(super) fn then(decision: Decision, act: &str) -> Decision {
    match decision {
        Decision::Accept(acceptance) => Decision::Accept(Acceptance {
            then: Some(question(act)),
            ..acceptance
        }),
        other => panic!("{other:?} accepts nothing"),
    }
}

/// A question without a body.
pub(super) fn question(name: &str) -> Question {
    Question {
        name: name.into(),
        args: Vec::new(),
        body: [].into(),
    }
}
