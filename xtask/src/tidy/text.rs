//! Checks of files as text: how long they are, how clean, and whether something was left behind.

use super::files::TextFile;
use super::lexer::{Token, tokens};

/// How long a source file may be: one idea fits into a room.
const LONGEST: usize = 400;

/// Files that may be longer, each with the reason why splitting it would make it worse.
const LONG_FOR_A_REASON: &[(&str, &str)] = &[];

/// Macros that say that something is unfinished.
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// Kinds of files in which spaces at the end of a line are noise in every diff.
const TRIMMED: [&str; 5] = ["rs", "toml", "md", "py", "wit"];

/// Source files with too many lines.
pub(crate) fn long_files(files: &[TextFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in sources(files) {
        let lines = file.text.lines().count();
        let excused = LONG_FOR_A_REASON.iter().any(|(path, _)| *path == file.path);
        if lines > LONGEST && !excused {
            complaints.push(format!(
                "{} has {lines} lines, {LONGEST} is the most: split it by ideas",
                file.path
            ));
        }
    }
    complaints
}

/// Files without an end of line at their end, and lines that end in spaces.
pub(crate) fn untidy_text(files: &[TextFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| !file.is_data()) {
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            complaints.push(format!("{} does not end with a line end", file.path));
        }
        if !TRIMMED.contains(&file.kind()) {
            continue;
        }
        for (number, line) in (1..).zip(file.text.lines()) {
            if line.ends_with([' ', '\t']) {
                let path = &file.path;
                complaints.push(format!("{path}:{number}: spaces at the end of the line"));
            }
        }
    }
    complaints
}

/// Macros of unfinished code, and marks of a merge that was not finished.
pub(crate) fn leftovers(files: &[TextFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| !file.is_data()) {
        for (number, line) in (1..).zip(file.text.lines()) {
            // The middle mark, seven `=`, is also a headline in Markdown; the outer two suffice.
            if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
                complaints.push(format!("{}:{number}: mark of a merge", file.path));
            }
        }
    }
    for file in sources(files) {
        for pair in tokens(&file.text).windows(2) {
            let [(Token::Word(name), line), (Token::Sign('!'), _)] = pair else {
                continue;
            };
            if UNFINISHED.contains(&name.as_str()) {
                complaints.push(format!("{}:{line}: {name}! is left", file.path));
            }
        }
    }
    complaints
}

fn sources(files: &[TextFile]) -> impl Iterator<Item = &TextFile> {
    let is_source = |file: &&TextFile| file.kind() == "rs" && !file.is_data();
    files.iter().filter(is_source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_have_400_lines_and_no_more() {
        let full = TextFile::new("a.rs", &"x\n".repeat(400));
        let long = TextFile::new("b.rs", &"x\n".repeat(401));
        let data = TextFile::new("tests/data/c.rs", &"x\n".repeat(500));
        let prose = TextFile::new("d.md", &"x\n".repeat(500));
        let complaints = long_files(&[full, long, data, prose]);
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].starts_with("b.rs has 401 lines"));
    }

    #[test]
    fn lines_end_cleanly() {
        let files = [
            TextFile::new("a.rs", "x\n"),
            TextFile::new("b.md", "x \ny"),
            TextFile::new("c.txt", "x \n"),
            TextFile::new("tests/data/d.md", "x "),
            TextFile::new("empty.rs", ""),
        ];
        let expected = [
            "b.md does not end with a line end",
            "b.md:1: spaces at the end of the line",
        ];
        assert_eq!(untidy_text(&files), expected);
    }

    #[test]
    fn unfinished_code_is_found_but_not_talk_about_it() {
        let files = [
            TextFile::new("a.rs", "// todo!()\nlet s = \"dbg!(x)\";\nfn todo() {}\n"),
            TextFile::new("b.rs", "fn f() {\n    todo!()\n}\n"),
            TextFile::new("c.md", "`dbg!(x)`\n"),
        ];
        assert_eq!(leftovers(&files), ["b.rs:2: todo! is left"]);
    }

    #[test]
    fn marks_of_a_merge_are_found() {
        let merge = TextFile::new("a.md", "Title\n=======\n<<<<<<< ours\n>>>>>>> theirs\n");
        assert_eq!(leftovers(&[merge]).len(), 2);
    }
}
