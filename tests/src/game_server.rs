//! A player at an `http` door: the game server that it came to asks for it. HTTP by hand, a connection a call.

use serde_json::{Value, json};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long a call may take; the host holds answers for 20 s.
const PATIENCE: Duration = Duration::from_secs(40);

/// Where a game server asks, and how it shows that it may.
#[derive(Clone, Debug)]
pub struct Desk {
    /// The door.
    pub at: SocketAddr,
    /// Its token.
    pub token: String,
}

/// A player for whom it asked.
#[derive(Debug)]
pub struct Asked {
    desk: Desk,
    task: JoinHandle<io::Result<Value>>,
    request: watch::Receiver<Option<String>>,
    session: Option<String>,
}

impl Asked {
    /// Asks for a player at this address.
    pub fn come(desk: &Desk, player: Ipv4Addr, payload: &[u8]) -> Asked {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let key = format!(
            "{}-{}",
            std::process::id(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        );
        let body = json!({
            "address": player.to_string(),
            "port": 50_000,
            "proven": true,
            "payload_base64": base64(payload),
        });
        let (tell, request) = watch::channel(None);
        let task = tokio::spawn(ask(desk.clone(), key, body.to_string(), tell));
        Asked {
            desk: desk.clone(),
            task,
            request,
            session: None,
        }
    }

    /// How it ends: in, and confirmed; or refused, with code and text.
    ///
    /// # Panics
    ///
    /// If it ends in neither way.
    pub async fn outcome(&mut self) -> Result<(), (String, String)> {
        let answer = (&mut self.task).await.expect("it is asked to the end");
        let answer = answer.expect("the door answers");
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        match answer["state"].as_str() {
            Some("accepted") => {
                let session = text("session");
                self.desk
                    .post(&format!("/v1/sessions/{session}/confirm"), "")
                    .await;
                self.session = Some(session);
                Ok(())
            }
            Some("rejected") => Err((text("code"), text("text"))),
            _ => panic!("{answer} is no decision"),
        }
    }

    /// Says that the player has gone, before there was an answer or after it.
    ///
    /// # Panics
    ///
    /// If the door never took the request.
    pub async fn give_up(mut self) {
        if self.session.is_some() {
            return self.leave().await;
        }
        let known = self.request.wait_for(Option::is_some);
        let known = timeout(PATIENCE, known).await.expect("the door takes it");
        let id = known.expect("it is being asked for").clone();
        let path = format!("/v1/requests/{}", id.unwrap_or_default());
        let answer = self.desk.call("DELETE", &path, "", "").await;
        let (status, text) = answer.expect("the door answers");
        assert!(
            (200..300).contains(&status),
            "DELETE {path}: {status} {text}"
        );
    }

    /// Says that the player has left.
    pub async fn leave(self) {
        if let Some(session) = &self.session {
            let path = format!("/v1/sessions/{session}/end");
            self.desk.post(&path, r#"{"how":"left"}"#).await;
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Desk {
    /// A `POST` that must succeed.
    async fn post(&self, path: &str, body: &str) {
        let answer = self.call("POST", path, "", body).await;
        let (status, text) = answer.expect("the door answers");
        assert!((200..300).contains(&status), "POST {path}: {status} {text}");
    }

    async fn call(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> io::Result<(u16, String)> {
        let called = async {
            let mut stream = TcpStream::connect(self.at).await?;
            let (at, token, length) = (self.at, &self.token, body.len());
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\nAuthorization: Bearer \
                 {token}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n\
                 {body}"
            );
            stream.write_all(request.as_bytes()).await?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await?;
            io::Result::Ok(answer)
        };
        let answer = timeout(PATIENCE, called).await??;
        let wrong = || io::Error::other(format!("not HTTP: {answer}"));
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(wrong)?;
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        Ok((status.ok_or_else(wrong)?, body.to_owned()))
    }
}

/// Asks until there is a decision.
async fn ask(
    desk: Desk,
    key: String,
    body: String,
    tell: watch::Sender<Option<String>>,
) -> io::Result<Value> {
    let key = format!("Idempotency-Key: {key}\r\n");
    // The first answer only says under which id to ask on.
    let path = "/v1/requests?wait=0s";
    let mut answer = desk.call("POST", path, &key, &body).await?;
    loop {
        let (status, text) = answer;
        let value: Value = serde_json::from_str(&text)
            .map_err(|_| io::Error::other(format!("{status} {text}")))?;
        if value["state"] != "waiting" {
            return Ok(value);
        }
        let id = value["id"].as_str().unwrap_or_default();
        tell.send_replace(Some(id.to_owned()));
        let path = format!("/v1/requests/{id}?wait=20s");
        answer = desk.call("GET", &path, "", "").await?;
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let mut three = [0; 3];
        three[..part.len()].copy_from_slice(part);
        let all = three
            .iter()
            .fold(0_usize, |all, byte| all << 8 | usize::from(*byte));
        for (place, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            text.push(match place <= part.len() {
                true => char::from(LETTERS[all >> shift & 63]),
                false => '=',
            });
        }
    }
    text
}
