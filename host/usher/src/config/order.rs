//! In which order the policies of a door are asked, and what follows where one of them reads join tickets: nobody
//! may get in before it was asked, nor because it failed.

use super::door::Door;
use super::error::ConfigError;
use super::module::Module;
use super::policy::Policy;
use super::{Config, tickets};
use usher_core::FailMode;

/// The built-in policies that let nobody in: those behind them are asked as well. One that is not named here counts
/// as one that accepts.
const NEVER_ACCEPT: &[&str] = &["allowlist", "denylist", tickets::READER];

impl Policy {
    /// Whether it is the built-in one that reads join tickets.
    pub(super) fn reads_tickets(&self) -> bool {
        matches!(&self.module, Module::Builtin(builtin) if builtin.name == tickets::READER)
    }

    /// Whether it is a built-in one that lets in by itself, so that those behind it are not asked.
    fn is_last(&self) -> bool {
        matches!(&self.module, Module::Builtin(builtin) if !NEVER_ACCEPT.contains(&builtin.name))
    }

    fn is_unknown(&self) -> bool {
        matches!(self.module, Module::File(_))
    }
}

impl Config {
    /// Who is asked at a door, in this order.
    pub(super) fn asked(&self, door: &Door) -> Vec<&Policy> {
        let places = door.policies.iter().map(|slot| usize::from(slot.0));
        places
            .filter_map(|place| self.policies.get(place))
            .collect()
    }

    /// Refuses doors where `builtin:join-ticket` would never be asked, and that its faults let someone in.
    pub(super) fn check_order(&self) -> Result<(), ConfigError> {
        for (place, door) in self.doors.iter().enumerate() {
            let asked = self.asked(door);
            if let Some(problem) = never_asked(&asked) {
                let names: Vec<_> = readers_first(&asked).iter().map(|it| &it.name).collect();
                return Err(ConfigError {
                    file: self.file.clone(),
                    line: None,
                    key: format!("door[{place}].policies"),
                    value: None,
                    problem: format!("the door {:?} asks {problem}", door.name),
                    example: Some(format!("policies = {names:?}").into()),
                });
            }
        }
        let mut policies = self.policies.iter().enumerate();
        let opens = policies.find(|(_, it)| it.reads_tickets() && it.fail == FailMode::Open);
        match opens {
            None => Ok(()),
            Some((place, policy)) => Err(ConfigError {
                file: self.file.clone(),
                line: None,
                key: format!("policy[{place}].fail"),
                value: Some("\"open\"".to_owned()),
                problem: format!(
                    "whenever {} faults, players would get in without a look at their tickets",
                    policy.module
                ),
                example: Some("fail = \"closed\"".into()),
            }),
        }
    }

    /// The same for the policies of a command line, which every door asks.
    pub(super) fn check_given(&self) -> Result<(), ConfigError> {
        let asked: Vec<_> = self.policies.iter().collect();
        let Some(problem) = never_asked(&asked) else {
            return Ok(());
        };
        let flags = readers_first(&asked);
        let flags: Vec<_> = flags
            .iter()
            .map(|it| format!("--policy {}", it.module))
            .collect();
        Err(ConfigError {
            file: None,
            line: None,
            key: "--policy".to_owned(),
            value: None,
            problem: format!("every door asks {problem}"),
            example: Some(flags.join(" ").into()),
        })
    }

    /// What a host would start with and may not be meant, a sentence each: at doors that take join tickets, policies
    /// that may let someone in before the ticket was looked at.
    pub fn warnings(&self) -> Vec<String> {
        let doors = self.doors.iter().filter(|door| self.carries_tickets(door));
        doors.filter_map(|door| self.unread(door)).collect()
    }

    fn unread(&self, door: &Door) -> Option<String> {
        let (name, asked) = (&door.name, self.asked(door));
        let mut places = asked.iter().enumerate();
        let Some((place, reader)) = places.find(|(_, it)| it.reads_tickets()) else {
            // One from a file may read them.
            let mut before_last = asked.iter().take_while(|it| !it.is_last());
            return match before_last.any(|it| it.is_unknown()) {
                true => None,
                false => Some(format!(
                    "the door {name:?} takes join tickets, and asks no policy that reads them: anyone gets in with \
                     any ticket, or none"
                )),
            };
        };
        let mut before = asked.iter().take(place);
        let unknown = before.find(|it| it.is_unknown())?;
        Some(format!(
            "the door {name:?} asks {:?}, a module from a file, before {:?}: whom it accepts gets in without a look \
             at the ticket; put it behind, unless it only refuses",
            unknown.name, reader.name
        ))
    }
}

/// What is wrong where a policy that lets in by itself stands before one that reads join tickets.
fn never_asked(asked: &[&Policy]) -> Option<String> {
    let last = asked.iter().position(|it| it.is_last())?;
    let (before, behind) = (asked.get(last)?, asked.get(last..)?);
    let reader = behind.iter().find(|it| it.reads_tickets())?;
    Some(format!(
        "{:?} ({}) before {:?} ({}), and whom the first accepts gets in without a look at the ticket: swap them",
        before.name, before.module, reader.name, reader.module
    ))
}

