//! Through an `rtyp` door: log in, bind, play.

use super::shown::printable;
use super::typed::lines;
use crate::cli::exit::Exit;
use crate::cli::terminal::{complain, say};
use std::pin::pin;
use usher_client::rtyp::{Client, Error, Options, PlayerName};

pub(super) async fn join(address: &str, name: &PlayerName) -> Exit {
    match play(address, name).await {
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
    use std::io;
    use usher_client::rtyp::{LogoutReason, RejectReason};

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
