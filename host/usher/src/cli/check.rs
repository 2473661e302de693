//! `usher check`: would the host take this module, this configuration or this list, and what is in it?

use super::banner::{bucket_line, mode_line, module_line, relay_line};
use super::exit::Exit;
use super::terminal::{complain, say};
use crate::buckets;
use crate::clock::Clock;
use crate::config::{Config, Module, Role};
use crate::core_loop;
use crate::evidence::{Chosen, PORT_VARIABLE, Sources};
use crate::policies::Loader;
use crate::room;
use crate::serve::ServeError;
use crate::text::acts;
use std::env;
use std::path::Path;
use usher_core::TakenView;
use usher_runtime::{Engine, EngineConfig, Inspection, LoadError, World};

pub(super) fn run(name: &str) -> Exit {
    let path = Path::new(name);
    let kind = path.extension().and_then(|kind| kind.to_str());
    let checked = match kind {
        Some("toml") => configuration(path),
        Some("txt") => list(path),
        _ => inspect(name).map(|inspection| describe(name, &inspection)),
    };
    match checked {
        Ok(found) => {
            say(found.trim_end());
            Exit::Success
        }
        Err(problem) => {
            complain(problem);
            Exit::Failure
        }
    }
}

/// Everything that would be loaded is, with its params and buckets; no port is opened.
fn configuration(path: &Path) -> Result<String, String> {
    let config = Config::load(path).map_err(|error| error.to_string())?;
    // Nobody hears of what is loaded.
    let (core, _inbox) = core_loop::channel(Clock::start());
    let (room, _mails) = room::mailbox();
    let loaded = Loader::start(&config, TakenView::default(), core, room);
    let loaded = loaded.map_err(|error| error.to_string())?.status();
    let chosen = Chosen::choose(&config, env::var_os(PORT_VARIABLE).as_deref());
    Sources::check(&config, &chosen).map_err(|error| ServeError::Outside(error).to_string())?;
    let mut text = format!("{}: the host would start with it\n", path.display());
    let mut line = |label: &str, value: String| {
        text.push_str(&format!("  {label:<8} {value}\n"));
    };
    for policy in &loaded.policies {
        line(
            "policy",
            format!("{}: {}", policy.name, module_line(policy)),
        );
    }
    for rules in &loaded.rules {
        line("rules", module_line(rules));
    }
    if let Some(relay) = &config.relay {
        line("relay", relay_line(relay));
    }
    for bucket in &loaded.buckets {
        line("bucket", bucket_line(bucket));
    }
    for service in &config.services {
        line("service", service.name.to_string());
    }
    line("mode", mode_line(&chosen));
    for warning in chosen.warning.into_iter().chain(config.warnings()) {
        line("warning", warning);
    }
    Ok(text)
}

/// Whether a bucket could have this file.
fn list(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let entries = buckets::count(path).map_err(|error| format!("{shown}{error}"))?;
    Ok(format!(
        "{shown}: a bucket would take it\n  entries  {entries}\n"
    ))
}

fn inspect(name: &str) -> Result<Inspection, String> {
    let source = module(name)?.source();
    let engine = Engine::new(EngineConfig::default()).map_err(|error| error.to_string())?;
    usher_runtime::inspect_source(&engine, &source).map_err(|error| match error {
        // These name the file themselves.
        LoadError::Unreadable { .. } | LoadError::NotAFile { .. } => error.to_string(),
        error => format!("{name} {error}"),
    })
}

/// A built-in of either kind, or a file: what it is for, a module says itself.
fn module(name: &str) -> Result<Module, String> {
    if !name.starts_with("builtin:") {
        return Ok(Module::File(name.into()));
    }
    let here = Path::new("");
    Module::parse(name, here, Role::Policy)
        .or_else(|error| Module::parse(name, here, Role::Rules).map_err(|_| error))
        .map_err(|error| format!("{name}: {error}"))
}

fn describe(name: &str, found: &Inspection) -> String {
    let world = match found.world {
        World::AdmissionPolicy => "admission-policy: it decides who may enter",
        World::GameRules => "game-rules: it holds the rules of a game",
    };
    let list = |names: &[String]| match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    };
    let seats = match found.max_players {
        Some(most) => format!("{most} at most"),
        None => "any number".to_owned(),
    };
    let form = match found.componentized {
        true => "a core module, which the host makes into a component",
        false => "a component",
    };
    let lines = [
        ("world", world.to_owned()),
        ("module", format!("{} {}", found.module, found.version)),
        ("imports", list(&found.imports)),
        ("questions", list(&found.questions)),
        ("seats", seats),
        ("size", format!("{} bytes, {form}", found.size)),
        ("sha256", found.sha256.clone()),
        ("compiled", format!("in {} ms", found.compile_ms)),
        ("sample", found.sample.clone()),
    ];
    let mut text = format!("{name}: the host would take it\n");
    for (label, value) in lines {
        // A module names itself, and may be anyone's.
        let value: String = value.chars().flat_map(printable).collect();
        text.push_str(&format!("  {label:<10} {value}\n"));
    }
    text
}

fn printable(letter: char) -> impl Iterator<Item = char> {
    let escaped = acts(letter).then(|| letter.escape_unicode());
    let plain = escaped.is_none().then_some(letter);
    escaped.into_iter().flatten().chain(plain)
}
