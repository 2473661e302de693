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

/// The kind of a LoginAccepted.
const ACCEPTED: u8 = 2;

/// Somebody who was let in. Dropping the connection is how they leave.
pub(crate) struct Player {
    _connection: TcpStream,
}

/// Logs in at a door that may not listen yet: knocks until it does.
pub(crate) fn log_in(door: SocketAddr, name: &str) -> Outcome<Player> {
    let since = Instant::now();
    let problem = |error| format!("a login at {door} failed: {error}");
    let mut connection = loop {
        match TcpStream::connect(door) {
            Ok(connection) => break connection,
            Err(error) if since.elapsed() > PATIENCE => return Err(problem(error)),
            Err(_) => thread::sleep(AGAIN),
        }
    };
    connection
        .set_read_timeout(Some(PATIENCE))
        .map_err(problem)?;
    connection.write_all(&request(name)?).map_err(problem)?;
    let mut head = [0; 3];
    connection.read_exact(&mut head).map_err(problem)?;
    match head[2] {
        ACCEPTED => Ok(Player {
            _connection: connection,
        }),
        other => Err(format!("a login at {door} was answered with kind {other}")),
    }
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
