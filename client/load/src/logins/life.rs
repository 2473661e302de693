//! One life: what it has said and heard so far, and what it says next. It never waits.

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, connect, recv, send,
    socket_with,
};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;
use usher_wire::rtyp::{
    ClientMessage, Datagram, Framer, Kind, LoginRequest, LogoutReason, MAX_DATAGRAM, PlayerName,
    Sequencer, ServerMessage, SessionToken, Side,
};

/// A life.
pub(super) struct Life {
    tcp: OwnedFd,
    framer: Framer,
    stage: Stage,
    name: PlayerName,
    pub(super) address: Ipv4Addr,
    /// When it was to begin.
    pub(super) due: Duration,
    /// When the next Connect is due, where it waits for its endpoint to be bound.
    pub(super) connect_due: Duration,
    /// Whether its name is one of the bad ones.
    pub(super) bad: bool,
}

enum Stage {
    /// The login is not sent yet.
    Connecting,
    /// The login is sent.
    Asking,
    /// Accepted; Connects go to this place.
    Binding {
        to: SocketAddr,
        session: SessionToken,
        sequencer: Sequencer,
    },
    /// The goodbye is said; the door closes.
    Leaving,
    /// Rejected; the door closes.
    Rejected,
}

/// What came of a look at a life.
#[derive(Debug)]
pub(super) enum Step {
    /// Nothing new.
    Waits,
    /// It was let in: a Connect is to be sent.
    Accepted,
    /// It was turned away. The door still has to close.
    Refused(String),
    /// It is over, as it should be.
    Over,
    /// It is over, as it should not be.
    Failed(&'static str),
}

impl Life {
    /// A connection from this address, on its way.
    ///
    /// # Errors
    ///
    /// The system has no socket or port to give.
    pub(super) fn begin(
        address: Ipv4Addr,
        door: SocketAddrV4,
        name: PlayerName,
        due: Duration,
    ) -> io::Result<Life> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let tcp = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        bind(&tcp, &SocketAddrV4::new(address, 0))?;
        match connect(&tcp, &door) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Life {
            tcp,
            framer: Framer::new(),
            stage: Stage::Connecting,
            name,
            address,
            due,
            connect_due: due,
            bad: false,
        })
    }

    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.tcp.as_fd()
    }

    /// Whether it waits for its endpoint to be bound.
    pub(super) fn is_binding(&self) -> bool {
        matches!(self.stage, Stage::Binding { .. })
    }

    /// Whether it was answered.
    pub(super) fn is_answered(&self) -> bool {
        !matches!(self.stage, Stage::Connecting | Stage::Asking)
    }

    /// Says and hears what it can.
    pub(super) fn look(&mut self, door: SocketAddrV4) -> Step {
        if matches!(self.stage, Stage::Connecting) {
            let login = LoginRequest::new(&self.name);
            match self.say(ClientMessage::LoginRequest(login)) {
                Ok(()) => self.stage = Stage::Asking,
                // Not connected yet.
                Err(Errno::AGAIN | Errno::NOTCONN) => return Step::Waits,
                Err(_) => return Step::Failed("not connected"),
            }
            // An answer takes longer than this.
            return Step::Waits;
        }
        let mut bytes = [0; 64];
        match recv(&self.tcp, &mut bytes[..], RecvFlags::empty()) {
            Ok((_, 0)) => self.closed(),
            Ok((_, read)) => {
                self.framer.push(&bytes[..read]);
                self.hear(door)
            }
            Err(Errno::AGAIN | Errno::INTR) => Step::Waits,
            Err(_) if matches!(self.stage, Stage::Leaving | Stage::Rejected) => Step::Over,
            Err(_) => Step::Failed("connection lost"),
        }
    }

    fn closed(&self) -> Step {
        match self.stage {
            Stage::Leaving | Stage::Rejected => Step::Over,
            Stage::Connecting | Stage::Asking => Step::Failed("closed without an answer"),
            Stage::Binding { .. } => Step::Failed("closed before its endpoint was bound"),
        }
    }

    fn hear(&mut self, door: SocketAddrV4) -> Step {
        let message = match self.framer.next_frame() {
            Ok(Some(frame)) => ServerMessage::decode(frame),
            Ok(None) => return Step::Waits,
            Err(cause) => Err(cause),
        };
        match (message, &self.stage) {
            (
                Ok(ServerMessage::LoginAccepted {
                    session, udp_port, ..
                }),
                Stage::Asking,
            ) => {
                self.stage = Stage::Binding {
                    to: (*door.ip(), udp_port).into(),
                    session,
                    sequencer: Sequencer::new(),
                };
                Step::Accepted
            }
            (Ok(ServerMessage::LoginRejected(reason)), Stage::Asking) => {
                self.stage = Stage::Rejected;
                Step::Refused(format!("{reason:?}"))
            }
            _ => Step::Failed("the door said what it should not"),
        }
    }

    /// The next Connect, and where it goes.
    pub(super) fn connect<'a>(
        &mut self,
        buffer: &'a mut [u8; MAX_DATAGRAM],
    ) -> Option<(SocketAddr, &'a [u8])> {
        let Stage::Binding {
            to,
            session,
            sequencer,
        } = &mut self.stage
        else {
            return None;
        };
        let datagram = sequencer.stamp(Kind::Connect, *session, &[]);
        // A Connect has no payload, and so none that is too long.
        Some((*to, datagram.encode(buffer).ok()?))
    }

    /// A datagram came. Whether its endpoint is bound now; then it has said goodbye, too.
    pub(super) fn receive(&mut self, bytes: &[u8]) -> bool {
        let Stage::Binding { session, .. } = &self.stage else {
            return false;
        };
        let datagram = Datagram::decode(bytes, Side::Server);
        let accepts = datagram.is_ok_and(|it| it.session == *session && it.kind == Kind::Accept);
        if accepts {
            self.stage = Stage::Leaving;
            // Where that fails the connection is gone, which the next look finds.
            let _ = self.say(ClientMessage::Logout(LogoutReason::Left));
        }
        accepts
    }

    /// A frame always fits: it is the first or the second that is sent.
    fn say(&self, message: ClientMessage<'_>) -> Result<(), Errno> {
        let mut frame = Vec::with_capacity(32);
        message.encode(&mut frame);
        send(&self.tcp, &frame, SendFlags::NOSIGNAL).map(drop)
    }
}
