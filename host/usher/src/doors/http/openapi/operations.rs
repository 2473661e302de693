//! The table of operations: what each call is for, what it takes and what it is answered.

use crate::doors::http::api::{
    After, Answer, Behind, End, Ended, Endings, Lease, NewLocal, NewRequest, Session, Sessions,
    Wait, WaitAfter,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// A call.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    pub(super) description: &'static str,
    /// What its key is for, where it has one.
    pub(super) key: Option<&'static str>,
    /// What may stand behind the path.
    pub(super) query: Option<Described>,
    pub(super) body: Option<Described>,
    pub(super) answers: &'static [Answered],
    /// The problems that are its own.
    pub(super) problems: &'static [(u16, &'static str)],
}

/// Makes the schema of a type.
pub(super) type Described = fn(&mut SchemaGenerator) -> Schema;

/// An answer that is no problem.
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) description: &'static str,
    pub(super) kind: &'static str,
    pub(super) schema: Described,
}

fn named<T: JsonSchema>(schemas: &mut SchemaGenerator) -> Schema {
    schemas.subschema_for::<T>()
}

/// Its properties are parameters.
fn spread<T: JsonSchema>(schemas: &mut SchemaGenerator) -> Schema {
    T::json_schema(schemas)
}

const fn json(status: u16, description: &'static str, schema: Described) -> Answered {
    Answered {
        status,
        description,
        kind: "application/json",
        schema,
    }
}

const fn events(description: &'static str) -> Answered {
    Answered {
        status: 200,
        description,
        kind: "text/event-stream",
        schema: |_| json_schema!({ "type": "string" }),
    }
}

const NONE: Operation = Operation {
    method: "get",
    path: "",
    id: "",
    tag: "sessions",
    summary: "",
    description: "",
    key: None,
    query: None,
    body: None,
    answers: &[],
    problems: &[],
};

const KEY: &str = "A new one for each player who comes, the same when the call is repeated.";
const NO_REQUEST: (u16, &str) = (404, "There is no request of this name, or not any more.");
const NO_SESSION: (u16, &str) = (404, "There is no session of this name, or not any more.");

