//! What holds whatever comes.

use super::*;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::{prop_assert, prop_assert_eq, proptest};
use usher_sdk::ticket;

/// Any answer at all: the good ones of every question, which are bad ones of the others, and nonsense.
fn answer() -> impl Strategy<Value = Answer> {
    let session = || testing::allocation("m1");
    let backfill = || testing::backfill("b1", "m1");
    let documents: Vec<Answer> = vec![
        testing::hold().seats(2).into(),
        testing::hold().players(["ann"]).into(),
        testing::hold().players(["bob"]).into(),
        testing::idle(),
        session().into(),
        session().own().into(),
        session().cap(1).into(),
        session().party("tkt-secret", 2).into(),
        testing::allocation("m2").into(),
        backfill().into(),
        backfill().party("tkt-secret", 2).into(),
        testing::verdict("valid"),
        testing::verdict("invalid"),
        testing::verified().seats(2).into(),
        Answer::Missing,
        testing::unavailable("unreachable"),
    ];
    prop_oneof![
        4 => proptest::sample::select(documents),
        1 => any::<Vec<u8>>().prop_map(Answer::of),
    ]
}

fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => proptest::sample::select(vec![RESERVATION, MATCH, BACKFILL, LAN])
            .prop_map(|ticket| ticket.as_bytes().to_vec()),
        1 => any::<Vec<u8>>(),
    ]
}

proptest! {
    /// Nobody passes without a good ticket and evidence for it; every refusal is one of the nineteen; and no
    /// secret of the ticket is in the open in what the policy says.
    #[test]
    fn who_passes_has_good_evidence(
        mode in proptest::sample::select(Mode::ALL.to_vec()),
        payload in payload(),
        held in answer(),
        current in answer(),
        delivered in answer(),
        said in answer(),
        stopping in any::<bool>(),
        players in 0..3_u32,
        others in 0..3_u32,
    ) {
        let facts = Facts::none()
            .with(hold(), held.clone())
            .with(question::allocation(), current.clone())
            .with(backfill(), delivered.clone())
            .with(verify(), said.clone());
        let row = row("any", mode, payload.clone()).taken(player_key(), players);
        let row = match stopping {
            true => row.closed("stopping"),
            false => row,
        };
        let keys = [hold_key(), ticket_key("m1"), ticket_key("b1"), allocation_key()];
        let host = keys.into_iter().fold(host(), |host, key| host.taken(key, others));
        let host = host.taken(player_key(), players);
        let request = row.request();

        let (decided, lines) = host.run_logged(|| JoinTickets::on_connect_request(&request, &facts));
        let shown = format!("{decided:?} {lines:?}");
        prop_assert!(!shown.contains("secret\""), "{}", shown);
        prop_assert!(!shown.contains("rsv-secret") && !shown.contains("tkt-secret"), "{}", shown);

        match host.outcome_with::<JoinTickets>(&request, &facts) {
            Outcome::Rejected(reason) => {
                prop_assert!(reason.code.parse::<ticket::Reason>().is_ok(), "{}", reason.code);
            }
            Outcome::Passed(passing) => {
                prop_assert!(!stopping && players == 0);
                prop_assert_eq!(&passing.claims[0].key, &player_key());
                let evidence = match (mode, JoinTicket::decode(&payload).expect("decoded")) {
                    (Mode::Hosted, JoinTicket::Reservation(_)) => vec![held],
                    (Mode::Hosted, JoinTicket::Match(_)) => vec![current],
                    (Mode::Hosted, JoinTicket::Backfill(_)) => vec![delivered, current],
                    (Mode::SelfHosted | Mode::ListenOnline, JoinTicket::Reservation(_)) => vec![said],
                    (Mode::ListenLan, JoinTicket::Lan(_)) => vec![],
                    other => panic!("passed: {other:?}"),
                };
                prop_assert!(evidence.iter().all(|answer| answer.found().is_some()));
                if let Some(seat) = passing.claims.get(1) {
                    prop_assert!(others < seat.limit);
                }
            }
            other => panic!("all was answered: {other:?}"),
        }
    }
}
