//! From HTTP to a WebSocket: one request a connection, which is granted or refused.

use super::ask::{Asked, Refused, look};
use super::metered::Metered;
use super::wire::Wire;
use crate::config::WebSocket;
use axum::http::header::{self, HeaderValue};
use axum::http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;

/// Most bytes of a request's head.
const HEAD_LIMIT: usize = 16 * 1024;

/// What became of a connection's request.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one a connection, and it is taken apart at once"
)]
pub(super) enum Upgraded {
    /// It is a WebSocket now.
    Yes(Asked, Wire),
    /// It was told why not.
    Refused(Refused),
    /// It has gone, or did not speak HTTP.
    Gone,
}

/// Serves a connection's request, which must come within this time.
pub(super) async fn upgrade(
    tcp: TcpStream,
    peer: SocketAddr,
    door: &WebSocket,
    within: Duration,
) -> Upgraded {
    let granted: Mutex<Option<Result<(Asked, OnUpgrade), Refused>>> = Mutex::new(None);
    let service = service_fn(|mut request: Request<Incoming>| {
        let looked = look(&request, peer, door);
        let answer = match &looked {
            Ok(asked) => switching(&asked.accept),
            Err(refused) => refusal(refused),
        };
        let looked = looked.map(|asked| (asked, hyper::upgrade::on(&mut request)));
        *granted.lock().unwrap_or_else(PoisonError::into_inner) = Some(looked);
        std::future::ready(Ok::<_, Infallible>(answer))
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(within)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(tcp), service)
        .with_upgrades()
        .await;
    let granted = granted.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (served, granted) {
        (_, Some(Err(refused))) => Upgraded::Refused(refused),
        (Ok(()), Some(Ok((asked, upgrade)))) => match upgrade.await.map(|it| it.downcast()) {
            Ok(Ok(parts)) => {
                let io: TokioIo<TcpStream> = parts.io;
                let stream = Metered::new(io.into_inner());
                Upgraded::Yes(asked, Wire::new(stream, parts.read_buf.to_vec()).await)
            }
            _ => Upgraded::Gone,
        },
        _ => Upgraded::Gone,
    }
}

fn switching(accept: &str) -> Response<String> {
    let mut answer = Response::new(String::new());
    *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = answer.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    if let Ok(accept) = HeaderValue::from_str(accept) {
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    }
    answer
}

fn refusal(refused: &Refused) -> Response<String> {
    let mut answer = Response::new(format!("{}\n", refused.text));
    *answer.status_mut() = refused.status;
    let headers = answer.headers_mut();
    // Whoever sends request after request would keep its place for as long.
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    match refused.status {
        StatusCode::METHOD_NOT_ALLOWED => {
            headers.insert(header::ALLOW, HeaderValue::from_static("GET"));
        }
        StatusCode::UPGRADE_REQUIRED => {
            headers.insert(
                header::CONNECTION,
                HeaderValue::from_static("close, upgrade"),
            );
            headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
            headers.insert(
                header::SEC_WEBSOCKET_VERSION,
                HeaderValue::from_static("13"),
            );
        }
        _ => {}
    }
    answer
}
