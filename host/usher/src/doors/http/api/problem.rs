//! What is answered in place of what was asked for: one shape, that of RFC 9457.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

/// Why a call was not answered as asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::doors::http) struct Problem {
    /// The status.
    pub(in crate::doors::http) status: StatusCode,
    code: &'static str,
    detail: String,
}

/// Why a call was not answered as asked. The shape is that of RFC 9457.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(in crate::doors::http) struct ProblemBody {
    /// The name of the status.
    title: &'static str,
    /// The status.
    #[schemars(range(min = 400, max = 599))]
    status: u16,
    /// A word for programs.
    #[schemars(example = "key-reused")]
    code: &'static str,
    /// A sentence for people, which says what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    detail: Option<String>,
}

impl Problem {
    /// A problem of this status. `detail` says what to do, and never quotes a secret.
    pub(in crate::doors::http) fn new(
        status: StatusCode,
        code: &'static str,
        detail: impl Into<String>,
    ) -> Problem {
        Problem {
            status,
            code,
            detail: detail.into(),
        }
    }

    /// Something is not as the description of the API has it.
    pub(in crate::doors::http) fn malformed(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    /// What a caller without the token is told: nothing.
    pub(in crate::doors::http) fn unauthorized() -> Problem {
        Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", "")
    }

    /// The host stops.
    pub(in crate::doors::http) fn stopping() -> Problem {
        let detail = "Usher is stopping: try again later, or at another one";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = ProblemBody {
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            code: self.code,
            detail: Some(self.detail).filter(|detail| !detail.is_empty()),
        };
        // There is nothing in it that JSON could not carry.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, scheme);
            // Whoever guesses must not keep a connection for it.
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            let soon = HeaderValue::from_static("1");
            response.headers_mut().insert(header::RETRY_AFTER, soon);
        }
        response
    }
}