/// The policies with those that let in by themselves behind all the others, otherwise in the order that they have.
fn readers_first<'a>(asked: &[&'a Policy]) -> Vec<&'a Policy> {
    let mut asked = asked.to_vec();
    asked.sort_by_key(|it| it.is_last());
    asked
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    const DOOR: &str =
        "[[door]]\nname = \"main\"\nprotocol = \"mafianet\"\nudp = \"127.0.0.1:0\"\n";

    fn policy(module: &str, more: &str) -> String {
        let name = module.trim_start_matches("builtin:").replace(".wasm", "");
        format!("[[policy]]\nname = \"{name}\"\nmodule = \"{module}\"\n{more}\n")
    }

    fn config(door: &str, modules: &[&str], file: &Path) -> Result<Config, String> {
        let policies: String = modules.iter().map(|it| policy(it, "")).collect();
        let text = [DOOR, door, &policies].concat();
        Config::parse(&text, file).map_err(|it| it.to_string())
    }

    fn builtins(modules: &[&str]) -> Result<Config, String> {
        config("", modules, Path::new("usher.toml"))
    }

    #[test]
    fn nobody_is_let_in_before_the_tickets_are_read() {
        for accepts in ["open", "queue", "rtyp", "session-open"] {
            let accepts = format!("builtin:{accepts}");
            let reads = "builtin:join-ticket";
            let right =
                builtins(&["builtin:denylist", reads, &accepts]).expect("this order is right");
            assert_eq!(right.warnings(), [""; 0]);
            let error = builtins(&["builtin:denylist", &accepts, "builtin:allowlist", reads]);
            assert!(
                error.is_err_and(|it| it.contains("before \"join-ticket\"")),
                "{accepts}"
            );
        }
        let error =
            builtins(&["builtin:session-open", "builtin:join-ticket"]).expect_err("swapped");
        assert_eq!(
            error,
            "usher.toml: door[0].policies: the door \"main\" asks \"session-open\" (builtin:session-open) before \
             \"join-ticket\" (builtin:join-ticket), and whom the first accepts gets in without a look at the ticket: \
             swap them; for example: policies = [\"join-ticket\", \"session-open\"]"
        );
    }

    #[test]
    fn the_order_that_counts_is_that_of_the_door() {
        let file = Path::new("usher.toml");
        let both = ["builtin:open", "builtin:join-ticket"];
        for (door, good) in [
            ("policies = [\"join-ticket\", \"open\"]\n", true),
            ("policies = [\"open\"]\n", true),
            ("policies = [\"open\", \"join-ticket\"]\n", false),
            // How its refusals are told is another matter.
            ("tickets = false\n", false),
        ] {
            assert_eq!(config(door, &both, file).is_ok(), good, "{door}");
        }
    }

    #[test]
    fn a_second_reader_that_is_never_asked_is_refused_too() {
        let tables = |second: &str| {
            let named = policy("builtin:join-ticket", "")
                .replace("name = \"join-ticket\"", "name = \"second\"");
            let text = match second {
                "behind" => [policy("builtin:open", ""), named].concat(),
                _ => [named, policy("builtin:open", "")].concat(),
            };
            [DOOR, &policy("builtin:join-ticket", ""), &text].concat()
        };
        let parse = |text: &str| Config::parse(text, Path::new("usher.toml"));
        assert!(parse(&tables("before")).is_ok());
        let error = parse(&tables("behind"))
            .expect_err("never asked")
            .to_string();
        let example = "policies = [\"join-ticket\", \"second\", \"open\"]";
        assert!(error.ends_with(example), "{error}");
    }

    #[test]
    fn a_fault_lets_nobody_in_without_a_look_at_the_ticket() {
        for (fail, good) in [("closed", true), ("last-good", true), ("open", false)] {
            let more = format!("fail = \"{fail}\"");
            let text = [DOOR, &policy("builtin:join-ticket", &more)].concat();
            match Config::parse(&text, Path::new("usher.toml")) {
                Ok(_) => assert!(good, "{fail}"),
                Err(error) => {
                    assert!(!good, "{error}");
                    assert_eq!(
                        error.to_string(),
                        "usher.toml: policy[0].fail = \"open\": whenever builtin:join-ticket faults, players would \
                         get in without a look at their tickets; for example: fail = \"closed\""
                    );
                }
            }
            // Elsewhere it is the operator's to choose.
            let text = [DOOR, &policy("builtin:open", &more)].concat();
            assert!(
                Config::parse(&text, Path::new("usher.toml")).is_ok(),
                "{fail}"
            );
        }
    }

    #[test]
    fn a_module_from_a_file_that_may_let_in_before_is_warned_of() {
        let directory = tempfile::tempdir().expect("a directory");
        fs::write(directory.path().join("own.wasm"), b"").expect("written");
        let file = directory.path().join("usher.toml");
        let warnings = |door: &str, modules: &[&str]| {
            let config = config(door, modules, &file).expect("a configuration");
            config.warnings()
        };
        let (own, reads, open) = ("own.wasm", "builtin:join-ticket", "builtin:open");
        assert_eq!(warnings("", &[reads, own]), [""; 0]);
        assert_eq!(
            warnings("", &[own, reads, open]),
            [
                "the door \"main\" asks \"own\", a module from a file, before \"join-ticket\": whom it accepts gets in \
                 without a look at the ticket; put it behind, unless it only refuses"
            ]
        );
        // It reads the tickets itself.
        assert_eq!(warnings("tickets = true\n", &[own, open]), [""; 0]);
        assert_eq!(warnings("", &[open, own]), [""; 0]);
        for never in [&[open, own][..], &["builtin:denylist"]] {
            assert_eq!(
                warnings("tickets = true\n", never),
                [
                    "the door \"main\" takes join tickets, and asks no policy that reads them: anyone gets in with any \
                     ticket, or none"
                ]
            );
        }
    }

    #[test]
    fn policies_of_the_command_line_are_told_in_its_own_words() {
        let given = ["builtin:open", "builtin:join-ticket"].map(str::to_owned);
        let error = Config::default().replace_policies(&given);
        let error = error.expect_err("swapped").to_string();
        assert!(
            error.starts_with("--policy: every door asks \"open\""),
            "{error}"
        );
        let example = "for example: --policy builtin:join-ticket --policy builtin:open";
        assert!(error.ends_with(example), "{error}");
    }
}
