//! Five players play while thousands wait, thousands come and go, and somebody floods the door.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use super::classic::{self as site, BUSY, Site, now};
use super::phase::{Meters, Phase, table};
use super::verdict::judge;
use crate::process::{self, Outcome};
use crate::running::Running;
use crate::wasm;
use crate::workspace::Workspace;

/// Where every second one of those who come and go comes from.
const BANNED: &str = "127.96.0.0/11\n";

/// How much of it.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    pub(crate) quick: bool,
    pub(crate) waiting: u32,
    pub(crate) arrivals: u32,
    pub(crate) flood: u32,
    pub(crate) players: u32,
    pub(crate) seconds: u32,
}

/// Builds, measures, judges.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Outcome {
    process::run(workspace.cargo().args(["build", "--release"]))?;
    let mut load = workspace.cargo();
    process::run(load.args(["build", "--release", "-p", "usher-load"]))?;
    wasm::run(workspace, None, &["echo".to_owned()])?;
    let site = prepare(workspace, options)?;
    let (phases, payload) =
        measure(workspace, &site, options).map_err(|problem| site.explain(&problem))?;
    record(&site, options, &phases)?;
    println!("{}\n", table(&phases));
    for phase in &phases {
        for what in phase.behind() {
            println!("in `{}` the generator was behind: {what}", phase.name);
        }
    }
    let verdicts = judge(&phases, payload);
    for verdict in &verdicts {
        println!("{}", verdict.sentence());
    }
    let busiest = phases.iter().map(|phase| phase.others).fold(0.0, f64::max);
    if busiest > BUSY {
        println!("others kept {busiest:.1} processors busy: measure again when they do not");
    }
    let lines = site.folder.join("pending.jsonl");
    println!(
        "everyone left, and every table of the host is empty; figures are in {}",
        lines.display()
    );
    // A tenth of the load on a machine that does other things says little about speed.
    let judged = verdicts.iter().filter(|it| it.always || !options.quick);
    match judged.filter(|verdict| !verdict.holds()).count() {
        0 => Ok(()),
        some => Err(format!("{some} of the lines to reach are missed")),
    }
}

/// Everything in its place.
fn prepare(workspace: &Workspace, options: &Options) -> Outcome<Site> {
    let site = Site::find(workspace)?;
    let echo = wasm::default_folder(workspace).join("test/echo.wasm");
    let text = config(options, site.door, site.control, &echo);
    site.write("usher.toml", &text)?;
    site.write("bans.txt", BANNED)?;
    Ok(site)
}

/// A room for the players, a pool for the others and a little more.
fn config(options: &Options, door: SocketAddr, control: SocketAddr, echo: &Path) -> String {
    let Options {
        players, waiting, ..
    } = options;
    let pool = waiting + waiting / 20 + 25;
    format!(
        "[limits]\nmax-players = {players}\nmax-pending = {pool}\nmax-pending-per-address = 0\n\
         [[door]]\nname = \"bench\"\nprotocol = \"mafianet\"\nudp = \"{door}\"\n\
         [[bucket]]\nname = \"bans\"\nfile = \"bans.txt\"\n\
         [[policy]]\nname = \"denylist\"\nmodule = \"builtin:denylist\"\n\
         [[policy]]\nname = \"queue\"\nmodule = \"builtin:queue\"\n\
         [rules]\nmodule = {echo:?}\n\
         [admin]\nlisten = \"{control}\"\n"
    )
}

/// The phases, and the bytes that each of those who wait sent.
fn measure(workspace: &Workspace, site: &Site, options: &Options) -> Outcome<(Vec<Phase>, u64)> {
    let mut host = site.start_host(workspace)?;
    let host_id = host.child.id();
    let mut load = start_load(workspace, site, options)?;
    let lines = site::lines(&mut load)?;
    let meters = || Meters::read(host_id, load.child.id(), site.door.port());
    let mut phases = Vec::new();
    let mut payload = 0;
    let mut begun = None;
    for said in lines {
        let said = said?;
        host.still_runs()?;
        match said["event"].as_str() {
            Some("begin") => {
                println!("{} ...", said["phase"].as_str().unwrap_or_default());
                begun = Some(meters()?);
            }
            Some("end") => {
                let then = begun.take().ok_or("a phase ended unbegun")?;
                phases.push(Phase::between(&then, &meters()?, said));
            }
            Some("payload") => payload = said["bytes"].as_u64().unwrap_or(0),
            _ => return Err(format!("the generator said something unknown: {said}")),
        }
    }
    load.succeeds()?;
    site.wait_until_empty()?;
    host.stops()?;
    Ok((phases, payload))
}

fn start_load(workspace: &Workspace, site: &Site, options: &Options) -> Outcome<Running> {
    let mut command = Command::new(site::program(workspace, "usher-load"));
    command
        .arg("pending")
        .arg(format!("mafianet://{}", site.door));
    let ramp = (options.waiting / 8).clamp(50, 1_500);
    for (name, value) in [
        ("--waiting", options.waiting),
        ("--ramp", ramp),
        ("--arrivals", options.arrivals),
        ("--flood", options.flood),
        ("--players", options.players),
        ("--seconds", options.seconds),
    ] {
        command.arg(name).arg(value.to_string());
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    Running::start("usher-load", &mut command)
}

/// Adds a line a phase to the file of all runs.
fn record(site: &Site, options: &Options, phases: &[Phase]) -> Outcome {
    let run = json!({
        "at": now(),
        "waiting": options.waiting,
        "arrivals": options.arrivals,
        "flood": options.flood,
        "players": options.players,
    });
    site.record("pending.jsonl", phases.iter().map(|phase| phase.line(&run)))
}
