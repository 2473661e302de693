//! Who a connection is from, where a proxy stands in front of the door.

use axum::http::HeaderMap;
use std::net::{IpAddr, SocketAddr};
use usher_runtime::Bucket;

/// What a proxy appends the address to that it was connected to from.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// A proxy that is to be believed did not say whom it connects for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unsaid;

/// The address of the client: the peer's own, unless the peer is one of `proxies`. Then it is the last one in
/// the header that is no proxy, because whatever stands before that, the client may have written itself.
pub(super) fn client(
    peer: SocketAddr,
    headers: &HeaderMap,
    proxies: &Bucket,
) -> Result<SocketAddr, Unsaid> {
    let is_proxy = |address: IpAddr| proxies.matching(address).is_some();
    if !is_proxy(peer.ip()) {
        return Ok(peer);
    }
    let mut first = None;
    let values = headers.get_all(FORWARDED_FOR).iter();
    let said: Vec<&str> = values
        .map(|value| value.to_str().map_err(|_| Unsaid))
        .collect::<Result<_, _>>()?;
    for one in said.iter().rev().flat_map(|value| value.rsplit(',')) {
        let address = address(one.trim()).ok_or(Unsaid)?;
        first = Some(address);
        if !is_proxy(address.ip()) {
            break;
        }
    }
    // With nobody but proxies in the chain, the one at its beginning is the client.
    first.ok_or(Unsaid)
}

/// An address, with or without a port; without one the port is 0.
fn address(text: &str) -> Option<SocketAddr> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some((address, 0).into());
    }
    if let Some(v6) = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        return v6.parse::<IpAddr>().ok().map(|address| (address, 0).into());
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use usher_runtime::Entry;

    fn of(peer: &str, headers: &[&str]) -> Result<String, Unsaid> {
        let mut proxies = Bucket::default();
        for proxy in ["127.0.0.1", "10.0.0.0/8"] {
            proxies.insert(Entry::parse(proxy).expect("a network"), "".into());
        }
        let mut map = HeaderMap::new();
        for value in headers {
            map.append(FORWARDED_FOR, value.parse().expect("a header"));
        }
        let peer = peer.parse().expect("an address");
        client(peer, &map, &proxies).map(|client| client.to_string())
    }

    #[test]
    fn who_is_no_proxy_is_not_believed() {
        for headers in [&[][..], &["192.0.2.1"], &["nonsense"]] {
            assert_eq!(of("192.0.2.9:5000", headers), Ok("192.0.2.9:5000".into()));
        }
    }

    #[test]
    fn a_proxy_says_whom_it_connects_for() {
        let from = |headers: &[&str]| of("127.0.0.1:5000", headers);
        let ok = |address: &str| Ok(address.to_owned());
        assert_eq!(from(&["192.0.2.1"]), ok("192.0.2.1:0"));
        assert_eq!(from(&["192.0.2.1:77"]), ok("192.0.2.1:77"));
        assert_eq!(from(&["2001:db8::1"]), ok("[2001:db8::1]:0"));
        assert_eq!(from(&["[2001:db8::1]"]), ok("[2001:db8::1]:0"));
        assert_eq!(from(&["[2001:db8::1]:77"]), ok("[2001:db8::1]:77"));
        // What the client wrote itself comes before what proxies add.
        assert_eq!(from(&["203.0.113.7, 192.0.2.1"]), ok("192.0.2.1:0"));
        assert_eq!(
            from(&["203.0.113.7", "192.0.2.1, 10.1.1.1"]),
            ok("192.0.2.1:0")
        );
        assert_eq!(from(&["nonsense, 192.0.2.1"]), ok("192.0.2.1:0"));
        assert_eq!(from(&["10.1.1.1, 10.1.1.2"]), ok("10.1.1.1:0"));
        for wrong in [
            &[][..],
            &[""],
            &["nonsense"],
            &["192.0.2.1,"],
            &["unknown, 10.1.1.1"],
        ] {
            assert_eq!(from(wrong), Err(Unsaid), "{wrong:?}");
        }
    }
}
