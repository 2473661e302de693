//! From bytes to a ticket. The order of the checks is the protocol's: the first that fails gives the reason,
//! so every implementation refuses the same payload with the same word.

use crate::json::{self, Member, Value};
use crate::kind::Kind;
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::secret::{ReservationId, TicketId};
use crate::text::{AllocationId, DisplayName, PlayerId, WrongLength};
use crate::ticket::{
    BackfillTicket, JoinTicket, Joiner, LanTicket, MatchTicket, ReservationTicket,
};
use crate::version::ProtocolVersion;
use alloc::vec::Vec;

/// How long a ticket may be, in bytes.
pub const MAX_BYTES: usize = 1024;

/// Every key that there is, in the order of the schema.
const KEYS: [&str; 8] = [
    "v",
    "kind",
    "protocolVersion",
    "playerId",
    "reservationId",
    "ticketId",
    "allocationId",
    "displayName",
];

impl JoinTicket {
    /// Reads a payload, or says why it is no ticket. No payload at all is one of no bytes.
    ///
    /// Costs microseconds and a few times the payload's size in memory, whatever the bytes are.
    pub fn decode(payload: &[u8]) -> Result<JoinTicket, Refusal> {
        if payload.is_empty() {
            return Err(Refusal::new(
                Reason::PayloadEmpty,
                "there is no join ticket",
            ));
        }
        if payload.len() > MAX_BYTES {
            return Err(Refusal::new(
                Reason::PayloadTooLarge,
                "it is longer than 1024 bytes",
            ));
        }
        let malformed = |problem| Refusal::new(Reason::PayloadMalformed, problem);
        let text = core::str::from_utf8(payload).map_err(|_| malformed("it is not UTF-8"))?;
        let fields = Fields(json::members(text).map_err(malformed)?);

        fields.format()?;
        if fields.0.iter().any(|it| !KEYS.contains(&&*it.key)) {
            return Err(Refusal::new(
                Reason::PayloadInvalid,
                "it has a field that is not known",
            ));
        }
        let kind = fields.kind()?;
        let protocol_version = fields.protocol_version()?;
        let player_id = needed("playerId", fields.text("playerId", PlayerId::new)?)?;
        let reservation_id = fields.text("reservationId", ReservationId::new)?;
        let ticket_id = fields.text("ticketId", TicketId::from_party)?;
        let allocation_id = fields.text("allocationId", AllocationId::new)?;
        let display_name = fields.text("displayName", DisplayName::new)?;

        let joiner = Joiner {
            protocol_version,
            player_id,
            display_name,
        };
        Ok(match kind {
            Kind::Reservation => JoinTicket::Reservation(ReservationTicket {
                joiner,
                reservation_id: needed("reservationId", reservation_id)?,
                ticket_id,
                allocation_id,
            }),
            Kind::Match => JoinTicket::Match(MatchTicket {
                joiner,
                ticket_id: needed("ticketId", ticket_id)?,
                allocation_id: needed("allocationId", allocation_id)?,
                reservation_id,
            }),
            Kind::Backfill => JoinTicket::Backfill(BackfillTicket {
                joiner,
                ticket_id: needed("ticketId", ticket_id)?,
                allocation_id: needed("allocationId", allocation_id)?,
                reservation_id,
            }),
            Kind::Lan => JoinTicket::Lan(LanTicket {
                joiner,
                reservation_id,
                ticket_id,
                allocation_id,
            }),
        })
    }
}

/// What the object has.
struct Fields<'a>(Vec<Member<'a>>);

impl Fields<'_> {
    fn get(&self, key: &str) -> Option<&Value<'_>> {
        let member = self.0.iter().find(|member| member.key == key)?;
        Some(&member.value)
    }

    /// A later version may have any other field, so a client of it is told about its version first.
    fn format(&self) -> Result<(), Refusal> {
        match integer(needed("v", self.get("v"))?) {
            Some(1) => Ok(()),
            Some(_) => Err(Refusal::field(Reason::UnsupportedVersion, "v", "is not 1")),
            None => Err(invalid("v", "is not an integer")),
        }
    }

    fn kind(&self) -> Result<Kind, Refusal> {
        match needed("kind", self.get("kind"))? {
            Value::Text(text) => Kind::parse(text),
            Value::Bare(_) | Value::Nested => None,
        }
        .ok_or(invalid("kind", "is none of the four"))
    }

    fn protocol_version(&self) -> Result<ProtocolVersion, Refusal> {
        const KEY: &str = "protocolVersion";
        let number =
            integer(needed(KEY, self.get(KEY))?).ok_or(invalid(KEY, "is not an integer"))?;
        let small = u32::try_from(number).ok();
        small
            .and_then(ProtocolVersion::new)
            .ok_or(invalid(KEY, "is not between 0 and 2147483647"))
    }

    /// A text that may be absent. `null` is not absent: it is no text.
    fn text<T>(
        &self,
        key: &'static str,
        make: fn(alloc::string::String) -> Result<T, WrongLength>,
    ) -> Result<Option<T>, Refusal> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Text(text)) => make(text.clone().into_owned())
                .map(Some)
                .map_err(|_| invalid(key, "has the wrong length")),
            Some(Value::Bare(_) | Value::Nested) => Err(invalid(key, "is not text")),
        }
    }
}

/// An integer by its spelling: `1.0` and `1e0` are none, and neither is one beyond 64 bits.
fn integer(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Bare(token) => token.parse().ok(),
        Value::Text(_) | Value::Nested => None,
    }
}

fn needed<T>(field: &'static str, value: Option<T>) -> Result<T, Refusal> {
    value.ok_or(invalid(field, "is missing"))
}

fn invalid(field: &'static str, problem: &'static str) -> Refusal {
    Refusal::field(Reason::PayloadInvalid, field, problem)
}
