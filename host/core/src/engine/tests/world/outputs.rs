//! Who hears what of the core's outputs.

use super::World;
use crate::*;

impl World {
    pub(super) fn drain_outputs(&mut self) {
        while let Some(output) = self.core.poll_output() {
            match output {
                Output::Pending { .. } => {}
                Output::Refused {
                    request, reason, ..
                } => {
                    self.tell(request, format!("refused {}", reason.code));
                    self.reasons.insert(request, reason);
                }
                Output::Status {
                    request,
                    text,
                    position,
                    ..
                } => {
                    self.positions.insert(request, position);
                    self.tell(
                        request,
                        format!("status {}", String::from_utf8_lossy(&text)),
                    );
                }
                Output::Accepted { request, grant, .. } => {
                    self.tell(request, format!("accepted {}", grant.session));
                    self.grants.insert(request, grant);
                }
                Output::Bound {
                    session, endpoint, ..
                } => self.bindings.push((session, endpoint)),
                Output::Probe { session, .. } => {
                    let at = self.seen.get(&session).copied().unwrap_or(self.now);
                    self.core.handle(Input::Seen { session, at }, self.now);
                }
                Output::Ended { request, how, .. } => {
                    self.tell(request, format!("ended {}", how.word()));
                }
                Output::Ask(ask) => {
                    // A request that has become a session is over, and was told so.
                    if ask.why != Why::Recheck {
                        let asked = self.asked_of.entry(ask.request.id).or_default();
                        asked.insert(ask.slot);
                    }
                    self.asks.push(*ask);
                }
                Output::AskStatus(ask) => self.status_asks.push(*ask),
                Output::Over(over) => {
                    let line = match &over.how {
                        Ending::Accepted(session) => format!("accepted {session}"),
                        Ending::Rejected(reason) => format!("rejected {}", reason.code),
                        Ending::Abandoned(why) => format!("abandoned {why:?}"),
                    };
                    assert!(over.request.password.is_none() && over.request.payload.is_empty());
                    let told = self.over.entry(over.request.id).or_default();
                    told.push((over.slot, line));
                    let commands = std::mem::take(&mut self.on_ended);
                    let ask = over.id;
                    self.core
                        .handle(Input::OverAnswer { ask, commands }, self.now);
                }
                Output::Lookup {
                    request,
                    question,
                    kind,
                    wanted,
                    ..
                } => {
                    self.wanted.push(wanted);
                    self.lookups.push((request, question, kind));
                }
                Output::Compensate { request, act } => self.compensations.push((request, act)),
                Output::Joined(player) => {
                    self.heard.push(format!("joined {}", player.session));
                    self.players.insert(player.session, *player);
                }
                Output::Left { session, how, .. } => {
                    self.heard.push(format!("left {session} {how:?}"));
                }
                Output::Command(command) => self.commands.push(command),
                Output::Rechecked(rechecked) => self.rechecked.push(rechecked),
                Output::Decided(decided) => self.decided.push(*decided),
            }
        }
    }
}
