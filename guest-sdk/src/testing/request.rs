//! Requests, waiters and players for tests, with plain values where the test states none.

use std::net::IpAddr;

use crate::address;
use crate::bindings::admission::exports::usher::policy::admission as wit;
use crate::contract::{
    Attribute, AttributeValue, DoorAbilities, DoorInfo, Endpoint, HeldUnit, Key, Player,
    ProgressInfo, Reason, ReasonAbility, RoomState, SessionId, StatusAbility, Waiter, Why,
};
use crate::request::{More, Request, Secret};

/// A first request of `player` from 192.0.2.1 at an `rtyp` door, to an open room `main`, on a host
/// with 4 seats.
pub fn request() -> RequestBuilder {
    let told = wit::Request {
        id: 1,
        why: Why::First,
        peer: Endpoint {
            address: address::to_contract(IpAddr::from([192, 0, 2, 1])),
            port: 40_000,
            proven: true,
        },
        joinable: true,
        max_players: 4,
        name: Some("player".into()),
        payload: Vec::new(),
        attempt: 1,
    };
    RequestBuilder {
        told,
        door: DoorInfo {
            name: "tcp".into(),
            protocol: "rtyp".into(),
            abilities: DoorAbilities {
                status: StatusAbility::Text,
                reasons: ReasonAbility::Text,
                longest_wait: None,
            },
        },
        progress: ProgressInfo {
            ask_id: 1,
            position: None,
            waited: 0,
            one_way: None,
        },
        closed: None,
        password: None,
        args: Vec::new(),
        attributes: Vec::new(),
        held: Vec::new(),
    }
}

/// Makes a [`Request`].
#[derive(Clone, Debug)]
pub struct RequestBuilder {
    told: wit::Request,
    door: DoorInfo,
    progress: ProgressInfo,
    closed: Option<Reason>,
    password: Option<String>,
    args: Vec<String>,
    attributes: Vec<Attribute>,
    held: Vec<HeldUnit>,
}

impl RequestBuilder {
    /// With a name.
    pub fn name(mut self, name: impl Into<String>) -> RequestBuilder {
        self.told.name = Some(name.into());
        self
    }

    /// With a connection password.
    pub fn password(mut self, password: impl Into<String>) -> RequestBuilder {
        self.password = Some(password.into());
        self
    }

    /// With one more connection argument.
    pub fn arg(mut self, arg: impl Into<String>) -> RequestBuilder {
        self.args.push(arg.into());
        self
    }

    /// With a payload.
    pub fn payload(mut self, payload: impl Into<Vec<u8>>) -> RequestBuilder {
        self.told.payload = payload.into();
        self
    }

    /// From an address, such as `192.0.2.7`.
    ///
    /// # Panics
    ///
    /// When it is no IP address.
    pub fn address(mut self, address: &str) -> RequestBuilder {
        let address = address.parse().expect("a test gives an IP address");
        self.told.peer.address = address::to_contract(address);
        self
    }

    /// On a host with so many seats.
    pub fn max_players(mut self, players: u32) -> RequestBuilder {
        self.told.max_players = players;
        self
    }

    /// To a room that is closed.
    pub fn closed(mut self, reason: Reason) -> RequestBuilder {
        self.told.joinable = false;
        self.closed = Some(reason);
        self
    }

    /// With an attribute.
    pub fn attribute(mut self, name: impl Into<String>, value: AttributeValue) -> RequestBuilder {
        self.attributes.push(Attribute {
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
        self.told.why = why;
        self
    }

    /// While the request holds a unit, with the index handed out where it asked for one.
    pub fn held(mut self, key: Key, index: Option<u32>) -> RequestBuilder {
        self.held.push(HeldUnit { key, index });
        self
    }

    /// At another door.
    pub fn door(mut self, change: impl FnOnce(&mut DoorInfo)) -> RequestBuilder {
        change(&mut self.door);
        self
    }

    /// While it waits at a place in its lane, from 1.
    pub fn position(mut self, position: u32) -> RequestBuilder {
        self.progress.position = Some(position);
        self
    }

    /// Changes how it has fared.
    pub fn progress(mut self, change: impl FnOnce(&mut ProgressInfo)) -> RequestBuilder {
        change(&mut self.progress);
        self
    }

    /// Changes anything else that comes with a call.
    pub fn with(mut self, change: impl FnOnce(&mut wit::Request)) -> RequestBuilder {
        change(&mut self.told);
        self
    }

    /// The request.
    pub fn build(self) -> Request {
        let room = RoomState {
            joinable: self.told.joinable,
            closed: self.closed,
            ..open_room()
        };
        let mut request = Request::from(self.told);
        request.more = More {
            door: self.door.into(),
            progress: self.progress.into(),
            room: room.into(),
            password: Secret(self.password).into(),
            args: self.args.into(),
            attributes: self.attributes.into(),
            held: self.held.into(),
        };
        request
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
