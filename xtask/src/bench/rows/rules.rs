//! Messages of players, through the rules and back, and through the relay to a game server and back.

use std::net::SocketAddr;
use std::process::Command;

use super::super::alternate::Contender;
use super::super::figure::{Figure, Line, Sample, Spread};
use super::super::floor::{self, Floor};
use super::super::load::{Phase, load};
use super::super::row::Row;
use super::super::run::Run;
use super::super::settings::Setting;
use super::super::site::Site;
use super::super::unit::Unit;
use crate::process::Outcome;
use crate::running::Running;

/// Which share of the floor's messages is to be reached through the rules, and through the relay.
const THROUGH_RULES: f64 = 0.5;
const RELAYED: f64 = 0.7;

/// For how many seconds they play before anything is measured.
const WARM_UP: &str = "0.5";

/// The names of the other sides.
const ECHO: &str = "bare echo";
const RELAY: &str = "bare relay";

pub(super) const ROW: Row = Row {
    name: "rules",
    about: "players' messages through the rules and back, and relayed to a game server and back",
    settings: &[
        Setting {
            name: "length",
            about: "how long a message is, in bytes",
            value: 64,
            quick: 64,
        },
        Setting {
            name: "seconds",
            about: "for how many seconds each load is measured",
            value: 1,
            quick: 1,
        },
        Setting {
            name: "open-rate",
            about: "how many messages a second are sent where the time of each is measured",
            value: 20_000,
            quick: 2_000,
        },
    ],
    seconds: 210,
    run,
};

/// Who plays, where and what for.
#[derive(Clone, Copy)]
struct Game {
    protocol: Protocol,
    players: u32,
    through: Through,
    /// So many a second, whatever comes back, in place of as many as come back.
    rate: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Rtyp,
    MafiaNet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Through {
    Rules,
    Relay,
}

impl Game {
    const fn of(protocol: Protocol, players: u32, through: Through) -> Game {
        let rate = None;
        Game {
            protocol,
            players,
            through,
            rate,
        }
    }

    /// How many messages each has under way: few keep a server busy only with more of them.
    fn window(self) -> u32 {
        (64 / self.players).max(8)
    }

    fn door(self) -> &'static str {
        match self.protocol {
            Protocol::Rtyp => "rtyp",
            Protocol::MafiaNet => "mafianet",
        }
    }

    fn way(self) -> &'static str {
        match self.through {
            Through::Rules => "through the rules",
            Through::Relay => "relayed",
        }
    }

    fn floor(self) -> &'static str {
        match self.through {
            Through::Rules => ECHO,
            Through::Relay => RELAY,
        }
    }

    fn figure(self, sides: Vec<super::super::figure::Side>) -> Figure {
        let Game { players, .. } = self;
        let (door, way) = (self.door(), self.way());
        let whose = match players {
            1 => "1 player".to_owned(),
            more => format!("{more} players"),
        };
        if self.rate.is_some() {
            let what = format!("p99 of a message {way}, {whose} at {door}, open loop");
            return Figure::new(what, Unit::Nanoseconds, sides);
        }
        let what = format!("messages a second {way}, {whose} at {door}");
        let line = Line::TimesAtLeast {
            side: self.floor().to_owned(),
            times: match self.through {
                Through::Rules => THROUGH_RULES,
                Through::Relay => RELAYED,
            },
        };
        let figure = Figure::new(what, Unit::PerSecond, sides).line(line);
        match self.protocol {
            Protocol::Rtyp => figure.plotted(
                &format!("messages a second {way}, at rtyp"),
                "players",
                players.into(),
            ),
            Protocol::MafiaNet => figure,
        }
    }
}

fn games(run: &Run<'_>) -> Vec<Game> {
    use Protocol::{MafiaNet, Rtyp};
    use Through::{Relay, Rules};
    let timed = |through| Game {
        rate: Some(run.setting("open-rate")),
        ..Game::of(Rtyp, 100, through)
    };
    if run.quick {
        return vec![Game::of(Rtyp, 10, Rules), Game::of(MafiaNet, 10, Relay)];
    }
    vec![
        Game::of(Rtyp, 1, Rules),
        Game::of(Rtyp, 10, Rules),
        Game::of(Rtyp, 100, Rules),
        Game::of(Rtyp, 250, Rules),
        Game::of(MafiaNet, 1_000, Rules),
        timed(Rules),
        Game::of(Rtyp, 1, Relay),
        Game::of(Rtyp, 100, Relay),
        Game::of(Rtyp, 250, Relay),
        Game::of(MafiaNet, 1_000, Relay),
        timed(Relay),
    ]
}

