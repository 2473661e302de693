//! Reads a TOML file table by table, and knows at every step where it stands in it.
//!
//! serde could fill the types too, but what it says of a mistake names neither the path of the key nor
//! what would be right, and an operator who reads it at night deserves both.

use super::error::ConfigError;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The file that is read.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
}

impl<'a> Source<'a> {
    /// The file as one table.
    pub(super) fn root(self) -> Result<Section<'a>, ConfigError> {
        match DeTable::parse(self.text) {
            Ok(table) => Ok(Section {
                source: self,
                path: String::new(),
                at: 0..0,
                table: table.into_inner(),
                known: Vec::new(),
            }),
            Err(error) => Err(ConfigError {
                file: Some(self.file.to_owned()),
                line: error.span().map(|span| self.line(span.start)),
                key: String::new(),
                value: None,
                problem: format!(
                    "this is not TOML: {}",
                    error.message().trim().replace('\n', ", ")
                ),
                example: None,
            }),
        }
    }

    /// The directory that relative paths in the file start from.
    pub(super) fn directory(self) -> &'a Path {
        self.file.parent().unwrap_or_else(|| Path::new(""))
    }

    fn line(self, offset: usize) -> u32 {
        let before = self.text.as_bytes().iter().take(offset);
        let ends = before.filter(|byte| **byte == b'\n').count();
        u32::try_from(ends).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// A value as it is written.
    pub(super) fn written(self, span: Range<usize>) -> &'a str {
        self.text.get(span).unwrap_or_default()
    }
}

/// One table of the file. Every key must be asked for, then [`Section::finish`] refuses the rest.
pub(super) struct Section<'a> {
    pub(super) source: Source<'a>,
    path: String,
    at: Range<usize>,
    table: DeTable<'a>,
    known: Vec<&'static str>,
}

/// A key of a table, with its value.
pub(super) struct Entry<'a> {
    source: Source<'a>,
    path: String,
    /// Where the key is written: a table's own place is less exact.
    at: Range<usize>,
    value: Spanned<DeValue<'a>>,
    example: &'static str,
}

