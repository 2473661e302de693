//! The names that game servers know things by: a number, and which run of the host gave it.
//!
//! Numbers begin anew with each run, and a game server may outlive one. A name of another run names
//! nothing, so that nobody's session is ended in place of one that is long gone.

use std::fmt;

/// A run of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::doors::http) struct Run(pub(in crate::doors::http) u32);

impl Run {
    /// The name of what has this number.
    pub(in crate::doors::http) fn name(self, number: u64) -> String {
        format!("{number}-{self}")
    }

    /// The number of what was given this name in this run.
    pub(in crate::doors::http) fn number(self, name: &str) -> Option<u64> {
        let (number, _) = name.split_once('-')?;
        let number = number.parse().ok()?;
        // There is one way to write it.
        (self.name(number) == name).then_some(number)
    }

    /// The name of a session that holds no seat.
    pub(in crate::doors::http) fn local_name(self, number: u64) -> String {
        format!("l{}", self.name(number))
    }

    /// The number of a session that holds no seat.
    pub(in crate::doors::http) fn local_number(self, name: &str) -> Option<u64> {
        self.number(name.strip_prefix('l')?)
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_in_one_way_and_means_nothing_in_another_run() {
        let run = Run(0x00c0_ffee);
        assert_eq!(run.name(7), "7-00c0ffee");
        assert_eq!(run.number("7-00c0ffee"), Some(7));
        assert_eq!(run.local_number(&run.local_name(7)), Some(7));
        for wrong in [
            "",
            "7",
            "7-",
            "-00c0ffee",
            "07-00c0ffee",
            "+7-00c0ffee",
            "7-00C0FFEE",
            "7-00c0ffee ",
            "7-00c0ffef",
            "l7-00c0ffee",
            "18446744073709551616-00c0ffee",
        ] {
            assert_eq!(run.number(wrong), None, "{wrong:?}");
        }
    }
}
