//! What changes between a configuration that is in force and one that was read again.

use super::{Config, Door, Protocol, Service};

impl Config {
    /// Takes over what may change while a host runs: fail modes, rechecks, deadlines, params and whether
    /// they are the game's own rule of the policies that are there, the params of the rules, and the contents of password files.
    pub fn adopt(&mut self, new: &Config) {
        for policy in &mut self.policies {
            let new = new.policies.iter().find(|new| new.name == policy.name);
            if let Some(new) = new {
                // What is said of another module does not hold for this one: it may be one that must fail closed.
                if policy.module == new.module {
                    policy.fail = new.fail;
                }
                policy.recheck = new.recheck;
                policy.game_rule = new.game_rule;
                policy.deadline = new.deadline;
                policy.params.clone_from(&new.params);
            }
        }
        if let (Some(rules), Some(new)) = (&mut self.rules, &new.rules) {
            rules.params.clone_from(&new.params);
        }
        for (door, new) in self.doors.iter_mut().zip(&new.doors) {
            adopt_password(door, new);
        }
        if let (Some(discovery), Some(new)) = (&mut self.discovery, &new.discovery) {
            discovery.token.secret.clone_from(&new.token.secret);
        }
        for (service, new) in self.services.iter_mut().zip(&new.services) {
            service.adopt_secrets(new);
        }
    }

    /// Which parts of `new` differ from this one, as an operator knows them: `limits`, `door "main"`.
    pub fn differences(&self, new: &Config) -> Vec<String> {
        let mut parts = Vec::new();
        let mut note = |differs: bool, part: &str| {
            if differs {
                parts.push(part.to_owned());
            }
        };
        note(self.limits != new.limits, "limits");
        note(self.rules != new.rules, "rules");
        note(self.relay != new.relay, "relay");
        note(self.mode != new.mode, "evidence");
        note(self.sdk != new.sdk, "sdk");
        note(self.discovery != new.discovery, "discovery");
        note(self.audit != new.audit, "audit");
        note(self.admin != new.admin, "admin");
        parts.extend(named("door", &self.doors, &new.doors, |door| &door.name));
        let policies = named("policy", &self.policies, &new.policies, |it| &it.name);
        parts.extend(policies);
        parts.extend(named("bucket", &self.buckets, &new.buckets, |it| &it.name));
        let services = named("service", &self.services, &new.services, |it| &it.name);
        parts.extend(services);
        parts
    }
}

impl Service {
    /// Takes over the values of headers that are in the same files as before. Whether one is another.
    pub fn adopt_secrets(&mut self, new: &Service) -> bool {
        let mut takes = false;
        let headers = self.headers.iter_mut();
        for header in headers.filter(|header| header.file.is_some()) {
            let mut others = new.headers.iter();
            let same = others.find(|new| new.name == header.name && new.file == header.file);
            if let Some(new) = same
                && new.value != header.value
            {
                header.value.clone_from(&new.value);
                takes = true;
            }
        }
        takes
    }
}

/// What is a door with a password or a token stays one, and what is none stays none: what the policies are
/// to see, and who may call, takes a restart.
fn adopt_password(door: &mut Door, new: &Door) {
    match (&mut door.protocol, &new.protocol) {
        (Protocol::Mafianet(door), Protocol::Mafianet(new)) => {
            if let (Some(old), Some(new)) = (&mut door.password, &new.password) {
                old.password.clone_from(&new.password);
            }
        }
        (Protocol::Http(door), Protocol::Http(new)) => {
            if let (Some(old), Some(new)) = (&mut door.token, &new.token) {
                old.clone_from(new);
            }
        }
        _ => {}
    }
}