impl<'a> Section<'a> {
    /// Takes a key out, if it is there.
    pub(super) fn entry(&mut self, key: &'static str, example: &'static str) -> Option<Entry<'a>> {
        self.known.push(key);
        let (name, value) = self.table.remove_entry(key)?;
        Some(Entry {
            source: self.source,
            path: self.path_of(key),
            at: name.span(),
            value,
            example,
        })
    }

    /// Reads a key with `parse`, whose error says what the value must be.
    pub(super) fn optional<T>(
        &mut self,
        key: &'static str,
        example: &'static str,
        parse: impl FnOnce(&DeValue<'_>) -> Result<T, String>,
    ) -> Result<Option<T>, ConfigError> {
        let entry = self.entry(key, example);
        entry.map(|entry| entry.parse(parse)).transpose()
    }

    /// As [`Section::optional`], for a key without a default.
    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        example: &'static str,
        parse: impl FnOnce(&DeValue<'_>) -> Result<T, String>,
    ) -> Result<T, ConfigError> {
        self.optional(key, example, parse)?
            .ok_or_else(|| self.missing(key, example))
    }

    /// A table inside this one.
    pub(super) fn table(&mut self, key: &'static str) -> Result<Option<Section<'a>>, ConfigError> {
        let Some(entry) = self.entry(key, "") else {
            return Ok(None);
        };
        let shown = format!("a table must start with [{}]", entry.path);
        entry.into_section(shown).map(Some)
    }

    /// As [`Section::table`], for one whose values may be secrets: an error does not show what is there in
    /// its place.
    pub(super) fn hidden_table(
        &mut self,
        key: &'static str,
        example: &'static str,
    ) -> Result<Option<Section<'a>>, ConfigError> {
        let Some(entry) = self.entry(key, example) else {
            return Ok(None);
        };
        let section = entry.into_section("it must be a table".to_owned());
        section.map(Some).map_err(|error| ConfigError {
            value: None,
            ..error
        })
    }

    /// A list of tables inside this one, in the order of the file.
    pub(super) fn tables(&mut self, key: &'static str) -> Result<Vec<Section<'a>>, ConfigError> {
        let Some(entry) = self.entry(key, "") else {
            return Ok(Vec::new());
        };
        let shown = format!("each must start with [[{}]]", entry.path);
        if !entry.value.get_ref().is_array() {
            return Err(entry.error(shown));
        }
        let DeValue::Array(items) = entry.value.into_inner() else {
            return Ok(Vec::new());
        };
        items
            .into_iter()
            .enumerate()
            .map(|(index, value)| {
                let item = Entry {
                    source: entry.source,
                    path: format!("{}[{index}]", entry.path),
                    at: value.span(),
                    value,
                    example: "",
                };
                item.into_section(shown.clone())
            })
            .collect()
    }

    /// Takes out every key that is left: for tables whose keys are the operator's own.
    pub(super) fn rest(&mut self) -> Vec<(String, Entry<'a>)> {
        std::mem::take(&mut self.table)
            .into_iter()
            .map(|(name, value)| {
                let entry = Entry {
                    source: self.source,
                    path: self.path_of(name.get_ref()),
                    at: name.span(),
                    value,
                    example: "",
                };
                (name.into_inner().into_owned(), entry)
            })
            .collect()
    }

    /// Refuses what nobody asked for.
    pub(super) fn finish(self) -> Result<(), ConfigError> {
        let Some((name, _)) = self.table.iter().next() else {
            return Ok(());
        };
        let near = nearest(name.get_ref(), &self.known);
        Err(ConfigError {
            file: Some(self.source.file.to_owned()),
            line: Some(self.source.line(name.span().start)),
            key: self.path_of(name.get_ref()),
            value: None,
            problem: match near {
                Some(near) => format!("there is no such key; did you mean {near}?"),
                None => format!("there is no such key; here are: {}", self.known.join(", ")),
            },
            example: None,
        })
    }

    /// The error for a key that is not there.
    pub(super) fn missing(&self, key: &str, example: &str) -> ConfigError {
        ConfigError {
            file: Some(self.source.file.to_owned()),
            line: (!self.path.is_empty()).then(|| self.source.line(self.at.start)),
            key: self.path_of(key),
            value: None,
            problem: "this is missing".to_owned(),
            example: Some(example.into()),
        }
    }

    fn path_of(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }
}

impl<'a> Entry<'a> {
    /// Makes of the value what it should be.
    pub(super) fn parse<T>(
        &self,
        parse: impl FnOnce(&DeValue<'_>) -> Result<T, String>,
    ) -> Result<T, ConfigError> {
        parse(self.value.get_ref()).map_err(|problem| self.error(problem))
    }

    /// As [`Entry::parse`], for a value that may be a secret: an error does not show it.
    pub(super) fn parse_hidden<T>(
        &self,
        parse: impl FnOnce(&DeValue<'_>) -> Result<T, String>,
    ) -> Result<T, ConfigError> {
        parse(self.value.get_ref()).map_err(|problem| ConfigError {
            value: None,
            ..self.error(problem)
        })
    }

    /// The file that it is in.
    pub(super) fn source(&self) -> Source<'a> {
        self.source
    }

    /// The value as it is written.
    pub(super) fn written(&self) -> &'a str {
        self.source.written(self.value.span())
    }

    /// An error about this value, which is shown.
    pub(super) fn error(&self, problem: impl Into<String>) -> ConfigError {
        let mut value: String = self
            .written()
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(80)
            .collect();
        if value.len() < self.written().len() {
            value.push('…');
        }
        ConfigError {
            file: Some(self.source.file.to_owned()),
            line: Some(self.source.line(self.at.start)),
            key: self.path.clone(),
            value: Some(value),
            problem: problem.into(),
            example: (!self.example.is_empty()).then(|| self.example.into()),
        }
    }

    fn into_section(self, problem: String) -> Result<Section<'a>, ConfigError> {
        if !self.value.get_ref().is_table() {
            return Err(self.error(problem));
        }
        let DeValue::Table(table) = self.value.into_inner() else {
            return Err(ConfigError {
                file: Some(self.source.file.to_owned()),
                line: None,
                key: self.path,
                value: None,
                problem,
                example: None,
            });
        };
        Ok(Section {
            source: self.source,
            path: self.path,
            at: self.at,
            table,
            known: Vec::new(),
        })
    }
}

/// The known name that `name` is most likely a slip of, if one is near.
pub(crate) fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let name = name.replace('_', "-").to_lowercase();
    known
        .iter()
        .map(|candidate| (distance(&name, candidate), *candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many insertions, removals and replacements make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
