//! By what a player is known.

use usher_sdk::prelude::*;

/// By what a player is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Identity {
    /// The text.
    pub(crate) text: String,
    /// Whether it is the name that the protocol has for players.
    pub(crate) is_name: bool,
    /// Whether it is fit to be shown to others. A payload that the operator has said nothing about may be
    /// more than its client meant to tell everyone.
    pub(crate) shown: bool,
    /// Whether something before has proven it.
    pub(crate) proven: bool,
}

/// By what this player is known, as the operator wants it; `None` if by nothing.
///
/// # Panics
///
/// When the operator wants what there is not.
pub(crate) fn identity(request: &Request) -> Option<Identity> {
    let proven = params::flag("identity-proven").unwrap_or(false);
    let by = params::get("identity");
    let name = request.name.as_deref().filter(|name| !name.is_empty());
    let identity = |text: &str, is_name, shown| Identity {
        text: text.to_owned(),
        is_name,
        shown,
        proven,
    };
    let by_name = || name.map(|name| identity(name, true, true));
    let by_payload = |shown| {
        let text = request.payload_text();
        text.map(|text| identity(text, false, shown))
    };
    match by.as_deref() {
        None => by_name().or_else(|| by_payload(false)),
        Some("name") => by_name(),
        Some("payload") => by_payload(true),
        Some("none") => None,
        Some(other) => {
            panic!("param `identity` must be \"name\", \"payload\" or \"none\": {other:?}")
        }
    }
}
