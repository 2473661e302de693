//! What of a row can be set on the command line: `--with waiting=50000`.

use crate::process::Outcome;

/// One number that a row goes by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// For `--list`.
    pub(crate) about: &'static str,
    pub(crate) value: u32,
    /// With `--quick`.
    pub(crate) quick: u32,
}

/// What was given with `--with`, which some row has to know.
pub(crate) fn parse(given: &[String], known: &[Setting]) -> Outcome<Vec<(String, u32)>> {
    let parsed = given.iter().map(|text| {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| format!("--with {text}: it has to be NAME=NUMBER"))?;
        if !known.iter().any(|setting| setting.name == name) {
            let names: Vec<_> = known.iter().map(|setting| setting.name).collect();
            return Err(match names.as_slice() {
                [] => format!("--with {text}: none of these rows can be set"),
                names => format!("--with {text}: these rows know {}", names.join(", ")),
            });
        }
        let value = value
            .parse()
            .map_err(|_| format!("--with {text}: `{value}` is not a whole number"))?;
        Ok((name.to_owned(), value))
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITING: Setting = Setting {
        name: "waiting",
        about: "how many wait",
        value: 9_500,
        quick: 950,
    };

    #[test]
    fn what_no_row_knows_or_is_no_number_is_refused_with_a_hint() {
        let given = |text: &str| parse(&[text.to_owned()], &[WAITING]);
        assert_eq!(given("waiting=7"), Ok(vec![("waiting".to_owned(), 7)]));
        assert!(given("weighting=7").unwrap_err().contains("waiting"));
        assert!(given("waiting").unwrap_err().contains("NAME=NUMBER"));
        assert!(given("waiting=x").unwrap_err().contains("whole number"));
        assert!(
            parse(&["a=1".to_owned()], &[])
                .unwrap_err()
                .contains("none")
        );
    }
}
