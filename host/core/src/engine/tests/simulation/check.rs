//! The invariants, checked from what the core told its surroundings and from its own tables.

use super::stage::{GAME_RULE, Sought, Stage};
use crate::engine::state::Asked;
use crate::ledger::Holder;
use crate::timers::Timer;
use crate::{
    Ask, Decided, Key, LookupKind, Outcome, Question, Rechecked, RequestId, StepVerdict, Why,
};
use std::collections::{BTreeMap, BTreeSet};

/// What must hold after every step.
pub(super) fn invariants(stage: &Stage) {
    seats(stage);
    pool(stage);
    requests(stage);
    sessions(stage);
    rechecks(stage);
    duplicates(stage);
    lookups(stage);
    nobody_stands_while_what_it_waits_for_is_free(stage);
}

/// 1. No commit ever takes a unit beyond its claim's limit.
fn seats(stage: &Stage) {
    let core = &stage.core;
    let held = core.ledger.taken(&Key::server());
    assert!(held <= stage.config.max_players, "{held} seats are taken");
    let live: Vec<_> = stage
        .sessions
        .values()
        .filter(|stay| stay.ended == 0)
        .collect();
    assert!(live.len() <= held as usize, "a session has no seat");
    assert_eq!(
        core.taken_view().taken(&Key::server()),
        held,
        "the view lags behind"
    );
    let (mut numbers, mut names) = (BTreeMap::new(), BTreeMap::new());
    for stay in &live {
        let number = stay
            .number
            .expect("every session has a number at these doors");
        assert!(number < 4, "number {number} was handed out");
        assert!(
            numbers.insert(number, stay.request).is_none(),
            "two have number {number}"
        );
        assert!(names.insert(&stay.name, stay.request).is_none() || fail_open(stage));
    }
    assert!(core.ledger.taken(&Key::of("class", "humans")) <= 2);
}

/// A policy that fails open passes without claims, so a name may then be used twice.
fn fail_open(stage: &Stage) -> bool {
    stage.saw_open
}

/// 2. The pool is bounded, and nobody pending is a player.
fn pool(stage: &Stage) {
    let core = &stage.core;
    let counted = core
        .requests
        .values()
        .filter(|request| request.borrowed.is_none())
        .count()
        + core.places.len();
    assert_eq!(core.pool.total() as usize, counted, "the pool miscounts");
    if stage.config.max_pending != 0 {
        assert!(core.pool.total() <= stage.config.max_pending);
    }
    if stage.config.max_pending_per_address != 0 {
        assert!(core.pool.largest_share() <= stage.config.max_pending_per_address);
    }
    let live = stage
        .sessions
        .values()
        .filter(|stay| stay.ended == 0)
        .count();
    assert_eq!(
        core.sessions.iter().count(),
        live,
        "sessions are not what was accepted"
    );
}

/// 3. Every request ends one way, once; each policy that saw it hears of it once.
fn requests(stage: &Stage) {
    for (id, seen) in &stage.requests {
        assert!(seen.accepted + seen.refused <= 1, "{id}: {seen:?}");
        for (slot, times) in &seen.over {
            assert_eq!(
                *times, 1,
                "policy {slot} was told {times} times that {id} is over"
            );
            assert!(seen.asked.contains(slot), "policy {slot} never saw {id}");
        }
        let pending = stage.core.requests.contains_key(id);
        let over = seen.accepted + seen.refused > 0 || seen.gone;
        assert!(
            !(pending && over),
            "{id} is pending after its end: {seen:?}"
        );
        if pending {
            assert!(
                seen.over.is_empty(),
                "{id} is over for a policy and still pending"
            );
        }
    }
    let core = &stage.core;
    let (mut statuses, mut known) = (0, 0);
    for (id, request) in &core.requests {
        let unanswered = core.timers.is_set(Timer::Unanswered(*id));
        assert_eq!(unanswered, request.data().is_none(), "{}", id);
        statuses += usize::from(request.data().is_some());
        let decides = core.timers.is_set(Timer::Decision(*id));
        assert_eq!(decides, request.decision.is_some(), "{}", id);
        if let Some(identity) = request.waiting.as_ref().and_then(|it| it.identity.as_ref()) {
            known += 1;
            assert!(core.queue.waiting_as(identity).contains(id));
        }
        let waits = request.waiting.is_some();
        assert_eq!(waits, core.queue.get(*id).is_some(), "{} is lost", id);
        let decides = request.decision.is_some();
        assert!(
            waits || decides || request.data().is_none(),
            "{} is nowhere",
            id
        );
    }
    assert_eq!((core.statuses.len(), core.queue.known()), (statuses, known));
}

