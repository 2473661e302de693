//! Through a `websocket` door: connect, hand over the payload, wait for the decision, play.

use super::shown::printable;
use super::typed::lines;
use crate::cli::exit::Exit;
use crate::cli::terminal::{complain, say};
use std::pin::{Pin, pin};
use usher_client::websocket::{Client, Error, Options, Step};

pub(super) async fn join(address: &str, options: Options) -> Exit {
    match play(address, options).await {
        Ok(()) => {
            say("left");
            Exit::Success
        }
        Err(error) => {
            complain(&error);
            exit(&error)
        }
    }
}

async fn play(address: &str, options: Options) -> Result<(), Error> {
    let mut interrupted = pin!(tokio::signal::ctrl_c());
    let client = Client::begin(&format!("ws://{address}"), options).await?;
    let Some(mut client) = enter(client, interrupted.as_mut()).await? else {
        return Ok(());
    };
    say("in: lines that you type are sent, the end of the input (Ctrl-D) leaves");
    let mut typed = lines();
    loop {
        tokio::select! {
            message = client.recv() => say(format_args!("< {}", printable(&message?))),
            line = typed.recv() => match line {
                Some(line) => match client.send(&line).await {
                    Err(Error::Unsent { most }) => complain(Error::Unsent { most }),
                    sent => sent?,
                },
                None => return client.leave().await,
            },
            _ = interrupted.as_mut() => return client.leave().await,
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
                if matches!(step, Step::Accepted(_)) {
                    return Ok(Some(client));
                }
            }
            _ = interrupted.as_mut() => {
                client.leave().await?;
                return Ok(None);
            }
        }
    }
}

fn exit(error: &Error) -> Exit {
    match error {
        Error::Unreachable(_) => Exit::Unreachable,
        Error::Refused { .. } | Error::Rejected { .. } => Exit::Rejected,
        Error::TimedOut | Error::Ended { .. } | Error::Lost => Exit::Ended,
        Error::Address(_) | Error::TooLong { .. } => Exit::Usage,
        Error::Protocol(_) | Error::Unsent { .. } => Exit::Failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn scripts_can_tell_how_it_ended() {
        let text = String::new;
        let refused = Error::Refused {
            status: 403,
            text: text(),
        };
        let rejected = Error::Rejected {
            code: text(),
            text: text(),
            number: None,
        };
        let ended = Error::Ended {
            reason: text(),
            text: text(),
        };
        let broken = io::Error::from(io::ErrorKind::ConnectionRefused);
        for (error, status) in [
            (Error::Unreachable(broken), Exit::Unreachable),
            (refused, Exit::Rejected),
            (rejected, Exit::Rejected),
            (ended, Exit::Ended),
            (Error::TimedOut, Exit::Ended),
            (Error::Lost, Exit::Ended),
        ] {
            assert_eq!(exit(&error), status, "{error}");
        }
    }
}
