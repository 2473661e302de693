//! `[[bucket]]`: a named list that policies look things up in.

use super::error::ConfigError;
use super::reader::Section;
use super::value::{name, number, text};
use std::path::PathBuf;
use std::sync::Arc;

/// A list. What is in its file is read when the host starts, and again whenever it changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bucket {
    /// Its name, by which policies know it.
    pub name: Arc<str>,
    /// Where its entries stand; `None` for one that only policies fill.
    pub file: Option<PathBuf>,
    /// The most entries in it, those that policies put in included.
    pub max_entries: u32,
}

impl Bucket {
    /// The most entries where nothing else is said.
    pub const MAX_ENTRIES: u32 = 100_000;

    /// Reads the tables, in the order of the file.
    pub(super) fn read_all(root: &mut Section<'_>) -> Result<Vec<Bucket>, ConfigError> {
        let mut buckets: Vec<Bucket> = Vec::new();
        for section in root.tables("bucket")? {
            let name_twice = section.missing("name", "name = \"second\"");
            let file_twice = section.missing("file", "file = \"second.txt\"");
            let bucket = Bucket::read(section)?;
            for other in &buckets {
                if other.name == bucket.name {
                    return Err(ConfigError {
                        value: Some(format!("{:?}", bucket.name)),
                        problem: "another [[bucket]] has this name".to_owned(),
                        ..name_twice
                    });
                }
                if bucket.file.is_some() && other.file == bucket.file {
                    let file = bucket.file.unwrap_or_default();
                    return Err(ConfigError {
                        value: Some(format!("{:?}", file.display().to_string())),
                        problem: format!("the bucket {:?} has this file", other.name),
                        ..file_twice
                    });
                }
            }
            buckets.push(bucket);
        }
        Ok(buckets)
    }

    fn read(mut section: Section<'_>) -> Result<Bucket, ConfigError> {
        let name = section.required("name", "name = \"bans\"", name)?;
        let directory = section.source.directory();
        let file = section.optional("file", "file = \"bans.txt\"", |value| {
            Ok(directory.join(text(value)?))
        })?;
        let max_entries =
            section.optional("max-entries", "max-entries = 100000", number(1..=1_000_000))?;
        section.finish()?;
        Ok(Bucket {
            name,
            file,
            max_entries: max_entries.unwrap_or(Bucket::MAX_ENTRIES),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use std::path::Path;

    const REST: &str = r#"
[[door]]
name = "main"
protocol = "rtyp"
tcp = "127.0.0.1:4241"
udp = "127.0.0.1:4242"
[[policy]]
name = "open"
module = "builtin:open"
"#;

    fn read(text: &str) -> Result<Config, String> {
        let config = Config::parse(&format!("{text}{REST}"), Path::new("/etc/usher/usher.toml"));
        config.map_err(|error| error.to_string())
    }

    #[test]
    fn a_bucket_has_a_file_beside_the_configuration_or_none() {
        let text = "[[bucket]]\nname = \"bans\"\nfile = \"lists/bans.txt\"\nmax-entries = 5\n\
                    [[bucket]]\nname = \"seen\"\n";
        let bucket = |name: &str, file: Option<&str>, max_entries| Bucket {
            name: name.into(),
            file: file.map(PathBuf::from),
            max_entries,
        };
        let expected = [
            bucket("bans", Some("/etc/usher/lists/bans.txt"), 5),
            bucket("seen", None, 100_000),
        ];
        assert_eq!(read(text).map(|config| config.buckets), Ok(expected.into()));
        assert_eq!(read("").map(|config| config.buckets), Ok(Vec::new()));
    }

    #[test]
    fn each_mistake_is_named_with_what_would_be_right() {
        let named = |rest: &str| format!("[[bucket]]\nname = \"bans\"\n{rest}");
        let other = |rest: &str| named(&format!("[[bucket]]\n{rest}"));
        for (text, says) in [
            (
                "[[bucket]]\nfile = \"bans.txt\"\n".to_owned(),
                "1: bucket[0].name: this is missing; for example: name = \"bans\"",
            ),
            (
                "[bucket]\nname = \"bans\"\n".to_owned(),
                "1: bucket = [bucket]: each must start with [[bucket]]",
            ),
            (
                named("max-entries = 0\n"),
                "3: bucket[0].max-entries = 0: it must be a whole number from 1 to 1000000; for \
                 example: max-entries = 100000",
            ),
            (
                named("file = \"\"\n"),
                "3: bucket[0].file = \"\": it must be text in quotes; for example: file = \
                 \"bans.txt\"",
            ),
            (
                named("flie = \"bans.txt\"\n"),
                "3: bucket[0].flie: there is no such key; did you mean file?",
            ),
            (
                other("name = \"bans\"\n"),
                "3: bucket[1].name = \"bans\": another [[bucket]] has this name; for example: name = \
                 \"second\"",
            ),
            (
                named("file = \"a.txt\"\n[[bucket]]\nname = \"b\"\nfile = \"a.txt\"\n"),
                "4: bucket[1].file = \"/etc/usher/a.txt\": the bucket \"bans\" has this file; for \
                 example: file = \"second.txt\"",
            ),
        ] {
            let expected = format!("/etc/usher/usher.toml:{says}");
            assert_eq!(read(&text).map(|_| ()), Err(expected), "{text}");
        }
    }
}
