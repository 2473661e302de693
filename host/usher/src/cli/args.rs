//! What can be said on the command line.

use super::address::Address;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Stands at the door of a multiplayer game server and asks WebAssembly policies who may enter.
#[derive(Debug, Parser)]
#[command(version, about, after_help = AFTER_HELP, propagate_version = true)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

const AFTER_HELP: &str = "\
Start with `usher serve`, then `usher join --name R9` in another terminal.

Environment: NO_COLOR=1 turns colours off; RUST_LOG=usher=debug tells more.";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Stand at the door: listen, ask the policies, let in.
    Serve(Serve),
    /// Go through a door as a player would, and show every step.
    Join(Join),
    /// Load a module, a configuration or a bucket's file as the host would, and tell about it.
    Check(Check),
    /// Write a new policy crate, with a test, that builds anywhere.
    New(New),
}

#[derive(Clone, Debug, Args)]
pub(super) struct Serve {
    /// The configuration; without it one `rtyp` door is opened on this machine.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Replaces the policies of the configuration; more are asked in the order given.
    #[arg(long = "policy", value_name = "PATH|builtin:NAME")]
    pub(super) policies: Vec<String>,
    /// How log lines on stderr look.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) log_format: LogFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

#[derive(Args)]
#[command(after_help = JOIN_HELP)]
pub(super) struct Join {
    /// Where the door is: tcp:// for one of `rtyp`, mafianet:// for one of `mafianet`, ws:// for one of
    /// `websocket`.
    #[arg(
        value_name = "tcp://HOST:PORT|mafianet://HOST:PORT|ws://HOST:PORT/PATH",
        default_value = "tcp://127.0.0.1:4241",
        value_parser = Address::parse
    )]
    pub(super) address: Address,
    /// The player's name: at tcp:// 1 to 16 bytes, no control characters; at ws:// it goes before the payload. At
    /// mafianet:// it is the payload.
    #[arg(long)]
    pub(super) name: Option<String>,
    /// mafianet:// and ws://: what the policies decide by.
    #[arg(long, value_name = "TEXT")]
    pub(super) payload: Option<String>,
    /// mafianet:// and ws://: the same, from a file of up to 65,536 bytes.
    #[arg(long, value_name = "FILE", conflicts_with = "payload")]
    pub(super) payload_file: Option<PathBuf>,
    /// mafianet:// and ws://: the same, from a file that must hold a join ticket, which is checked before it is sent.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["payload", "payload_file"])]
    pub(super) ticket: Option<PathBuf>,
    /// mafianet://: the connection password. Others on this machine can read it while this runs.
    #[arg(long, value_name = "TEXT")]
    pub(super) password: Option<String>,
    /// mafianet://: the same, from a file's first line.
    #[arg(long, value_name = "FILE", conflicts_with = "password")]
    pub(super) password_file: Option<PathBuf>,
    /// mafianet:// and ws://: how long to wait for a decision, or for the next word about it; 10s if not said.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(super) session_timeout: Option<Duration>,
}

impl fmt::Debug for Join {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Join")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

const JOIN_HELP: &str = "\
Lines typed are sent as data; what arrives is shown behind `< `. The end of the input leaves.
At mafianet:// a line is a message with the id 135, reliable and ordered, on channel 0; at ws:// a binary
message.

Exit status: 0 left in good order, 2 unreachable, 3 rejected, 4 no way through by UDP,
5 ended by the server, 64 used wrongly, 1 anything else.";

#[derive(Debug, Args)]
pub(super) struct Check {
    /// The module, builtin:NAME, a configuration (.toml), or a bucket's file (.txt).
    #[arg(value_name = "FILE")]
    pub(super) name: String,
}

#[derive(Debug, Args)]
pub(super) struct New {
    /// The crate's name, or a directory whose last part is the name.
    #[arg(value_name = "NAME")]
    pub(super) path: PathBuf,
    /// Game rules instead of an admission policy.
    #[arg(long)]
    pub(super) rules: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn what_is_said_wrongly_is_refused() {
        for line in [
            "usher",
            "usher serv",
            "usher serve now",
            "usher serve --log-format xml",
            "usher serve --config",
            "usher join --name",
            "usher join --name R9 udp://127.0.0.1:1",
            "usher join --name R9 tcp://127.0.0.1",
            "usher join mafianet://127.0.0.1 --name R9",
            "usher join wss://127.0.0.1:1",
            "usher join ws://127.0.0.1:1 --ticket x --payload y",
            "usher join mafianet://127.0.0.1:1 --payload x --payload-file y",
            "usher join mafianet://127.0.0.1:1 --payload-file y --ticket z",
            "usher join mafianet://127.0.0.1:1 --password x --password-file y",
            "usher join mafianet://127.0.0.1:1 --session-timeout soon",
            "usher check",
            "usher new",
        ] {
            let error = Cli::try_parse_from(line.split(' ')).expect_err(line);
            assert!(error.use_stderr(), "{line}");
        }
    }

    #[test]
    fn what_is_said_rightly_is_understood() {
        for line in [
            "usher serve",
            "usher serve --config usher.toml --policy a.wasm --policy builtin:open --log-format json",
            "usher join --name R9",
            "usher join tcp://[::1]:4241 --name R9",
            "usher join localhost:4241 --name R9",
            "usher join mafianet://localhost:4243",
            "usher join mafianet://localhost:4243 --payload-file x --session-timeout 2m",
            "usher join mafianet://localhost:4243 --ticket ticket.json",
            "usher join ws://localhost:4245/play --name R9 --ticket x",
            "usher check a.wasm",
            "usher check usher.toml",
            "usher new my-door --rules",
        ] {
            Cli::try_parse_from(line.split(' ')).expect(line);
        }
    }
}