/// The tables of one kind that are not the same at the same place in both.
fn named<T: PartialEq>(kind: &str, old: &[T], new: &[T], name: impl Fn(&T) -> &str) -> Vec<String> {
    let places = 0..old.len().max(new.len());
    let differing = places.filter(|place| old.get(*place) != new.get(*place));
    let mut parts: Vec<String> = differing
        .flat_map(|place| [old.get(place), new.get(place)])
        .flatten()
        .map(|table| format!("{kind} {:?}", name(table)))
        .collect();
    parts.sort();
    parts.dedup();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Module;
    use std::path::Path;
    use usher_core::FailMode;

    fn config(text: &str) -> Config {
        let policy = "[[policy]]\nname = \"all\"\nmodule = \"builtin:open\"\n";
        let text = format!("{policy}{text}");
        Config::parse(&text, Path::new("usher.toml")).expect("a configuration")
    }

    fn door(name: &str, more: &str) -> String {
        format!(
            "[[door]]\nname = {name:?}\nprotocol = \"mafianet\"\nudp = \"127.0.0.1:0\"\n{more}\n"
        )
    }

    #[test]
    fn what_takes_a_restart_is_named_and_what_is_taken_over_is_not() {
        let mut old = config(&door("main", ""));
        let new = config(&format!(
            "deadline = \"50ms\"\ngame-rule = true\nparams = {{ lane = \"eu\" }}\n[limits]\nmax-players = 9\n[[bucket]]\nname = \"bans\"\n{}{}",
            door("main", "cookie = false"),
            door("second", ""),
        ));
        old.adopt(&new);
        assert!(old.policies[0].game_rule);
        let parts = old.differences(&new);
        let expected = [
            "limits",
            "door \"main\"",
            "door \"second\"",
            "bucket \"bans\"",
        ];
        assert_eq!(parts, expected);
        assert!(new.differences(&new).is_empty());
    }

    #[test]
    fn what_becomes_of_a_fault_is_not_taken_from_another_module() {
        let mut old = config(&door("main", ""));
        let fail = "fail = \"open\"\n";
        let mut new = config(&format!("{fail}{}", door("main", "")));
        let before = old.clone();
        new.policies[0].module = Module::File("other.wasm".into());
        old.adopt(&new);
        assert_eq!(old, before);
        new.policies[0].module = before.policies[0].module.clone();
        old.adopt(&new);
        assert_eq!(old.policies[0].fail, FailMode::Open);
    }

    #[test]
    fn whether_a_door_takes_join_tickets_takes_a_restart() {
        let mut old = config(&door("main", ""));
        let new = config(&door("main", "tickets = true"));
        old.adopt(&new);
        assert_eq!(old.differences(&new), ["door \"main\""]);
        assert!(!old.carries_tickets(&old.doors[0]));
    }

    #[test]
    fn another_password_is_taken_over_and_a_first_one_is_not() {
        let folder = tempfile::tempdir().expect("a directory");
        let file = folder.path().join("door.password");
        let with = door("main", &format!("password-file = {file:?}"));
        std::fs::write(&file, "first\n").expect("written");
        let mut old = config(&with);
        std::fs::write(&file, "second\n").expect("written");
        let new = config(&with);
        assert_eq!(old.differences(&new), ["door \"main\""]);
        old.adopt(&new);
        assert!(old.differences(&new).is_empty());

        let mut without = config(&door("main", ""));
        without.adopt(&new);
        assert_eq!(without.differences(&new), ["door \"main\""]);
    }

    #[test]
    fn other_secrets_of_others_are_taken_over_and_other_settings_are_not() {
        let folder = tempfile::tempdir().expect("a directory");
        let (token, key) = (folder.path().join("token"), folder.path().join("key"));
        let write = |text: &str| {
            std::fs::write(&token, text).expect("written");
            std::fs::write(&key, text).expect("written");
        };
        let text = |name: &str, header: &str| {
            format!(
                "{}[discovery]\nname = {name:?}\nport = 1\ntoken-file = {token:?}\n[[service]]\nname = \"judge\"\nurl = \"https://example.org/\"\nheaders = {{ x = {header:?} }}\nheader-files = {{ authorization = {key:?} }}\n",
                door("main", "")
            )
        };
        write("first");
        let mut old = config(&text("a", "x"));
        write("second");
        let new = config(&text("a", "x"));
        let parts = ["discovery", "service \"judge\""];
        assert_eq!(old.differences(&new), parts);
        old.adopt(&new);
        assert!(old.differences(&new).is_empty());
        let other = config(&text("b", "y"));
        old.adopt(&other);
        assert_eq!(old.differences(&other), parts);
        let moded = config(&format!(
            "{}[evidence]\nmode = \"none\"\n[sdk]\nport = 1\n",
            door("main", "")
        ));
        let parts = ["evidence", "sdk", "discovery", "service \"judge\""];
        assert_eq!(old.differences(&moded), parts);
    }
}
