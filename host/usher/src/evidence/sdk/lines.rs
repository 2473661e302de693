//! Cuts a stream of bytes into lines, and keeps no line that is too long.

/// The longest line, its end not counted.
pub(super) const LINE: usize = 4 * 1024 * 1024;

/// A line was too long. The stream is of no use any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a line of the watch stream is longer than 4 MiB")]
pub(super) struct TooLong;

/// What has come of a line that is not whole.
#[derive(Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
}

impl Lines {
    /// Takes bytes, and calls `take` with each line that is whole now, without its end (LF or CR LF).
    /// Blank lines are none.
    ///
    /// # Errors
    ///
    /// [`TooLong`] once a line is, whole or not.
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), TooLong> {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            if self.begun.is_empty() {
                whole(line, &mut take)?;
                continue;
            }
            self.begin(line)?;
            let line = std::mem::take(&mut self.begun);
            whole(&line, &mut take)?;
        }
        self.begin(bytes)
    }

    fn begin(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        // A CR that belongs to the end may still be among them.
        if self.begun.len() + bytes.len() > LINE + 1 {
            return Err(TooLong);
        }
        self.begun.extend_from_slice(bytes);
        Ok(())
    }
}

fn whole(line: &[u8], take: &mut impl FnMut(&[u8])) -> Result<(), TooLong> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() > LINE {
        return Err(TooLong);
    }
    if !line.iter().all(u8::is_ascii_whitespace) {
        take(line);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> (Vec<String>, Result<(), TooLong>) {
        let mut lines = Lines::default();
        let mut taken = Vec::new();
        for chunk in chunks {
            let take = |line: &[u8]| taken.push(String::from_utf8(line.to_vec()).unwrap());
            if let Err(error) = lines.push(chunk, take) {
                return (taken, Err(error));
            }
        }
        (taken, Ok(()))
    }

    #[test]
    fn lines_are_the_same_however_the_bytes_come() {
        let stream = b"{\"a\":1}\n\r\n  \n{\"b\":2}\r\n\n{\"c\":\r3}\nrest";
        let whole = lines(&[stream]).0;
        assert_eq!(whole, ["{\"a\":1}", "{\"b\":2}", "{\"c\":\r3}"]);
        for size in 1..stream.len() {
            let chunks: Vec<_> = stream.chunks(size).collect();
            assert_eq!(lines(&chunks).0, whole, "in pieces of {size}");
        }
    }

    #[test]
    fn a_line_may_be_as_long_as_the_bound_and_no_longer() {
        let longest = vec![b'x'; LINE];
        for end in [&b"\n"[..], b"\r\n"] {
            for chunks in [
                vec![&longest[..], end],
                vec![&longest[..7], &longest[7..], end],
            ] {
                let (taken, outcome) = lines(&chunks);
                assert_eq!((taken.len(), outcome), (1, Ok(())));
            }
            let (taken, outcome) = lines(&[&longest, b"x", end]);
            assert_eq!((taken.len(), outcome), (0, Err(TooLong)));
        }
        // Without an end it is found out as soon as it is certain.
        assert_eq!(lines(&[&longest, b"xx"]).1, Err(TooLong));
        let long = [&longest[..], b"xx\n"].concat();
        assert_eq!(lines(&[b"a\n", &long]).1, Err(TooLong));
    }
}
