//! A ledger with so many seats taken: that of a core in which so many play.

use std::sync::Arc;
use std::time::Duration;

use usher_core::{
    Abilities, Acceptance, Admission, Answer, Binding, Config, Core, Decision, DoorConfig, DoorId,
    FailMode, Input, Moment, Output, Pin, ReasonAbility, RequestData, RequestId, SlotId, SlotInfo,
    Snapshot,
};

/// A core in which so many sessions hold a seat.
pub(crate) fn core(sessions: u32) -> Core {
    let config = Config {
        max_players: sessions + 1,
        doors: vec![DoorConfig {
            name: "game".into(),
            binding: Binding::None,
            player_number: None,
            connection_timeout: Duration::from_secs(3_600),
            timeout_text: "".into(),
            full_text: DoorConfig::FULL_TEXT.into(),
            closed_room: None,
        }],
        max_pending_per_address: 0,
        ..Config::default()
    };
    let mut entropy = 0;
    let entropy = move || {
        entropy += 1;
        entropy
    };
    let mut core = Core::new(config, Box::new(entropy));
    let now = Moment::from_millis(1_700_000_000_000);
    core.handle(Input::Rules(Arc::new(rules())), now);
    for number in 1..=u64::from(sessions) {
        let data = request(RequestId(number));
        let knock = Input::Knock {
            request: data.id,
            door: data.door,
            peer: data.peer,
            room: data.room.clone(),
        };
        core.handle(knock, now);
        core.handle(Input::Submit(Arc::new(data)), now);
        while let Some(output) = core.poll_output() {
            if let Output::Ask(ask) = output {
                let options = vec![Admission::default()];
                let accept = Decision::Accept(Acceptance {
                    options,
                    ..Acceptance::default()
                });
                let answer = Answer {
                    ask: ask.id,
                    generation: 1,
                    micros: 1,
                    result: Ok(accept.into()),
                };
                core.handle(Input::Answer(answer), now);
            }
        }
    }
    core
}

fn rules() -> Snapshot {
    Snapshot {
        number: 1,
        slots: vec![SlotInfo {
            name: "rule".into(),
            fail: FailMode::Closed,
            recheck: false,
            game_rule: false,
        }],
        chains: vec![[SlotId(0)].into()],
        pin: Pin(Arc::new(())),
    }
}

fn request(id: RequestId) -> RequestData {
    RequestData {
        id,
        door: DoorId(0),
        door_name: "game".into(),
        protocol: "rtyp".into(),
        abilities: Abilities {
            status: true,
            reasons: ReasonAbility::Text,
            longest_wait: None,
        },
        room: "main".into(),
        peer: ([192, 0, 2, 1], 4_000).into(),
        proven: true,
        name: None,
        password: None,
        args: Vec::new(),
        payload: [].into(),
        attributes: Vec::new(),
        one_way: None,
    }
}

#[cfg(test)]
mod tests {
    use usher_core::Key;

    #[test]
    fn so_many_seats_are_taken() {
        let core = super::core(17);
        assert_eq!(core.taken_view().taken(&Key::server()), 17);
    }
}
