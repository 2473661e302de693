//! What is typed, on its way to the server.

use std::io::{self, BufRead, Read as _};
use tokio::sync::mpsc;

/// Lines that are read ahead of what is sent.
const AHEAD: usize = 16;

/// What is kept of a line, in bytes.
const LONGEST_LINE: u64 = 64 * 1024;

/// What is typed, line by line. A thread of its own, because reading a terminal cannot be given up: the
/// thread ends with the process.
pub(super) fn lines() -> mpsc::Receiver<Vec<u8>> {
    let (to, from) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(line)) = read_line(&mut input) {
            if to.blocking_send(line).is_err() {
                return;
            }
        }
    });
    from
}

/// The next line, without its end; `None` at the end of the input. Of one that does not end only the
/// beginning is kept, which is too long for a datagram all the same.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut bounded = (&mut *input).take(LONGEST_LINE);
    if bounded.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let ends = line.pop_if(|last| *last == b'\n').is_some();
    if ends {
        line.pop_if(|last| *last == b'\r');
    } else if bounded.limit() == 0 {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart_and_one_without_end_is_not_kept_whole() {
        let mut input = b"a\nb\r\n\n".to_vec();
        input.resize(1 << 20, b'x');
        input.extend(b"\nlast");
        let mut input = &input[..];
        let mut next = || read_line(&mut input).expect("readable");
        for line in [&b"a"[..], b"b", b""] {
            assert_eq!(next().as_deref(), Some(line));
        }
        assert_eq!(next().map(|line| line.len()), Some(64 * 1024));
        assert_eq!(next().as_deref(), Some(&b"last"[..]));
        assert_eq!(next(), None);
    }
}
