//! Looks a hold up, for as long as it may still arrive.

use super::endpoint::Call;
use super::hold::{Looked, read};
use super::state::Shared;
use crate::evidence::http::is_dots;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};
use usher_core::{FactAnswer, Secret, Wanted};

/// How long a hold may take to arrive.
const WINDOW: Duration = Duration::from_secs(2);

/// How long after an answer it is looked for again.
const POLL: Duration = Duration::from_millis(250);

/// Looks a hold up. Where there is none it looks again, at last at the very end of the window.
pub(super) async fn look_up(
    shared: &Shared,
    id: &Secret,
    wanted: &Wanted,
    wall: impl Fn() -> u64,
) -> FactAnswer {
    // Neither names a hold: as a part of an address they would name a place.
    if id.expose().is_empty() || is_dots(id.expose()) {
        return FactAnswer::Missing;
    }
    let end = Instant::now() + WINDOW;
    while wanted.still() {
        let began = Instant::now();
        let answer = shared.call(Call::Hold(id.clone())).await;
        let came = answer.is_ok();
        match read(answer, id.expose(), wall()) {
            Looked::Found(told) => return FactAnswer::Found(told.into_bytes().into()),
            Looked::Expired => return FactAnswer::Missing,
            Looked::Failed(why) => {
                if came {
                    shared.failed(format!("hold: {why}"));
                }
                return FactAnswer::Unavailable(why.into());
            }
            Looked::NotFound if began >= end => return FactAnswer::Missing,
            Looked::NotFound => sleep_until((Instant::now() + POLL).min(end)).await,
        }
    }
    FactAnswer::Unavailable("nobody waits for it any more".into())
}
