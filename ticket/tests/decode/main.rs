//! Every rule of the decoder as a row: a payload, and the kind that it decodes to or the reason of its refusal.

mod fields;
mod row;
mod syntax;
mod vectors;

use row::Row;
use std::collections::HashSet;
use usher_ticket::{JoinTicket, Reason};

#[test]
fn every_payload_decodes_to_its_kind_or_is_refused_for_its_reason() {
    let mut wrong = Vec::new();
    for row in rows() {
        let decoded = JoinTicket::decode(&row.payload);
        let got = decoded.as_ref().map(JoinTicket::kind);
        let got = got.map_err(|refusal| refusal.reason());
        if got != row.expected {
            wrong.push(format!(
                "{}: {got:?} ({decoded:?}) instead of {:?}",
                row.name, row.expected
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_has_every_reason_of_the_decoder_and_no_row_twice() {
    let rows = rows();
    let mut names = HashSet::new();
    let mut payloads = HashSet::new();
    for row in &rows {
        assert!(names.insert(&row.name), "{} is there twice", row.name);
        assert!(payloads.insert(&row.payload), "{} adds nothing", row.name);
    }
    // The first five of the list are the decoder's, and it has no others.
    let reasons: HashSet<_> = rows.iter().filter_map(|row| row.expected.err()).collect();
    assert_eq!(
        reasons,
        HashSet::from_iter(Reason::ALL[..5].iter().copied())
    );
}

/// What decodes is a ticket that can be sent again and means the same.
#[test]
fn every_ticket_of_the_table_encodes_to_itself() {
    let mut count = 0;
    for row in rows() {
        if let Ok(ticket) = JoinTicket::decode(&row.payload) {
            let again = ticket.encode().expect(&row.name);
            assert_eq!(JoinTicket::decode(&again), Ok(ticket), "{}", row.name);
            count += 1;
        }
    }
    assert!(count > 30, "{count} tickets");
}

fn rows() -> Vec<Row> {
    let mut rows = syntax::rows();
    rows.extend(fields::rows());
    rows.extend(vectors::rows());
    rows
}
