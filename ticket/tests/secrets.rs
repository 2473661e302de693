//! No text that the crate makes shows an id that lets someone in.

use std::error::Error;
use std::fmt::{Debug, Display};

use usher_ticket::{
    AllocationId, DisplayName, JoinTicket, Kind, PlayerId, Reason, ReservationId, TicketId,
};

const TICKET: &str = "hush-ticket-4711";
const HOLD: &str = "hush-hold-0815";

#[test]
fn a_secret_shows_its_ref() {
    let ticket = TicketId::from_party("abc").expect("an id");
    let hold = ReservationId::new("abc").expect("an id");
    assert_eq!(ticket.secret_ref().to_string(), "ba7816bf8f01");
    assert_eq!(
        format!("{ticket}, {ticket:?}"),
        "ba7816bf8f01, TicketId(ba7816bf8f01)"
    );
    assert_eq!(
        format!("{hold}, {hold:?}"),
        "ba7816bf8f01, ReservationId(ba7816bf8f01)"
    );
    // The ref is that of the UTF-8.
    let wide = TicketId::from_party("𝔸é").expect("an id");
    assert_eq!(wide.secret_ref().to_string(), "fb6fc6a7e9d5");
}

#[test]
fn no_text_of_a_ticket_shows_its_secrets() {
    let mut shown = Vec::new();
    for kind in Kind::ALL {
        let ticket = JoinTicket::decode(payload(kind.as_str(), "").as_bytes()).expect("a ticket");
        assert_eq!(ticket.ticket_id().expect("it has one").expose(), TICKET);
        assert_eq!(ticket.reservation_id().expect("it has one").expose(), HOLD);
        texts(&mut shown, &ticket.ticket_id());
        texts(&mut shown, &ticket.reservation_id());
        texts(&mut shown, &ticket.kind());
        texts(&mut shown, ticket.joiner());
        match &ticket {
            JoinTicket::Reservation(inner) => texts(&mut shown, inner),
            JoinTicket::Match(inner) => texts(&mut shown, inner),
            JoinTicket::Backfill(inner) => texts(&mut shown, inner),
            JoinTicket::Lan(inner) => texts(&mut shown, inner),
        }
        texts(&mut shown, &ticket);
        if let (Some(id), Some(hold)) = (ticket.ticket_id(), ticket.reservation_id()) {
            shown.push(format!("{id} {hold} {id:>60} {hold:<60}"));
            shown.push(format!("{} {:?}", id.secret_ref(), hold.secret_ref()));
        }
        texts(&mut shown, &ticket.encode().map(|bytes| bytes.len()));
    }
    silent(&shown);
    assert!(
        shown.iter().any(|text| text.contains("TicketId(")),
        "they are there as refs"
    );
}

/// Wherever a secret stands when a payload is refused, the refusal says nothing of it.
#[test]
fn no_refusal_quotes_what_it_refuses() {
    let both = format!("{TICKET} {HOLD}");
    let deep = format!("{}\"{both}\"{}", "[".repeat(70), "]".repeat(70));
    let payloads = [
        payload("lan", "}"),
        payload("lan", &format!(r#","{both}":1"#)),
        payload("lan", &format!(r#","extra":{deep}"#)),
        payload("lan", &format!(r#","displayName":"{both} {both}""#)),
        payload("lan", &format!(r#","displayName":["{both}"]"#)),
        payload("lan", &format!(r#","displayName":"{both}\ud800""#)),
        payload("lan", &format!(r#","ticketId":"{TICKET}""#)),
        payload("lan", &format!(r#","extra":{{"{both}":1,"{both}":2}}"#)),
        payload(TICKET, ""),
        payload("lan", "").replace(":3,", &format!(r#":"{both}","#)),
        payload("lan", "").replace(r#""v":1"#, &format!(r#""v":"{both}""#)),
        payload("lan", "").replace(r#""v":1"#, r#""v":2"#),
        payload("lan", "").replace(TICKET, &TICKET.repeat(10)),
        payload("lan", "").replace(HOLD, &HOLD.repeat(10)),
        payload("lan", "").replace(TICKET, &format!(r"{TICKET}\q")),
        format!("{:1100}", payload("lan", "")),
        both.clone(),
    ];
    let mut shown = Vec::new();
    for payload in &payloads {
        let refusal = JoinTicket::decode(payload.as_bytes()).expect_err(payload);
        texts(&mut shown, &refusal);
        shown.push(refusal.to_string());
        shown.push(refusal.detail().to_string());
        let mut cause = refusal.source();
        while let Some(error) = cause {
            shown.push(error.to_string());
            cause = error.source();
        }
    }
    assert!(shown.len() >= 3 * payloads.len());
    silent(&shown);
}

#[test]
fn no_other_error_quotes_what_it_is_about() {
    let mut shown = Vec::new();
    let long = |text: &str| text.repeat(20);
    error(&mut shown, TicketId::from_party(long(TICKET)));
    error(&mut shown, ReservationId::new(long(HOLD)));
    error(&mut shown, AllocationId::new(long(HOLD)));
    error(&mut shown, PlayerId::new(long(TICKET)));
    error(&mut shown, DisplayName::new(long(TICKET)));
    error(&mut shown, TICKET.parse::<Reason>());
    silent(&shown);
}

fn payload(kind: &str, rest: &str) -> String {
    format!(
        r#"{{"v":1,"kind":"{kind}","protocolVersion":3,"playerId":"p","reservationId":"{HOLD}","ticketId":"{TICKET}","allocationId":"a"{rest}}}"#
    )
}

fn texts(shown: &mut Vec<String>, value: &(impl Debug + ?Sized)) {
    shown.push(format!("{value:?}"));
    shown.push(format!("{value:#?}"));
}

fn error<T: Debug, E: Error + Display>(shown: &mut Vec<String>, result: Result<T, E>) {
    let error = result.expect_err("it is wrong");
    texts(shown, &error);
    shown.push(error.to_string());
}

fn silent(shown: &[String]) {
    for text in shown {
        for secret in ["hush", "4711", "0815"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}
