//! Check that the policy guide was read again after the interface changed. No tool can tell
//! whether prose is still true, but one can ask that somebody looks.

use super::files::{TextFile, find};
use crate::hash;

/// The guide for authors of policies.
const GUIDE: &str = "docs/policies.md";

/// Complains about each interface file whose present form the guide does not vouch for.
pub(crate) fn knows_the_interface(files: &[TextFile]) -> Vec<String> {
    let interface: Vec<_> = files.iter().filter(|file| file.kind() == "wit").collect();
    if interface.is_empty() {
        return Vec::new();
    }
    let Some(guide) = find(files, GUIDE) else {
        return vec![format!(
            "{GUIDE} is missing, it explains the interface in wit/"
        )];
    };
    let mut complaints = Vec::new();
    for file in &interface {
        let mark = mark(file);
        if !guide.text.lines().any(|line| line == mark) {
            let path = &file.path;
            complaints.push(format!(
                "{path} is not the one that {GUIDE} was written for: read the guide again, then \
                 put this line at its end in place of the one for {path}: {mark}"
            ));
        }
    }
    for line in guide
        .text
        .lines()
        .filter(|line| line.starts_with("<!-- wit: "))
    {
        if !interface.iter().any(|file| mark(file) == line) {
            complaints.push(format!(
                "{GUIDE} has a line for no interface: remove {line}"
            ));
        }
    }
    complaints
}

/// The line with which the guide vouches for an interface file.
fn mark(file: &TextFile) -> String {
    let hash = hash::text_hex(file.text.as_bytes());
    format!("<!-- wit: sha256 {hash} {} -->", file.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guide_with_the_marks_passes_until_the_interface_changes() {
        let interface = TextFile::new("wit/policy.wit", "package a:b;\n");
        let guide = TextFile::new(GUIDE, &format!("# Guide\n\n{}\n", mark(&interface)));
        assert!(knows_the_interface(&[interface, guide.clone()]).is_empty());

        let changed = TextFile::new("wit/policy.wit", "package a:c;\n");
        let complaints = knows_the_interface(&[changed.clone(), guide]);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(
            complaints[0].ends_with(&mark(&changed)),
            "says what to paste"
        );
        assert!(complaints[1].contains("remove <!-- wit: sha256"));
    }

    #[test]
    fn without_a_guide_there_is_one_complaint_and_without_an_interface_none() {
        let interface = TextFile::new("wit/policy.wit", "package a:b;\n");
        assert_eq!(knows_the_interface(&[interface]).len(), 1);
        assert!(knows_the_interface(&[]).is_empty());
    }
}
