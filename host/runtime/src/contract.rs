//! What goes in and out of the calls that are made for every request, as the contract has it. These are ours and
//! not generated, so that a request is handed over from where it lies, and a text of an answer is copied once, to
//! where it stays. wasmtime compares them with the contract when a module is loaded.

use std::sync::Arc;
use wasmtime::component::{ComponentType, Lift, Lower, WasmStr};

/// Why a policy is asked.
#[derive(ComponentType, Lower, Clone, Copy, PartialEq, Eq, Debug)]
#[component(enum)]
#[repr(u8)]
pub(crate) enum Why {
    #[component(name = "first")]
    First,
    #[component(name = "evidence")]
    Evidence,
    #[component(name = "offer")]
    Offer,
    #[component(name = "reload")]
    Reload,
    #[component(name = "recheck")]
    Recheck,
}

/// The peer's network endpoint.
#[derive(ComponentType, Lower, Clone, Copy, Debug)]
#[component(record)]
pub(crate) struct Endpoint {
    #[component(name = "address")]
    pub(crate) address: (u64, u64),
    #[component(name = "port")]
    pub(crate) port: u16,
    #[component(name = "proven")]
    pub(crate) proven: bool,
}

/// Someone who wants to enter.
#[derive(ComponentType, Lower, Clone, Debug)]
#[component(record)]
pub(crate) struct Request {
    #[component(name = "id")]
    pub(crate) id: u64,
    #[component(name = "why")]
    pub(crate) why: Why,
    #[component(name = "peer")]
    pub(crate) peer: Endpoint,
    #[component(name = "joinable")]
    pub(crate) joinable: bool,
    #[component(name = "max-players")]
    pub(crate) max_players: u32,
    #[component(name = "name")]
    pub(crate) name: Option<Arc<str>>,
    #[component(name = "payload")]
    pub(crate) payload: Arc<[u8]>,
    #[component(name = "attempt")]
    pub(crate) attempt: u32,
}

/// Why a request went away without an answer.
#[derive(ComponentType, Lower, Clone, Copy, PartialEq, Eq, Debug)]
#[component(enum)]
#[repr(u8)]
pub(crate) enum Abandonment {
    #[component(name = "cancelled")]
    Cancelled,
    #[component(name = "dropped")]
    Dropped,
    #[component(name = "timed-out")]
    TimedOut,
}

/// How a request ended.
#[derive(ComponentType, Lower, Clone, Debug)]
#[component(variant)]
pub(crate) enum Ending {
    #[component(name = "accepted")]
    Accepted(u64),
    #[component(name = "rejected")]
    Rejected(Reason),
    #[component(name = "abandoned")]
    Abandoned(Abandonment),
}

/// Why someone is refused, sent away or ended.
#[derive(ComponentType, Lift, Lower, Clone, Debug)]
#[component(record)]
pub(crate) struct Reason {
    #[component(name = "code")]
    pub(crate) code: Arc<str>,
    #[component(name = "text")]
    pub(crate) text: Arc<str>,
    #[component(name = "number")]
    pub(crate) number: Option<u32>,
}

/// A reason whose texts are still in the module's memory.
#[derive(ComponentType, Lift)]
#[component(record)]
pub(crate) struct PlainReason {
    #[component(name = "code")]
    pub(crate) code: WasmStr,
    #[component(name = "text")]
    pub(crate) text: WasmStr,
    #[component(name = "number")]
    pub(crate) number: Option<u32>,
}

/// A claim as most are, whose texts are still in the module's memory.
#[derive(ComponentType, Lift)]
#[component(record)]
pub(crate) struct PlainClaim {
    #[component(name = "namespace")]
    pub(crate) namespace: WasmStr,
    #[component(name = "part")]
    pub(crate) part: Option<WasmStr>,
    #[component(name = "limit")]
    pub(crate) limit: u32,
    #[component(name = "when-full")]
    pub(crate) when_full: PlainReason,
    #[component(name = "lowest-index")]
    pub(crate) lowest_index: bool,
}

/// What a call that decides comes to.
#[derive(ComponentType, Lift, Clone, Copy, PartialEq, Eq, Debug)]
#[component(enum)]
#[repr(u8)]
#[allow(dead_code, reason = "lifting makes them of their numbers")]
pub(crate) enum Decided {
    #[component(name = "pass")]
    Pass,
    #[component(name = "accept")]
    Accept,
    #[component(name = "told")]
    Told,
}

/// One part of a key, or an argument of a question.
#[derive(ComponentType, Lift, Clone)]
#[component(variant)]
pub(crate) enum Part {
    #[component(name = "plain")]
    Plain(Arc<str>),
    #[component(name = "secret")]
    Secret(Arc<str>),
}

/// Names something that sessions may hold a unit of.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct Key {
    #[component(name = "namespace")]
    pub(crate) namespace: Arc<str>,
    #[component(name = "parts")]
    pub(crate) parts: Vec<Part>,
}

