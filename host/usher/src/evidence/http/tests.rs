use super::*;
use std::future::pending;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(30),
    max_body: 16,
};

fn http(in_flight: usize) -> Http {
    let settings = Settings {
        tls: false,
        keep: false,
        in_flight,
    };
    Http::new(settings).expect("a client without certificates needs nothing")
}

/// Reads a request's head.
async fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("a request"));
    }
    String::from_utf8(head).expect("ASCII")
}

/// A place that answers each connection with these bytes and closes it.
async fn place(answer: &'static [u8]) -> (Uri, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            head(&mut stream).await;
            stream.write_all(answer).await.expect("written");
        }
    });
    (uri(address), serving)
}

fn uri(address: std::net::SocketAddr) -> Uri {
    format!("http://{address}/secret?secret=1")
        .parse()
        .expect("an address")
}

async fn error(answer: &'static [u8]) -> HttpError {
    let (uri, _serving) = place(answer).await;
    let response = http(1).request(Call::get(uri), LIMITS).await;
    response.err().expect("it is no answer")
}

#[tokio::test]
async fn an_answer_of_any_status_is_one_and_a_redirect_is_not_followed() {
    let (uri, _serving) = place(
        b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\nretry-after: 7\r\ncontent-length: 2\r\n\r\nhi",
    )
    .await;
    let answer = http(1).request(Call::get(uri), LIMITS).await;
    let answer = answer.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(answer.status, 302);
    assert_eq!(answer.retry_after.as_deref(), Some("7"));
    assert_eq!(answer.body, b"hi");
    assert!(!answer.is_success());
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_not_read() {
    assert_eq!(
        error(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n").await,
        HttpError::TooLong
    );
    let chunked =
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n1\r\nx\r\n";
    assert_eq!(error(chunked).await, HttpError::TooLong);
}

#[tokio::test]
async fn what_is_no_answer_is_broken() {
    for answer in [
        &b""[..],
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nbad\r\n\r\n",
    ] {
        assert_eq!(error(answer).await, HttpError::Broken);
    }
}

#[tokio::test]
async fn a_head_without_end_is_broken_after_what_it_may_take() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let uri = uri(listener.local_addr().expect("an address"));
    let asked = tokio::spawn(async move { http(1).request(Call::get(uri), LIMITS).await });
    let (mut stream, _) = listener.accept().await.expect("a connection");
    head(&mut stream).await;
    let mut sent = 0;
    if stream.write_all(b"HTTP/1.1 200 OK\r\n").await.is_ok() {
        while stream.write_all(&[b'a'; 1024]).await.is_ok() {
            sent += 1024;
            assert!(sent < 64 << 20, "it reads for ever");
        }
    }
    let answer = asked.await.expect("no panic");
    assert_eq!(answer.err(), Some(HttpError::Broken));
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let uri = uri(listener.local_addr().expect("an address"));
    drop(listener);
    let answer = http(1).request(Call::get(uri), LIMITS).await;
    assert_eq!(answer.err(), Some(HttpError::Unreachable));
}

#[tokio::test]
async fn a_place_without_tls_is_asked_nothing_over_tls() {
    let (plain, _serving) = place(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let tls = plain.to_string().replace("http:", "https:");
    let call = Call::get(tls.parse().expect("an address"));
    let limits = Limits {
        timeout: Duration::from_millis(300),
        ..LIMITS
    };
    // The other side waits for a head and gets a handshake, which is none.
    let answer = http(1).request(call, limits).await;
    assert!(answer.is_err());
}

#[tokio::test]
async fn a_place_that_hangs_costs_the_time_that_the_call_has() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let uri = uri(listener.local_addr().expect("an address"));
    let limits = Limits {
        timeout: Duration::from_millis(50),
        ..LIMITS
    };
    let http = http(1);
    // Before it answers, and in the midst of its answer.
    let before = http.request(Call::get(uri.clone()), limits).await;
    assert_eq!(before.err(), Some(HttpError::TimedOut));
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            tokio::spawn(async move {
                let mut one = [0; 1];
                let _ = stream.read(&mut one).await;
                let begun = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhi";
                let _ = stream.write_all(begun).await;
                pending::<()>().await;
            });
        }
    });
    let amidst = http.request(Call::get(uri.clone()), limits).await;
    assert_eq!(amidst.err(), Some(HttpError::TimedOut));
}

