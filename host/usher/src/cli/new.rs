//! `usher new`: a crate to begin with. It needs nothing but cargo, and builds wherever it is put.

use super::exit::Exit;
use super::files;
use super::terminal::{complain, say};
use crate::text::acts;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(super) fn run(path: &Path, rules: bool) -> Exit {
    match create(path, rules) {
        Ok(next) => {
            say(next.trim_end());
            Exit::Success
        }
        Err((exit, problem)) => {
            complain(problem);
            exit
        }
    }
}

/// Writes the crate, and returns what to do next.
fn create(path: &Path, rules: bool) -> Result<String, (Exit, String)> {
    let usage = |problem| (Exit::Usage, problem);
    // Without a slash at its end, which the lines below would double.
    let path = &path.components().collect::<PathBuf>();
    let name = crate_name(path).map_err(usage)?;
    is_free(path).map_err(usage)?;
    write(path, name, rules).map_err(|error| {
        let problem = format!("{} cannot be written: {error}", path.display());
        (Exit::Failure, problem)
    })?;
    Ok(next_steps(path, name, rules))
}

/// The last part of the path, if cargo and rustc take it for a crate.
fn crate_name(path: &Path) -> Result<&str, String> {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("");
    let wrong = |why: &str| {
        Err(format!(
            "{name:?} is no name for a crate: {why}; for example: my-door"
        ))
    };
    let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    if name.len() > 64 || !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        return wrong("it must have 1 to 64 letters and begin with a lower-case one");
    }
    if !name
        .chars()
        .all(|letter| plain(letter) || letter == '-' || letter == '_')
    {
        return wrong("it must consist of lower-case letters, digits, - and _");
    }
    match RESERVED.contains(&&*name.replace('-', "_")) {
        true => wrong("the word means something else in Rust"),
        false => Ok(name),
    }
}

/// Words of the language, and crates that the new one's own name would hide.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "const", "continue", "core",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "proc_macro", "pub",
    "ref", "return", "self", "static", "std", "struct", "super", "test", "trait", "true", "try", "type",
    "typeof", "unsafe", "unsized", "use", "usher_sdk", "usher_ticket", "virtual", "where", "while", "wit_bindgen", "yield",
];

fn is_free(path: &Path) -> Result<(), String> {
    match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!("{} is there already and not empty", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(format!("{} cannot be used: {error}", path.display())),
    }
}

fn write(path: &Path, name: &str, rules: bool) -> io::Result<()> {
    for (inside, text) in files::of_crate(name, rules) {
        let file = path.join(inside);
        if let Some(dir) = file.parent() {
            fs::create_dir_all(dir)?;
        }
        fs::write(file, text)?;
    }
    Ok(())
}

fn next_steps(path: &Path, name: &str, rules: bool) -> String {
    let inside = |rest: &str| quoted(&format!("{}{rest}", path.display()));
    let module = inside(&format!(
        "/target/wasm32-unknown-unknown/release/{}.wasm",
        name.replace('-', "_")
    ));
    // No option of `usher serve` names rules: they need a configuration, which is too long for here.
    let (what, then, and_how) = match rules {
        true => (
            "the rules",
            format!("usher check {module}"),
            ", and how to serve them",
        ),
        false => ("the policy", format!("usher serve --policy {module}"), ""),
    };
    format!(
        "{} is {what}, with a test. Next:\n\n  \
         (cd {} && cargo test && cargo build --release --target wasm32-unknown-unknown)\n  \
         {then}\n\n\
         {} says more, also what to do without that target{and_how}.\n",
        inside("/src/lib.rs"),
        inside(""),
        inside("/README.md"),
    )
}

/// A path as a shell takes it: the lines are there to be pasted.
fn quoted(path: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+,:@%".contains(letter);
    if path.chars().all(plain) {
        return path.to_owned();
    }
    let mut text = "'".to_owned();
    for letter in path.chars() {
        match letter {
            '\'' => text.push_str("'\\''"),
            // No shell takes it then, but no terminal acts on it.
            letter if acts(letter) => text.extend(letter.escape_unicode()),
            letter => text.push(letter),
        }
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_be_one_that_cargo_takes() {
        for (path, good) in [
            ("my-door", true),
            ("my_door2", true),
            ("some/where/my-door", true),
            ("my-door/", true),
            ("", false),
            ("..", false),
            ("My-Door", false),
            ("2door", false),
            ("-door", false),
            ("do or", false),
            ("döör", false),
            ("match", false),
            ("test", false),
            ("usher-sdk", false),
            ("usher-ticket", false),
        ] {
            let name = crate_name(Path::new(path));
            assert_eq!(name.is_ok(), good, "{path}: {name:?}");
        }
        assert!(crate_name(Path::new(&"a".repeat(65))).is_err());
    }

    #[test]
    fn the_next_steps_can_be_pasted_whatever_the_path_is() {
        for (path, shown) in [
            ("some/where/my-door", "some/where/my-door"),
            ("/tmp/a b/my-door", "'/tmp/a b/my-door'"),
            ("$(id)/it's", r"'$(id)/it'\''s'"),
            ("a\u{1b}[2J", r"'a\u{1b}[2J'"),
        ] {
            assert_eq!(quoted(path), shown);
        }
        let next = next_steps(Path::new("/tmp/a b/my-door"), "my-door", false);
        assert!(next.contains("(cd '/tmp/a b/my-door' && "), "{next}");
    }

    #[test]
    fn a_crate_is_written_whole_and_only_where_there_is_room() {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, rules) in [("my-door", false), ("my-game", true)] {
            let path = dir.path().join(name);
            let next = create(&path, rules).expect("written");
            assert!(next.contains("/src/lib.rs is the "), "{next}");
            for file in [
                "Cargo.toml",
                "README.md",
                ".gitignore",
                "src/lib.rs",
                "usher-sdk/Cargo.toml",
                "usher-sdk/src/lib.rs",
                "usher-sdk/ticket/Cargo.toml",
                "usher-sdk/ticket/src/lib.rs",
                "usher-sdk/wit/types.wit",
                "usher-sdk/wit/admission.wit",
            ] {
                let text = fs::read_to_string(path.join(file)).expect(file);
                assert!(!text.contains("{{"), "{file}");
            }
            let manifest = fs::read_to_string(path.join("Cargo.toml")).expect("there");
            assert!(
                manifest.contains(&format!("name = \"{name}\"")),
                "{manifest}"
            );
            let again = create(&path, rules).expect_err("it is not written over");
            assert_eq!(again.0, Exit::Usage);
        }
    }
}
