//! Who is treated how: classes of players, by name, by list or by address.

use usher_sdk::prelude::*;

/// What becomes of one who finds no seat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Treatment {
    /// The lane to wait in.
    pub(crate) lane: String,
    /// Its rank.
    pub(crate) rank: i32,
    /// The priority in it.
    pub(crate) priority: i32,
    /// Whether the reserved seats are for this one too.
    pub(crate) reserved: bool,
}

/// How a player is treated who is known by this name, if by any. Every param and every list is read for
/// everyone: a mistake in one shows when the host starts, and not when the first of a class comes.
pub(crate) fn treatment(request: &Request, known_as: Option<&str>) -> Treatment {
    let everyone = Treatment {
        lane: params::get("lane").unwrap_or_else(|| "main".to_owned()),
        rank: params::number("lane-rank").unwrap_or(0),
        priority: 0,
        reserved: false,
    };
    let mut classes = params::list("classes");
    if classes.is_empty() {
        classes.push("vip".to_owned());
    }
    let mut treatments = classes.iter().filter_map(|class| {
        let is_in = is_in(class, request, known_as);
        let treatment = of_class(class, &everyone);
        is_in.then_some(treatment)
    });
    let first = treatments.next();
    // The rest is read for its mistakes only.
    treatments.for_each(drop);
    first.unwrap_or(everyone)
}

fn is_in(class: &str, request: &Request, known_as: Option<&str>) -> bool {
    let named = params::list(class);
    let by_name = known_as.is_some_and(|name| named.iter().any(|it| it == name));
    let Some(list) = params::get(&format!("{class}-bucket")) else {
        return by_name;
    };
    let by_list = known_as.is_some_and(|name| bucket::get(&list, name).is_some());
    // An address that may be forged moves nobody forward.
    let by_address = bucket::matches_address(&list, request.address()).is_some();
    by_name || by_list || (by_address && request.peer.proven)
}

fn of_class(class: &str, everyone: &Treatment) -> Treatment {
    let param = |what: &str| format!("{class}-{what}");
    let lane = params::get(&param("lane"));
    let rank = params::number(&param("rank"));
    Treatment {
        // A lane of its own goes before the others unless it says otherwise.
        rank: rank.unwrap_or(match lane {
            Some(_) => everyone.rank.saturating_sub(1),
            None => everyone.rank,
        }),
        lane: lane.unwrap_or_else(|| everyone.lane.clone()),
        priority: params::number(&param("priority")).unwrap_or(10),
        reserved: params::flag(&param("reserved")).unwrap_or(true),
    }
}
