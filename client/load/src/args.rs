//! What can be said on the command line.

use clap::{Args, Parser, Subcommand};
use std::net::SocketAddrV4;
use std::path::PathBuf;
use std::time::Duration;

/// Puts load on a door of Usher, and says as JSON lines what players saw of it.
#[derive(Debug, Parser)]
#[command(version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) scenario: Scenario,
}

/// What kind of load.
#[derive(Debug, Subcommand)]
pub(crate) enum Scenario {
    /// Clients come in and leave again, one after the other.
    Admissions(Admissions),
    /// Players play while others wait, others come and go, and somebody floods the door.
    Pending(Pending),
    /// Players play and newcomers come while the doors are flooded.
    Flood(Siege),
    /// Players come with join tickets, each with a reservation of its own, and leave once they are answered.
    Tickets(Tickets),
    /// Players log in at an `rtyp` door, have their endpoints bound and leave, again and again.
    Logins(Logins),
    /// Players send messages, and what they are sent back is counted.
    Messages(Messages),
    /// Writes reservation ids that nobody can guess to stdout, one a line.
    Mint(Mint),
}

/// The door must let everyone in.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Admissions {
    /// Where the door is. It must be on this machine: the clients come from all over 127.0.0.0/8.
    #[arg(value_name = "mafianet://127.0.0.1:PORT", value_parser = door)]
    pub(crate) door: SocketAddrV4,
    /// How many are on their way in or out at any time.
    #[arg(long, default_value_t = 512)]
    pub(crate) at_once: u32,
    /// For how many seconds nothing is measured.
    #[arg(long, default_value_t = 1)]
    pub(crate) warm_up: u32,
    /// For how many seconds it is.
    #[arg(long, default_value_t = 5)]
    pub(crate) seconds: u32,
    /// Makes everything that is left to chance the same as in another run.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// The door must have seats for the players and nobody else, and rules that send back what they are sent.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Pending {
    /// Where the door is. It must be on this machine: the clients come from all over 127.0.0.0/8.
    #[arg(value_name = "mafianet://127.0.0.1:PORT", value_parser = door)]
    pub(crate) door: SocketAddrV4,
    /// How many wait.
    #[arg(long, default_value_t = 9_500)]
    pub(crate) waiting: u32,
    /// How many begin to wait in a second.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) ramp: u32,
    /// How many come and go in a second, every second one of them from 127.96.0.0/11, which the door may ban; 0:
    /// nobody does, and nothing is flooded either.
    #[arg(long, default_value_t = 2_000)]
    pub(crate) arrivals: u32,
    /// How many open-connection requests of nobody come in a second.
    #[arg(long, default_value_t = 20_000)]
    pub(crate) flood: u32,
    /// How many play.
    #[arg(long, default_value_t = 5)]
    pub(crate) players: u32,
    /// How many seconds each phase lasts.
    #[arg(long, default_value_t = 15)]
    pub(crate) seconds: u32,
    /// Makes everything that is left to chance the same as in another run.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Both doors must let everyone in, and there must be rules that send back what they are sent.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Siege {
    /// The door that is flooded. It must be on this machine: the clients come from all over 127.0.0.0/8.
    #[arg(value_name = "mafianet://127.0.0.1:PORT", value_parser = door)]
    pub(crate) door: SocketAddrV4,
    /// The one at which connections stay half open.
    #[arg(value_name = "tcp://127.0.0.1:PORT", value_parser = tcp_door)]
    pub(crate) tcp: SocketAddrV4,
    /// How many datagrams of nobody come in a second; half of them are noise.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) rate: u32,
    /// How many come where all of them are noise.
    #[arg(long, default_value_t = 150_000)]
    pub(crate) noise: u32,
    /// How many connections stay half open.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) half_open: u32,
    /// How many come and go in a second, at each door.
    #[arg(long, default_value_t = 100)]
    pub(crate) arrivals: u32,
    /// How many play.
    #[arg(long, default_value_t = 5)]
    pub(crate) players: u32,
    /// For how many seconds the door is flooded.
    #[arg(long, default_value_t = 30)]
    pub(crate) seconds: u32,
    /// How many the other phases take at most.
    #[arg(long, default_value_t = 8)]
    pub(crate) short: u32,
    /// Makes everything that is left to chance the same as in another run.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// The door must let in whoever has one of the reservations.
