//! The operator's side: HTTP/1.1 by hand, so that nothing of the host is tested with itself.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Speaks to a host's admin endpoint.
#[derive(Clone, Copy, Debug)]
pub struct Admin(pub(crate) SocketAddr);

impl Admin {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.0
    }

    /// `GET path`: the status code and the body; `None` if nobody answers.
    pub fn try_get(&self, path: &str) -> Option<(u16, String)> {
        self.request("GET", path, "").ok()
    }

    /// `GET path`, which must succeed.
    ///
    /// # Panics
    ///
    /// If it does not.
    pub fn get(&self, path: &str) -> String {
        let (code, body) = self.try_get(path).expect("the admin endpoint answers");
        assert_eq!(code, 200, "GET {path}: {body}");
        body
    }

    /// `POST path` with a JSON body or none: the status code and the body.
    ///
    /// # Panics
    ///
    /// If nobody answers.
    pub fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.request("POST", path, body)
            .expect("the admin endpoint answers")
    }

    /// `GET /v1/status`.
    ///
    /// # Panics
    ///
    /// If it is not answered with JSON.
    pub fn status(&self) -> Value {
        serde_json::from_str(&self.get("/v1/status")).expect("the status is JSON")
    }

    /// The value of a metric's sample, such as `usher_players`, or `name{label="x"}`.
    pub fn metric(&self, sample: &str) -> Option<f64> {
        let text = self.get("/metrics");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
        line.and_then(|value| value.trim().parse().ok())
    }

    fn request(&self, method: &str, path: &str, body: &str) -> std::io::Result<(u16, String)> {
        let mut stream = TcpStream::connect_timeout(&self.0, Duration::from_secs(5))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.0,
            body.len()
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer);
        let wrong = || std::io::Error::other(format!("not HTTP: {answer}"));
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(wrong)?;
        let code = head
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .ok_or_else(wrong)?;
        let chunked = head
            .to_ascii_lowercase()
            .contains("transfer-encoding: chunked");
        Ok((
            code,
            if chunked {
                unchunk(body)
            } else {
                body.to_owned()
            },
        ))
    }
}

fn unchunk(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || size > rest.len() {
            break;
        }
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}