/// How long a unit stays taken.
#[derive(ComponentType, Lift, Clone, Copy)]
#[component(variant)]
pub(crate) enum Until {
    #[component(name = "session-end")]
    SessionEnd,
    #[component(name = "time")]
    Time(u64),
}

/// At most `limit` hold this.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct Claim {
    #[component(name = "key")]
    pub(crate) key: Key,
    #[component(name = "limit")]
    pub(crate) limit: u32,
    #[component(name = "when-full")]
    pub(crate) when_full: Reason,
    #[component(name = "until")]
    pub(crate) until: Until,
    #[component(name = "lowest-index")]
    pub(crate) lowest_index: bool,
}

/// A question or an act.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct Question {
    #[component(name = "name")]
    pub(crate) name: Arc<str>,
    #[component(name = "args")]
    pub(crate) args: Vec<Part>,
    #[component(name = "body")]
    pub(crate) body: Arc<[u8]>,
}

/// One way to let the request in.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct Admission {
    #[component(name = "identity")]
    pub(crate) identity: Option<Arc<str>>,
    #[component(name = "identity-proven")]
    pub(crate) identity_proven: bool,
    #[component(name = "display-name")]
    pub(crate) display_name: Option<Arc<str>>,
    #[component(name = "room")]
    pub(crate) room: Option<Arc<str>>,
    #[component(name = "claims")]
    pub(crate) claims: Vec<Claim>,
    #[component(name = "config")]
    pub(crate) config: Arc<[u8]>,
    #[component(name = "remember")]
    pub(crate) remember: Arc<[u8]>,
}

/// Let the next policy decide.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct Passing {
    #[component(name = "claims")]
    pub(crate) claims: Vec<Claim>,
    #[component(name = "then")]
    pub(crate) then: Option<Question>,
}

/// Wait in a lane.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct Waiting {
    #[component(name = "lane")]
    pub(crate) lane: Arc<str>,
    #[component(name = "lane-rank")]
    pub(crate) lane_rank: i32,
    #[component(name = "priority")]
    pub(crate) priority: i32,
    #[component(name = "status")]
    pub(crate) status: Option<Arc<[u8]>>,
    #[component(name = "identity")]
    pub(crate) identity: Option<Arc<str>>,
    #[component(name = "identity-proven")]
    pub(crate) identity_proven: bool,
    #[component(name = "claims")]
    pub(crate) claims: Vec<Claim>,
}

/// Let the request in.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct Acceptance {
    #[component(name = "options")]
    pub(crate) options: Vec<Admission>,
    #[component(name = "otherwise-wait")]
    pub(crate) otherwise_wait: Option<Waiting>,
    #[component(name = "then")]
    pub(crate) then: Option<Question>,
}

/// Find out first.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct Inquiry {
    #[component(name = "questions")]
    pub(crate) questions: Vec<Question>,
    #[component(name = "hold")]
    pub(crate) hold: Vec<Claim>,
}

/// What a policy decides.
#[derive(ComponentType, Lift, Clone)]
#[component(variant)]
pub(crate) enum Decision {
    #[component(name = "pass")]
    Pass(Passing),
    #[component(name = "accept")]
    Accept(Acceptance),
    #[component(name = "reject")]
    Reject(Reason),
    #[component(name = "wait")]
    Wait(Waiting),
    #[component(name = "ask")]
    Ask(Inquiry),
}

/// Something to do besides.
#[derive(ComponentType, Lift, Clone)]
#[component(variant)]
pub(crate) enum Command {
    #[component(name = "kick-session")]
    KickSession(KickSession),
    #[component(name = "kick-identity")]
    KickIdentity(KickIdentity),
    #[component(name = "bucket-put")]
    BucketPut(BucketPut),
}

/// End a session.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct KickSession {
    #[component(name = "session")]
    pub(crate) session: u64,
    #[component(name = "reason")]
    pub(crate) reason: Reason,
}

/// End every session of an identity.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct KickIdentity {
    #[component(name = "identity")]
    pub(crate) identity: Arc<str>,
    #[component(name = "reason")]
    pub(crate) reason: Reason,
}

/// Put an entry in a bucket.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct BucketPut {
    #[component(name = "bucket")]
    pub(crate) bucket: Arc<str>,
    #[component(name = "entry")]
    pub(crate) entry: Arc<str>,
    #[component(name = "lasts")]
    pub(crate) lasts: Option<u64>,
}

/// A decision, and commands applied in order.
#[derive(ComponentType, Lift, Clone)]
#[component(record)]
pub(crate) struct Verdict {
    #[component(name = "decision")]
    pub(crate) decision: Decision,
    #[component(name = "commands")]
    pub(crate) commands: Vec<Command>,
}
