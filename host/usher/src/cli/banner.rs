//! What `usher serve` says once it stands at the door.

use crate::admin::{BucketStatus, ModuleStatus};
use crate::config::{Config, Door, Mode, Relay};
use crate::doors::door::Addresses;
use crate::evidence::Chosen;
use crate::serve::Started;
use std::fmt::Write as _;
use std::net::SocketAddr;

/// What listens where, who decides, and what to try next.
pub(super) fn banner(started: &Started<'_>) -> String {
    let Started {
        config,
        doors,
        admin,
        modules,
        mode,
    } = started;
    let mut text = format!("usher {}\n", env!("CARGO_PKG_VERSION"));
    let mut line = |label: &str, value: String| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {label:<8} {value}");
    };
    for (door, addresses) in config.doors.iter().zip(doors) {
        line("door", door_line(config, door, addresses));
    }
    for policy in &modules.policies {
        line(
            "policy",
            format!("{}: {}", policy.name, module_line(policy)),
        );
    }
    for rules in &modules.rules {
        line("rules", module_line(rules));
    }
    if let Some(relay) = &config.relay {
        line("relay", relay_line(relay));
    }
    for bucket in &modules.buckets {
        line("bucket", bucket_line(bucket));
    }
    let limits = &config.limits;
    let pool = match limits.max_pending {
        0 => "no pending pool".to_owned(),
        size => format!("{size} may be pending"),
    };
    line("seats", format!("{}, {pool}", limits.max_players));
    line("mode", mode_line(mode));
    if let Some(admin) = admin {
        line("admin", format!("http://{admin}/v1/status and /metrics"));
    }
    if let Some(audit) = &config.audit {
        line("audit", audit.file.display().to_string());
    }
    let mut joined = config.doors.iter().zip(doors);
    if let Some((door, scheme, address)) = joined.find_map(to_join) {
        let address = reachable(address);
        let with = match config.carries_tickets(door) {
            true => "--ticket FILE",
            false => "--name R9",
        };
        let _ = write!(text, "\nTry: usher join {scheme}://{address} {with}\n");
    }
    text
}

/// A door, where it listens, and who is asked.
fn door_line(config: &Config, door: &Door, addresses: &Addresses) -> String {
    let chain = door.policies.iter();
    let chain = chain.filter_map(|slot| config.policies.get(usize::from(slot.0)));
    let chain: Vec<&str> = chain.map(|policy| &*policy.name).collect();
    let (name, protocol) = (&door.name, door.protocol.word());
    let tickets = match config.carries_tickets(door) {
        true => " with join tickets",
        false => "",
    };
    let asks = chain.join(", then ");
    let ports = [("tcp", addresses.tcp), ("udp", addresses.udp)].into_iter();
    let ports = ports.filter_map(|(kind, port)| Some(format!("{kind} {}", port?)));
    let ports = ports.collect::<Vec<_>>().join(" and ");
    format!("{name}: {protocol}{tickets} on {ports}, asks {asks}")
}

/// How `usher join` names a door, if it can join there.
fn to_join<'a>(
    (door, addresses): (&'a Door, &Addresses),
) -> Option<(&'a Door, &'static str, SocketAddr)> {
    Some((
        door,
        door.protocol.scheme()?,
        addresses.tcp.or(addresses.udp)?,
    ))
}

/// How this server came to be, and what said so.
pub(super) fn mode_line(chosen: &Chosen) -> String {
    match chosen.mode {
        Mode::None => format!("none, join tickets are refused: {}", chosen.why),
        mode => format!("{}: {}", mode.word(), chosen.why),
    }
}

/// A bucket, where its entries come from, and how many they are.
pub(super) fn bucket_line(status: &BucketStatus) -> String {
    let from = status.file.as_deref().unwrap_or("filled by policies");
    let entries = match status.entries {
        1 => "1 entry".to_owned(),
        many => format!("{many} entries"),
    };
    format!("{}: {from}, {entries}", status.name)
}

/// Where players' messages are carried to.
pub(super) fn relay_line(relay: &Relay) -> String {
    format!("to the game server at {}", relay.server)
}

/// What is loaded, and which bytes it is.
pub(super) fn module_line(status: &ModuleStatus) -> String {
    let hash = status.sha256.get(..12).unwrap_or(&status.sha256);
    format!(
        "{}, generation {}, sha256 {hash}",
        status.module, status.generation
    )
}

/// An address that a client on this machine can use: nobody can connect to 0.0.0.0.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.is_ipv4() {
            true => std::net::Ipv4Addr::LOCALHOST.into(),
            false => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admin::Modules;
    use std::path::Path;

    #[test]
    fn it_says_what_listens_who_decides_and_what_to_try() {
        let status = |name: &str, module: &str| ModuleStatus {
            name: name.to_owned(),
            module: module.to_owned(),
            generation: 1,
            sha256: "0123456789abcdef".repeat(4),
            state: "ok",
            fail: "closed",
            last_error: None,
            recheck: None,
            calls: 0,
            faults: 0,
        };
        let started = Started {
            config: &Config::default(),
            doors: vec![Addresses {
                tcp: Some("0.0.0.0:40001".parse().expect("an address")),
                udp: Some("0.0.0.0:40002".parse().expect("an address")),
            }],
            admin: Some("127.0.0.1:4280".parse().expect("an address")),
            modules: Modules {
                policies: vec![status("rtyp", "builtin:rtyp")],
                rules: vec![status("rules", "builtin:arena")],
                buckets: vec![BucketStatus {
                    name: "bans".to_owned(),
                    file: Some("bans.txt".to_owned()),
                    state: "ok",
                    entries: 1,
                    put: 0,
                    loaded_at: 0,
                    last_error: None,
                }],
            },
            mode: &Chosen::choose(&Config::default(), None),
        };
        let expected = concat!(
            "usher ",
            env!("CARGO_PKG_VERSION"),
            "\n",
            "  door     main: rtyp on tcp 0.0.0.0:40001 and udp 0.0.0.0:40002, asks rtyp\n",
            "  policy   rtyp: builtin:rtyp, generation 1, sha256 0123456789ab\n",
            "  rules    builtin:arena, generation 1, sha256 0123456789ab\n",
            "  bucket   bans: bans.txt, 1 entry\n",
            "  seats    4, 32 may be pending\n",
            "  mode     none, join tickets are refused: neither a fleet nor [discovery]\n",
            "  admin    http://127.0.0.1:4280/v1/status and /metrics\n",
            "\nTry: usher join tcp://127.0.0.1:40001 --name R9\n",
        );
        assert_eq!(banner(&started), expected);
    }

    #[test]
    fn a_door_says_that_players_come_to_it_with_join_tickets() {
        let text = "[[door]]\nname = \"main\"\nprotocol = \"mafianet\"\nudp = \"127.0.0.1:4243\"\n\
                    [[policy]]\nname = \"tickets\"\nmodule = \"builtin:join-ticket\"\n\
                    [[policy]]\nname = \"session\"\nmodule = \"builtin:session-open\"\n";
        let config = Config::parse(text, Path::new("usher.toml")).expect("a configuration");
        let addresses = Addresses {
            tcp: None,
            udp: Some("127.0.0.1:4243".parse().expect("an address")),
        };
        assert_eq!(
            door_line(&config, &config.doors[0], &addresses),
            "main: mafianet with join tickets on udp 127.0.0.1:4243, asks tickets, then session"
        );
    }
}
