//! Views on their way to those who watch.

use super::state::State;
use super::view;
use crate::reply::{Content, Feed, Reply, Sent};
use hyper::body::Bytes;

/// Opens a watch: its body, with a first view on its way.
pub(super) fn watch(state: &mut State) -> Content {
    let (mut feed, content) = Feed::new();
    feed.push(view::line(state));
    state.watches.push(feed);
    content
}

/// Pushes one full view on every watch.
pub(super) fn push(state: &mut State) -> Vec<Sent> {
    let line = view::line(state);
    push_bytes(state, &line)
}

/// Pushes these bytes on every watch.
pub(super) fn push_bytes(state: &mut State, bytes: &Bytes) -> Vec<Sent> {
    state.watches.retain(Feed::is_open);
    let all = state.watches.iter_mut();
    all.map(|it| it.push(bytes.clone())).collect()
}

/// Something changed: one full view goes to every watch, and the answer after it.
pub(super) fn changed(state: &mut State, reply: Reply) -> Reply {
    let sent = push(state);
    reply.after(sent)
}
