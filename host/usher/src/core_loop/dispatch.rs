//! Carries out the core's outputs.

use super::calls::Calls;
use super::links::{DoorEvent, Links, Lookup, PolicyCall, RoomEvent};
use usher_core::{Command, DoorId, Input, Output, Rechecked};

/// Hands each output to whom it concerns, in order.
pub(super) struct Dispatch {
    links: Links,
    pub(super) calls: Calls,
    /// Whether doors were told something since they were hurried.
    told: bool,
}

impl Dispatch {
    pub(super) fn new(links: Links) -> Dispatch {
        let calls = Calls::default();
        Dispatch {
            links,
            calls,
            told: false,
        }
    }

    /// The next answer of a policy that was asked, if it is answered on this turn.
    pub(super) fn next_answer(&mut self) -> Option<Input> {
        self.calls.next_answer(&*self.links.policies)
    }

    /// What a policy wants done about an ending, if the turn has time for that.
    pub(super) fn next_notice(&mut self) -> Option<Input> {
        self.calls.next_notice(&*self.links.policies)
    }

    fn call(&mut self, call: PolicyCall) {
        self.calls.put(call, &*self.links.policies);
    }

    /// Carries out an output. False when it was an audit record that found no room.
    pub(super) fn carry_out(&mut self, output: Output) -> bool {
        match output {
            Output::Pending { door, request } => {
                self.deliver(door, DoorEvent::Pending { request });
            }
            Output::Refused {
                door,
                request,
                reason,
                at_knock,
            } => self.deliver(
                door,
                DoorEvent::Refused {
                    request,
                    reason,
                    at_knock,
                },
            ),
            Output::Status {
                door,
                request,
                text,
                position,
            } => self.deliver(
                door,
                DoorEvent::Status {
                    request,
                    text,
                    position,
                },
            ),
            Output::Accepted {
                door,
                request,
                grant,
            } => self.deliver(door, DoorEvent::Accepted { request, grant }),
            Output::Bound {
                door,
                session,
                endpoint,
            } => self.deliver(door, DoorEvent::Bound { session, endpoint }),
            Output::Probe { door, session } => self.deliver(door, DoorEvent::Probe { session }),
            Output::Ended {
                door,
                request,
                session,
                how,
            } => self.deliver(
                door,
                DoorEvent::Ended {
                    request,
                    session,
                    how,
                },
            ),
            Output::Ask(ask) => self.call(PolicyCall::Ask(ask)),
            Output::AskStatus(ask) => self.call(PolicyCall::Status(ask)),
            Output::Over(over) => self.call(PolicyCall::Over(over)),
            Output::Lookup {
                request,
                attempt,
                question,
                kind,
                wanted,
            } => self.links.evidence.look_up(Lookup {
                request,
                attempt,
                question,
                kind,
                wanted,
            }),
            Output::Compensate { request, act } => self.links.evidence.compensate(request, act),
            Output::Joined(player) => {
                let (door, request) = (player.door, player.request);
                self.links.rooms.tell(RoomEvent::Joined(player));
                self.deliver(door, DoorEvent::Joined { request });
            }
            Output::Left { room, session, how } => {
                self.links
                    .rooms
                    .tell(RoomEvent::Left { room, session, how });
            }
            Output::Command(command) => self.command(command),
            Output::Rechecked(rechecked) => {
                say(&rechecked);
                self.links.policies.rechecked(rechecked);
            }
            Output::Decided(decided) => return self.links.audit.try_send(decided).is_ok(),
        }
        true
    }

    /// Has the doors take up what they were told.
    pub(super) fn hurry(&mut self) {
        if std::mem::take(&mut self.told) {
            self.links.doors.iter().for_each(|door| door.hurry());
        }
    }

    fn deliver(&mut self, door: DoorId, event: DoorEvent) {
        self.told = true;
        match self.links.doors.get(usize::from(door.0)) {
            Some(link) => link.deliver(event),
            None => tracing::error!(%door, ?event, "the core named a door that there is not"),
        }
    }

    fn command(&self, command: Command) {
        match command {
            Command::BucketPut {
                bucket,
                entry,
                lasts,
            } => self.links.policies.put(bucket, entry, lasts),
            Command::KickSession { .. } | Command::KickIdentity { .. } => {
                tracing::error!("the core left a kick to the host");
            }
        }
    }
}

/// Tells the operator what has come of a recheck.
fn say(rechecked: &Rechecked) {
    let Rechecked {
        policy,
        seated,
        refused,
        ended,
        unanswered,
        ..
    } = rechecked;
    if rechecked.stopped {
        tracing::warn!(
            %policy, seated, refused,
            "a recheck of those who play would end too many of them, so it ended nobody"
        );
    } else {
        tracing::info!(%policy, seated, ended, unanswered, "those who play were rechecked");
    }
}
