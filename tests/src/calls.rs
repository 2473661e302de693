//! A game server at an `http` door: HTTP/1.1 by hand, so that nothing of the host is tested with itself.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long an answer may take that takes milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(40);

/// A game server. Each call has a connection of its own.
#[derive(Clone, Debug)]
pub struct GameServer {
    door: SocketAddr,
    headers: Vec<(String, String)>,
}

/// What a call was answered.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// The status.
    pub code: u16,
    /// The head, as it came.
    pub head: String,
    /// The body; `null` if it is no JSON.
    pub body: Value,
}

impl Reply {
    /// A text of the body.
    ///
    /// # Panics
    ///
    /// If there is none of this name.
    #[track_caller]
    pub fn text(&self, key: &str) -> &str {
        let text = self.body[key].as_str();
        text.unwrap_or_else(|| panic!("{key} is no text: {self:?}"))
    }

    /// The same, where the answer must have this code.
    ///
    /// # Panics
    ///
    /// If it has another.
    #[track_caller]
    pub fn expect(self, code: u16) -> Reply {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// The same, where the answer must be a problem with this word.
    ///
    /// # Panics
    ///
    /// If it is not, or not of the shape that problems have.
    #[track_caller]
    pub fn problem(self, code: u16, word: &str) -> Reply {
        let head = self.head.to_ascii_lowercase();
        assert!(
            head.contains("content-type: application/problem+json"),
            "{self:?}"
        );
        assert_eq!(self.body["status"], code, "{self:?}");
        assert_eq!(self.text("code"), word, "{self:?}");
        assert!(!self.text("title").is_empty(), "{self:?}");
        self.expect(code)
    }
}

impl GameServer {
    /// One that shows no token and does not say who it is.
    pub fn at(door: SocketAddr) -> GameServer {
        let headers = Vec::new();
        GameServer { door, headers }
    }

    /// The same, with another header.
    pub fn with(mut self, name: &str, value: &str) -> GameServer {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same, with a token.
    pub fn token(self, token: &str) -> GameServer {
        self.with("Authorization", &format!("Bearer {token}"))
    }

    /// The same, which calls itself this.
    pub fn instance(self, name: &str) -> GameServer {
        self.with("Usher-Instance", name)
    }

    /// A call, without a body.
    pub async fn call(&self, method: &str, path: &str) -> Reply {
        self.send(method, path, None).await
    }

    /// A call with a JSON body.
    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send("POST", path, Some(&body.to_string())).await
    }

    /// A call with whatever body.
    ///
    /// # Panics
    ///
    /// If nobody answers.
    pub async fn send(&self, method: &str, path: &str, body: Option<&str>) -> Reply {
        let answered = timeout(PATIENCE, self.try_send(method, path, body)).await;
        let answered = answered.expect("there is an answer in time");
        answered.expect("there is an answer")
    }

    /// The same.
    ///
    /// # Errors
    ///
    /// Those of the connection.
    pub async fn try_send(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> io::Result<Reply> {
        let mut stream = self.open(method, path, body).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        let answer = String::from_utf8_lossy(&answer);
        let wrong = || io::Error::other(format!("not HTTP: {answer}"));
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(wrong)?;
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Ok(Reply {
            code: code.ok_or_else(wrong)?,
            head: head.to_owned(),
            body: serde_json::from_str(body).unwrap_or_default(),
        })
    }

    async fn open(&self, method: &str, path: &str, body: Option<&str>) -> io::Result<TcpStream> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.door);
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let given = |name: &str| self.headers.iter().any(|(known, _)| known == name);
        if !given("Connection") {
            head.push_str("Connection: close\r\n");
        }
        if let Some(body) = body {
            if !given("Content-Type") {
                head.push_str("Content-Type: application/json\r\n");
            }
            let _ = write!(head, "Content-Length: {}\r\n", body.len());
        }
        head.push_str("\r\n");
        head.push_str(body.unwrap_or_default());
        let mut stream = TcpStream::connect(self.door).await?;
        stream.write_all(head.as_bytes()).await?;
        Ok(stream)
    }

    /// Asks whether a player may come in who says this, with a key; `query` stands behind the path.
    pub async fn ask(&self, key: &str, payload: &str, query: &str) -> Reply {
        let body =
            json!({ "address": "192.0.2.7", "port": 50_000, "name": key, "payload": payload });
        let server = self.clone().with("Idempotency-Key", key);
        server.post(&format!("/v1/requests{query}"), &body).await
    }

    /// Has a player let in: the names of its request and its session.
    pub async fn seat(&self, key: &str) -> (String, String) {
        let reply = self.ask(key, "", "").await.expect(200);
        assert_eq!(reply.text("state"), "accepted");
        let session = reply.text("session").to_owned();
        let confirm = format!("/v1/sessions/{session}/confirm");
        self.call("POST", &confirm).await.expect(200);
        (reply.text("id").to_owned(), session)
    }

    /// Ends a session.
    pub async fn end(&self, session: &str, how: &str) -> Reply {
        let path = format!("/v1/sessions/{session}/end");
        self.post(&path, &json!({ "how": how })).await
    }

    /// Opens a stream of events.
    ///
    /// # Panics
    ///
    /// If it is not answered with one.
    pub async fn events(&self, path: &str) -> Events {
        let server = self.clone().with("Connection", "keep-alive");
        let stream = server.open("GET", path, None).await.expect("connected");
        let mut events = Events(BufReader::new(stream));
        let mut head = String::new();
        while let Some(line) = events.line().await.filter(|line| !line.is_empty()) {
            head.push_str(&line);
            head.push('\n');
        }
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.contains("content-type: text/event-stream"), "{head}");
        events
    }
}

/// A stream of events.
#[derive(Debug)]
pub struct Events(BufReader<TcpStream>);

/// An event.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// Its id, or nothing.
    pub id: String,
    /// Its data.
    pub data: Value,
}

impl Events {
    /// The next event; `None` when the stream has ended as streams should.
    pub async fn next(&mut self) -> Option<Event> {
        let mut event = Event::default();
        loop {
            let line = self.line().await?;
            let (field, value) = line.split_once(": ").unwrap_or((&line, ""));
            match field {
                "event" => event.name = value.to_owned(),
                "id" => event.id = value.to_owned(),
                "data" => event.data = serde_json::from_str(value).expect("data is JSON"),
                // The last chunk.
                "0" => return None,
                "" if !event.name.is_empty() => return Some(event),
                // A comment, the size of a chunk, or what stands between chunks.
                _ => {}
            }
        }
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = timeout(PATIENCE, self.0.read_line(&mut line)).await;
        let read = read.expect("there is something in time").unwrap_or(0);
        (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
    }
}
