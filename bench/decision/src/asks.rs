//! The requests of the rule, as the core asks about them, and verdicts of the core as the rule's.

use std::sync::Arc;
use std::time::Duration;

use usher_bench_rule::{Request, Verdict};
use usher_core::{
    Abilities, Ask, AskId, Attribute, AttributeValue, Claim, Decision, DoorId, Moment, Part,
    ReasonAbility, RequestData, RequestId, RoomState, SlotId, Snapshot, Wanted, Why,
};

/// When the requests are asked about.
const NOW: u64 = 1_700_000_000_000;

/// What all requests of a host share.
pub(crate) struct Shared {
    door: Arc<str>,
    protocol: Arc<str>,
    room: Arc<str>,
    host: Arc<[Attribute]>,
    life: Arc<()>,
}

impl Shared {
    /// Made once.
    pub(crate) fn new(of: &Request) -> Shared {
        let attributes = of.attributes.iter().map(|(name, value)| Attribute {
            name: name.as_str().into(),
            value: AttributeValue::Text(value.as_str().into()),
        });
        Shared {
            door: of.door.as_str().into(),
            protocol: of.protocol.as_str().into(),
            room: of.room.as_str().into(),
            host: attributes.collect(),
            life: Arc::default(),
        }
    }

    /// A request as a door hands it in.
    pub(crate) fn data(&self, of: &Request) -> Result<RequestData, String> {
        let ip = of.address.parse::<std::net::IpAddr>();
        let ip = ip.map_err(|error| format!("{}: {error}", of.address))?;
        Ok(RequestData {
            id: RequestId(of.id),
            door: DoorId(0),
            door_name: self.door.clone(),
            protocol: self.protocol.clone(),
            abilities: Abilities {
                status: true,
                reasons: ReasonAbility::Text,
                longest_wait: None,
            },
            room: self.room.clone(),
            peer: (ip, of.port).into(),
            proven: of.proven,
            name: None,
            password: None,
            args: Vec::new(),
            payload: of.payload.as_slice().into(),
            attributes: Vec::new(),
            one_way: None,
        })
    }

    /// The first ask about it.
    pub(crate) fn ask(
        &self,
        id: u64,
        data: &Arc<RequestData>,
        max_players: u32,
        snapshot: &Arc<Snapshot>,
    ) -> Ask {
        Ask {
            id: AskId(id),
            slot: SlotId(0),
            snapshot: Arc::clone(snapshot),
            last_good: false,
            why: Why::First,
            request: Arc::clone(data),
            room: RoomState {
                name: self.room.clone(),
                closed: None,
            },
            max_players,
            host: self.host.clone(),
            server_closed: None,
            attempt: 1,
            position: None,
            waited: Duration::ZERO,
            held: Vec::new(),
            facts: Vec::new(),
            rounds_left: 8,
            now: now(),
            seed: id,
            deadline: Moment::from_millis(u64::MAX),
            wanted: Wanted::with(&self.life),
        }
    }
}

/// What the host's clock says.
pub(crate) fn now() -> Moment {
    Moment::from_millis(NOW)
}

/// A verdict of the core, if the rule can have given it.
pub(crate) fn verdict(decision: Decision) -> Result<Verdict, String> {
    let acceptance = match decision {
        Decision::Reject(reason) => return Ok(Verdict::reject(&reason.code, &reason.text)),
        Decision::Accept(acceptance) => acceptance,
        other => return Err(format!("no verdict of the rule: {other:?}")),
    };
    let [option] = &acceptance.options[..] else {
        return Err("not one option".to_owned());
    };
    let [
        Claim {
            key,
            limit,
            when_full,
            ..
        },
    ] = &option.claims[..]
    else {
        return Err(format!("not one claim: {:?}", option.claims));
    };
    let [Part::Plain(part)] = &key.parts()[..] else {
        return Err(format!("not one plain part: {key}"));
    };
    Ok(Verdict::Accept {
        identity: option.identity.as_deref().unwrap_or_default().to_owned(),
        namespace: key.namespace().to_owned(),
        part: part.to_string(),
        limit: *limit,
        full_code: when_full.code.to_string(),
        full_text: when_full.text.to_string(),
    })
}
