//! Properties of decoder and encoder that hold for every payload and every ticket.

use proptest::prelude::*;
use usher_ticket::{
    AllocationId, BackfillTicket, DisplayName, EncodeError, JoinTicket, Joiner, LanTicket,
    MAX_BYTES, MatchTicket, PlayerId, ProtocolVersion, Reason, ReservationId, ReservationTicket,
    TicketId,
};

/// Texts of any characters, those that JSON must escape among them.
fn text(most: usize) -> impl Strategy<Value = String> {
    let character = prop_oneof![
        6 => proptest::char::range('a', 'z'),
        2 => any::<char>(),
        1 => proptest::char::range('\0', '\u{1f}'),
        1 => proptest::sample::select(vec!['"', '\\', '/', '\u{7f}', '\u{2028}']),
    ];
    prop::collection::vec(character, 1..=most).prop_map(String::from_iter)
}

fn reservation_id() -> impl Strategy<Value = ReservationId> {
    text(100).prop_map(|text| ReservationId::new(text).expect("of a good length"))
}

fn ticket_id() -> impl Strategy<Value = TicketId> {
    text(100).prop_map(|text| TicketId::from_party(text).expect("of a good length"))
}

fn allocation_id() -> impl Strategy<Value = AllocationId> {
    text(100).prop_map(|text| AllocationId::new(text).expect("of a good length"))
}

fn joiner() -> impl Strategy<Value = Joiner> {
    let name = prop_oneof![Just(String::new()), text(32)];
    (0..=ProtocolVersion::MAX, text(100), prop::option::of(name)).prop_map(
        |(version, player, name)| Joiner {
            protocol_version: ProtocolVersion::new(version).expect("in its range"),
            player_id: PlayerId::new(player).expect("of a good length"),
            display_name: name.map(|name| DisplayName::new(name).expect("of a good length")),
        },
    )
}

fn ticket() -> impl Strategy<Value = JoinTicket> {
    use prop::option::of;
    prop_oneof![
        (
            joiner(),
            reservation_id(),
            of(ticket_id()),
            of(allocation_id())
        )
            .prop_map(|(joiner, reservation_id, ticket_id, allocation_id)| {
                JoinTicket::Reservation(ReservationTicket {
                    joiner,
                    reservation_id,
                    ticket_id,
                    allocation_id,
                })
            }),
        (joiner(), ticket_id(), allocation_id(), of(reservation_id())).prop_map(
            |(joiner, ticket_id, allocation_id, reservation_id)| {
                JoinTicket::Match(MatchTicket {
                    joiner,
                    ticket_id,
                    allocation_id,
                    reservation_id,
                })
            }
        ),
        (joiner(), ticket_id(), allocation_id(), of(reservation_id())).prop_map(
            |(joiner, ticket_id, allocation_id, reservation_id)| {
                JoinTicket::Backfill(BackfillTicket {
                    joiner,
                    ticket_id,
                    allocation_id,
                    reservation_id,
                })
            }
        ),
        (
            joiner(),
            of(reservation_id()),
            of(ticket_id()),
            of(allocation_id())
        )
            .prop_map(|(joiner, reservation_id, ticket_id, allocation_id)| {
                JoinTicket::Lan(LanTicket {
                    joiner,
                    reservation_id,
                    ticket_id,
                    allocation_id,
                })
            }),
    ]
}

/// What can be wrong with a match ticket, in the order in which it is looked for: the reason and the detail.
const FAULTS: [(Reason, &str); 17] = [
    (Reason::PayloadTooLarge, "it is longer than 1024 bytes"),
    (Reason::PayloadMalformed, "it is not UTF-8"),
    (Reason::PayloadMalformed, "it is not JSON"),
    (Reason::PayloadMalformed, "it has a key twice"),
    (Reason::PayloadInvalid, "v is missing"),
    (Reason::PayloadInvalid, "v is not an integer"),
    (Reason::UnsupportedVersion, "v is not 1"),
    (Reason::PayloadInvalid, "it has a field that is not known"),
    (Reason::PayloadInvalid, "kind is none of the four"),
    (Reason::PayloadInvalid, "protocolVersion is not an integer"),
    (Reason::PayloadInvalid, "playerId is not text"),
    (Reason::PayloadInvalid, "reservationId has the wrong length"),
    (Reason::PayloadInvalid, "ticketId is not text"),
    (Reason::PayloadInvalid, "allocationId has the wrong length"),
    (Reason::PayloadInvalid, "displayName has the wrong length"),
    (Reason::PayloadInvalid, "ticketId is missing"),
    (Reason::PayloadInvalid, "allocationId is missing"),
];

