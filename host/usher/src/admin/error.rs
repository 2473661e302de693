//! Every refusal of the endpoint: a status code and `{"error": "…"}`.

use super::host::ActionError;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A refusal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) error: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, error: impl Into<String>) -> Refusal {
        let error = error.into();
        Refusal { status, error }
    }
}

impl From<ActionError> for Refusal {
    fn from(error: ActionError) -> Refusal {
        let status = match error {
            ActionError::Unknown(_) => StatusCode::NOT_FOUND,
            ActionError::NothingOlder(_) => StatusCode::CONFLICT,
            ActionError::Refused(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ActionError::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        };
        Refusal::new(status, error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = Json(json!({ "error": self.error }));
        let mut response = (self.status, body).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}
