//! Players with join tickets come at a steady rate, and the evidence behind each takes its time: whether every
//! decision is in time, and whether the host's memory stays as it is.

mod quarters;
mod sockets;

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use super::super::figure::Figure;
use super::super::load::load;
use super::super::meter;
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use super::super::site::Site;
use crate::http;
use crate::process::{self, Outcome};
use crate::running::{PATIENCE, Running, wait_for};
use quarters::Round;

/// The ids of the reservations.
const RESERVATIONS: &str = "reservations.txt";

pub(super) const ROW: Row = Row {
    name: "evidence",
    about: "decisions about join tickets, when each waits for its evidence",
    settings: &[
        Setting {
            name: "rate",
            about: "how many come in a second, each with a reservation of its own",
            value: 2_000,
            quick: 500,
        },
        Setting {
            name: "warm-up",
            about: "for how many seconds they come before the first quarter, from which memory may not grow",
            value: 10,
            quick: 0,
        },
        Setting {
            name: "seconds",
            about: "for how many seconds they come in the four quarters",
            value: 16,
            quick: 2,
        },
        Setting {
            name: "delay",
            about: "how long the local SDK endpoint takes to find a hold, in milliseconds",
            value: 200,
            quick: 200,
        },
    ],
    seconds: 160,
    run,
};

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let echo = run.module("echo")?;
    run.release("usher-load")?;
    run.release("usher-stand-ins")?;
    let rounds: Outcome<Vec<_>> = (0..run.rounds).map(|_| measure(run, &echo)).collect();
    quarters::figures(&rounds?, run.setting("rate"))
}

/// A server of a fleet with seats and places for many more than come, so that only time is short. Policies have
/// so much of it that a moment in which other programs have the processors is not taken for a fault of theirs.
fn config(site: &Site, echo: &Path) -> String {
    let Site { udp, control, .. } = site;
    let port = site.beside.port();
    format!(
        "[limits]\nmax-players = 20000\nmax-pending = 30000\nmax-pending-per-address = 0\n\
         [[door]]\nname = \"bench\"\nprotocol = \"mafianet\"\nudp = \"{udp}\"\n\
         [[policy]]\nname = \"tickets\"\nmodule = \"builtin:join-ticket\"\ndeadline = \"1s\"\n\
         params = {{ protocol-version = 1 }}\n\
         [[policy]]\nname = \"session\"\nmodule = \"builtin:session-open\"\ndeadline = \"1s\"\n\
         game-rule = true\n\
         [sdk]\nport = {port}\n\
         [rules]\nmodule = {echo:?}\n\
         [admin]\nlisten = \"{control}\"\n"
    )
}

fn measure(run: &Run<'_>, echo: &Path) -> Outcome<Round> {
    let site = run.site()?;
    mint(run, &site)?;
    let mut endpoint = start_endpoint(run, &site)?;
    let mut host = run.start_host(&site, &config(&site, echo))?;
    wait_for("the host to follow the endpoint", PATIENCE, || {
        let status = http::status(site.control)?;
        Ok(status["evidence"]["sdk"]["state"] == "in-session")
    })?;
    host.settled()?;
    let before = meter::memory(host.id())?;
    let watching = sockets::watch(host.id());
    let mut generator = run.generator("tickets")?;
    generator
        .arg(format!("mafianet://{}", site.udp))
        .arg("--reservations")
        .arg(site.folder.join(RESERVATIONS));
    for name in ["rate", "warm-up", "seconds"] {
        let value = run.setting(name).to_string();
        generator.arg(format!("--{name}")).arg(value);
    }
    let endpoint_id = endpoint.child.id();
    let mut used = meter::cpu_seconds(endpoint_id)?;
    let mut endpoint_cpu_s = Vec::new();
    let phases = load(&mut host.running, &mut generator, |said| {
        let now = meter::cpu_seconds(endpoint_id)?;
        if said["event"] == "end" {
            endpoint_cpu_s.push(now - used);
        }
        used = now;
        Ok(())
    })?;
    println!("  {}", watching.end().sentence());
    endpoint.still_runs()?;
    host.ends()?;
    Ok(Round::new(phases, &endpoint_cpu_s, before))
}

/// A reservation for each who comes.
fn mint(run: &Run<'_>, site: &Site) -> Outcome {
    let ids = site.output(RESERVATIONS)?;
    let seconds = run.setting("warm-up") + run.setting("seconds");
    let count = u64::from(run.setting("rate")) * u64::from(seconds);
    let mut mint = run.generator("mint")?;
    mint.arg(count.to_string()).stdout(ids);
    process::run(&mut mint)
}

/// A local SDK endpoint with a match that is current and all those reservations.
fn start_endpoint(run: &Run<'_>, site: &Site) -> Outcome<Running> {
    let mut command = Command::new(run.program("usher-stand-ins", "fake-sdk")?);
    command.arg("--port").arg(site.beside.port().to_string());
    command.arg("--holds").arg(site.folder.join(RESERVATIONS));
    command.args(["--allocation", "bench"]);
    command.arg("--delay").arg(run.setting("delay").to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut endpoint = Running::start("fake-sdk", &mut command)?;
    wait_for("the endpoint to answer", PATIENCE, || {
        endpoint.still_runs()?;
        Ok(answers(site.beside))
    })?;
    Ok(endpoint)
}

fn answers(endpoint: SocketAddr) -> bool {
    matches!(http::get(endpoint, "/gameserver"), Ok((200, _)))
}
