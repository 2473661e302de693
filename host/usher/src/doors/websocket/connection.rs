//! The life of one connection: HTTP, the first message, the decision, the game, the end.

use super::ask::Asked;
use super::codes::{self, Misdeed};
use super::shared::Shared;
use super::talk::{End, Talk};
use super::upgrade::{Upgraded, upgrade};
use super::wire::{Heard, Next, Wire};
use crate::doors::strangers::Stranger;
use crate::doors::tickets::in_words;
use crate::metrics;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::Bytes;
use usher_core::{
    Abilities, Attribute, AttributeValue, Input, Reason, ReasonAbility, RequestData, RequestId,
    canonical, code,
};

/// What came of a WebSocket that was a stranger's.
enum Met {
    /// It has said what it wants.
    Guest(Wire, Bytes),
    /// It is to be told something, and closed.
    Misdeed(Wire, Misdeed),
    /// It closes.
    Goodbye(Wire),
    /// It has gone.
    Gone,
}

/// Serves a connection from its first byte to its last.
pub(super) async fn serve(
    tcp: TcpStream,
    peer: SocketAddr,
    door: Arc<Shared>,
    mut stranger: Stranger,
) {
    // Small messages go out at once; only a matter of speed.
    let _ = tcp.set_nodelay(true);
    let mut closing = door.closing.clone();
    let by = Instant::now() + door.config.first_message_timeout;
    let opened = tokio::select! {
        opened = open(tcp, canonical(peer), &door, by) => opened,
        () = stranger.evicted() => return,
        _ = closing.wait_for(|closing| *closing) => return,
    };
    let Some((asked, wire)) = opened else { return };
    stranger.is_from(asked.client.ip());
    let met = tokio::select! {
        met = meet(wire, by) => met,
        () = stranger.evicted() => return,
        _ = closing.wait_for(|closing| *closing) => return,
    };
    match met {
        Met::Guest(wire, payload) => admit(asked, wire, &payload, &door, stranger).await,
        Met::Misdeed(wire, misdeed) => {
            metrics::knock_refused(&door.name, misdeed.word());
            wire.close(misdeed.farewell(), stranger).await;
        }
        Met::Goodbye(wire) => wire.finish(stranger).await,
        Met::Gone => {}
    }
}

/// Up to the WebSocket, if there is to be one.
async fn open(
    tcp: TcpStream,
    peer: SocketAddr,
    door: &Shared,
    by: Instant,
) -> Option<(Asked, Wire)> {
    let within = door.config.first_message_timeout;
    match timeout_at(by, upgrade(tcp, peer, &door.config, within)).await {
        Ok(Upgraded::Yes(asked, wire)) => Some((asked, wire)),
        Ok(Upgraded::Refused(refused)) => {
            metrics::knock_refused(&door.name, refused.word);
            None
        }
        Ok(Upgraded::Gone) | Err(_) => None,
    }
}

/// Up to the first message.
async fn meet(mut wire: Wire, by: Instant) -> Met {
    loop {
        let Ok(next) = timeout_at(by, wire.next(true)).await else {
            return Met::Misdeed(wire, Misdeed::Silent);
        };
        match next {
            Next::Heard(Heard::Message { bytes, .. }) => return Met::Guest(wire, bytes),
            Next::Heard(Heard::Misdeed(misdeed)) => return Met::Misdeed(wire, misdeed),
            Next::Heard(Heard::Goodbye(_)) => return Met::Goodbye(wire),
            Next::Heard(Heard::Closed) => return Met::Gone,
            Next::Heard(Heard::Control) | Next::Flushed => {}
        }
    }
}

/// From the first message on: the core decides.
async fn admit(asked: Asked, wire: Wire, payload: &[u8], door: &Shared, stranger: Stranger) {
    let peer = door.peers.enter(door.core.next_request(), payload.len());
    let client = asked.client.ip();
    let request = request(peer.request(), asked, payload, door);
    if door.core.knock(Arc::new(request)).is_err() {
        drop(peer);
        metrics::knock_refused(&door.name, code::POOL_FULL);
        return wire
            .close(codes::rejection(&shed(door.tickets)), stranger)
            .await;
    }
    // From here on the pending pool bounds it, and then its seat.
    drop(stranger);
    let request = peer.request();
    let (end, wire) = Talk::new(door, wire, peer).run().await;
    // Its request, or its session, is over: it is a stranger again until it has gone.
    let stranger = door.strangers.enter(client);
    match end {
        End::Told(farewell) => wire.close(farewell, stranger).await,
        End::Left(how) => {
            door.core.send(Input::Gone { request, how });
            wire.finish(stranger).await;
        }
        End::Misdeed(misdeed) => {
            let how = misdeed.departure();
            door.core.send(Input::Gone { request, how });
            tracing::debug!(door = &*door.name, %request, "ended: {}", misdeed.word());
            wire.close(misdeed.farewell(), stranger).await;
        }
        // It takes nothing any more, not even a last word.
        End::Lost(how) => door.core.send(Input::Gone { request, how }),
    }
}

/// What someone is told whose knock the core has no room for.
fn shed(tickets: bool) -> Reason {
    let full = Reason::new(code::POOL_FULL, "Too many are at the door.");
    match tickets {
        true => in_words(full, false),
        false => full,
    }
}

fn request(id: RequestId, asked: Asked, payload: &[u8], door: &Shared) -> RequestData {
    let origin = asked.origin.map(|origin| Attribute {
        name: door.origin.clone(),
        value: AttributeValue::Text(origin),
    });
    RequestData {
        id,
        door: door.id,
        door_name: door.name.clone(),
        protocol: door.protocol.clone(),
        abilities: Abilities {
            status: true,
            reasons: ReasonAbility::Text,
            longest_wait: None,
        },
        room: door.room.clone(),
        peer: canonical(asked.client),
        proven: true,
        name: asked.name,
        password: None,
        args: Vec::new(),
        payload: payload.into(),
        attributes: origin.into_iter().collect(),
        one_way: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_with_a_ticket_is_told_in_its_words_that_the_core_has_no_room() {
        assert_eq!(&*shed(false).code, "pool-full");
        assert_eq!(&*shed(true).code, "approval_timeout");
    }
}
