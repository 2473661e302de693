//! Whether a component speaks the contract, by the names of its imports and exports.

use super::error::LoadError;
use serde::Serialize;
use wasmtime::component::Component;

/// The version of `usher:policy` in `wit/`.
pub(super) const SPEAKS: &str = "0.1.0";
/// The SDK that speaks it.
const SDK: &str = "0.1";

const PACKAGE: &str = "usher:policy/";
const ADMISSION: &str = "usher:policy/admission";
const RULES: &str = "usher:policy/rules";

/// What a module is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum World {
    /// It decides who may enter.
    AdmissionPolicy,
    /// It holds the rules of a game.
    GameRules,
}

impl World {
    /// In a sentence.
    pub(super) fn name(self) -> &'static str {
        match self {
            World::AdmissionPolicy => "an admission policy",
            World::GameRules => "game rules",
        }
    }

    /// Where the configuration has it.
    pub(super) fn belongs(self) -> &'static str {
        match self {
            World::AdmissionPolicy => "[[policy]]",
            World::GameRules => "[rules]",
        }
    }

    /// What it may import.
    fn offers(self) -> &'static [&'static str] {
        match self {
            World::AdmissionPolicy => &[
                "types", "details", "answer", "params", "clock", "random", "log", "ledger",
                "bucket",
            ],
            World::GameRules => &["types", "params", "clock", "random", "log"],
        }
    }
}

/// The names at the edge of a component.
pub(super) struct Names {
    /// What it imports.
    pub(super) imports: Vec<String>,
    /// What it exports.
    pub(super) exports: Vec<String>,
}

impl Names {
    /// Those of a component.
    pub(super) fn of(component: &Component, engine: &wasmtime::Engine) -> Names {
        let edge = component.component_type();
        Names {
            imports: edge
                .imports(engine)
                .map(|(name, _)| name.to_owned())
                .collect(),
            exports: edge
                .exports(engine)
                .map(|(name, _)| name.to_owned())
                .collect(),
        }
    }
}

/// What a component is for, if it is for anything here.
pub(super) fn world(names: &Names) -> Result<World, LoadError> {
    let ours = names.imports.iter().chain(&names.exports);
    for name in ours.filter(|name| name.starts_with(PACKAGE)) {
        let version = name
            .split_once('@')
            .map_or("without a version", |(_, version)| version);
        if !compatible(version) {
            return Err(LoadError::OtherVersion {
                built_for: version.to_owned(),
                speaks: SPEAKS,
                sdk: SDK,
            });
        }
    }
    let exports = |interface: &str| {
        let mut exports = names.exports.iter();
        exports.any(|name| name.split('@').next() == Some(interface))
    };
    let world = match (exports(ADMISSION), exports(RULES)) {
        (true, _) => World::AdmissionPolicy,
        (false, true) => World::GameRules,
        (false, false) => return Err(foreign(names, &[]).unwrap_or(LoadError::NoWorld)),
    };
    match foreign(names, world.offers()) {
        None => Ok(world),
        Some(error) => Err(error),
    }
}

/// The first import that is not among those of our own interfaces that are offered.
fn foreign(names: &Names, offers: &[&str]) -> Option<LoadError> {
    let import = names.imports.iter().find(|name| {
        let ours = name.strip_prefix(PACKAGE);
        let interface = ours.and_then(|ours| ours.split('@').next());
        // Without a world it is not known which of ours are offered: only others are foreign.
        !interface.is_some_and(|interface| offers.is_empty() || offers.contains(&interface))
    })?;
    Some(LoadError::ForeignImport {
        import: crate::escape::escaped(import, 200),
    })
}

/// Before 1.0 a new minor version is a new contract, and a new patch version is not.
fn compatible(version: &str) -> bool {
    let minor = |version: &'_ str| {
        let mut numbers = version.split('.').map(str::to_owned);
        (numbers.next(), numbers.next())
    };
    minor(version) == minor(SPEAKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(imports: &[&str], exports: &[&str]) -> Result<World, String> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let names = Names {
            imports: owned(imports),
            exports: owned(exports),
        };
        world(&names).map_err(|error| error.to_string())
    }

    #[test]
    fn a_world_is_known_by_what_it_exports() {
        let log = "usher:policy/log@0.1.0";
        for (imports, exports, wanted) in [
            (
                &[log][..],
                "usher:policy/admission@0.1.0",
                World::AdmissionPolicy,
            ),
            (&[], "usher:policy/admission@0.1.9", World::AdmissionPolicy),
            (&[log], "usher:policy/rules@0.1.0", World::GameRules),
        ] {
            assert_eq!(found(imports, &[exports, "extra"]), Ok(wanted));
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_to_do() {
        let admission = &["usher:policy/admission@0.1.0"][..];
        for (imports, exports, says) in [
            (
                &["wasi:cli/environment@0.2.0"][..],
                admission,
                "imports wasi:cli/environment@0.2.0, which Usher does not offer: build for",
            ),
            (
                &["usher:policy/log@0.2.0"],
                admission,
                "built for usher:policy 0.2.0, this host speaks 0.1.0: build it with usher-sdk 0.1",
            ),
            (
                &["usher:policy/ledger@0.1.0"],
                &["usher:policy/rules@0.1.0"],
                "imports usher:policy/ledger@0.1.0, which",
            ),
            (
                &["usher:policy/store@0.1.0"],
                admission,
                "imports usher:policy/store@0.1.0",
            ),
            (&[], &["run"], "exports neither usher:policy/admission nor"),
            (
                &["wasi:http/types@0.2.0"],
                &["run"],
                "imports wasi:http/types@0.2.0",
            ),
            (
                &[],
                &["usher:policy/admission"],
                "built for usher:policy without a version",
            ),
        ] {
            let error = found(imports, exports).unwrap_err();
            assert!(error.starts_with(says), "{error}");
        }
    }
}