/// Every call.
pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        method: "post",
        path: "/v1/requests",
        id: "begin",
        tag: "requests",
        summary: "Ask whether a player may come in",
        description: "The answer is held until there is a decision, or `wait` is over (10 s unless it \
                      says otherwise). The same call with the same key has the same answer for at \
                      least 20 s after it was given, also while the first one is under way. What is \
                      accepted must be confirmed with `POST /v1/sessions/{id}/confirm`.",
        key: Some(KEY),
        query: Some(spread::<Wait>),
        body: Some(named::<NewRequest>),
        answers: &[
            json(200, "The answer.", named::<Answer>),
            json(
                202,
                "The player waits: ask again with the id.",
                named::<Answer>,
            ),
        ],
        problems: &[(
            409,
            "The key was used with another body, or another game server has come to this door.",
        )],
    },
    Operation {
        path: "/v1/requests/{id}",
        id: "answer",
        tag: "requests",
        summary: "Ask how a request stands",
        description: "With `wait` the answer is held until there is a decision or, with `after`, a newer \
                      status. A request that is not asked about for as long as a lease is given up.",
        query: Some(spread::<WaitAfter>),
        answers: &[
            json(200, "The answer.", named::<Answer>),
            json(202, "The player waits.", named::<Answer>),
        ],
        problems: &[NO_REQUEST],
        ..NONE
    },
    Operation {
        method: "delete",
        path: "/v1/requests/{id}",
        id: "give_up",
        tag: "requests",
        summary: "Give a request up",
        description: "For a player who went away. Where it was accepted and is not confirmed, the seat is \
                      given back. What has another answer keeps it, and giving up twice is as good as \
                      once.",
        answers: &[json(200, "How it stands now.", named::<Answer>)],
        problems: &[
            NO_REQUEST,
            (
                409,
                "The player is in: end the session. Or another game server has come to this door.",
            ),
        ],
        ..NONE
    },
    Operation {
        path: "/v1/requests/{id}/events",
        id: "watch",
        tag: "requests",
        summary: "Follow how a request stands",
        description: "Server-sent events: each is named by its state (`waiting`, `accepted`, `rejected`, \
                      `over`), and its data is what `GET /v1/requests/{id}` would answer. The first \
                      comes at once, and the last ends the stream. It also ends after five minutes, \
                      and can be opened again.",
        answers: &[events("Events, as they come.")],
        problems: &[NO_REQUEST],
        ..NONE
    },
    Operation {
        path: "/v1/sessions",
        id: "list",
        summary: "List the sessions",
        description: "Those that hold a seat, confirmed or not, and the local ones.",
        answers: &[json(200, "Every session.", named::<Sessions>)],
        ..NONE
    },
    Operation {
        method: "post",
        path: "/v1/sessions/local",
        id: "begin_local",
        summary: "Begin a session without a seat",
        description: "For a player of the game server's own machine, such as a listen host's own player: \
                      it shows no ticket, takes no seat and is in no count, and no policy is asked. \
                      There are 16 at most. Each ends when it is ended, or with the lease. The same \
                      call with the same key is answered with the same session while that lasts.",
        key: Some(KEY),
        body: Some(named::<NewLocal>),
        answers: &[json(200, "The session.", named::<Session>)],
        problems: &[
            (
                409,
                "The key was used with another name, or there are enough, or another game server has \
                 come to this door.",
            ),
            (410, "The session of this key has ended."),
        ],
        ..NONE
    },
    Operation {
        method: "post",
        path: "/v1/sessions/{id}/confirm",
        id: "confirm",
        summary: "Say that the player is in",
        description: "To be called once the game server has let the player in. What is accepted and not \
                      confirmed in time is taken back, and its seat is free. Confirming twice is as \
                      good as once.",
        answers: &[json(200, "The player is in.", named::<Session>)],
        problems: &[
            NO_SESSION,
            (410, "The session has ended: send the player away."),
        ],
        ..NONE
    },
    Operation {
        method: "post",
        path: "/v1/sessions/{id}/end",
        id: "end",
        summary: "Say that the player is gone",
        description: "Ends the session; its seat is free when this is answered. What has ended otherwise \
                      is told as it ended, and ending twice is as good as once.",
        body: Some(named::<End>),
        answers: &[json(200, "The session has ended.", named::<Ended>)],
        problems: &[NO_SESSION],
        ..NONE
    },
    Operation {
        path: "/v1/endings",
        id: "endings",
        summary: "Read which sessions have ended",
        description: "In order, at most 256 at once, also those that the game server ended itself. `how` \
                      says whether the player must go: `kicked`, `taken-over`, `shutdown`. With \
                      `wait` the answer is held until there is one.",
        query: Some(spread::<After>),
        answers: &[json(200, "The endings.", named::<Endings>)],
        ..NONE
    },
    Operation {
        path: "/v1/events",
        id: "follow",
        summary: "Follow which sessions end",
        description: "Server-sent events: `ended`, whose data is one of what `GET /v1/endings` tells, and \
                      `missed`, where some are not known any more: what `GET /v1/sessions` does not \
                      list has ended. The stream goes on behind `after`, or behind the header \
                      `Last-Event-ID`; without both it begins with all that is still known. It ends \
                      after five minutes, and when Usher stops.",
        query: Some(spread::<Behind>),
        answers: &[events("Events, as they come.")],
        ..NONE
    },
    Operation {
        method: "post",
        path: "/v1/lease",
        id: "renew",
        tag: "lease",
        summary: "Renew the lease",
        description: "Every other call does, too. Without a call for as long as the lease lasts, every \
                      session of this door ends.",
        answers: &[json(200, "How the game server stands.", named::<Lease>)],
        ..NONE
    },
];
