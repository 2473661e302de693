//! The life of one TCP connection: login, wait, play, goodbye.

use super::peers::{Peer, Peers, Told};
use super::reasons;
use super::stream::{Heard, Stream};
use crate::core_loop::Handle;
use crate::doors::strangers::{Stranger, Strangers};
use crate::metrics;
use crate::text::Shown;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use usher_core::{
    Abilities, Departure, DoorId, Grant, Input, Reason, ReasonAbility, RequestData, canonical,
};
use usher_wire::rtyp::{PlayerName, RejectReason, ServerMessage, SessionToken};

/// How long a client may take from being accepted to the end of its first message.
const FIRST_MESSAGE_WITHIN: Duration = Duration::from_secs(5);

/// What all connections of a door share.
pub(super) struct Shared {
    pub(super) id: DoorId,
    pub(super) name: Arc<str>,
    pub(super) protocol: Arc<str>,
    pub(super) room: Arc<str>,
    /// The longest that a login can wait: the protocol cannot tell anyone that it still does.
    pub(super) longest_wait: Duration,
    pub(super) udp_port: u16,
    pub(super) core: Handle,
    pub(super) peers: Peers,
    pub(super) strangers: Strangers,
    /// Whether the door closes.
    pub(super) closing: watch::Receiver<bool>,
}

/// Serves a connection from its first byte to its last.
pub(super) async fn serve(tcp: TcpStream, peer: SocketAddr, door: Arc<Shared>, stranger: Stranger) {
    let mut stream = Stream::new(tcp);
    let by = Instant::now() + FIRST_MESSAGE_WITHIN;
    let mut closing = door.closing.clone();
    let heard = tokio::select! {
        heard = timeout_at(by, stream.hear()) => heard,
        () = stranger.evicted() => return,
        _ = closing.wait_for(|closing| *closing) => return,
    };
    match heard {
        Ok(Heard::Login(Ok(name))) => login(stream, peer, &door, stranger, name).await,
        Ok(Heard::Login(Err(reason))) => {
            metrics::knock_refused(&door.name, reasons::codec_code(reason));
            reject(stream, reason, stranger).await;
        }
        Ok(Heard::Malformed(cause)) => {
            tracing::debug!(door = &*door.name, %peer, "closed before its login: {cause}");
        }
        // Silence, a goodbye before any greeting, or nobody there: nothing to answer.
        Ok(Heard::Logout | Heard::Closed) | Err(_) => {}
    }
}

/// A complete login: the core decides.
async fn login(
    mut stream: Stream,
    address: SocketAddr,
    door: &Shared,
    stranger: Stranger,
    name: PlayerName,
) {
    let address = canonical(address);
    let mut peer = door.peers.enter(door.core.next_request(), address.ip());
    let request = request(&peer, address, door, &name);
    if door.core.knock(Arc::new(request)).is_err() {
        return reject(stream, RejectReason::ServerFull, stranger).await;
    }
    // From here on the pending pool bounds it.
    drop(stranger);
    let told = tokio::select! {
        biased;
        told = peer.told() => told,
        heard = stream.hear() => return gone(&peer, door, &heard),
    };
    match told {
        Told::Refused { reason, at_knock } => {
            let refusal = reasons::refusal(&reason);
            // A knock is refused without a decision, at any rate that someone knocks at: these are
            // counted, and not logged. Their reasons are the host's own, and few.
            if at_knock {
                metrics::knock_refused(&door.name, &reason.code);
            } else if !refusal.exact {
                log_refusal(&reason, door, address, &name);
            }
            // Its request is over, so it is a stranger again until it has gone.
            let stranger = door.strangers.enter(address.ip());
            drop(peer);
            reject(stream, refusal.reason, stranger).await;
        }
        Told::Accepted(grant) => play(stream, peer, address.ip(), door, &grant).await,
        // A session ends after it was accepted.
        Told::Ended(_) => {}
    }
}

/// A session, from its acceptance to its end.
async fn play(mut stream: Stream, mut peer: Peer, address: IpAddr, door: &Shared, grant: &Grant) {
    let Some(accepted) = acceptance(grant, door.udp_port) else {
        tracing::error!(
            door = &*door.name,
            session = %grant.session,
            number = grant.number,
            "a session without a token, or with a number that is no byte, cannot play at this door"
        );
        return gone(&peer, door, &Heard::Closed);
    };
    if !stream.say(accepted).await {
        return gone(&peer, door, &Heard::Closed);
    }
    let mut said_goodbye = false;
    loop {
        tokio::select! {
            biased;
            told = peer.told() => {
                let Told::Ended(how) = told else { continue };
                let Some(reason) = reasons::goodbye(&how) else { return };
                let stranger = door.strangers.enter(address);
                return close(stream, ServerMessage::Logout(reason), stranger).await;
            }
            heard = stream.hear(), if !said_goodbye => {
                gone(&peer, door, &heard);
                // A goodbye may have crossed with the host's own end of the session, which has a reason
                // to tell. How it ended, the core says.
                said_goodbye = matches!(heard, Heard::Logout);
                if !said_goodbye {
                    return;
                }
            }
        }
    }
}

/// Tells the core that the peer is gone, and how. The connection closes without another word.
fn gone(peer: &Peer, door: &Shared, heard: &Heard) {
    let how = match heard {
        Heard::Logout => Departure::Left,
        Heard::Closed => Departure::Dropped,
        Heard::Login(_) | Heard::Malformed(_) => Departure::ProtocolError,
    };
    let request = peer.request();
    door.core.send(Input::Gone { request, how });
}

async fn reject(stream: Stream, reason: RejectReason, stranger: Stranger) {
    close(stream, ServerMessage::LoginRejected(reason), stranger).await;
}

async fn close(stream: Stream, last: ServerMessage, stranger: Stranger) {
    tokio::select! {
        () = stream.close_with(last) => {}
        () = stranger.evicted() => {}
    }
}

fn request(peer: &Peer, address: SocketAddr, door: &Shared, name: &PlayerName) -> RequestData {
    RequestData {
        id: peer.request(),
        door: door.id,
        door_name: door.name.clone(),
        protocol: door.protocol.clone(),
        abilities: Abilities {
            status: false,
            reasons: ReasonAbility::Code,
            longest_wait: Some(door.longest_wait),
        },
        room: door.room.clone(),
        peer: address,
        proven: true,
        name: Some(name.as_str().into()),
        password: None,
        args: Vec::new(),
        payload: [].into(),
        attributes: Vec::new(),
        one_way: None,
    }
}

/// The protocol cannot say this reason: the operator should know it at least.
fn log_refusal(reason: &Reason, door: &Shared, peer: SocketAddr, name: &PlayerName) {
    tracing::info!(
        door = &*door.name,
        %peer,
        "refused '{}' ({}): {}",
        Shown(name.as_str()),
        Shown(&reason.code),
        Shown(&reason.text)
    );
}

fn acceptance(grant: &Grant, udp_port: u16) -> Option<ServerMessage> {
    Some(ServerMessage::LoginAccepted {
        session: SessionToken::new(grant.token?.expose())?,
        player: u8::try_from(grant.number?).ok()?,
        udp_port,
    })
}