/// Every session ends once; the rules see it leave if and only if it joined.
fn sessions(stage: &Stage) {
    for (id, stay) in &stage.sessions {
        assert!(stay.ended <= 1 && stay.joined <= 1, "{id}: {stay:?}");
        let left = if stay.ended == 1 { stay.joined } else { 0 };
        assert_eq!(stay.left, left, "{id}: {stay:?}");
    }
}

/// A question is wanted for as long as the decision lives that asked it, and an act for ever. Every act that is
/// being done for someone, or was begun for someone who went, is out.
fn lookups(stage: &Stage) {
    let core = &stage.core;
    for sought in &stage.lookups {
        let request = core.requests.get(&sought.request);
        let decision = request.filter(|it| it.attempt == sought.attempt);
        let decided = decision.is_some_and(|it| it.decision.is_some());
        let wanted = decided || sought.kind == LookupKind::Act;
        assert_eq!(sought.wanted.still(), wanted, "{sought:?}");
    }
    let begun = core.requests.iter().filter_map(|(id, request)| {
        let acting = request.decision.as_ref()?.acting.clone()?;
        Some((*id, acting))
    });
    for act in begun.chain(core.late_acts.iter().cloned()) {
        assert!(is_out(stage, &act.0, &act.1), "{act:?} is not being done");
    }
    for (id, acts) in &stage.acts {
        assert!(acts.undone <= acts.done, "{id}: {acts:?}");
    }
}

fn is_out(stage: &Stage, id: &RequestId, act: &Question) -> bool {
    let mut out = stage.lookups.iter();
    out.any(|it| it.kind == LookupKind::Act && (&it.request, &it.question) == (id, act))
}

/// An act is done once at a time for a request, and for nobody while the server is closed.
pub(super) fn nothing_is_done_twice_at_once(stage: &Stage, sought: &Sought) {
    if sought.kind == LookupKind::Act {
        let out = is_out(stage, &sought.request, &sought.question);
        assert!(!out, "{sought:?} is being done already");
        assert_eq!(stage.core.server_closed(), None, "{sought:?} is in vain");
    }
}

/// What a game rule refuses is told in its few words, or as what closed the server.
pub(super) fn a_game_rule_says_little(decided: &Decided) {
    let Outcome::Rejected(told) = &decided.outcome else {
        return;
    };
    let Some(step) = decided.steps.last().filter(|it| &*it.policy == GAME_RULE) else {
        return;
    };
    let its_own = matches!(step.verdict, StepVerdict::Reject | StepVerdict::Fault(_));
    if its_own || step.said.is_some() {
        let known = [
            "refused_by_game",
            "closed",
            "shutting-down",
            "approval-timeout",
        ];
        assert!(known.contains(&&*told.code), "{decided:?}");
    }
    let refused = step.verdict == StepVerdict::Reject;
    assert!(!refused || &*told.code != "no", "{decided:?}");
}

/// Nobody plays twice by an identity that is proven; who counts on a session's units is still decided.
fn duplicates(stage: &Stage) {
    let core = &stage.core;
    let mut proven = BTreeSet::new();
    for session in core.sessions.iter() {
        let player = &session.player;
        let identity = player.identity.as_ref().filter(|_| player.identity_proven);
        if let Some(identity) = identity {
            assert!(proven.insert(identity), "{identity} plays twice");
        }
        if let Some(heir) = session.heir {
            assert_eq!(core.heirs[&heir].of, player.session);
            assert!(heir > player.request, "{heir} is older");
        }
    }
    for (id, heir) in &core.heirs {
        assert!(core.requests[id].decision.is_some(), "{id} is not decided");
        let session = core.sessions.get(heir.of).unwrap();
        assert_eq!(session.heir, Some(*id));
        for claim in &heir.claims {
            let holder = Holder::Session(heir.of);
            let unit = core.ledger.unit(&claim.key, holder);
            assert!(unit.is_some(), "{id} counts on {} in vain", claim.key);
        }
    }
}

/// Whoever is asked about again plays, and is asked about once at a time; a recheck comes to an end.
fn rechecks(stage: &Stage) {
    let core = &stage.core;
    let mut asked = BTreeSet::new();
    for (slot, recheck) in &core.rechecks {
        for (id, out) in &recheck.out {
            assert!(asked.insert(*id), "two ask about {id} at once");
            let about = core.asks.get(&out.ask);
            assert!(matches!(about, Some(Asked::Recheck(its, of)) if (its, of) == (slot, id)));
            let timer = Timer::RecheckAsk(out.ask);
            assert!(
                core.timers.is_set(timer),
                "an answer about {id} may never come"
            );
        }
        let named = recheck.todo.iter().chain(recheck.out.keys());
        let named = named.chain(&recheck.again).chain(recheck.refused.keys());
        for id in named {
            assert!(core.sessions.get(*id).is_some(), "{id} is over");
        }
        let timer = Timer::Recheck(*slot);
        assert!(core.timers.is_set(timer) || recheck.again.is_empty() || recheck.running);
        let others = core.rechecks.values().any(|other| !other.out.is_empty());
        assert!(
            !recheck.running || others,
            "nobody goes on with {recheck:?}"
        );
    }
    let about = core.asks.values();
    let about = about.filter(|about| matches!(about, Asked::Recheck(..)));
    assert_eq!(about.count(), asked.len(), "an ask is about nobody");
}

