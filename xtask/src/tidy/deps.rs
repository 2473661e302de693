//! Checks of dependencies: that the core stays free of IO, and that each one has its reason.

use super::files::{TextFile, find};
use crate::process::Outcome;
use crate::workspace::Metadata;

/// What the core may not reach, however indirectly: a runtime, an engine, or chance. It is given
/// times, answers and random numbers, so that a test can give it any.
const NOT_IN_CORE: [(&str, &str); 5] = [
    ("tokio", "the core does no IO"),
    ("wasmtime", "the core asks policies through events"),
    ("getrandom", "randomness is given to the core"),
    ("rand", "randomness is given to the core"),
    ("rand_core", "randomness is given to the core"),
];

/// Where dependencies are explained.
const REASONS: &str = "ARCHITECTURE.md";

/// Crates that the core needs and must not.
pub(crate) fn core_is_pure(graph: &Metadata) -> Outcome<Vec<String>> {
    let names = graph.normal_dependencies("usher-core")?;
    let banned = NOT_IN_CORE.iter().filter(|(name, _)| names.contains(*name));
    Ok(banned
        .map(|(name, why)| {
            format!(
                "usher-core depends on {name}, but {why}: see `cargo tree -p usher-core -i {name}`"
            )
        })
        .collect())
}

/// Dependencies of the workspace that are not explained.
pub(crate) fn reasons(files: &[TextFile]) -> Vec<String> {
    let Some(manifest) = find(files, "Cargo.toml") else {
        return vec!["there is no Cargo.toml".into()];
    };
    let Some(document) = find(files, REASONS) else {
        return vec![format!(
            "{REASONS} is missing, it gives a reason for each dependency"
        )];
    };
    let names = match foreign_dependencies(&manifest.text) {
        Ok(names) => names,
        Err(problem) => return vec![problem],
    };
    let unexplained = names.iter().filter(|name| !mentions(&document.text, name));
    unexplained
        .map(|name| format!("{REASONS} gives no reason for the dependency {name}"))
        .collect()
}

/// The names in `[workspace.dependencies]` that are not folders of this workspace.
fn foreign_dependencies(manifest: &str) -> Outcome<Vec<String>> {
    let table: toml::Table = toml::from_str(manifest)
        .map_err(|error| format!("Cargo.toml is damaged: {}", error.message()))?;
    let dependencies = table
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(toml::Value::as_table)
        .ok_or("Cargo.toml has no [workspace.dependencies]")?;
    let foreign = dependencies
        .iter()
        .filter(|(_, value)| value.get("path").is_none());
    Ok(foreign.map(|(name, _)| name.clone()).collect())
}

/// Whether a text has the name as a word of its own: `random` does not mention `rand`, nor does
/// `Cargo.toml` mention `toml`.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || "_-.".contains(c)))
        .any(|word| word.trim_end_matches('.') == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[workspace.dependencies]\n\
        ours = { path = \"host/core\" }\n\
        rand = \"1\"\n\
        toml = { version = \"1\" }\n";

    #[test]
    fn each_foreign_dependency_needs_a_reason() {
        let manifest = TextFile::new("Cargo.toml", MANIFEST);
        let some = TextFile::new(REASONS, "* `rand` for tokens. See Cargo.toml.\n");
        let complaints = reasons(&[some, manifest.clone()]);
        assert_eq!(
            complaints,
            ["ARCHITECTURE.md gives no reason for the dependency toml"]
        );
        let all = TextFile::new(REASONS, "| rand | chance |\n| `toml` | settings |\n");
        assert!(reasons(&[all, manifest.clone()]).is_empty());
        assert!(reasons(&[manifest])[0].contains("is missing"));
    }

    #[test]
    fn a_name_is_mentioned_only_as_a_word() {
        assert!(mentions("we use serde.", "serde"));
        assert!(mentions("`serde`", "serde"));
        assert!(!mentions("serde_json and serde-x", "serde"));
        assert!(!mentions("randomly", "rand"));
    }
}
