//! Runs a host: everything is put together here, in order, and taken apart again.

mod entropy;
mod error;
mod host;
mod notify;
mod open_files;
mod outside;
mod passwords;
mod ports;
mod reread;
mod signals;

pub use error::ServeError;

use crate::admin::Modules;
use crate::audit::{self, Audit, Finished};
use crate::clock::Clock;
use crate::config::{Config, ConfigError, Door as DoorConfig, Protocol};
use crate::core_loop::{self, DoorLink, Handle, Links, Place};
use crate::doors::door::{Addresses, Bound, Door};
use crate::doors::game::Game;
use crate::doors::link::DataLink;
use crate::doors::tickets::TicketDoor;
use crate::evidence::{Chosen, Evidence, Sources};
use crate::metrics::Metrics;
use crate::policies::{Asked, Changes, Loader};
use crate::relay::Relay;
use crate::room::{self, Mailbox};
use entropy::entropy;
use host::Host;
use passwords::Passwords;
use ports::{Means, Ports, ROOM};
use reread::Rereader;
use signals::{Signal, Signals};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::timeout;
use usher_core::Core;
use usher_wire::raknet::Budget;

/// How many records of decisions may wait to be counted and written.
const RECORDS: usize = 4096;

/// How long everyone has to be told that the host stops.
const DRAIN_WITHIN: Duration = Duration::from_secs(10);

/// How long the audit has to reach the disk then.
const WRITTEN_WITHIN: Duration = Duration::from_secs(1);

/// A host that players can come to.
#[derive(Debug)]
pub struct Started<'a> {
    /// What it runs.
    pub config: &'a Config,
    /// Where each door listens, by [`usher_core::DoorId`], with the ports that port 0 became.
    pub doors: Vec<Addresses>,
    /// The operator's endpoint.
    pub admin: Option<SocketAddr>,
    /// What is loaded.
    pub modules: Modules,
    /// How this server came to be.
    pub mode: &'a Chosen,
}