/// A recheck is by the rules of now, about someone who plays.
pub(super) fn recheck_is_of_now(stage: &Stage, ask: &Ask) {
    // It may have been ended in the same step, after it was asked about.
    let mut stays = stage.sessions.values();
    assert!(
        stays.any(|stay| stay.request == ask.request.id),
        "{} never played",
        ask.request.id
    );
    assert_eq!(ask.snapshot.number, stage.core.snapshot.number);
    assert!(ask.request.password.is_none() && ask.request.payload.is_empty());
}

pub(super) fn few_enough_are_ended(rechecked: &Rechecked) {
    let limit = (rechecked.seated / 5).max(1);
    assert!(
        rechecked.forced || rechecked.ended <= limit,
        "{rechecked:?}"
    );
    assert!(rechecked.refused >= rechecked.ended && rechecked.ended <= rechecked.seated);
}

/// No wake-up is lost: an idle waiter that was not passed over is blocked in every option.
fn nobody_stands_while_what_it_waits_for_is_free(stage: &Stage) {
    let core = &stage.core;
    for (id, request) in &core.requests {
        let Some(entry) = core.queue.get(*id) else {
            continue;
        };
        if request.decision.is_some() || core.queue.is_passed_over(*id) {
            continue;
        }
        for claims in &entry.options() {
            let fits = core.ledger.fits(Holder::Request(*id), claims);
            assert!(fits.is_err(), "{} stands before a free seat", id);
        }
    }
}

/// A waiter gets an offer only when no better idle one could have had what it is offered.
pub(super) fn nobody_is_overtaken(stage: &Stage, ask: &Ask) {
    let core = &stage.core;
    let Some(entry) = core.queue.get(ask.request.id) else {
        return;
    };
    // What its own session has was never there for others.
    let heir = core.heirs.contains_key(&ask.request.id);
    if ask.why != Why::Offer || stage.several || heir {
        return;
    }
    for (id, request) in &core.requests {
        let Some(other) = core.queue.get(*id) else {
            continue;
        };
        if other.rank >= entry.rank || request.decision.is_some() || core.queue.is_passed_over(*id)
        {
            continue;
        }
        // Each of its options is blocked by something else than what was just offered.
        for claims in &other.options() {
            let blocked = claims.iter().any(|claim| {
                let key = &claim.key;
                // Without a pool a waiter has its seat from its knock on, and takes it from nobody.
                let offered = ask.held.iter().any(|held| held.key == *key)
                    && (stage.config.max_pending != 0 || *key != Key::server());
                let own = core
                    .ledger
                    .of(Holder::Request(*id))
                    .any(|(held, _)| held == key);
                let taken = core.ledger.taken(key) - u32::from(offered);
                core.ledger.closed(key).is_some() || (!own && taken >= claim.limit)
            });
            assert!(blocked, "{} overtakes {}", ask.request.id, id);
        }
    }
}

/// 4. When nobody is there and grace has passed, nothing is left.
pub(super) fn everything_ended(stage: &Stage) {
    invariants(stage);
    let core = &stage.core;
    assert!(
        core.reload.len() == 0 && core.reloading.is_empty(),
        "{:?} are never decided",
        core.reload
    );
    assert!(
        core.late_acts.is_empty(),
        "{:?} are never undone",
        core.late_acts
    );
    assert!(stage.core.is_empty(), "{:?}", stage.core.report(stage.now));
    for (id, seen) in &stage.requests {
        if seen.submitted && seen.knocked {
            let told: Vec<_> = seen.over.keys().collect();
            let asked: Vec<_> = seen.asked.iter().collect();
            assert_eq!(
                told, asked,
                "{id}: who saw it, and who heard that it is over"
            );
        }
    }
    for (id, stay) in &stage.sessions {
        assert_eq!(stay.ended, 1, "{id} never ended");
    }
    for (id, acts) in &stage.acts {
        // What was done stays done for who got in by it, and is undone for everyone else.
        let got_in = stage.requests[id].accepted == 1;
        assert!(got_in || acts.done == acts.undone, "{id}: {acts:?}");
        assert!(acts.done - acts.undone <= 2, "{id}: {acts:?}");
    }
}
