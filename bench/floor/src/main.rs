//! `usher-floor`: the bare servers beside which the doors are measured. Each moves the same bytes as a door, with
//! as many connections, frames and datagrams for each peer, and decides nothing, counts nothing, keeps nothing
//! and tells nobody. What it can do in a second is what this machine can do at all with the same means.
//!
//! It shares no code with the host: a mistake there must not make the floor slow too. It says on stdout, as a
//! line of JSON, where it listens, and it ends when its stdin does.

#[cfg(target_os = "linux")]
mod batch;
#[cfg(target_os = "linux")]
mod echo;
#[cfg(target_os = "linux")]
mod mafianet;
mod ready;
#[cfg(target_os = "linux")]
mod relay;
mod rtyp;

use clap::{Parser, Subcommand};
use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::thread;

/// A bare server to measure a door beside.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    floor: Floor,
}

/// Which.
#[derive(Debug, Subcommand)]
enum Floor {
    /// Answers each datagram of a life from a table
    #[cfg(target_os = "linux")]
    Mafianet {
        /// Where it takes datagrams
        #[arg(long, default_value = "127.0.0.1:0")]
        listen: SocketAddr,
    },
    /// Accepts connections, reads a frame, writes a frame, echoes a datagram
    Rtyp {
        /// Where it takes connections, and where datagrams, if not at the same port
        #[arg(long, num_args = 1..=2, default_value = "127.0.0.1:0")]
        listen: Vec<SocketAddr>,
    },
    /// Sends each datagram back
    #[cfg(target_os = "linux")]
    Echo {
        /// Where it takes datagrams
        #[arg(long, default_value = "127.0.0.1:0")]
        listen: SocketAddr,
    },
    /// Carries datagrams to a server and back, with a socket for each client
    #[cfg(target_os = "linux")]
    Relay {
        /// Where it takes datagrams
        #[arg(long, default_value = "127.0.0.1:0")]
        listen: SocketAddr,
        /// The server
        #[arg(long)]
        server: SocketAddr,
    },
}

fn main() -> ExitCode {
    // Whoever started it holds the other end.
    thread::spawn(|| {
        let _ = io::stdin().lock().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let ended = match Cli::parse().floor {
        #[cfg(target_os = "linux")]
        Floor::Mafianet { listen } => mafianet::run(listen),
        Floor::Rtyp { listen } => rtyp::run(&listen),
        #[cfg(target_os = "linux")]
        Floor::Echo { listen } => echo::run(listen),
        #[cfg(target_os = "linux")]
        Floor::Relay { listen, server } => relay::run(listen, server),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("usher-floor: {error}");
            ExitCode::FAILURE
        }
    }
}
