//! What the operator sets, as the core needs it. Parsing and defaults of the file are the host's.

use crate::reason::Reason;
use crate::request::Attribute;
use std::sync::Arc;
use std::time::Duration;

/// What a session waits for, between its acceptance and its joining.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    /// The session plays over the connection that it logged in with: it joins at once.
    None,
    /// The client binds a UDP endpoint with a token.
    Token {
        /// A session that is not bound this long after its acceptance ends.
        bind_timeout: Duration,
        /// A bound session without a valid datagram for this long ends.
        idle_timeout: Duration,
    },
    /// Another program keeps the player's connection, and confirms that it has let the player in.
    Confirmation {
        /// A session that is not confirmed this long after its acceptance ends.
        confirm_timeout: Duration,
        /// A confirmed session ends when nothing was heard of that program for this long.
        lease: Duration,
    },
}

/// The player number that a door's protocol needs: the index of the session's `slot`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayerNumber {
    /// Numbers are below this; the host claims one where the policy does not.
    pub limit: u32,
}

/// A door, as far as the core is concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DoorConfig {
    /// Its name in the configuration.
    pub name: Arc<str>,
    /// How it binds endpoints.
    pub binding: Binding,
    /// Whether its sessions need a player number.
    pub player_number: Option<PlayerNumber>,
    /// What bounds an unanswered request where the session timeout is not set.
    pub connection_timeout: Duration,
    /// What a request is told that had neither an answer nor a status for too long; may be empty.
    pub timeout_text: Arc<str>,
    /// What a request is told that a policy accepts and the host has no seat for; may be empty.
    pub full_text: Arc<str>,
    /// What a request is told that a policy accepts and whose room is closed, in place of the reason with
    /// which it was closed.
    pub closed_room: Option<Reason>,
}

impl DoorConfig {
    /// The [`DoorConfig::full_text`] of a door whose operator says nothing about it.
    pub const FULL_TEXT: &str = "The server is full.";
}

/// What happens to someone who is let in while they play already. It is about an identity that the policy
/// says is proven (semantics 15); one that is not never matters to the host.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Duplicates {
    /// The newcomer finds the identity taken, like any claim that is full.
    #[default]
    Refuse,
    /// The newcomer takes the place of the session, which is told and ended; of one identity at most once
    /// in 5 s.
    TakeOver,
}

/// The limits of a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Seats in all.
    pub max_players: u32,
    /// Requests pending at once, places in the queue without a connection included. 0: no pool; a
    /// request then holds a seat from its knock on.
    pub max_pending: u32,
    /// Of these, how many of one address (IPv6: of one /64). 0: no limit.
    pub max_pending_per_address: u32,
    /// How long a request may go without an answer or a status. Zero: the door's connection timeout.
    pub session_timeout: Duration,
    /// How long one decision may take, evidence included.
    pub decision_timeout: Duration,
    /// How long the place of a waiter whose connection dropped is kept.
    pub queue_grace: Duration,
    /// The longest wait at a door whose protocol has no status.
    pub queue_max_wait: Duration,
    /// How often someone who waits gets a status.
    pub status_interval: Duration,
    /// How soon a request that is still being decided gets its first status.
    pub first_status: Duration,
    /// What a request is told when no policy has said anything.
    pub default_status: Arc<[u8]>,
    /// How many waiters, and how many who play, are asked about again at once after a reload.
    pub reload_batch: usize,
    /// What happens to someone who is let in while they play already.
    pub duplicates: Duplicates,
    /// What the host says of itself to policies, the same in every ask.
    pub attributes: Arc<[Attribute]>,
    /// The doors, by `DoorId`.
    pub doors: Vec<DoorConfig>,
}

impl Default for Config {
    /// The host's defaults, without doors.
    fn default() -> Config {
        Config {
            max_players: 4,
            max_pending: 32,
            max_pending_per_address: 4,
            session_timeout: Duration::ZERO,
            decision_timeout: Duration::from_secs(10),
            queue_grace: Duration::from_secs(60),
            queue_max_wait: Duration::from_secs(60),
            status_interval: Duration::from_secs(5),
            first_status: Duration::from_secs(4),
            default_status: Arc::from(*b"Please wait."),
            reload_batch: 64,
            duplicates: Duplicates::Refuse,
            attributes: [].into(),
            doors: Vec::new(),
        }
    }
}