#[derive(Clone, Debug, Args)]
pub(crate) struct Tickets {
    /// Where the door is. It must be on this machine: the clients come from all over 127.0.0.0/8.
    #[arg(value_name = "mafianet://127.0.0.1:PORT", value_parser = door)]
    pub(crate) door: SocketAddrV4,
    /// The reservations, an id a line; each is used once.
    #[arg(long, value_name = "FILE")]
    pub(crate) reservations: PathBuf,
    /// The tickets' protocol version.
    #[arg(long, default_value_t = 1)]
    pub(crate) protocol_version: u32,
    /// How many come in a second.
    #[arg(long, default_value_t = 2_000)]
    pub(crate) rate: u32,
    /// For how many seconds they come before that, which are a phase of their own.
    #[arg(long, default_value_t = 0)]
    pub(crate) warm_up: u32,
    /// For how many seconds.
    #[arg(long, default_value_t = 60)]
    pub(crate) seconds: u32,
    /// Makes everything that is left to chance the same as in another run.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// The door must have seats for all who are there at once. Answers count from the moment at which a login was
/// to begin.
#[derive(Clone, Debug, Args)]
pub(crate) struct Logins {
    /// Where the door is. It must be on this machine: the clients come from all over 127.0.0.0/8.
    #[arg(value_name = "tcp://127.0.0.1:PORT", value_parser = tcp_door)]
    pub(crate) door: SocketAddrV4,
    /// How many are there at any moment: whoever leaves is followed by the next.
    #[arg(long, required_unless_present = "rate", conflicts_with = "rate")]
    pub(crate) at_once: Option<u32>,
    /// How many come in a second, whatever becomes of those before.
    #[arg(long)]
    pub(crate) rate: Option<u32>,
    /// For how many seconds.
    #[arg(long, default_value_t = 5)]
    pub(crate) seconds: u32,
    /// For how many seconds before that, which are a phase of their own.
    #[arg(long, default_value_t = 0)]
    pub(crate) warm_up: u32,
    /// What they are called; # is their number.
    #[arg(long, value_name = "PATTERN", default_value = "player-#")]
    pub(crate) names: String,
    /// Every how many one has a name of the other patterns, and is counted apart; 0 for none.
    #[arg(long, default_value_t = 0)]
    pub(crate) bad_every: u32,
    /// The other patterns, with commas between, in turns.
    #[arg(long, value_name = "PATTERNS", default_value = "trap-#")]
    pub(crate) bad_names: String,
}

/// The door must have seats for all, and send back what it is sent.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Messages {
    /// Where they play: a door, or a bare server that takes and gives the datagrams of `rtyp`.
    #[arg(value_name = "tcp://, mafianet:// or udp://127.0.0.1:PORT", value_parser = target)]
    pub(crate) server: Target,
    /// How many play.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) players: u32,
    /// How many messages each has under way.
    #[arg(long, default_value_t = 8)]
    pub(crate) window: u32,
    /// How many all together send in a second, whatever comes back, in place of a window.
    #[arg(long)]
    pub(crate) rate: Option<u32>,
    /// How long a message is, in bytes.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(9..=1200))]
    pub(crate) length: u32,
    /// For how many seconds.
    #[arg(long, default_value_t = 5)]
    pub(crate) seconds: u32,
    /// For how many seconds before that, which are a phase of their own; parts of a second too.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) warm_up: Duration,
    /// Makes everything that is left to chance the same as in another run.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Where messages go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// A bare server.
    Bare(SocketAddrV4),
    /// The TCP port of an `rtyp` door.
    Rtyp(SocketAddrV4),
    /// A `mafianet` door.
    MafiaNet(SocketAddrV4),
}

fn target(text: &str) -> Result<Target, String> {
    match text.split_once("://") {
        Some(("udp", _)) => local(text, "udp://").map(Target::Bare),
        Some(("tcp", _)) => local(text, "tcp://").map(Target::Rtyp),
        _ => door(text).map(Target::MafiaNet),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it has to be a number")?;
    // Longer than anyone measures, and short enough for a clock to be moved by it.
    match (0.0..=3600.0).contains(&seconds) {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err("it has to be 0 to 3600".to_owned()),
    }
}

/// Nothing is put under load.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Mint {
    /// How many.
    pub(crate) count: u32,
}

fn door(text: &str) -> Result<SocketAddrV4, String> {
    local(text, "mafianet://")
}

fn tcp_door(text: &str) -> Result<SocketAddrV4, String> {
    local(text, "tcp://")
}

fn local(text: &str, scheme: &str) -> Result<SocketAddrV4, String> {
    let address = text.strip_prefix(scheme);
    let address = address.ok_or_else(|| format!("a door is written as {scheme}127.0.0.1:4243"))?;
    let door: SocketAddrV4 = address
        .parse()
        .map_err(|_| "an IPv4 address and a port are needed")?;
    match door.ip().is_loopback() {
        true => Ok(door),
        false => Err("it has to be an address of this machine's loopback".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn lives_are_so_many_at_once_or_so_many_a_second() {
        let parse = |args: &[&str]| {
            let door = ["usher-load", "logins", "tcp://127.0.0.1:1"];
            Cli::try_parse_from(door.iter().chain(args)).is_ok()
        };
        assert!(parse(&["--at-once", "64", "--seconds", "2"]));
        assert!(parse(&["--rate", "500", "--bad-every", "100"]));
        assert!(!parse(&["--rate", "500", "--at-once", "64"]));
        assert!(!parse(&["--seconds", "2"]));
    }

    #[test]
    fn a_warm_up_may_be_a_part_of_a_second_and_nothing_else() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["-1", "NaN", "1e9", "x"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn nobody_elses_door_is_put_under_load() {
        assert!(door("mafianet://127.0.0.1:4243").is_ok());
        for text in [
            "127.0.0.1:4243",
            "tcp://127.0.0.1:1",
            "mafianet://192.0.2.1:1",
            "mafianet://localhost:1",
        ] {
            assert!(door(text).is_err(), "{text}");
        }
        assert!(tcp_door("tcp://127.0.0.1:1").is_ok());
        assert!(tcp_door("tcp://192.0.2.1:1").is_err());
    }
}
