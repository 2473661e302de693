//! What peers do.

use super::World;
use crate::*;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

impl World {
    /// A name for a peer that has not knocked yet.
    pub(in super::super) fn fresh(&mut self) -> RequestId {
        self.last_request += 1;
        RequestId(self.last_request)
    }

    /// Knocks from an address of its own.
    pub(in super::super) fn knock(&mut self) -> RequestId {
        let host = u32::try_from(self.last_request).unwrap() + 0x0a00_0001;
        self.knock_from(IpAddr::V4(Ipv4Addr::from_bits(host)))
    }

    pub(in super::super) fn knock_from(&mut self, ip: IpAddr) -> RequestId {
        self.knock_at(DoorId(0), ip)
    }

    pub(in super::super) fn knock_at(&mut self, door: DoorId, ip: IpAddr) -> RequestId {
        let request = self.fresh();
        let peer = SocketAddr::new(ip, 4000);
        self.handle(Input::Knock {
            request,
            door,
            peer,
            room: "main".into(),
        });
        request
    }

    /// Says what a knocking peer wants: to enter under this name.
    pub(in super::super) fn submit(&mut self, id: RequestId, name: &str) {
        let data = self.data(id, name);
        self.handle(Input::Submit(Arc::new(data)));
    }

    pub(in super::super) fn data(&self, id: RequestId, name: &str) -> RequestData {
        RequestData {
            id,
            door: DoorId(0),
            door_name: "main".into(),
            protocol: "test".into(),
            abilities: Abilities {
                status: true,
                reasons: ReasonAbility::Text,
                longest_wait: None,
            },
            room: "main".into(),
            peer: "192.0.2.1:4000".parse().unwrap(),
            proven: true,
            name: Some(name.into()),
            password: Some(Secret::new("hunter2")),
            args: Vec::new(),
            payload: Arc::from(*b"payload"),
            attributes: Vec::new(),
            one_way: None,
        }
    }

    /// Knocks from an address of its own and asks to enter.
    pub(in super::super) fn arrive(&mut self, name: &str) -> RequestId {
        let id = self.knock();
        self.submit(id, name);
        id
    }

    pub(in super::super) fn arrive_from(&mut self, ip: &str, name: &str) -> RequestId {
        let id = self.knock_from(ip.parse().unwrap());
        self.submit(id, name);
        id
    }

    /// Knocks at a door, and asks to enter with these changes to what a request mostly says.
    pub(in super::super) fn arrive_with(
        &mut self,
        door: DoorId,
        change: impl FnOnce(&mut RequestData),
    ) -> RequestId {
        let host = u32::try_from(self.last_request).unwrap() + 0x0a00_0001;
        let id = self.knock_at(door, IpAddr::V4(Ipv4Addr::from_bits(host)));
        let mut data = self.data(id, "R9");
        data.door = door;
        change(&mut data);
        self.handle(Input::Submit(Arc::new(data)));
        id
    }

    pub(in super::super) fn bind(&mut self, session: SessionId, endpoint: &str) {
        self.handle(Input::Bind {
            session,
            endpoint: endpoint.parse().unwrap(),
        });
    }

    /// What a request's latest decision asked to be found out, or to be done, came to this.
    pub(in super::super) fn learn(&mut self, request: RequestId, name: &str, answer: FactAnswer) {
        self.handle(Input::Fact {
            request,
            attempt: self.attempt(request),
            question: super::question(name),
            answer,
        });
    }

    /// The peer says goodbye.
    pub(in super::super) fn leave(&mut self, request: RequestId) {
        self.handle(Input::Gone {
            request,
            how: Departure::Left,
        });
    }

    /// The peer's connection drops.
    pub(in super::super) fn drop_peer(&mut self, request: RequestId) {
        self.handle(Input::Gone {
            request,
            how: Departure::Dropped,
        });
    }

    /// The rules or an operator send a player away.
    pub(in super::super) fn kick(&mut self, session: SessionId, code: &str) {
        let reason = Reason::new(code, "");
        self.handle(Input::Kick { session, reason });
    }
}
