//! Who is in the room, and what the rules and their last save know of it.

use std::collections::{BTreeMap, BTreeSet};
use usher_core::{Moment, Parting, Player, SessionId};

/// Who is in the room.
#[derive(Default)]
pub(super) struct Roster {
    members: BTreeMap<SessionId, Member>,
}

/// Someone in the room.
pub(super) struct Member {
    pub(super) player: Box<Player>,
    /// Whether the instance that plays was told of the join.
    pub(super) told: bool,
    /// Whether the host is sending it away, so that no instance will be told any more.
    pub(super) leaving: bool,
}

/// What a dead instance can be replaced from.
#[derive(Default)]
pub(super) struct Save {
    /// The state; `None` for a room that has just begun.
    pub(super) state: Option<Vec<u8>>,
    /// Whom the state knows.
    pub(super) knows: BTreeSet<SessionId>,
    /// Who of these has left since.
    pub(super) gone: Vec<(SessionId, Parting)>,
    /// Whether anything has happened since.
    pub(super) stale: bool,
    pub(super) taken: Moment,
}

impl Roster {
    pub(super) fn join(&mut self, player: Box<Player>) {
        let member = Member {
            told: false,
            leaving: false,
            player,
        };
        self.members.insert(member.player.session, member);
    }

    pub(super) fn leave(&mut self, session: SessionId) -> Option<Member> {
        self.members.remove(&session)
    }

    pub(super) fn get(&self, session: SessionId) -> Option<&Member> {
        self.members.get(&session)
    }

    pub(super) fn get_mut(&mut self, session: SessionId) -> Option<&mut Member> {
        self.members.get_mut(&session)
    }

    pub(super) fn players(&self) -> impl Iterator<Item = &Player> {
        self.members.values().map(|member| &*member.player)
    }

    pub(super) fn members_mut(&mut self) -> impl Iterator<Item = &mut Member> {
        self.members.values_mut()
    }

    /// Those of whom the rules were told.
    pub(super) fn told(&self) -> impl Iterator<Item = SessionId> {
        let told = self.members.iter().filter(|(_, member)| member.told);
        told.map(|(session, _)| *session)
    }

    /// Those of whom the rules are still to be told.
    pub(super) fn untold(&self) -> Vec<SessionId> {
        let untold = self.members.iter();
        let untold = untold.filter(|(_, member)| !member.told && !member.leaving);
        untold.map(|(session, _)| *session).collect()
    }
}

impl Save {
    /// Someone whom the rules were told of has left.
    pub(super) fn note_gone(&mut self, session: SessionId, how: Parting) {
        if self.knows.contains(&session) {
            self.gone.push((session, how));
        }
    }
}
