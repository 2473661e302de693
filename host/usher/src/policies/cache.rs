//! Where compiled code is kept between runs, so that a restart does not compile again.
//!
//! It is native code: the directory must be the host's alone, which the engine sees to. Without one the
//! host starts all the same, a little later.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use usher_runtime::{Engine, EngineConfig, EngineError};

/// An engine with the cache that the environment gives, or without one if that cannot be used.
pub(super) fn engine() -> Result<Arc<Engine>, EngineError> {
    let cache = directory(|name| env::var_os(name).map(PathBuf::from));
    let with = EngineConfig {
        cache,
        ..EngineConfig::default()
    };
    if with.cache.is_none() {
        return Engine::new(with);
    }
    Engine::new(with).or_else(|error| {
        tracing::warn!("compiled code is not kept, so that the next start compiles again: {error}");
        Engine::new(EngineConfig::default())
    })
}

/// `usher` in the cache directory that systemd gives the service, else in the user's.
fn directory(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    // systemd names several directories with colons between; the first is as good as any.
    let service = variable("CACHE_DIRECTORY").and_then(|paths| {
        let first = paths.to_str()?.split(':').next()?;
        Some(PathBuf::from(first))
    });
    let user = || variable("XDG_CACHE_HOME").filter(absolute);
    let home = || Some(variable("HOME").filter(absolute)?.join(".cache"));
    let parent = service.filter(absolute).or_else(user).or_else(home)?;
    Some(parent.join("usher"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_services_directory_goes_before_the_users() {
        for (variables, expected) in [
            (&[("HOME", "/home/x")][..], Some("/home/x/.cache/usher")),
            (
                &[("HOME", "/home/x"), ("XDG_CACHE_HOME", "/c")],
                Some("/c/usher"),
            ),
            (
                &[
                    ("XDG_CACHE_HOME", "/c"),
                    ("CACHE_DIRECTORY", "/var/cache/a:/b"),
                ],
                Some("/var/cache/a/usher"),
            ),
            (
                &[("HOME", "/home/x"), ("XDG_CACHE_HOME", "relative")],
                Some("/home/x/.cache/usher"),
            ),
            (&[], None),
        ] {
            let found = directory(|name| {
                let value = variables.iter().find(|(known, _)| *known == name);
                value.map(|(_, value)| PathBuf::from(value))
            });
            assert_eq!(found.as_deref(), expected.map(std::path::Path::new));
        }
    }
}
