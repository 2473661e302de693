//! Check that imports inside a crate go one way: no file may need, by whatever detour, a file that
//! needs it. Such files can only be understood together, and then they are one room.
//!
//! What counts as needing: a path through `crate`, `self`, `super` or a child module, in a `use`
//! (a re-export too) or in code. It leads to the file of the deepest module that it names, so
//! `crate::Thing` leads to lib.rs even when lib.rs only re-exports it: name the file instead.
//! What does not count: `mod child;`, comments, macros called without a path, what an inline module
//! that is only for tests names (nothing can need that module, so it is on no circle), and
//! `use super::*` in a file that is only for tests.

use std::collections::{BTreeMap, BTreeSet};

use super::circles::circles as find_circles;
use super::files::TextFile;
use super::lexer::tokens;
use super::scan::{Child, Name, Scan, scan};
use crate::workspace::Workspace;

/// The two ways out, below the circles.
const HINT: &str = "\n  (import a thing from the file that has it, not from one that re-exports it; \
    what a parent and its children share goes into a file beside the children)";

/// One file of a crate, as a module.
struct Module {
    /// Its names below the crate: empty for the root.
    path: Vec<String>,
    file: String,
    scan: Scan,
}

/// Import circles of all crates of the workspace.
pub(crate) fn circles(workspace: &Workspace, files: &[TextFile]) -> Vec<String> {
    let texts: BTreeMap<_, _> = files
        .iter()
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect();
    let targets = workspace.packages.iter().flat_map(|one| &one.targets);
    let roots: BTreeSet<_> = targets
        .map(|target| workspace.relative(&target.src_path))
        .collect();
    // A file that two crates include would be reported for both.
    let complaints: BTreeSet<_> = roots
        .iter()
        .flat_map(|root| circles_of_crate(root, &texts))
        .collect();
    let mut complaints: Vec<_> = complaints.into_iter().collect();
    if let Some(last) = complaints.last_mut() {
        last.push_str(HINT);
    }
    complaints
}

fn circles_of_crate(root: &str, texts: &BTreeMap<&str, &str>) -> Vec<String> {
    let mut modules = Vec::new();
    load(Vec::new(), root, false, texts, &mut modules);
    let numbers: BTreeMap<_, _> = modules
        .iter()
        .enumerate()
        .map(|(number, module)| (module.path.clone(), number))
        .collect();
    // The edges, each with the first line that is its reason.
    let mut edges: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::new(); modules.len()];
    for (from, module) in modules.iter().enumerate() {
        for name in &module.scan.names {
            if let Some(to) = target(module, name, &numbers)
                && to != from
            {
                edges[from].entry(to).or_insert(name.line);
            }
        }
    }
    let graph: Vec<_> = edges
        .iter()
        .map(|targets| targets.keys().copied().collect())
        .collect();
    let report = |circle: Vec<usize>| {
        let ahead = circle.iter().cycle().skip(1);
        let steps = circle.iter().zip(ahead).map(|(from, to)| {
            let line = edges[*from].get(to).copied().unwrap_or(0);
            format!("{}:{line} needs ", modules[*from].file)
        });
        let first = &modules[circle[0]].file;
        format!("import circle: {}{first}", steps.collect::<String>())
    };
    find_circles(&graph).into_iter().map(report).collect()
}

/// Reads a file and all files below it. A module whose file cannot be found is left out; the
/// compiler complains about it if it matters.
fn load(
    path: Vec<String>,
    file: &str,
    is_test: bool,
    texts: &BTreeMap<&str, &str>,
    modules: &mut Vec<Module>,
) {
    let Some(text) = texts.get(file) else {
        return;
    };
    let mut scan = scan(&tokens(text));
    scan.is_test |= is_test;
    let mut children = Vec::new();
    for child in &scan.children {
        let mut below = path.clone();
        below.extend(child.scope.modules.iter().cloned());
        below.push(child.name.clone());
        let candidates = child_files(file, path.is_empty(), child);
        if let Some(found) = candidates
            .into_iter()
            .find(|one| texts.contains_key(&**one))
        {
            children.push((below, found, scan.is_test || child.scope.is_test));
        }
    }
    modules.push(Module {
        path,
        file: file.to_owned(),
        scan,
    });
    for (path, file, is_test) in children {
        // A file that declares itself would never end; no crate that compiles has one.
        if !modules.iter().any(|module| module.file == file) {
            load(path, &file, is_test, texts, modules);
        }
    }
}

/// Where the file of a declared module may be.
fn child_files(parent: &str, is_root: bool, child: &Child) -> Vec<String> {
    let (folder, name) = parent.rsplit_once('/').unwrap_or(("", parent));
    if let Some(path) = &child.path {
        return vec![format!("{folder}/{path}")];
    }
    let mut parts = vec![folder.to_owned()];
    if !is_root && name != "mod.rs" {
        parts.push(name.trim_end_matches(".rs").to_owned());
    }
    parts.extend(child.scope.modules.iter().cloned());
    parts.push(child.name.clone());
    let base = parts.join("/");
    vec![format!("{base}.rs"), format!("{base}/mod.rs")]
}

