//! A player at an `http` door: the game server that it came to asks for it.

use crate::base64::base64;
use crate::calls::{GameServer, Reply};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long a decision may take, and the door to answer.
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
    server: GameServer,
    task: JoinHandle<Reply>,
    request: watch::Receiver<Option<String>>,
    session: Option<String>,
}

impl Asked {
    /// Asks for a player at this address.
    pub fn come(desk: &Desk, player: Ipv4Addr, payload: &[u8]) -> Asked {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let key = format!("{}-{number}", std::process::id());
        let body = json!({
            "address": player.to_string(),
            "port": 50_000,
            "proven": true,
            "payload_base64": base64(payload),
        });
        let server = GameServer::at(desk.at).token(&desk.token);
        let (tell, request) = watch::channel(None);
        let task = tokio::spawn(ask(server.clone(), key, body, tell));
        Asked {
            server,
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
        match answer.text("state") {
            "accepted" => {
                let session = answer.text("session").to_owned();
                let confirm = format!("/v1/sessions/{session}/confirm");
                self.server.call("POST", &confirm).await.expect(200);
                self.session = Some(session);
                Ok(())
            }
            "rejected" => Err((
                answer.text("code").to_owned(),
                answer.text("text").to_owned(),
            )),
            _ => panic!("{answer:?} is no decision"),
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
        let reply = self.server.call("DELETE", &path).await;
        assert!((200..300).contains(&reply.code), "{reply:?}");
    }

    /// Says that the player has left.
    pub async fn leave(self) {
        if let Some(session) = &self.session {
            let reply = self.server.end(session, "left").await;
            assert!((200..300).contains(&reply.code), "{reply:?}");
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Asks until there is a decision.
async fn ask(
    server: GameServer,
    key: String,
    body: Value,
    tell: watch::Sender<Option<String>>,
) -> Reply {
    // The first answer only says under which id to ask on.
    let begin = server.clone().with("Idempotency-Key", &key);
    let mut reply = begin.post("/v1/requests?wait=0s", &body).await;
    while reply.text("state") == "waiting" {
        let id = reply.text("id").to_owned();
        tell.send_replace(Some(id.clone()));
        let path = format!("/v1/requests/{id}?wait=20s");
        reply = server.call("GET", &path).await;
    }
    reply
}
