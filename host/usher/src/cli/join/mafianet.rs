//! Through a `mafianet` door: connect, hand over the payload, wait for the decision, play.

use super::shown::printable;
use super::typed::lines;
use crate::cli::exit::Exit;
use crate::cli::terminal::{complain, say};
use std::pin::{Pin, pin};
use usher_client::raknet::{Client, Dialect, Error, Options, Reliability, Step};
use usher_client::ticket::Reason;

/// The message id that lines are sent under: the first that is a game's own.
const ID: u8 = Dialect::MAFIANET.first_application;

pub(super) async fn join(address: &str, options: Options) -> Exit {
    match play(address, options).await {
        Ok(()) => {
            say("left");
            Exit::Success
        }
        Err(error) => {
            match for_players(&error) {
                Some(sentence) => complain(format_args!("{error}. {sentence}")),
                None => complain(&error),
            }
            exit(&error)
        }
    }
}

async fn play(address: &str, options: Options) -> Result<(), Error> {
    let mut interrupted = pin!(tokio::signal::ctrl_c());
    let client = Client::begin(address, options).await?;
    let Some(mut client) = enter(client, interrupted.as_mut()).await? else {
        return Ok(());
    };
    say("in: lines that you type are sent, the end of the input (Ctrl-D) leaves");
    let mut typed = lines();
    loop {
        tokio::select! {
            message = client.recv() => say(format_args!("< {}", shown(&message?.bytes))),
            line = typed.recv() => match line {
                Some(line) => {
                    let message = [&[ID], &line[..]].concat();
                    match client.send(&message, Reliability::ReliableOrdered, 0).await {
                        Err(Error::Unsent(error)) => complain(error),
                        sent => sent?,
                    }
                }
                None => return client.leave(b"").await,
            },
            _ = interrupted.as_mut() => return client.leave(b"").await,
        }
    }
}

/// Tells every step until it is in. Whoever is interrupted says goodbye and is not.
async fn enter<I: Future>(
    mut client: Client,
    mut interrupted: Pin<&mut I>,
) -> Result<Option<Client>, Error> {
    loop {
        tokio::select! {
            step = client.step() => {
                let step = step?;
                say(&step);
                if matches!(step, Step::Accepted { .. }) {
                    return Ok(Some(client));
                }
            }
            _ = interrupted.as_mut() => {
                client.leave(b"").await?;
                return Ok(None);
            }
        }
    }
}

/// A message without the id that lines have; any other id is shown.
fn shown(message: &[u8]) -> String {
    printable(message.strip_prefix(&[ID]).unwrap_or(message))
}

/// What a game would show for it: a rejection with the literal of a join ticket's reason.
fn for_players(error: &Error) -> Option<&'static str> {
    let Error::Rejected(reason) = error else {
        return None;
    };
    let reason: Reason = std::str::from_utf8(reason).ok()?.parse().ok()?;
    Some(reason.message())
}

fn exit(error: &Error) -> Exit {
    match error {
        Error::Unreachable(_) => Exit::Unreachable,
        Error::Refused(_) | Error::WrongPassword | Error::Rejected(_) => Exit::Rejected,
        Error::Udp(_) => Exit::NoUdp,
        Error::TimedOut | Error::Ended(_) | Error::Lost => Exit::Ended,
        Error::TooLong { .. } => Exit::Usage,
        Error::Protocol(_) | Error::Unsent(_) => Exit::Failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use usher_client::raknet::Refusal;

    #[test]
    fn scripts_can_tell_how_it_ended() {
        let broken = || io::Error::from(io::ErrorKind::TimedOut);
        for (error, status) in [
            (Error::Unreachable(broken()), Exit::Unreachable),
            (Error::Refused(Refusal::Full), Exit::Rejected),
            (Error::WrongPassword, Exit::Rejected),
            (Error::Rejected(b"no".to_vec()), Exit::Rejected),
            (Error::Udp(broken()), Exit::NoUdp),
            (Error::TimedOut, Exit::Ended),
            (Error::Ended(Vec::new()), Exit::Ended),
            (Error::Lost, Exit::Ended),
        ] {
            assert_eq!(exit(&error), status, "{error}");
        }
    }

    #[test]
    fn only_the_reasons_of_join_tickets_have_a_sentence() {
        let rejected = |text: &str| Error::Rejected(text.into());
        for reason in Reason::ALL {
            let sentence = for_players(&rejected(reason.as_str()));
            assert_eq!(sentence, Some(reason.message()));
        }
        for error in [
            rejected("Stopping"),
            rejected(""),
            Error::Rejected(vec![0xFF]),
            Error::Lost,
        ] {
            assert_eq!(for_players(&error), None, "{error}");
        }
    }

    #[test]
    fn lines_of_others_are_shown_as_they_were_typed() {
        assert_eq!(shown(b"\x87hello"), "hello");
        assert_eq!(shown(b"+1 R9"), "+1 R9");
        assert_eq!(shown(b"\x88hello"), "\\x88hello");
        assert_eq!(shown(b""), "");
    }
}
