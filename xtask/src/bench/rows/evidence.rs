//! Decisions about join tickets, when each waits for its evidence.

use super::super::evidence::{self, Options};
use super::super::figure::Figure;
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use crate::process::Outcome;

pub(super) const ROW: Row = Row {
    name: "evidence",
    about: "decisions about join tickets, when each waits for its evidence",
    settings: &[
        Setting {
            name: "rate",
            about: "how many come in a second, each with a reservation of its own",
            value: 2_000,
            quick: 2_000,
        },
        Setting {
            name: "seconds",
            about: "for how many seconds",
            value: 60,
            quick: 8,
        },
        Setting {
            name: "delay",
            about: "how long the local SDK endpoint takes to find a hold, in milliseconds",
            value: 200,
            quick: 200,
        },
    ],
    seconds: 90,
    run,
};

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let options = Options {
        quick: run.quick,
        rate: run.setting("rate"),
        seconds: run.setting("seconds"),
        delay: run.setting("delay"),
    };
    evidence::run(run.workspace, &options)?;
    Ok(Vec::new())
}
