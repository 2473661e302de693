//! Five players play while thousands wait, thousands come and go, and somebody floods the door.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use clap::Args;
use serde_json::{Value, json};

use super::phase::{Meters, Phase, table};
use super::verdict::judge;
use crate::process::{self, Outcome};
use crate::running::{PATIENCE, Running, last_lines, occupied, wait_for};
use crate::workspace::Workspace;
use crate::{http, wasm};

/// How long the host may take to forget everybody: what was lost on the way is noticed within 10 s.
const FORGET: Duration = Duration::from_secs(30);

/// How many processors others may keep busy before round trips say more about them.
const BUSY: f64 = 0.3;

/// Where every second one of those who come and go comes from.
const BANNED: &str = "127.96.0.0/11\n";

/// How much of it.
#[derive(Args)]
pub(crate) struct Options {
    /// A tenth of it in under a minute; its speed and memory are shown and not judged
    #[arg(long)]
    quick: bool,
    /// How many wait
    #[arg(long, default_value_t = 9_500)]
    waiting: u32,
    /// How many come and go in a second
    #[arg(long, default_value_t = 2_000)]
    arrivals: u32,
    /// How many open-connection requests of nobody come in a second
    #[arg(long, default_value_t = 20_000)]
    flood: u32,
    /// How many play
    #[arg(long, default_value_t = 5)]
    players: u32,
    /// How long each phase is measured
    #[arg(long, default_value_t = 15)]
    seconds: u32,
}

impl Options {
    fn scaled(&self) -> Options {
        match self.quick {
            true => Options {
                quick: true,
                waiting: self.waiting / 10,
                arrivals: self.arrivals / 10,
                flood: self.flood / 10,
                players: self.players,
                seconds: self.seconds.min(3),
            },
            false => Options { ..*self },
        }
    }
}

/// Where everything of a run is.
struct Site {
    folder: PathBuf,
    door: SocketAddr,
    control: SocketAddr,
}

/// Builds, measures, judges.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Outcome {
    let options = options.scaled();
    process::run(workspace.cargo().args(["build", "--release"]))?;
    let mut load = workspace.cargo();
    process::run(load.args(["build", "--release", "-p", "usher-load"]))?;
    wasm::run(workspace, None, &["echo".to_owned()])?;
    let site = Site::prepare(workspace, &options)?;
    let (phases, payload) = measure(workspace, &site, &options).map_err(|problem| {
        let log = site.folder.join("log");
        let said = fs::read_to_string(&log).unwrap_or_default();
        format!(
            "{problem}; {} ends with:\n{}",
            log.display(),
            last_lines(&said)
        )
    })?;
    record(&site, &options, &phases)?;
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

impl Site {
    fn prepare(workspace: &Workspace, options: &Options) -> Outcome<Site> {
        let folder = workspace.target.join("bench");
        let problem = |error| format!("cannot use {}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(problem)?;
        let free = |error| format!("loopback has no free port: {error}");
        let any = "127.0.0.1:0";
        let udp = UdpSocket::bind(any).map_err(free)?;
        let tcp = TcpListener::bind(any).map_err(free)?;
        let (door, control) = (
            udp.local_addr().map_err(free)?,
            tcp.local_addr().map_err(free)?,
        );
        let echo = wasm::default_folder(workspace).join("test/echo.wasm");
        let text = config(options, door, control, &echo);
        fs::write(folder.join("usher.toml"), text).map_err(problem)?;
        fs::write(folder.join("bans.txt"), BANNED).map_err(problem)?;
        Ok(Site {
            folder,
            door,
            control,
        })
    }
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
    let mut host = start_host(workspace, site)?;
    wait_for("GET /healthz to answer 200", PATIENCE, || {
        host.still_runs()?;
        Ok(matches!(http::get(site.control, "/healthz"), Ok((200, _))))
    })?;
    let host_id = host.child.id();
    let mut load = start_load(workspace, site, options)?;
    let output = load
        .child
        .stdout
        .take()
        .ok_or("the generator has no output")?;
    let meters = || Meters::read(host_id, load.child.id(), site.door.port());
    let mut phases = Vec::new();
    let mut payload = 0;
    let mut begun = None;
    for line in BufReader::new(output).lines() {
        let line = line.map_err(|error| format!("cannot read what the generator says: {error}"))?;
        let said: Value = serde_json::from_str(&line)
            .map_err(|error| format!("the generator said what is not JSON: {error}: {line}"))?;
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
            _ => return Err(format!("the generator said something unknown: {line}")),
        }
    }
    load.succeeds()?;
    let mut left = Vec::new();
    wait_for("every table of the host to be empty", FORGET, || {
        left = occupied(&http::status(site.control)?)?;
        Ok(left.is_empty())
    })
    .map_err(|error| format!("{error}; there is {left:?}"))?;
    host.stops()?;
    Ok((phases, payload))
}

fn start_host(workspace: &Workspace, site: &Site) -> Outcome<Running> {
    let log = site.folder.join("log");
    let problem = |error| format!("cannot write {}: {error}", log.display());
    let output = File::create(&log).map_err(problem)?;
    let errors = output.try_clone().map_err(problem)?;
    let mut command = Command::new(workspace.usher("release"));
    command
        .arg("serve")
        .arg("--config")
        .arg(site.folder.join("usher.toml"));
    command.stdin(Stdio::null()).stdout(output).stderr(errors);
    Running::start("serve", &mut command)
}

fn start_load(workspace: &Workspace, site: &Site, options: &Options) -> Outcome<Running> {
    let name = format!("usher-load{}", std::env::consts::EXE_SUFFIX);
    let mut command = Command::new(workspace.target.join("release").join(name));
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
    let file = site.folder.join("pending.jsonl");
    let problem = |error| format!("cannot write {}: {error}", file.display());
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let run = json!({
        "at": since.map(|since| since.as_secs()).unwrap_or_default(),
        "waiting": options.waiting,
        "arrivals": options.arrivals,
        "flood": options.flood,
        "players": options.players,
    });
    let mut out = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&file)
        .map_err(problem)?;
    for phase in phases {
        writeln!(out, "{}", phase.line(&run)).map_err(problem)?;
    }
    Ok(())
}
