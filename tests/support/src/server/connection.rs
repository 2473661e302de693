//! One connection: requests are read whole, noted, spoiled if a fault says so, and answered.

use super::shared::{Act, Shared};
use crate::control;
use crate::fault::What;
use crate::reply::{Content, Feed, HangUp, Reply};
use crate::request::Request;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONNECTION};
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// A body that is longer is cut off here: whoever sends that much is not ours.
const LONGEST_BODY: usize = 1 << 20;

/// How long an answer waits for others to be sent first. A reader that stands still is not waited for.
const OTHERS: Duration = Duration::from_millis(250);

/// Serves a connection to its end.
pub(super) async fn serve(shared: Arc<Shared>, stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| one(Arc::clone(&shared), request));
    // Whatever ends a connection badly was done on purpose, or by the peer.
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn one(
    shared: Arc<Shared>,
    request: hyper::Request<Incoming>,
) -> Result<Response<Content>, HangUp> {
    let request = read(request).await?;
    if shared.by_hand {
        if request.path == "/fake" || request.path.starts_with("/fake/") {
            let answer = control::answer(&shared, &request);
            return send(answer.unwrap_or_else(|| shared.script(&request))).await;
        }
        let query = request.query.as_ref().map(|it| format!("?{it}"));
        println!(
            "{} {}{}",
            request.method,
            request.path,
            query.unwrap_or_default()
        );
    }
    shared.calls.note(&request);
    let answer = || send(shared.answer(&request));
    match shared.faults.strike(&request) {
        None => answer().await,
        Some(What::Delay(pause)) => {
            sleep(pause).await;
            answer().await
        }
        Some(What::Late(pause)) => {
            let answer = shared.answer(&request);
            sleep(pause).await;
            send(answer).await
        }
        Some(What::Gather(calls)) => {
            shared.gather(&request.path, calls).await;
            answer().await
        }
        Some(What::Silence) => pending().await,
        Some(What::Mute) => {
            let _ = shared.answer(&request);
            pending().await
        }
        Some(What::Close) => Err(HangUp),
        Some(What::Lose) => {
            answer().await?;
            Err(HangUp)
        }
        Some(What::Say {
            status,
            content_type,
            body,
        }) => send(Reply::new(status, content_type, body)).await,
        Some(What::Flood(bytes)) => send(flood(bytes)).await,
        Some(What::Drip(every)) => send(drip(shared.answer(&request), every)).await,
        Some(What::Cut(bytes)) => send(cut(shared.answer(&request), bytes)).await,
        Some(What::Gone) => {
            shared.order(Act::Gone);
            Err(HangUp)
        }
        Some(What::Die) => {
            shared.order(Act::Die);
            pending().await
        }
    }
}

async fn read(request: hyper::Request<Incoming>) -> Result<Request, HangUp> {
    let (head, mut incoming) = request.into_parts();
    let header = |name| head.headers.get(name).and_then(|it| it.to_str().ok());
    let bearer = header(AUTHORIZATION).and_then(|it| it.strip_prefix("Bearer "));
    let mut body = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut incoming).poll_frame(context)).await {
        if let Ok(data) = frame.map_err(|_| HangUp)?.into_data() {
            body.extend_from_slice(&data);
        }
        if body.len() > LONGEST_BODY {
            return Err(HangUp);
        }
    }
    Ok(Request {
        method: head.method.as_str().to_owned(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().map(str::to_owned),
        bearer: bearer.map(str::to_owned),
        closes: header(CONNECTION).is_some_and(|it| it.eq_ignore_ascii_case("close")),
        body: Bytes::from(body),
    })
}

async fn send(reply: Reply) -> Result<Response<Content>, HangUp> {
    // This runtime has one thread: once this task goes on, whoever took the piece has written it.
    let others = async {
        for sent in reply.after {
            sent.done().await;
        }
    };
    let _ = timeout(OTHERS, others).await;
    let mut response = Response::new(reply.content);
    *response.status_mut() = StatusCode::from_u16(reply.status).map_err(|_| HangUp)?;
    for (name, value) in reply.headers {
        let value = value.try_into().map_err(|_| HangUp)?;
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}

/// Text in JSON that goes on for long, in pieces.
fn flood(bytes: usize) -> Reply {
    const PIECE: usize = 64 * 1024;
    let (mut feed, content) = Feed::new();
    feed.push("\"");
    let mut left = bytes.saturating_sub(2);
    while left > 0 {
        let length = left.min(PIECE);
        feed.push("x".repeat(length));
        left -= length;
    }
    feed.push("\"");
    let mut reply = Reply::done();
    reply.content = content;
    reply
}

/// The same answer, a byte at a time.
fn drip(mut reply: Reply, every: Duration) -> Reply {
    let bytes = reply.content.bytes();
    let (mut feed, content) = Feed::new();
    tokio::spawn(async move {
        for byte in bytes {
            sleep(every).await;
            if !feed.is_open() {
                return;
            }
            feed.push(vec![byte]);
        }
    });
    reply.content = content;
    reply
}

/// The beginning of the same answer.
fn cut(mut reply: Reply, bytes: usize) -> Reply {
    let mut whole = reply.content.bytes();
    let announced = u64::try_from(whole.len()).unwrap_or(u64::MAX);
    whole.truncate(bytes);
    reply.content = Content::Cut {
        part: Some(whole),
        announced,
        linger: None,
    };
    reply
}
