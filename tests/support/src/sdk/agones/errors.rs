//! Errors in the words of Agones' gateway.

use crate::reply::Reply;
use serde_json::json;

/// An error as the gateway words it: with its code in gRPC.
pub(super) fn error(status: u16, code: u32, message: impl Into<String>) -> Reply {
    let message = message.into();
    Reply::json(
        status,
        &json!({ "code": code, "message": message, "details": [] }),
    )
}

/// A body that could not be read.
pub(super) fn misread() -> Reply {
    error(400, 3, "the body cannot be read")
}

/// Something that was read and cannot be done.
pub(super) fn failed(message: impl Into<String>) -> Reply {
    error(500, 2, message)
}