/// The module that a path leads to, or nothing when it leads out of the crate.
fn target(from: &Module, name: &Name, numbers: &BTreeMap<Vec<String>, usize>) -> Option<usize> {
    let all_of_parent = name.is_glob && name.parts.iter().all(|part| part == "super");
    if name.scope.is_test || (from.scan.is_test && all_of_parent) {
        return None;
    }
    let mut place = from.path.clone();
    place.extend(name.scope.modules.iter().cloned());
    for (at, part) in name.parts.iter().enumerate() {
        match part.as_str() {
            "crate" => place.clear(),
            "self" => {}
            "super" => {
                place.pop();
            }
            _ => {
                place.push(part.clone());
                if !numbers.contains_key(&place) {
                    if at == 0 {
                        return None;
                    }
                    place.pop();
                    break;
                }
            }
        }
    }
    // What is left may be an inline module, which lives in the file of a module around it.
    while !numbers.contains_key(&place) {
        place.pop()?;
    }
    numbers.get(&place).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The circles of a crate given as its files; the first is the root.
    fn check(files: &[(&str, &str)]) -> Vec<String> {
        circles_of_crate(files[0].0, &files.iter().copied().collect())
    }

    #[test]
    fn imports_that_go_one_way_pass() {
        let files = [
            ("c/src/lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("c/src/a.rs", "use crate::b::B; mod deep;"),
            ("c/src/a/deep.rs", "use std::fmt; use crate::b::B;"),
            ("c/src/b.rs", "use tokio::net::X;"),
        ];
        assert!(check(&files).is_empty());
    }

    #[test]
    fn a_circle_is_reported_as_a_path_with_lines() {
        let files = [
            ("c/src/lib.rs", "mod a;\nmod b;\nmod c;"),
            ("c/src/a.rs", "\nuse crate::b::B;"),
            ("c/src/b.rs", "fn f() {\n\n super::c::g() }"),
            ("c/src/c.rs", "use crate::{a::A};"),
        ];
        let expected = "import circle: c/src/a.rs:2 needs c/src/b.rs:3 needs c/src/c.rs:1 needs \
            c/src/a.rs";
        assert_eq!(check(&files), [expected]);
    }

    #[test]
    fn a_detour_through_a_reexport_is_a_circle() {
        let files = [
            ("c/src/lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
            ("c/src/a.rs", "use crate::B;"),
            ("c/src/b.rs", ""),
        ];
        assert_eq!(check(&files).len(), 1);
    }

    #[test]
    fn a_parent_that_uses_its_child_may_not_be_used_by_it() {
        let files = [
            ("c/src/main.rs", "mod doors;"),
            ("c/src/doors/mod.rs", "mod tcp; fn f() { tcp::start() }"),
            ("c/src/doors/tcp.rs", "use super::Door;"),
        ];
        assert_eq!(check(&files).len(), 1);
        let declared_only = [files[0], ("c/src/doors/mod.rs", "mod tcp;"), files[2]];
        assert!(check(&declared_only).is_empty());
    }

    #[test]
    fn tests_may_use_everything_of_their_parent() {
        let files = [
            ("c/src/lib.rs", "mod a;"),
            (
                "c/src/a.rs",
                "#[cfg(test)] mod tests; #[cfg(test)] use tests::helper;",
            ),
            ("c/src/a/tests.rs", "use super::*;"),
        ];
        assert!(check(&files).is_empty());
        let inline = [
            files[0],
            ("c/src/a.rs", "#[cfg(test)] mod tests { use super::*; }"),
        ];
        assert!(check(&inline).is_empty());
    }

    #[test]
    fn paths_from_inline_modules_lead_to_their_files() {
        let files = [
            ("c/src/lib.rs", "mod a; mod b;"),
            (
                "c/src/a.rs",
                "mod inner { fn f() { super::super::b::inner::g() } }",
            ),
            ("c/src/b.rs", "mod inner { use crate::a::inner::f; }"),
        ];
        assert_eq!(check(&files).len(), 1);
    }

    #[test]
    fn a_crate_named_like_a_module_elsewhere_is_not_that_module() {
        let files = [
            ("c/src/lib.rs", "mod metrics; mod a; use metrics::M;"),
            ("c/src/a.rs", "fn f() { metrics::counter() }"),
            ("c/src/metrics.rs", "use crate::a::f;"),
        ];
        assert!(check(&files).is_empty());
    }

    #[test]
    fn files_given_by_path_are_followed() {
        let files = [
            ("c/src/lib.rs", "#[path = \"x.rs\"] mod a; use a::f;"),
            ("c/src/x.rs", "use crate::G;"),
        ];
        assert_eq!(check(&files).len(), 1);
    }
}
