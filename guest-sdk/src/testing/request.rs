//! Requests, waiters and players for tests, with plain values where the test states none.

use crate::bindings::admission::exports::usher::policy::admission as wit;
use crate::contract::{
    Attribute, AttributeValue, DoorAbilities, Endpoint, HeldUnit, Key, Player, Reason,
    ReasonAbility, RoomState, SessionId, StatusAbility, Waiter, Why,
};
use crate::request::Request;

/// A first request of `player` from 192.0.2.1 at an `rtyp` door, to an open room `main`, on a host
/// with 4 seats.
pub fn request() -> RequestBuilder {
    RequestBuilder(wit::Request {
        id: 1,
        ask_id: 1,
        why: Why::First,
        door: "tcp".into(),
        protocol: "rtyp".into(),
        abilities: DoorAbilities {
            status: StatusAbility::Text,
            reasons: ReasonAbility::Text,
            longest_wait: None,
        },
        room: open_room(),
        max_players: 4,
        peer: Endpoint {
            address: "192.0.2.1".into(),
            port: 40_000,
            proven: true,
        },
        name: Some("player".into()),
        password: None,
        args: Vec::new(),
        payload: Vec::new(),
        attributes: Vec::new(),
        attempt: 1,
        position: None,
        waited: 0,
        one_way: None,
        held: Vec::new(),
    })
}

/// Makes a [`Request`].
#[derive(Clone, Debug)]
pub struct RequestBuilder(wit::Request);

impl RequestBuilder {
    /// With a name.
    pub fn name(mut self, name: impl Into<String>) -> RequestBuilder {
        self.0.name = Some(name.into());
        self
    }

    /// With a connection password.
    pub fn password(mut self, password: impl Into<String>) -> RequestBuilder {
        self.0.password = Some(password.into());
        self
    }

    /// With one more connection argument.
    pub fn arg(mut self, arg: impl Into<String>) -> RequestBuilder {
        self.0.args.push(arg.into());
        self
    }

    /// With a payload.
    pub fn payload(mut self, payload: impl Into<Vec<u8>>) -> RequestBuilder {
        self.0.payload = payload.into();
        self
    }

    /// From an address.
    pub fn address(mut self, address: impl Into<String>) -> RequestBuilder {
        self.0.peer.address = address.into();
        self
    }

    /// On a host with so many seats.
    pub fn max_players(mut self, players: u32) -> RequestBuilder {
        self.0.max_players = players;
        self
    }

    /// To a room that is closed.
    pub fn closed(mut self, reason: Reason) -> RequestBuilder {
        self.0.room.joinable = false;
        self.0.room.closed = Some(reason);
        self
    }

    /// With an attribute.
    pub fn attribute(mut self, name: impl Into<String>, value: AttributeValue) -> RequestBuilder {
        self.0.attributes.push(Attribute {
            name: name.into(),
            value,
        });
        self
    }

    /// On a host that takes nobody at the moment, with the code why.
    pub fn server_closed(self, code: impl Into<String>) -> RequestBuilder {
        self.attribute("server.closed", AttributeValue::Text(code.into()))
    }

    /// Asked for another reason than the first.
    pub fn why(mut self, why: Why) -> RequestBuilder {
        self.0.why = why;
        self
    }

    /// While the request holds a unit, with the index handed out where it asked for one.
    pub fn held(mut self, key: Key, index: Option<u32>) -> RequestBuilder {
        self.0.held.push(HeldUnit { key, index });
        self
    }

    /// Changes anything else.
    pub fn with(mut self, change: impl FnOnce(&mut wit::Request)) -> RequestBuilder {
        change(&mut self.0);
        self
    }

    /// The request.
    pub fn build(self) -> Request {
        self.0.into()
    }
}

/// A waiter `player`, first of one in the lane `main`.
pub fn waiter() -> WaiterBuilder {
    WaiterBuilder(Waiter {
        request: 1,
        lane: Some("main".into()),
        position: 1,
        lane_length: 1,
        waited: 0,
        estimate: None,
        identity: None,
        name: Some("player".into()),
        door: "tcp".into(),
        room: open_room(),
    })
}

/// Makes a [`Waiter`].
#[derive(Clone, Debug)]
pub struct WaiterBuilder(Waiter);

impl WaiterBuilder {
    /// With a name.
    pub fn name(mut self, name: impl Into<String>) -> WaiterBuilder {
        self.0.name = Some(name.into());
        self
    }

    /// At a place in its lane, from 1, of so many who wait there.
    pub fn place(mut self, position: u32, lane_length: u32) -> WaiterBuilder {
        self.0.position = position;
        self.0.lane_length = lane_length;
        self
    }

    /// While its decision is still being made: in no lane yet.
    pub fn deciding(mut self) -> WaiterBuilder {
        self.0.lane = None;
        self.0.position = 0;
        self.0.lane_length = 0;
        self
    }

    /// Changes anything else.
    pub fn with(mut self, change: impl FnOnce(&mut Waiter)) -> WaiterBuilder {
        change(&mut self.0);
        self
    }

    /// The waiter.
    pub fn build(self) -> Waiter {
        self.0
    }
}

/// A player of some number-less protocol, with no identity. Other values by struct update:
/// `Player { number: Some(2), ..player(7, "R9") }`.
pub fn player(session: SessionId, name: impl Into<String>) -> Player {
    Player {
        session,
        name: name.into(),
        identity: None,
        identity_proven: false,
        number: None,
        door: "tcp".into(),
        protocol: "rtyp".into(),
        remember: Vec::new(),
    }
}

fn open_room() -> RoomState {
    RoomState {
        name: "main".into(),
        joinable: true,
        closed: None,
    }
}
