//! The stand-ins as programs, for people.

use crate::discovery::{FakeDiscovery, Reservation};
use crate::fault::{Fault, What};
use crate::sdk::{Dialect, FakeSdk, Hold};
use crate::server::Options;
use clap::Parser;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// The local SDK endpoint of a fleet, made up: nothing that it says is true
#[derive(Parser)]
#[command(name = "fake-sdk")]
struct SdkArgs {
    /// Where it listens on 127.0.0.1
    #[arg(long, default_value_t = 9358)]
    port: u16,
    /// Whose endpoint: pingcore, the fleet's own, or agones
    #[arg(long, default_value = "pingcore", value_parser = dialect)]
    dialect: Dialect,
    /// A hold: ID:SEATS for whoever has its id, or ID:SEATS:p1,p2 for these players; may be repeated
    #[arg(long, value_parser = hold)]
    hold: Vec<Hold>,
    /// More holds, of one seat each for whoever has its id: an id a line
    #[arg(long, value_name = "FILE")]
    holds: Option<PathBuf>,
    /// An allocation that is current from the start, without a roster
    #[arg(long)]
    allocation: Option<String>,
    /// How long every answer takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0)]
    delay: u64,
}

/// Discovery, made up: nothing that it says is true
#[derive(Parser)]
#[command(name = "fake-discovery")]
struct DiscoveryArgs {
    /// Where it listens on 127.0.0.1
    #[arg(long, default_value_t = 9380)]
    port: u16,
    /// The token that it takes
    #[arg(long, default_value = "dsc_made-up")]
    token: String,
    /// A reservation: ID:SEATS for whoever has its id, or ID:SEATS:p1,p2 for these players; may be repeated
    #[arg(long, value_parser = reservation)]
    reservation: Vec<Reservation>,
    /// Say no more than valid or not, as an open app's token gets it
    #[arg(long)]
    verdicts_only: bool,
    /// How long every answer takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0)]
    delay: u64,
}

/// `cargo xtask fake-sdk`.
///
/// # Errors
///
/// One line that says what to do next.
pub fn fake_sdk() -> Result<(), String> {
    let args = SdkArgs::parse();
    let more = args.holds.as_ref().map(fs::read_to_string).transpose();
    let more = more.map_err(|error| format!("the file of holds cannot be read: {error}"))?;
    let sdk = FakeSdk::with(args.dialect, by_hand(args.port)).map_err(taken)?;
    if args.delay > 0 {
        sdk.fault(Fault::at(
            "",
            What::Delay(Duration::from_millis(args.delay)),
        ));
    }
    let port = sdk.port();
    println!(
        "The SDK endpoint of a fleet, made up, listens on http://127.0.0.1:{port}. What is asked of it is shown \
         below.\n\nIn another terminal:\n    AGONES_SDK_HTTP_PORT={port} usher serve --config \
         docs/examples/hosted.toml\nMore that it can be made to say:\n    curl http://127.0.0.1:{port}/fake/"
    );
    for hold in &args.hold {
        let player = hold.player_ids.as_ref().and_then(|it| it.first());
        ticket(&hold.reservation_id, player);
    }
    for hold in args.hold {
        sdk.hold(hold);
    }
    for id in more.iter().flat_map(|ids| ids.lines()) {
        sdk.hold(Hold::open(id, 1));
    }
    if let Some(id) = &args.allocation {
        sdk.allocate(id, &crate::context::rosterless());
        join(
            id,
            &format!(
                "{{\"v\":1,\"kind\":\"match\",\"protocolVersion\":3,\"playerId\":\"p1\",\"ticketId\":\"any\",\
                 \"allocationId\":\"{id}\"}}"
            ),
        );
    }
    sdk.serve();
    Ok(())
}

