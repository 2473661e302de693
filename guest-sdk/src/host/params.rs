//! The operator's settings for this module.
//!
//! The typed readers panic on a value that they can't read: a setting that is silently ignored is
//! worse. The host asks every policy once before it serves, so the operator sees it at load.

use std::fmt::Display;
use std::str::FromStr;

use super::imports;

/// The value that the configuration gives to a name. A string is given as it is; a number, a flag or
/// a list as its TOML text.
pub fn get(name: &str) -> Option<String> {
    imports::params::get(name)
}

/// A number of any type.
///
/// # Panics
///
/// When the value is no such number.
pub fn number<N: FromStr<Err: Display>>(name: &str) -> Option<N> {
    // TOML lets a number have underscores: 10_000.
    get(name).map(|text| match text.replace('_', "").parse() {
        Ok(number) => number,
        Err(error) => panic!("param `{name}` must be a number: {text:?}: {error}"),
    })
}

/// A flag.
///
/// # Panics
///
/// When the value is neither `true` nor `false`.
pub fn flag(name: &str) -> Option<bool> {
    get(name).map(|text| match text.as_str() {
        "true" => true,
        "false" => false,
        _ => panic!("param `{name}` must be true or false: {text:?}"),
    })
}

/// A list of strings: a TOML list, `["R9", "Zed"]`, or one string with commas, `R9, Zed`. Empty where
/// the configuration has none. A string that holds a comma or an escape can't be an entry.
pub fn list(name: &str) -> Vec<String> {
    let text = get(name).unwrap_or_default();
    let text = text.trim();
    let entries = text
        .strip_prefix('[')
        .and_then(|it| it.strip_suffix(']'))
        .unwrap_or(text);
    entries
        .split(',')
        .map(|entry| entry.trim().trim_matches(['"', '\'']).to_owned())
        .filter(|entry| !entry.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_list_is_toml_or_commas() {
        let cases: [(&str, &[&str]); 5] = [
            ("", &[]),
            ("[]", &[]),
            ("R9", &["R9"]),
            (" R9, Zed ", &["R9", "Zed"]),
            ("[\"R9\", 'Zed',]", &["R9", "Zed"]),
        ];
        for (text, entries) in cases {
            let host = testing::host().param("vip", text);
            assert_eq!(host.run(|| list("vip")), entries, "{text:?}");
        }
        assert!(testing::host().run(|| list("vip")).is_empty());
    }

    #[test]
    fn numbers_and_flags_are_toml() {
        let host = testing::host()
            .param("seats", "1_000")
            .param("open", "true");
        host.run(|| {
            assert_eq!(number::<u32>("seats"), Some(1000));
            assert_eq!(flag("open"), Some(true));
            assert_eq!(number::<u32>("other"), None);
            assert_eq!(flag("other"), None);
        });
    }

    #[test]
    #[should_panic(expected = "param `seats` must be a number: \"many\"")]
    fn a_number_that_is_none_is_said_loudly() {
        testing::host()
            .param("seats", "many")
            .run(|| number::<u32>("seats"));
    }
}
