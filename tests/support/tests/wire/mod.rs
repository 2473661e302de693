//! HTTP/1.1 by hand, so that no stand-in is tested with its own library.

#![allow(dead_code, reason = "each test file uses a part of it")]

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

/// What an answer says.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("the body is JSON")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A fixture of the contract.
pub(crate) fn fixture(name: &str) -> Value {
    serde_json::from_str(&fixture_text(name)).expect("fixtures are JSON")
}

pub(crate) fn fixture_text(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read_to_string(root.join(name)).expect("the fixture is there")
}

/// Asks on a connection of its own.
pub(crate) fn ask(at: SocketAddr, method: &str, target: &str, body: &str) -> io::Result<Answer> {
    ask_with(at, method, target, "", body)
}

/// The same with lines of header.
pub(crate) fn ask_with(
    at: SocketAddr,
    method: &str,
    target: &str,
    headers: &str,
    body: &str,
) -> io::Result<Answer> {
    let mut stream = open(at, method, target, headers, body)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let lost = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(lost)?;
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    Ok(Answer {
        status: status.ok_or_else(lost)?,
        head: head.to_owned(),
        body: if chunked {
            unchunk(body)
        } else {
            body.to_owned()
        },
    })
}

/// Asks, and hands the connection over before anything is read of it.
pub(crate) fn open(
    at: SocketAddr,
    method: &str,
    target: &str,
    headers: &str,
    body: &str,
) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(at)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    write!(
        stream,
        "{method} {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}Content-Length: \
         {}\r\n\r\n{body}",
        body.len()
    )?;
    Ok(stream)
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

/// A watch that is read a line at a time.
pub(crate) struct Watch(BufReader<TcpStream>);

impl Watch {
    pub(crate) fn open(at: SocketAddr) -> Watch {
        let stream = open(at, "GET", "/watch/gameserver", "", "").expect("it listens");
        let mut watch = Watch(BufReader::new(stream));
        let head = watch.line();
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        watch
    }

    /// The next view.
    pub(crate) fn view(&mut self) -> Value {
        loop {
            let line = self.line();
            if line.starts_with('{') {
                let line: Value = serde_json::from_str(&line).expect("a line is JSON");
                // A view is a chunk of its own; with the end of it nothing is left of it.
                let end = self.line();
                assert_eq!(end, "\r\n");
                return line["result"].clone();
            }
        }
    }

    /// Whether something is there to be read at once.
    pub(crate) fn has_more(&mut self) -> bool {
        if !self.0.buffer().is_empty() {
            return true;
        }
        let stream = self.0.get_ref();
        stream.set_nonblocking(true).expect("a socket can");
        let there = stream.peek(&mut [0]).is_ok_and(|length| length > 0);
        stream.set_nonblocking(false).expect("a socket can");
        there
    }

    /// Whether it has ended, after whatever is still in it.
    pub(crate) fn ended(&mut self) -> bool {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).is_ok_and(|_| true)
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("the watch goes on");
        line
    }
}

/// The state that a view shows.
pub(crate) fn state(view: &Value) -> &str {
    view["status"]["state"].as_str().unwrap_or_default()
}
