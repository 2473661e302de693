//! The little `rtyp` that is needed to log in once: docs/protocols/rtyp.md, in bytes.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::Outcome;

/// How often a door that does not listen yet is knocked at.
const AGAIN: Duration = Duration::from_micros(200);

/// How long a login may take before something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);

/// The kinds of a LoginAccepted and a LoginRejected.
const ACCEPTED: u8 = 2;
const REJECTED: u8 = 3;

/// Somebody who was let in. Dropping the connection is how they leave.
pub(crate) struct Player {
    _connection: TcpStream,
}

/// Logs in at a door that may not listen yet: knocks until it does.
pub(crate) fn log_in(door: SocketAddr, name: &str) -> Outcome<Player> {
    let since = Instant::now();
    let problem = |error| format!("a login at {door} failed: {error}");
    let connection = loop {
        match TcpStream::connect(door) {
            Ok(connection) => break connection,
            Err(error) if since.elapsed() > PATIENCE => return Err(problem(error)),
            Err(_) => thread::sleep(AGAIN),
        }
    };
    match answer(&connection, name).map_err(problem)?[2] {
        ACCEPTED => Ok(Player {
            _connection: connection,
        }),
        other => Err(format!("a login at {door} was answered with kind {other}")),
    }
}

/// The reason for which a door refuses a name. Nothing where nobody answers, as while it is started.
pub(crate) fn refusal(door: SocketAddr, name: &str) -> Outcome<Option<u8>> {
    let answered = TcpStream::connect(door).and_then(|connection| answer(&connection, name));
    match answered {
        Ok([_, _, REJECTED, reason]) => Ok(Some(reason)),
        Ok([_, _, other, _]) => Err(format!("{name} was answered with kind {other} at {door}")),
        Err(_) => Ok(None),
    }
}

/// Says who it is, and reads how the answer begins: its length, its kind and the byte after it.
fn answer(mut connection: &TcpStream, name: &str) -> std::io::Result<[u8; 4]> {
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_nodelay(true)?;
    let request = request(name).map_err(std::io::Error::other)?;
    connection.write_all(&request)?;
    let mut head = [0; 4];
    connection.read_exact(&mut head)?;
    Ok(head)
}

/// A LoginRequest in its frame.
fn request(name: &str) -> Outcome<Vec<u8>> {
    let length = u8::try_from(name.len()).map_err(|_| "a name is 16 bytes at most".to_owned())?;
    let length = u16::from(length);
    let frame = length + 4;
    let mut bytes = frame.to_le_bytes().to_vec();
    bytes.extend([1, 1]);
    bytes.extend(length.to_le_bytes());
    bytes.extend(name.as_bytes());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_as_the_protocols_page_shows_it() {
        let bytes = [6, 0, 1, 1, 2, 0, 0x52, 0x39];
        assert_eq!(request("R9").unwrap(), bytes);
    }
}