#[tokio::test]
async fn a_call_closes_its_connection_and_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let uri = uri(listener.local_addr().expect("an address"));
    let body = br#"{"a":1}"#.to_vec();
    let call = Call::json(Method::POST, uri, body);
    let asked = tokio::spawn(async move { http(1).request(call, LIMITS).await });
    let (mut stream, _) = listener.accept().await.expect("a connection");
    let head = head(&mut stream).await.to_ascii_lowercase();
    for line in [
        "post /secret?secret=1 http/1.1\r\n",
        "\r\nconnection: close\r\n",
        "\r\ncontent-type: application/json\r\n",
        "\r\ncontent-length: 7\r\n",
        "\r\nuser-agent: usher/",
    ] {
        assert!(head.contains(line), "{line:?} is not in {head:?}");
    }
    let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
    stream.write_all(answer).await.expect("written");
    let answer = asked.await.expect("no panic");
    assert_eq!(answer.map(|answer| answer.status), Ok(204));
    // The body, and then the end: nobody keeps the connection.
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.expect("closed");
    assert_eq!(rest, br#"{"a":1}"#);
}

#[tokio::test]
async fn at_most_so_many_calls_are_under_way() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let uri = uri(listener.local_addr().expect("an address"));
    let http = http(2);
    let mut asked = JoinSet::new();
    for _ in 0..6 {
        let (http, uri) = (http.clone(), uri.clone());
        asked.spawn(async move { http.request(Call::get(uri), LIMITS).await });
    }
    let mut open = Vec::new();
    for _ in 0..6 {
        if open.len() == 2 {
            let more = tokio::time::timeout(Duration::from_millis(20), listener.accept());
            assert!(more.await.is_err(), "a third call is under way");
            let mut first: TcpStream = open.remove(0);
            head(&mut first).await;
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
            first.write_all(answer).await.expect("written");
        }
        open.push(listener.accept().await.expect("a connection").0);
    }
    drop(open);
    let mut ended = Vec::new();
    while let Some(answer) = asked.join_next().await {
        ended.push(answer.expect("no panic").map(|answer| answer.status));
    }
    ended.sort_by_key(Result::is_err);
    let (whole, cut) = ([Ok(200); 4], [Err(HttpError::Broken); 2]);
    assert_eq!(ended, [&whole[..], &cut[..]].concat());
}

#[tokio::test]
async fn a_stream_comes_piece_by_piece_until_it_breaks_off() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let uri = uri(listener.local_addr().expect("an address"));
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        head(&mut stream).await;
        let answer = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n";
        stream.write_all(answer).await.expect("written");
        stream
    });
    let within = Duration::from_secs(30);
    let stream = http(0).stream(Call::get(uri), within).await;
    let mut stream = stream.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(stream.status(), 200);
    let mut other = serving.await.expect("no panic");
    assert_eq!(
        stream.chunk().await.expect("a piece").as_deref(),
        Some(&b"one"[..])
    );
    sleep(Duration::from_millis(1)).await;
    other.write_all(b"2\r\ntw\r\n").await.expect("written");
    assert_eq!(
        stream.chunk().await.expect("a piece").as_deref(),
        Some(&b"tw"[..])
    );
    drop(other);
    assert_eq!(stream.chunk().await, Err(HttpError::Broken));
}

#[tokio::test]
async fn no_error_says_what_was_asked() {
    for answer in [
        &b"nonsense"[..],
        b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n",
    ] {
        let error = error(answer).await;
        let shown = format!("{error} {error:?}");
        assert!(
            !shown.contains("secret") && !shown.contains("127.0.0.1"),
            "{shown}"
        );
    }
}