/// A match ticket with those of the faults whose bits are set, in any order of its fields.
fn faulty(faults: u32, turn: usize) -> Vec<u8> {
    let has = |fault: usize| faults & (1 << fault) != 0;
    let pick = |fault, bad: &'static str, good: &'static str| if has(fault) { bad } else { good };
    let v = match (has(5), has(6)) {
        (true, _) => r#""v":"1""#,
        (_, true) => r#""v":7"#,
        _ => r#""v":1"#,
    };
    let long_id = format!(r#""allocationId":"{}""#, "y".repeat(101));
    let long_name = format!(r#""displayName":"{}""#, "z".repeat(33));
    let mut fields = vec![
        pick(8, r#""kind":"Match""#, r#""kind":"match""#),
        pick(9, r#""protocolVersion":3.0"#, r#""protocolVersion":3"#),
        pick(10, r#""playerId":null"#, r#""playerId":"p""#),
    ];
    if !has(4) {
        fields.push(v);
    }
    if has(3) {
        fields.push(r#""protocolVersion":3"#);
    }
    if has(7) {
        fields.push(r#""colour":"red""#);
    }
    if has(11) {
        fields.push(r#""reservationId":"""#);
    }
    match (has(12), has(15)) {
        (true, _) => fields.push(r#""ticketId":12"#),
        (_, true) => {}
        _ => fields.push(r#""ticketId":"t""#),
    }
    match (has(13), has(16)) {
        (true, _) => fields.push(&long_id),
        (_, true) => {}
        _ => fields.push(r#""allocationId":"a""#),
    }
    if has(14) {
        fields.push(&long_name);
    }
    let middle = turn % fields.len();
    fields.rotate_left(middle);
    let mut payload = format!("{{{}}}", fields.join(",")).into_bytes();
    if has(2) {
        payload.push(b'}');
    }
    if has(1) {
        payload.push(0xFF);
    }
    if has(0) {
        payload.resize(MAX_BYTES + 1, b' ');
    }
    payload
}

/// Almost JSON, as arbitrary bytes seldom are.
fn pieces() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\"",
        "\\",
        "\\u00",
        "\\ud83d",
        "0",
        "1",
        "-",
        ".",
        "e9",
        "null",
        "\"v\":1",
        "\"kind\":\"lan\"",
        "\"protocolVersion\":0",
        "\"playerId\":\"p\"",
        "\"\":{}",
        "é",
        "𝔸",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_is_encoded_decodes_to_the_same_ticket(ticket in ticket()) {
        match ticket.encode() {
            Ok(payload) => {
                prop_assert!(payload.len() <= MAX_BYTES);
                prop_assert_eq!(JoinTicket::decode(&payload), Ok(ticket));
            }
            Err(EncodeError::TooLarge { bytes }) => prop_assert!(bytes > MAX_BYTES),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn the_first_fault_in_the_order_of_checks_gives_the_reason(
        faults in 0u32..1 << FAULTS.len(),
        few in 0u32..1 << FAULTS.len(),
        turn: usize,
    ) {
        // Half of all bits would nearly always have one of the first.
        for faults in [faults, faults & few, faults & few & faults.rotate_left(5)] {
            let got = JoinTicket::decode(&faulty(faults, turn));
            let got = got.as_ref().map_err(|refusal| (refusal.reason(), refusal.detail().to_string()));
            match FAULTS.get(faults.trailing_zeros() as usize) {
                Some((reason, detail)) => prop_assert_eq!(got, Err((*reason, (*detail).to_owned()))),
                None => prop_assert!(got.is_ok(), "{:?}", got),
            }
        }
    }

    #[test]
    fn arbitrary_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..1100)) {
        let refusal = JoinTicket::decode(&bytes).expect_err("chance makes no ticket");
        let expected = match bytes.len() {
            0 => Reason::PayloadEmpty,
            1..=MAX_BYTES => Reason::PayloadMalformed,
            _ => Reason::PayloadTooLarge,
        };
        // One chance in millions: two bytes that are an empty object.
        prop_assume!(bytes.len() > 8 || std::str::from_utf8(&bytes).is_err() || bytes.is_empty());
        prop_assert_eq!(refusal.reason(), expected);
    }

    #[test]
    fn almost_json_never_panics(text in pieces()) {
        if let Ok(ticket) = JoinTicket::decode(text.as_bytes()) {
            prop_assert!(ticket.encode().is_ok());
        }
    }
}

/// Each alone and each pair, so that none is left to chance.
#[test]
fn every_pair_of_faults_is_told_as_its_first() {
    for (first, (reason, detail)) in FAULTS.into_iter().enumerate() {
        for second in first..FAULTS.len() {
            let refusal = JoinTicket::decode(&faulty(1 << first | 1 << second, 2))
                .expect_err("it has a fault");
            assert_eq!(refusal.reason(), reason, "{first} and {second}");
            assert_eq!(refusal.detail().to_string(), detail, "{first} and {second}");
        }
    }
    assert!(JoinTicket::decode(&faulty(0, 0)).is_ok());
}

#[test]
fn a_ticket_that_is_too_long_is_not_sent() {
    let named = |characters: usize| {
        let wide = |times| "𝔸".repeat(times);
        JoinTicket::Match(MatchTicket {
            joiner: Joiner {
                protocol_version: ProtocolVersion::new(3).expect("in its range"),
                player_id: PlayerId::new(wide(100)).expect("of a good length"),
                display_name: Some(DisplayName::new(wide(10)).expect("of a good length")),
            },
            ticket_id: TicketId::from_party(wide(100)).expect("of a good length"),
            allocation_id: AllocationId::new("y".repeat(characters)).expect("of a good length"),
            reservation_id: None,
        })
    };
    let empty = named(1).encode().expect("it fits").len() - 1;
    let room = MAX_BYTES - empty;
    assert_eq!(named(room).encode().expect("it fits").len(), MAX_BYTES);
    assert!(JoinTicket::decode(&named(room).encode().expect("it fits")).is_ok());
    let refused = named(room + 1).encode();
    assert_eq!(
        refused,
        Err(EncodeError::TooLarge {
            bytes: MAX_BYTES + 1
        })
    );
}

#[test]
fn a_ticket_is_sent_compact_and_in_the_order_of_the_schema() {
    let payload = r#" { "displayName" : "B\u006fb/\n", "allocationId":"a", "ticketId":"t", "reservationId":"r",
        "playerId":"p", "protocolVersion":-0, "kind":"lan", "v":1 } "#;
    let ticket = JoinTicket::decode(payload.as_bytes()).expect("a ticket");
    assert_eq!(
        String::from_utf8(ticket.encode().expect("it fits")).expect("UTF-8"),
        r#"{"v":1,"kind":"lan","protocolVersion":0,"playerId":"p","reservationId":"r","ticketId":"t","allocationId":"a","displayName":"Bob/\n"}"#
    );
}
