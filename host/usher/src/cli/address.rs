//! A door as it is named on the command line.

/// A door's protocol and its address, as `HOST:PORT`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Address {
    Rtyp(String),
    MafiaNet(String),
    /// With whatever path follows the port.
    WebSocket(String),
}

impl Address {
    /// Understands `tcp://HOST:PORT`, where the scheme may be left out, `mafianet://HOST:PORT` and
    /// `ws://HOST:PORT/PATH`, where the path may be left out.
    pub(super) fn parse(text: &str) -> Result<Address, String> {
        let (address, made): (_, fn(String) -> Address) = match text.split_once("://") {
            Some(("tcp", rest)) => (rest, Address::Rtyp),
            Some(("mafianet", rest)) => (rest, Address::MafiaNet),
            Some(("ws", rest)) => (rest, Address::WebSocket),
            Some((scheme, _)) => {
                return Err(format!(
                    "{scheme}:// is not spoken here, tcp://, mafianet:// and ws:// are"
                ));
            }
            None => (text, Address::Rtyp as _),
        };
        let (authority, path) = match address.find('/') {
            Some(path) => address.split_at(path),
            None => (address, ""),
        };
        let made_whole = made(address.to_owned());
        if !path.is_empty() && !matches!(made_whole, Address::WebSocket(_)) {
            return Err(format!("a path such as {path} is only for ws://"));
        }
        match authority.rsplit_once(':') {
            Some((host, port))
                if !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0) =>
            {
                Ok(made_whole)
            }
            _ => Err("a host and a port are needed, such as tcp://127.0.0.1:4241".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_protocol_a_host_and_a_port() {
        let rtyp = |address: &str| Some(Address::Rtyp(address.to_owned()));
        let websocket = |address: &str| Some(Address::WebSocket(address.to_owned()));
        let mafianet = |address: &str| Some(Address::MafiaNet(address.to_owned()));
        for (text, address) in [
            ("tcp://127.0.0.1:4241", rtyp("127.0.0.1:4241")),
            ("localhost:4241", rtyp("localhost:4241")),
            ("tcp://[::1]:4241", rtyp("[::1]:4241")),
            ("mafianet://localhost:4243", mafianet("localhost:4243")),
            ("mafianet://127.0.0.1", None),
            ("tcp://127.0.0.1", None),
            ("tcp://:4241", None),
            ("tcp://host:0", None),
            ("tcp://host:70000", None),
            ("ws://127.0.0.1:4245", websocket("127.0.0.1:4245")),
            ("ws://[::1]:4245/play", websocket("[::1]:4245/play")),
            ("ws://127.0.0.1", None),
            ("ws://127.0.0.1/play", None),
            ("wss://127.0.0.1:4245", None),
            ("tcp://127.0.0.1:4241/play", None),
            ("udp://host:1", None),
            ("", None),
        ] {
            assert_eq!(Address::parse(text).ok(), address, "{text}");
        }
    }
}
