//! What may stand in `[relay]`, and the line that an operator reads when something else does.

use super::*;
use crate::config::Config;

fn read(rest: &str) -> Result<Config, String> {
    let text = format!(
        "[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:4241\"\n\
         udp = \"0.0.0.0:4242\"\n[[policy]]\nname = \"rtyp\"\nmodule = \"builtin:rtyp\"\n{rest}"
    );
    let config = Config::parse(&text, Path::new("usher.toml"));
    config.map_err(|error| error.to_string())
}

#[test]
fn a_relay_is_an_address_and_what_it_says_may_be_lost_unless_said_otherwise() {
    let relay = |text: &str| read(text).map(|config| config.relay);
    for (server, delivery, expected) in [
        ("127.0.0.1:7777", "", Delivery::Unreliable),
        (
            "[::1]:7777",
            "delivery = \"sequenced\"",
            Delivery::Sequenced,
        ),
        ("192.0.2.1:1", "delivery = \"reliable\"", Delivery::Reliable),
        (
            "[2001:db8::1]:9",
            "delivery = \"ordered\"",
            Delivery::Ordered,
        ),
    ] {
        let text = format!("[relay]\nserver = {server:?}\n{delivery}\n");
        let expected = Relay {
            server: server.parse().expect("an address"),
            delivery: expected,
        };
        assert_eq!(relay(&text), Ok(Some(expected)));
    }
    assert_eq!(relay(""), Ok(None));
}

#[test]
fn what_is_no_single_game_server_is_refused() {
    for server in [
        "127.0.0.1",
        "localhost:7777",
        "127.0.0.1:0",
        "0.0.0.0:7777",
        "[::]:7777",
        "[::ffff:0.0.0.0]:7777",
        "224.0.0.1:7777",
        "[ff02::1]:7777",
        "255.255.255.255:7777",
    ] {
        let said = format!(
            "usher.toml:10: relay.server = {server:?}: it must be the IP address and the port of the game \
             server, in quotes; for example: server = \"127.0.0.1:7777\""
        );
        let text = format!("[relay]\nserver = {server:?}\n");
        assert_eq!(read(&text).map(drop), Err(said));
    }
}

#[test]
fn mistakes_have_a_line_with_the_fix() {
    for (text, said) in [
        (
            "[relay]\n",
            "usher.toml:9: relay.server: this is missing; for example: server = \"127.0.0.1:7777\"",
        ),
        (
            "[relay]\nto = 4\nserver = \"127.0.0.1:7777\"",
            "usher.toml:10: relay.to: there is no such key; here are: server, delivery",
        ),
        (
            "[relay]\nserver = \"127.0.0.1:7777\"\ndelivery = \"fast\"",
            "usher.toml:11: relay.delivery = \"fast\": it must be \"unreliable\", \"sequenced\", \
             \"reliable\" or \"ordered\"; for example: delivery = \"unreliable\"",
        ),
        (
            "[relay]\nserver = \"127.0.0.1:7777\"\n[rules]\nmodule = \"builtin:arena\"",
            "usher.toml: relay: what players send goes to the [rules] already: leave out one of the two",
        ),
        (
            "[relay]\nserver = \"127.0.0.1:4242\"",
            "usher.toml: relay.server = \"127.0.0.1:4242\": door[0].udp listens there: name the game server \
             behind this host",
        ),
    ] {
        assert_eq!(read(text).map(drop), Err(said.to_owned()), "{text}");
    }
}
