//! Those who wait, and the status texts for them.

use super::bound::{Breach, LONG, bytes};
use super::duration::millis;
use super::reason::room_out;
use crate::bindings::admission as wit;
use std::sync::Arc;
use usher_core::Waiter;

/// A waiter as a policy sees it.
pub(crate) fn waiter_out(waiter: &Waiter) -> wit::Waiter {
    wit::Waiter {
        request: waiter.request.0,
        lane: Some(waiter.lane.to_string()),
        position: waiter.position,
        lane_length: waiter.lane_length,
        waited: millis(waiter.waited),
        estimate: waiter.estimate.map(millis),
        identity: waiter.identity.as_deref().map(str::to_owned),
        name: waiter.name.as_deref().map(str::to_owned),
        door: waiter.door.to_string(),
        room: room_out(&waiter.room),
    }
}

/// Status texts: one for each of so many waiters.
pub(crate) fn texts_in(
    texts: Vec<Option<Vec<u8>>>,
    waiters: usize,
) -> Result<Vec<Option<Arc<[u8]>>>, Breach> {
    if texts.len() != waiters {
        let problem = format!("has {} entries for {waiters} waiters", texts.len());
        return Err(Breach::new("the list of status texts", problem));
    }
    let translated = texts.into_iter().map(|text| {
        text.map(|text| bytes(text, "a status text", LONG))
            .transpose()
    });
    translated.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_text_for_each_waiter() {
        let texts = texts_in(vec![Some(b"2nd".to_vec()), None], 2).expect("within bounds");
        assert_eq!(texts, [Some(Arc::from(*b"2nd")), None]);
        for (given, waiters, says) in [
            (
                vec![None],
                2,
                "the list of status texts has 1 entries for 2",
            ),
            (vec![None, None], 1, "the list of status texts has 2"),
            (vec![Some(vec![0; LONG + 1])], 1, "a status text has 65537"),
        ] {
            let breach = texts_in(given, waiters).unwrap_err().to_string();
            assert!(breach.starts_with(says), "{breach}");
        }
    }
}
