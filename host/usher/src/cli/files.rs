//! What a new module's crate consists of. `build.rs` put the SDK, the contract and the templates in.

/// A path inside the crate or a part of it, and what is in it.
type File = (&'static str, &'static str);

include!(concat!(env!("OUT_DIR"), "/new_crate_files.rs"));

/// Every file of a new crate of this name: a path from its directory, and what is in it.
pub(super) fn of_crate(name: &str, rules: bool) -> Vec<(String, String)> {
    let template = match rules {
        true => RULES_TEMPLATE,
        false => POLICY_TEMPLATE,
    };
    let mut files = vec![
        (".gitignore".to_owned(), "/target\n".to_owned()),
        ("usher-sdk/Cargo.toml".to_owned(), SDK_MANIFEST.to_owned()),
        (
            "usher-sdk/ticket/Cargo.toml".to_owned(),
            TICKET_MANIFEST.to_owned(),
        ),
    ];
    for (path, text) in template {
        let path = match path.ends_with(".rs") {
            true => format!("src/{path}"),
            false => (*path).to_owned(),
        };
        files.push((path, text.replace("{{name}}", name)));
    }
    for (inside, sources) in [
        ("usher-sdk/src", SDK_SOURCES),
        ("usher-sdk/ticket/src", TICKET_SOURCES),
        ("usher-sdk/wit", CONTRACT),
    ] {
        for (path, text) in sources {
            files.push((format!("{inside}/{path}"), (*text).to_owned()));
        }
    }
    files
}
