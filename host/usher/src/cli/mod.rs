//! The command line: what is asked for, and with which status the program ends.

mod address;
mod args;
mod banner;
mod check;
mod exit;
mod files;
mod join;
mod lines;
mod logs;
mod new;
mod serve;
mod terminal;

use args::{Cli, Command};
use clap::Parser as _;
use exit::Exit;
use std::process::ExitCode;

/// Does what the command line says.
pub fn run() -> ExitCode {
    let exit = match Cli::try_parse() {
        Ok(cli) => dispatch(cli.command),
        Err(error) => {
            // Help and version are "errors" too; they go to stdout and are none. Nothing can be done
            // about a terminal that is gone.
            let _ = error.print();
            match error.use_stderr() {
                true => Exit::Usage,
                false => Exit::Success,
            }
        }
    };
    exit.into()
}

fn dispatch(command: Command) -> Exit {
    match command {
        Command::Serve(serve) => serve::run(&serve),
        Command::Join(join) => join::run(&join),
        Command::Check(check) => check::run(&check.name),
        Command::New(new) => new::run(&new.path, new.rules),
    }
}