fn run(run: &Run<'_>) -> Outcome<Vec<Figure>> {
    let site = run.site()?;
    run.module("echo")?;
    run.usher()?;
    run.release(floor::PACKAGE)?;
    let mut figures = Vec::new();
    for game in games(run) {
        let sides = run.alternate(&mut [
            Contender::new("usher", |_| Ok(vec![ours(run, &site, game)?])),
            Contender::new(game.floor(), |_| Ok(vec![bare(run, &site, game)?])),
        ])?;
        figures.extend(sides.into_iter().map(|sides| game.figure(sides)));
    }
    Ok(figures)
}

fn ours(run: &Run<'_>, site: &Site, game: Game) -> Outcome<Sample> {
    let server = match game.through {
        Through::Rules => None,
        Through::Relay => Some(Floor::start(run, "echo", &[site.beside])?),
    };
    let mut host = run.start_host(site, &config(run, site, game)?)?;
    let target = match game.protocol {
        Protocol::Rtyp => format!("tcp://{}", site.tcp),
        Protocol::MafiaNet => format!("mafianet://{}", site.udp),
    };
    let phase = play(run, &mut host.running, game, &target)?;
    host.ends()?;
    server.map_or(Ok(()), Floor::ends)?;
    sample(game, &phase)
}

/// The same messages in bare datagrams, with neither logins nor acknowledgements.
fn bare(run: &Run<'_>, site: &Site, game: Game) -> Outcome<Sample> {
    let (server, mut floor) = match game.through {
        Through::Rules => (None, Floor::start(run, "echo", &[site.udp])?),
        Through::Relay => {
            let server = Floor::start(run, "echo", &[site.beside])?;
            (Some(server), relay(run, site.udp, site.beside)?)
        }
    };
    let target = format!("udp://{}", site.udp);
    let phase = play(run, &mut floor.running, game, &target)?;
    floor.ends()?;
    server.map_or(Ok(()), Floor::ends)?;
    sample(game, &phase)
}

fn relay(run: &Run<'_>, listen: SocketAddr, server: SocketAddr) -> Outcome<Floor> {
    let mut command = Command::new(run.release(floor::PACKAGE)?);
    command.args(["relay", "--listen", &listen.to_string()]);
    Floor::start_command(command.args(["--server", &server.to_string()]))
}

fn config(run: &Run<'_>, site: &Site, game: Game) -> Outcome<String> {
    let Site {
        udp,
        tcp,
        control,
        beside,
        ..
    } = site;
    let listens = match game.protocol {
        Protocol::Rtyp => format!("tcp = \"{tcp}\"\nudp = \"{udp}\"\n"),
        Protocol::MafiaNet => format!("udp = \"{udp}\"\n"),
    };
    let to = match game.through {
        Through::Rules => format!("[rules]\nmodule = {:?}\n", run.module("echo")?),
        Through::Relay => format!("[relay]\nserver = \"{beside}\"\n"),
    };
    let Game { players, .. } = game;
    let door = game.door();
    Ok(format!(
        "[limits]\nmax-players = {players}\nmax-pending = {players}\nmax-pending-per-address = 0\n\
         [[door]]\nname = \"main\"\nprotocol = \"{door}\"\n{listens}\
         [[policy]]\nname = \"queue\"\nmodule = \"builtin:queue\"\n\
         {to}[admin]\nlisten = \"{control}\"\n"
    ))
}

/// Has them play, after a while that does not count.
fn play(run: &Run<'_>, server: &mut Running, game: Game, target: &str) -> Outcome<Phase> {
    let mut generator = run.generator("messages")?;
    generator.arg(target);
    for (name, value) in [
        ("--players", game.players),
        ("--window", game.window()),
        ("--length", run.setting("length")),
        ("--seconds", run.setting("seconds")),
    ] {
        generator.arg(name).arg(value.to_string());
    }
    generator.args(["--warm-up", WARM_UP]);
    if let Some(rate) = game.rate {
        generator.arg("--rate").arg(rate.to_string());
    }
    let phases = load(server, &mut generator, |_| Ok(()))?;
    let last = phases.into_iter().next_back();
    last.ok_or_else(|| "the generator had no phase".to_owned())
}

fn sample(game: Game, phase: &Phase) -> Outcome<Sample> {
    let spread = Spread::from_micros(&phase.said["messages"]["round_trip_us"]);
    let value = match game.rate {
        Some(_) => spread.ok_or("nothing came back")?.p99,
        None => phase.figure("/messages/each_second")?,
    };
    let back = phase.figure("/messages/back")? as u64;
    Ok(phase.sample(value).spread(spread).operations(back))
}
