//! What can be said on the command line.

use super::join;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use usher_client::rtyp::PlayerName;

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
    /// Load a module as the host would, and tell about it.
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

#[derive(Debug, Args)]
#[command(after_help = JOIN_HELP)]
pub(super) struct Join {
    /// Where the door is.
    #[arg(
        value_name = "tcp://HOST:PORT",
        default_value = "tcp://127.0.0.1:4241",
        value_parser = join::parse_address
    )]
    pub(super) address: String,
    /// The player's name: 1 to 16 bytes, no control characters.
    #[arg(long)]
    pub(super) name: PlayerName,
}

const JOIN_HELP: &str = "\
Lines typed are sent as data; what arrives is shown behind `< `. The end of the input leaves.

Exit status: 0 left in good order, 2 unreachable, 3 rejected, 4 no way through by UDP,
5 ended by the server, 64 used wrongly, 1 anything else.";

#[derive(Debug, Args)]
pub(super) struct Check {
    /// The module, or builtin:NAME.
    #[arg(value_name = "FILE.wasm")]
    pub(super) module: String,
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
            "usher join",
            "usher join --name",
            "usher join --name R9 udp://127.0.0.1:1",
            "usher join --name R9 tcp://127.0.0.1",
            "usher join --name 12345678901234567",
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
            "usher check a.wasm",
            "usher new my-door --rules",
        ] {
            Cli::try_parse_from(line.split(' ')).expect(line);
        }
    }
}
