//! Players with join tickets come at a steady rate, and the evidence behind each takes its time: whether every
//! decision is in time, and whether the host's memory stays as it is.

mod lines;
mod quarter;
mod sockets;

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use super::classic::{self as site, BUSY, Site, now};
use super::meter;
use crate::process::{self, Outcome};
use crate::running::{PATIENCE, Running, wait_for};
use crate::workspace::Workspace;
use crate::{http, wasm};
use lines::judge;
use quarter::{Meters, Quarter, table};
use sockets::Sockets;

/// The ids of the reservations.
const RESERVATIONS: &str = "reservations.txt";

/// The file of all runs.
const RUNS: &str = "evidence.jsonl";

/// How much of it.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    pub(crate) quick: bool,
    pub(crate) rate: u32,
    pub(crate) seconds: u32,
    pub(crate) delay: u32,
}

/// What came of a run.
struct Run {
    quarters: Vec<Quarter>,
    /// Before anyone came, in bytes.
    memory: u64,
    sockets: Sockets,
    /// Files and sockets that are open now and were not before anyone came.
    left_open: u64,
}

/// Builds, measures, judges.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Outcome {
    process::run(workspace.cargo().args(["build", "--release"]))?;
    for package in ["usher-load", "usher-stand-ins"] {
        let mut build = workspace.cargo();
        process::run(build.args(["build", "--release", "-p", package]))?;
    }
    wasm::run(workspace, None, &["echo".to_owned()])?;
    let site = prepare(workspace, options)?;
    let run = measure(workspace, &site, options).map_err(|problem| site.explain(&problem))?;
    record(&site, options, &run)?;
    println!("{}\n", table(&run.quarters, run.memory));
    for quarter in &run.quarters {
        for what in quarter.behind() {
            let name = &quarter.name;
            println!("in the {name} the generator was behind: {what}");
        }
    }
    println!("{}", run.sockets.sentence());
    let verdicts = judge(&run.quarters, options.rate, run.left_open);
    for verdict in &verdicts {
        println!("{}", verdict.sentence());
    }
    let others = run.quarters.iter().map(|quarter| quarter.others);
    let busiest = others.fold(0.0, f64::max);
    if busiest > BUSY {
        println!("others kept {busiest:.1} processors busy: measure again when they do not");
    }
    println!(
        "every table of the host is empty; figures are in {}",
        site.folder.join(RUNS).display()
    );
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
    site.write("usher.toml", &config(&site, &echo))?;
    let ids = site.output(RESERVATIONS)?;
    let mut mint = Command::new(site::program(workspace, "usher-load"));
    let count = u64::from(options.rate) * u64::from(options.seconds);
    mint.arg("mint").arg(count.to_string()).stdout(ids);
    process::run(&mut mint)?;
    Ok(site)
}

/// A server of a fleet with seats and places for many more than come, so that only time is short. Policies have
/// so much of it that a moment in which other programs have the processors is not taken for a fault of theirs.
fn config(site: &Site, echo: &Path) -> String {
    let Site { door, control, .. } = site;
    let port = site.beside.port();
    format!(
        "[limits]\nmax-players = 20000\nmax-pending = 30000\nmax-pending-per-address = 0\n\
         [[door]]\nname = \"bench\"\nprotocol = \"mafianet\"\nudp = \"{door}\"\n\
         [[policy]]\nname = \"tickets\"\nmodule = \"builtin:join-ticket\"\ndeadline = \"1s\"\n\
         params = {{ protocol-version = 1 }}\n\
         [[policy]]\nname = \"session\"\nmodule = \"builtin:session-open\"\ndeadline = \"1s\"\n\
         game-rule = true\n\
         [sdk]\nport = {port}\n\
         [rules]\nmodule = {echo:?}\n\
         [admin]\nlisten = \"{control}\"\n"
    )
}

fn measure(workspace: &Workspace, site: &Site, options: &Options) -> Outcome<Run> {
    let mut endpoint = start_endpoint(workspace, site, options)?;
    let mut host = site.start_host(workspace)?;
    wait_for("the host to follow the endpoint", PATIENCE, || {
        let status = http::status(site.control)?;
        Ok(status["evidence"]["sdk"]["state"] == "in-session")
    })?;
    let host_id = host.child.id();
    let (memory, open) = (meter::read(host_id)?.memory, meter::open_files(host_id)?);
    let watching = sockets::watch(host_id);
    let mut load = start_load(workspace, site, options)?;
    let lines = site::lines(&mut load)?;
    let meters = || Meters::read(host_id, load.child.id(), endpoint.child.id());
    let mut quarters = Vec::new();
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
                quarters.push(Quarter::between(&then, &meters()?, said));
            }
            _ => return Err(format!("the generator said something unknown: {said}")),
        }
    }
    load.succeeds()?;
    let sockets = watching.end();
    site.wait_until_empty()?;
    // What is closed is gone once the runtime has had its turn with it.
    let mut left_open = 0;
    let _ = wait_for("every file to be closed", PATIENCE, || {
        left_open = meter::open_files(host_id)?.saturating_sub(open);
        Ok(left_open == 0)
    });
    endpoint.still_runs()?;
    host.stops()?;
    Ok(Run {
        quarters,
        memory,
        sockets,
        left_open,
    })
}

/// A local SDK endpoint with a match that is current and all those reservations.
fn start_endpoint(workspace: &Workspace, site: &Site, options: &Options) -> Outcome<Running> {
    let mut command = Command::new(site::program(workspace, "fake-sdk"));
    command.arg("--port").arg(site.beside.port().to_string());
    command.arg("--holds").arg(site.folder.join(RESERVATIONS));
    command.args(["--allocation", "bench"]);
    command.arg("--delay").arg(options.delay.to_string());
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

fn start_load(workspace: &Workspace, site: &Site, options: &Options) -> Outcome<Running> {
    let mut command = Command::new(site::program(workspace, "usher-load"));
    command
        .arg("tickets")
        .arg(format!("mafianet://{}", site.door));
    command
        .arg("--reservations")
        .arg(site.folder.join(RESERVATIONS));
    command.arg("--rate").arg(options.rate.to_string());
    command.arg("--seconds").arg(options.seconds.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    Running::start("usher-load", &mut command)
}

/// Adds a line a quarter to the file of all runs.
fn record(site: &Site, options: &Options, run: &Run) -> Outcome {
    let about = json!({
        "at": now(),
        "rate": options.rate,
        "seconds": options.seconds,
        "delay_ms": options.delay,
        "host_memory_before": run.memory,
        "most_sockets": run.sockets.most,
        "most_time_wait": run.sockets.most_time_wait,
    });
    let quarters = run.quarters.iter();
    site.record(RUNS, quarters.map(|quarter| quarter.line(&about)))
}
