//! Requests, as policies see them: what comes with every call. The rest is in `details.rs`.

use crate::contract as wit;
use std::net::IpAddr;
use usher_core::{Ask, Over, RequestData, RoomState, Why};

/// The request of an ask.
pub(crate) fn request_of_ask(ask: &Ask) -> wit::Request {
    let Ask {
        request: data,
        room,
        ..
    } = ask;
    request(data, room, why(ask.why), ask.max_players, ask.attempt)
}

/// The request that is over.
pub(crate) fn request_of_over(over: &Over) -> wit::Request {
    let Over {
        request: data,
        room,
        ..
    } = over;
    request(data, room, wit::Why::First, over.max_players, over.attempt)
}

fn request(
    data: &RequestData,
    room: &RoomState,
    why: wit::Why,
    max_players: u32,
    attempt: u32,
) -> wit::Request {
    wit::Request {
        id: data.id.0,
        why,
        peer: wit::Endpoint {
            address: address_out(data.peer.ip()),
            port: data.peer.port(),
            proven: data.proven,
        },
        joinable: room.closed.is_none(),
        max_players,
        name: data.name.clone(),
        payload: data.payload.clone(),
        attempt,
    }
}

fn why(why: Why) -> wit::Why {
    match why {
        Why::First => wit::Why::First,
        Why::Evidence => wit::Why::Evidence,
        Why::Offer => wit::Why::Offer,
        Why::Reload => wit::Why::Reload,
        Why::Recheck => wit::Why::Recheck,
    }
}

/// The halves of an IPv6 address, of an IPv4 address those of the one that it is mapped to.
fn address_out(address: IpAddr) -> (u64, u64) {
    let bits = match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
        IpAddr::V6(v6) => v6.to_bits(),
    };
    ((bits >> 64) as u64, bits as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use usher_core::Reason;

    #[test]
    fn a_request_is_told() {
        let mut ask = sample::ask("R9");
        ask.why = Why::Offer;
        ask.attempt = 3;
        let request = request_of_ask(&ask);
        assert_eq!(request.name.as_deref(), Some("R9"));
        assert!(matches!(request.why, wit::Why::Offer));
        assert_eq!((request.max_players, request.attempt), (4, 3));
        assert!(request.joinable);
        ask.room.closed = Some(Reason::new("match-running", ""));
        assert!(!request_of_ask(&ask).joinable);
    }

    #[test]
    fn an_address_is_the_bits_of_ipv6() {
        for (peer, expected) in [
            ("192.0.2.7:4000", (0, 0xffff_c000_0207)),
            ("[::ffff:192.0.2.7]:4000", (0, 0xffff_c000_0207)),
            ("[2001:db8::1]:4000", (0x2001_0db8_0000_0000, 1)),
        ] {
            let mut ask = sample::ask("R9");
            let mut data = (*ask.request).clone();
            data.peer = peer.parse().expect("an endpoint");
            ask.request = data.into();
            let request = request_of_ask(&ask);
            assert_eq!(request.peer.address, expected);
            assert_eq!(request.peer.port, 4_000);
        }
    }
}