/// Serves until it is told to stop. `reread` reads the configuration again, for SIGHUP; `ready` is
/// called once players can come in.
///
/// # Errors
///
/// Why it cannot start, in one line; or that a part of it has ended, which no input can cause.
pub async fn serve(
    config: Config,
    reread: impl Fn() -> Result<Config, ConfigError> + Send + 'static,
    ready: impl FnOnce(&Started<'_>),
) -> Result<(), ServeError> {
    open_files::raise_limit();
    let mut signals = Signals::listen()?;
    let metrics = Metrics::new();
    if metrics.install().is_err() {
        tracing::warn!("metrics of this host are those of the first one in this process");
    }
    let (core, inbox) = core_loop::channel(Clock::start());
    let chosen = outside::choose(&config);
    let settings = usher_core::Config {
        attributes: outside::attributes(chosen.mode),
        ..config.to_core()
    };
    let engine = Core::new(settings, Box::new(entropy()));
    let (mailbox, mails) = room::mailbox();

    let changes = Changes::watch(&config);
    // Compiling may take longer than whoever starts the host wants to wait.
    let mut changed = false;
    let told_to_stop = async {
        while signals.next().await != Signal::Stop {
            changed = true;
        }
    };
    let loader = tokio::select! {
        loader = load(&config, &engine, &core, &mailbox) => loader?,
        () = told_to_stop => {
            tracing::info!("stopped before the modules were loaded");
            return Ok(());
        }
    };
    let passwords = Arc::new(Passwords::new(&config));
    let means = Means {
        buckets: loader.buckets(),
        passwords: passwords.clone(),
        budget: Budget::default(),
    };
    let ports = Ports::bind(&config, &means).await?;
    let (audit, written) = open_audit(&config)?.unzip();
    let started = Started {
        config: &config,
        doors: ports.addresses(),
        admin: ports.admin.as_ref().map(|admin| admin.local_addr()),
        modules: loader.status(),
        mode: &chosen,
    };

    // None of these may end before the host does.
    let mut parts = JoinSet::new();
    let game = match &config.relay {
        Some(relay) => Game::Relay(Relay::new(relay)),
        None => Game::Rules(mailbox.clone()),
    };
    let doors = open(ports.doors, &core, &game, &mut parts)?;
    match loader.rules() {
        Some(rules) => {
            let doors = doors.iter().map(|door| door.clone() as Arc<dyn DataLink>);
            let doors = doors.collect();
            parts.spawn(room::start(ROOM.into(), mails, rules, core.clone(), doors)?);
        }
        // Nobody will ever take up what is put in.
        None => drop(mails),
    }
    let sources = outside::start(&config, &chosen, &core, &mut parts)?;
    let (records, recorded) = mpsc::channel(RECORDS);
    let links = Links {
        doors: told(&config, &doors),
        policies: Box::new(Asked(loader.clone())),
        rooms: Box::new(mailbox),
        evidence: Box::new(Evidence::new(core.clone(), sources.clone())),
        audit: records,
    };
    let place = place(&config);
    parts.spawn(core_loop::start(engine, inbox, links, place)?);
    let names: Vec<Arc<str>> = config.doors.iter().map(|door| door.name.clone()).collect();
    let observed = audit::observe(recorded, names.clone(), metrics.clone(), audit.clone());
    let observed = tokio::spawn(observed);
    let following = changes.follow(loader.clone());
    let rereader = {
        let (loader, sources) = (loader.clone(), sources.clone());
        Rereader::start(move || read_again(&loader, &passwords, &sources, &reread))?
    };
    if changed {
        rereader.again();
    }
    let words = config.doors.iter().map(|door| door.protocol.word());
    let host = Arc::new(Host {
        core,
        loader,
        audit,
        sources,
        names: names.into_iter().zip(words).collect(),
        doors,
        draining: AtomicBool::new(false),
    });

    host.sources.opened();
    // Before anyone can ask: who is told that the host is ready finds in its output where it listens.
    ready(&started);
    if let Some(admin) = ports.admin {
        parts.spawn(admin.serve(host.clone(), metrics));
    }
    notify::ready();
    let outcome = run(&host, &mut signals, &rereader, &mut parts).await;
    notify::stopping();
    drop((following, rereader));
    if outcome.is_ok() {
        drain(&host, &mut signals).await;
    }
    // With the core ends what is observed of it, and with that, the audit.
    parts.shutdown().await;
    drop(host);
    let _ = observed.await;
    if let Some(written) = written {
        finish(written).await;
    }
    outcome
}

async fn load(
    config: &Config,
    engine: &Core,
    core: &Handle,
    room: &Mailbox,
) -> Result<Arc<Loader>, ServeError> {
    let (config, taken) = (config.clone(), engine.taken_view());
    let (core, room) = (core.clone(), room.clone());
    let loading = spawn_blocking(move || Loader::start(&config, taken, core, room));
    match loading.await {
        Ok(loader) => Ok(Arc::new(loader?)),
        Err(panic) => Err(ServeError::Ended(panic.to_string())),
    }
}

fn open_audit(config: &Config) -> Result<Option<(Audit, Finished)>, ServeError> {
    let Some(to) = &config.audit else {
        return Ok(None);
    };
    let names = config.doors.iter().map(|door| door.name.clone()).collect();
    let audit = Audit::start(&to.file, names).map_err(|error| ServeError::Audit {
        file: to.file.clone(),
        error,
    })?;
    Ok(Some(audit))
}

fn open(
    bound: Vec<Box<dyn Bound>>,
    core: &Handle,
    game: &Game,
    parts: &mut JoinSet<()>,
) -> io::Result<Vec<Arc<dyn Door>>> {
    let doors = bound.into_iter();
    doors
        .map(|bound| bound.open(core.clone(), game.clone(), parts))
        .collect()
}

/// The doors as the core tells them, each in its own words.
fn told(config: &Config, doors: &[Arc<dyn Door>]) -> Vec<Arc<dyn DoorLink>> {
    let told = config.doors.iter().zip(doors);
    told.map(|(settings, door)| -> Arc<dyn DoorLink> {
        match config.carries_tickets(settings) {
            true => {
                let text_alone = settings.protocol.refuses_by_text_alone();
                Arc::new(TicketDoor::new(door.clone(), text_alone))
            }
            false => door.clone(),
        }
    })
    .collect()
}

/// Where the core runs best with these doors.
fn place(config: &Config) -> Place {
    let own_thread = |door: &DoorConfig| matches!(door.protocol, Protocol::Mafianet(_));
    match config.doors.iter().any(own_thread) {
        true => Place::Thread,
        false => Place::Task,
    }
}

/// Runs until it is told to stop.
async fn run(
    host: &Host,
    signals: &mut Signals,
    rereader: &Rereader,
    parts: &mut JoinSet<()>,
) -> Result<(), ServeError> {
    loop {
        tokio::select! {
            signal = signals.next() => match signal {
                Signal::Stop => return Ok(()),
                Signal::Reread => {
                    // Also with a configuration that is wrong: logrotate has moved the file away.
                    if let Some(audit) = &host.audit {
                        audit.reopen();
                    }
                    rereader.again();
                }
            },
            Some(ended) = parts.join_next() => {
                let how = ended.err().map(|error| error.to_string());
                return Err(ServeError::Ended(how.unwrap_or_default()));
            }
        }
    }
}

/// Takes over the configuration as it is now, and every module whose file has changed. Blocks while it
/// compiles.
fn read_again(
    loader: &Loader,
    passwords: &Passwords,
    sources: &Sources,
    reread: &impl Fn() -> Result<Config, ConfigError>,
) {
    match reread() {
        Ok(config) => {
            passwords.configure(&config);
            sources.configure(&config);
            loader.configure(&config);
            loader.reload_all();
        }
        Err(error) => tracing::error!("the configuration was not read again: {error}"),
    }
}

/// Tells everyone that the host stops, and waits until they know; not forever, and not when it is told
/// to stop once more.
async fn drain(host: &Host, signals: &mut Signals) {
    tracing::info!("stopping: nobody is let in any more, everyone is told");
    host.draining.store(true, Ordering::Relaxed);
    host.core.drain();
    let told = async {
        host.core.emptied().await;
        for door in &host.doors {
            door.close().await;
        }
    };
    let stopped = async {
        match timeout(DRAIN_WITHIN, told).await {
            Ok(()) => tracing::info!("stopped: everyone was told"),
            Err(_) => tracing::warn!("stopped, though not everyone could be told in time"),
        }
        outside::stop(&host.sources).await;
    };
    tokio::select! {
        () = stopped => (),
        () = stop_again(signals) => tracing::warn!("stopped at once, as told twice"),
    }
}

async fn stop_again(signals: &mut Signals) {
    while signals.next().await != Signal::Stop {}
}

async fn finish(written: Finished) {
    let written = spawn_blocking(|| written.wait(WRITTEN_WITHIN)).await;
    if !written.unwrap_or(false) {
        tracing::warn!("the last lines of the audit could not be written in time");
    }
}
