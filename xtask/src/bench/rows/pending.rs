//! Five players play while thousands wait, thousands come and go, and somebody floods the door.

use super::super::figure::Figure;
use super::super::pending::{self, Options};
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use crate::process::Outcome;

pub(super) const ROW: Row = Row {
    name: "pending",
    about: "players' round trips and the host's memory while thousands wait and others flood the door",
    settings: &[
        Setting {
            name: "waiting",
            about: "how many wait",
            value: 9_500,
            quick: 950,
        },
        Setting {
            name: "arrivals",
            about: "how many come and go in a second",
            value: 2_000,
            quick: 200,
        },
        Setting {
            name: "flood",
            about: "how many open-connection requests of nobody come in a second",
            value: 20_000,
            quick: 2_000,
        },
        Setting {
            name: "players",
            about: "how many play",
            value: 5,
            quick: 5,
        },
        Setting {
            name: "seconds",
            about: "how long each phase is measured",
            value: 15,
            quick: 3,
        },
    ],
    seconds: 120,
    run,
};

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let options = Options {
        quick: run.quick,
        waiting: run.setting("waiting"),
        arrivals: run.setting("arrivals"),
        flood: run.setting("flood"),
        players: run.setting("players"),
        seconds: run.setting("seconds"),
    };
    pending::run(run.workspace, &options)?;
    Ok(Vec::new())
}
