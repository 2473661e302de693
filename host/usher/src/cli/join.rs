//! `usher join`: goes through an `rtyp` door as a player would, for people who try a rule.

use super::exit::Exit;
use super::terminal::{complain, say};
use crate::text::acts;
use std::io::{self, BufRead, Read as _};
use std::pin::pin;
use tokio::sync::mpsc;
use usher_client::rtyp::{Client, Error, Options, PlayerName};

/// Lines that are read ahead of what is sent.
const AHEAD: usize = 16;

/// What is kept of a line, in bytes.
const LONGEST_LINE: u64 = 64 * 1024;

/// Understands `tcp://HOST:PORT`; the scheme may be left out.
pub(super) fn parse_address(text: &str) -> Result<String, String> {
    let address = match text.split_once("://") {
        Some(("tcp", rest)) => rest,
        Some((scheme, _)) => return Err(format!("{scheme}:// is not spoken here, tcp:// is")),
        None => text,
    };
    match address.rsplit_once(':') {
        Some((host, port))
            if !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0) =>
        {
            Ok(address.to_owned())
        }
        _ => Err("a host and a port are needed, such as tcp://127.0.0.1:4241".to_owned()),
    }
}

pub(super) fn run(address: &str, name: &PlayerName) -> Exit {
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(error);
            return Exit::Failure;
        }
    };
    match runtime.block_on(play(address, name)) {
        Ok(()) => {
            say("left");
            Exit::Success
        }
        Err(error) => {
            complain(reason(&error));
            exit(&error)
        }
    }
}

async fn play(address: &str, name: &PlayerName) -> Result<(), Error> {
    let options = Options::default().on_step(say);
    let mut client = Client::connect(address, name, options).await?;
    say("in: lines that you type are sent, the end of the input (Ctrl-D) leaves");
    let mut typed = lines();
    let mut interrupted = pin!(tokio::signal::ctrl_c());
    loop {
        tokio::select! {
            data = client.recv() => say(format_args!("< {}", printable(&data?))),
            line = typed.recv() => match line {
                Some(line) => match client.send(&line).await {
                    Err(Error::TooLong(error)) => complain(error),
                    sent => sent?,
                },
                None => return client.leave().await,
            },
            _ = &mut interrupted => return client.leave().await,
        }
    }
}

/// What is typed, line by line. A thread of its own, because reading a terminal cannot be given up: the
/// thread ends with the process.
fn lines() -> mpsc::Receiver<Vec<u8>> {
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

/// Data on one line, whatever it is.
fn printable(data: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(data) else {
        return data.escape_ascii().to_string();
    };
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => shown.push_str("\\\\"),
            letter if acts(letter) => shown.extend(letter.escape_default()),
            letter => shown.push(letter),
        }
    }
    shown
}

/// Why there is no session any more, with the protocol's own number.
fn reason(error: &Error) -> String {
    match error {
        Error::Rejected(reason) => format!("{error} ({})", reason.byte()),
        Error::Ended(reason) => format!("{error} ({})", reason.byte()),
        error => error.to_string(),
    }
}

fn exit(error: &Error) -> Exit {
    match error {
        Error::Unreachable(_) => Exit::Unreachable,
        Error::Rejected(_) => Exit::Rejected,
        Error::NoUdp | Error::Udp(_) => Exit::NoUdp,
        Error::Ended(_) | Error::Lost(_) => Exit::Ended,
        Error::Protocol(_) | Error::TooLong(_) => Exit::Failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usher_client::rtyp::{LogoutReason, RejectReason};

    #[test]
    fn an_address_is_a_host_and_a_port() {
        for (text, address) in [
            ("tcp://127.0.0.1:4241", Some("127.0.0.1:4241")),
            ("localhost:4241", Some("localhost:4241")),
            ("tcp://[::1]:4241", Some("[::1]:4241")),
            ("tcp://127.0.0.1", None),
            ("tcp://:4241", None),
            ("tcp://host:0", None),
            ("tcp://host:70000", None),
            ("udp://host:1", None),
            ("", None),
        ] {
            assert_eq!(parse_address(text).ok().as_deref(), address, "{text}");
        }
    }

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

    #[test]
    fn what_arrives_stays_on_its_line() {
        for (data, shown) in [
            (&b"hello"[..], "hello"),
            ("né".as_bytes(), "né"),
            (b"a\nb\x1b[2J", "a\\nb\\u{1b}[2J"),
            ("a\u{9b}\u{202e}".as_bytes(), "a\\u{9b}\\u{202e}"),
            (b"\\n", "\\\\n"),
            (b"\xff\x00", "\\xff\\x00"),
        ] {
            assert_eq!(printable(data), shown);
        }
    }

    #[test]
    fn scripts_can_tell_how_it_ended() {
        let broken = || io::Error::from(io::ErrorKind::ConnectionRefused);
        for (error, status) in [
            (Error::Unreachable(broken()), Exit::Unreachable),
            (Error::Rejected(RejectReason::ServerFull), Exit::Rejected),
            (Error::NoUdp, Exit::NoUdp),
            (Error::Ended(LogoutReason::TimedOut), Exit::Ended),
            (Error::Lost(broken()), Exit::Ended),
        ] {
            assert_eq!(exit(&error), status);
        }
        assert_eq!(
            reason(&Error::Rejected(RejectReason::ServerFull)),
            "the server rejected the login: ServerFull (1)"
        );
        assert_eq!(
            reason(&Error::Ended(LogoutReason::TimedOut)),
            "the server ended the session: TimedOut (2)"
        );
    }
}