/// `cargo xtask fake-discovery`.
///
/// # Errors
///
/// One line that says what to do next.
pub fn fake_discovery() -> Result<(), String> {
    let args = DiscoveryArgs::parse();
    let discovery = FakeDiscovery::with(&args.token, by_hand(args.port)).map_err(taken)?;
    if args.delay > 0 {
        let delay = What::Delay(Duration::from_millis(args.delay));
        discovery.fault(Fault::at("", delay));
    }
    discovery.verdicts_only(args.verdicts_only);
    let url = discovery.url();
    println!(
        "Discovery, made up, listens on {url}. What is asked of it is shown below.\n\nIn another terminal:\n    \
         echo {} > docs/examples/discovery.token\n    usher serve --config \
         docs/examples/self-hosted.toml\nMore that it can be made to say:\n    curl {url}/fake/",
        args.token
    );
    for reservation in args.reservation {
        let player = reservation.players.as_ref().and_then(|it| it.first());
        ticket(&reservation.id, player);
        discovery.reserve(reservation);
    }
    discovery.serve();
    Ok(())
}

/// A ticket for a reservation.
fn ticket(reservation: &str, player: Option<&String>) {
    let player = player.map_or("p1", String::as_str);
    join(
        reservation,
        &format!(
            "{{\"v\":1,\"kind\":\"reservation\",\"protocolVersion\":3,\"playerId\":\"{player}\",\
             \"reservationId\":\"{reservation}\"}}"
        ),
    );
}

/// What to paste to come in with a ticket.
fn join(what: &str, ticket: &str) {
    println!(
        "To come in by {what}:\n    echo '{ticket}' > ticket.json\n    usher join \
         mafianet://127.0.0.1:4243 --ticket ticket.json"
    );
}

fn by_hand(port: u16) -> Options {
    Options {
        port,
        by_hand: true,
    }
}

fn taken(error: std::io::Error) -> String {
    format!("it cannot listen there ({error}): take another --port")
}

fn dialect(text: &str) -> Result<Dialect, String> {
    match text {
        "pingcore" => Ok(Dialect::PingCore),
        "agones" => Ok(Dialect::Agones),
        _ => Err("it is pingcore or agones".into()),
    }
}

fn hold(text: &str) -> Result<Hold, String> {
    let (id, seats, players) = parts(text)?;
    Ok(match players {
        Some(players) => Hold {
            seats: Some(seats),
            ..Hold::named(id, &players)
        },
        None => Hold::open(id, seats),
    })
}

fn reservation(text: &str) -> Result<Reservation, String> {
    let (id, seats, players) = parts(text)?;
    Ok(match players {
        Some(players) => Reservation {
            seats,
            ..Reservation::named(id, &players)
        },
        None => Reservation::open(id, seats),
    })
}

/// Reads `ID:SEATS` or `ID:SEATS:p1,p2`. Players may have colons.
fn parts(text: &str) -> Result<(&str, u32, Option<Vec<&str>>), String> {
    let wrong = || "it is ID:SEATS or ID:SEATS:p1,p2".to_owned();
    let mut parts = text.splitn(3, ':');
    let (id, seats) = (parts.next(), parts.next());
    let id = id.filter(|id| !id.is_empty()).ok_or_else(wrong)?;
    let seats = seats.and_then(|it| it.parse().ok()).ok_or_else(wrong)?;
    let players = parts.next().map(|players| players.split(',').collect());
    Ok((id, seats, players))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_lines_are_consistent() {
        SdkArgs::command().debug_assert();
        DiscoveryArgs::command().debug_assert();
    }

    #[test]
    fn a_hold_is_read_with_and_without_players() {
        assert_eq!(parts("r-1:2").unwrap(), ("r-1", 2, None));
        let named = parts("r-1:2:anon:7,p2").unwrap();
        assert_eq!(named, ("r-1", 2, Some(vec!["anon:7", "p2"])));
        assert!(parts("r-1").is_err());
        assert!(parts("r-1:many:p1").is_err());
        assert!(parts(":1").is_err());
    }
}
