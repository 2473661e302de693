//! The habits of CONTRIBUTING.md that no compiler checks. Each check is a function from the tree
//! to a list of complaints, and each complaint names a place and what to do about it.

mod circles;
mod deps;
mod files;
mod guide;
mod imports;
mod lexer;
mod scan;
mod text;

use crate::policies;
use crate::process::Outcome;
use crate::workspace::Workspace;

/// Runs all checks; prints a line for each, and its complaints below it.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    let files = files::read_all(&workspace.root)?;
    let graph = workspace.dependency_graph()?;
    let checks = [
        ("files are rooms", text::long_files(&files)),
        ("text is clean", text::untidy_text(&files)),
        ("nothing is left to do", text::leftovers(&files)),
        ("imports go one way", imports::circles(workspace, &files)),
        ("the core does no IO", deps::core_is_pure(&graph)?),
        ("dependencies have reasons", deps::reasons(&files)),
        (
            "the guide knows the interface",
            guide::knows_the_interface(&files),
        ),
        (
            "built-in policies are current",
            policies::problems(workspace)?,
        ),
    ];
    let mut count = 0;
    for (name, complaints) in &checks {
        let verdict = if complaints.is_empty() {
            "ok"
        } else {
            "NOT OK"
        };
        println!("tidy: {name}: {verdict}");
        for complaint in complaints {
            println!("  {complaint}");
        }
        count += complaints.len();
    }
    match count {
        0 => Ok(()),
        1 => Err("tidy has a complaint, see above".into()),
        many => Err(format!("tidy has {many} complaints, see above")),
    }
}
