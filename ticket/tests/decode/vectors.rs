//! The example payloads of the contract.

use crate::row::Row;
use std::fs;
use std::path::{Path, PathBuf};
use usher_ticket::{JoinTicket, Kind, Reason};

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for file in files("valid") {
        let name = name(&file);
        let kind = Kind::ALL
            .into_iter()
            .find(|kind| name.starts_with(kind.as_str()))
            .expect("the name begins with a kind");
        rows.push(Row::new(
            &name,
            fs::read(&file).expect("readable"),
            Ok(kind),
        ));
    }
    for file in files("invalid") {
        let reason = match &*name(&file) {
            "oversize.json" => Reason::PayloadTooLarge,
            other => panic!("what is {other} refused for?"),
        };
        let payload = fs::read(&file).expect("readable");
        rows.push(Row::new(&name(&file), payload, Err(reason)));
    }
    rows
}

#[test]
fn all_example_payloads_are_there() {
    assert_eq!(files("valid").len(), 5);
    assert_eq!(files("invalid").len(), 1);
}

#[test]
fn an_example_says_what_it_is_about() {
    let read = |name| fs::read(folder("valid").join(name)).expect("readable");
    let JoinTicket::Match(ticket) = JoinTicket::decode(&read("match.json")).expect("valid") else {
        panic!("a match ticket");
    };
    assert_eq!(ticket.joiner.protocol_version.get(), 3);
    assert_eq!(
        ticket.joiner.player_id.as_str(),
        "anon:0b84e1c9-437c-4962-ab0a-7ffdd2123607"
    );
    assert_eq!(ticket.ticket_id.expose(), "q3Vx9mKc0TzR1bN4wYp7Lg");
    assert_eq!(
        ticket.allocation_id.as_str(),
        "9b2f6c1e-4d7a-4f0e-8a3b-2c5d7e9f1a40"
    );
    assert_eq!(ticket.reservation_id, None);
    let name = ticket.joiner.display_name.expect("a name");
    assert_eq!(name.as_str(), "Bob");

    let JoinTicket::Reservation(ticket) =
        JoinTicket::decode(&read("reservation.json")).expect("valid")
    else {
        panic!("a reservation ticket");
    };
    assert_eq!(
        ticket.reservation_id.expose(),
        "5a7ae265-3bff-40dd-a2f9-8912fbab97d2"
    );
    assert_eq!((ticket.ticket_id, ticket.allocation_id), (None, None));
}

fn folder(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(below)
}

fn files(below: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(below)).expect("the examples are in the repository");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    files
}

fn name(file: &Path) -> String {
    let name = file.file_name().expect("a file");
    name.to_str().expect("a plain name").to_owned()
}
