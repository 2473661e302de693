//! The little HTTP that is needed to ask usher how it is.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::process::Outcome;

/// How long one question may take; usher answers these in a millisecond.
const PATIENCE: Duration = Duration::from_secs(5);

/// Gets a page: its status code and its body.
pub(crate) fn get(address: SocketAddr, path: &str) -> Outcome<(u16, String)> {
    let answer = exchange(address, path)
        .map_err(|error| format!("GET http://{address}{path} failed: {error}"))?;
    parse(&answer).ok_or_else(|| format!("http://{address}{path} did not answer in HTTP"))
}

/// What the host says of itself.
pub(crate) fn status(address: SocketAddr) -> Outcome<Value> {
    let (code, body) = get(address, "/v1/status")?;
    if code != 200 {
        return Err(format!("GET /v1/status answered {code}"));
    }
    serde_json::from_str(&body).map_err(|error| format!("/v1/status is not JSON: {error}"))
}

fn exchange(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // HTTP 1.0: the server closes after its answer, and sends it in one piece.
    let request = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn parse(answer: &str) -> Option<(u16, String)> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/")?.split(' ').nth(1)?;
    Some((status.parse().ok()?, body.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_and_body_are_read() {
        let answer = "HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nok\n";
        assert_eq!(parse(answer), Some((200, "ok\n".to_owned())));
    }

    #[test]
    fn what_is_not_http_is_refused() {
        assert_eq!(parse("SSH-2.0-OpenSSH\r\n\r\n"), None);
        assert_eq!(parse("HTTP/1.1 200 OK\r\n"), None);
        assert_eq!(parse("HTTP/1.1 many OK\r\n\r\n"), None);
    }
}
