//! Who may call: whoever names this host and comes from no other origin, with the token where one is set.

use super::error::Refusal;
use crate::web::{Call, Denied, check_page, check_token};
use axum::http::StatusCode;
use usher_core::Secret;

/// Says who may call.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) token: Option<Secret>,
}

/// The path that needs no token: it tells nothing but that the host is there, to probes that cannot
/// hold a secret.
pub(super) const HEALTH: &str = "/healthz";

impl Guard {
    /// Refuses a call that may not be made.
    pub(super) fn check(&self, call: Call<'_>) -> Result<(), Refusal> {
        check_page(call)?;
        match &self.token {
            Some(token) if call.uri.path() != HEALTH => Ok(check_token(call.headers, token)?),
            _ => Ok(()),
        }
    }
}

impl From<Denied> for Refusal {
    fn from(denied: Denied) -> Refusal {
        match denied {
            Denied::Host | Denied::Origin => {
                Refusal::new(StatusCode::FORBIDDEN, denied.to_string())
            }
            Denied::WrongToken => Refusal::new(StatusCode::UNAUTHORIZED, denied.to_string()),
            Denied::NoToken => Refusal::new(
                StatusCode::UNAUTHORIZED,
                "a token is needed: Authorization: Bearer TOKEN, as in the admin.token-file",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderMap, header};

    #[test]
    fn only_the_health_needs_no_token() {
        let guard = Guard {
            token: Some(Secret::new("q3Vx9mKc0TzR1bN4wYp7Lg")),
        };
        for (path, code) in [("/healthz", 200), ("/metrics", 401), ("/v1/status", 401)] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, "localhost".parse().expect("a header"));
            let call = Call {
                uri: &path.parse().expect("a uri"),
                headers: &headers,
                local: "127.0.0.1:4280".parse().expect("an address"),
            };
            let checked = guard.check(call).map_err(|refusal| refusal.status.as_u16());
            assert_eq!(checked.err().unwrap_or(200), code, "{path}");
        }
    }
}
