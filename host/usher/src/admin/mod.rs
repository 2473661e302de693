//! The operator's endpoint: how things stand, and the few things that can be done about it.
//!
//! | | |
//! |---|---|
//! | `GET /healthz` | 200, or 503 while the host drains |
//! | `GET /metrics` | Prometheus text |
//! | `GET /v1/status` | how things stand, in JSON |
//! | `POST /v1/policies/{name}/reload` | read the module again; `rules` names the rules |
//! | `POST /v1/policies/{name}/rollback` | go back to the generation before |
//! | `POST /v1/sessions/{id}/kick` | end a session; `{"reason": "text"}` is optional |
//!
//! What this module does not have: a way to change the configuration, to see a token or a payload, or
//! to be called from a web page of another origin. Who may call is `guard`'s to say.

mod error;
mod guard;
mod host;
mod routes;
mod server;
mod status;

#[cfg(test)]
mod tests;

pub use host::{
    ActionError, BucketStatus, DoorStatus, Host, Loaded, ModuleStatus, Modules, RecheckStatus,
};
pub use server::Server;
