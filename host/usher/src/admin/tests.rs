//! The endpoint over a real socket, with a host that is made of answers.

mod fake;

use super::*;
use crate::config::Admin;
use crate::metrics::Metrics;
use fake::Fake;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use usher_core::Secret;

struct Endpoint {
    at: std::net::SocketAddr,
    host: Arc<Fake>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn endpoint(token: Option<&str>) -> Endpoint {
    let config = Admin {
        listen: "127.0.0.1:0".parse().expect("an address"),
        token: token.map(Secret::new),
    };
    let server = Server::bind(&config).await.expect("a port");
    let at = server.local_addr();
    let host = Arc::new(Fake::default());
    let task = tokio::spawn(server.serve(host.clone(), Metrics::new()));
    Endpoint { at, host, task }
}

impl Endpoint {
    /// The status code and the body of the answer.
    async fn call(&self, head: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.at).await.expect("connected");
        let request = format!(
            "{head}\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.at,
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("read");
        let status = answer.get(9..12).and_then(|code| code.parse().ok());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status.expect("a status"), body.to_owned())
    }
}

#[tokio::test]
async fn health_says_whether_anyone_is_let_in() {
    let endpoint = endpoint(None).await;
    let health = || endpoint.call("GET /healthz HTTP/1.1", "");
    assert_eq!(health().await, (200, "ok\n".to_owned()));
    endpoint.host.draining.store(true, Ordering::Relaxed);
    assert_eq!(health().await, (503, "draining\n".to_owned()));
}

#[tokio::test]
async fn the_status_has_the_shape_that_scripts_rely_on() {
    let endpoint = endpoint(None).await;
    let (status, body) = endpoint.call("GET /v1/status HTTP/1.1", "").await;
    assert_eq!(status, 200);
    let hash = "ab".repeat(32);
    let expected = format!(
        concat!(
            r#"{{"players":{{"connected":1,"max":4}},"#,
            r#""pending":{{"total":1,"deciding":0,"waiting":1,"max":32}},"#,
            r#""ledger":{{"claims":3}},"endpoints":1,"#,
            r#""doors":[{{"name":"main","protocol":"mafianet","peers":{{"closing":0,"pending":1}},"#,
            r#""held_bytes":9}}],"#,
            r#""policies":[{{"name":"rtyp","module":"builtin:rtyp","generation":2,"sha256":"{}","#,
            r#""state":"ok","fail":"closed","last_error":null,"recheck":{{"at":1767225600000,"forced":false,"#,
            r#""seated":9,"refused":4,"ended":0,"unanswered":1,"stopped":true}}}}],"rules":[],"#,
            r#""buckets":[{{"name":"bans","file":"bans.txt","state":"failed-to-load","entries":12,"put":1,"#,
            r#""loaded_at":1767225600000,"last_error":"bans.txt is not there"}}],"#,
            r#""evidence":{{"mode":"self-hosted","why":"[discovery] has a token","discovery":{{"state":"listed","server_id":"a:1","last_error":null}},"sdk":null}},"#,
            r#""requests":[{{"id":8,"door":"main","address":"192.0.2.8:4000","state":"waiting","waited_ms":1500}}],"#,
            r#""sessions":[{{"id":7,"player":2,"name":"R9\u009b2J\u202e","door":"main","address":"[2001:db8::7]:4000","#,
            r#""bound":true,"connected_ms":61000}}]}}"#
        ),
        hash
    );
    assert_eq!(body, expected);
}

#[tokio::test]
async fn every_refusal_says_why_with_the_right_code() {
    let endpoint = endpoint(None).await;
    let long = format!("{{\"reason\": \"{}\"}}", "x".repeat(2000));
    let huge = "x".repeat(17 * 1024);
    let cases: &[(&str, &str, u16, &str)] = &[
        ("POST /v1/policies/rtyp/reload", "", 200, "\"generation\":3"),
        (
            "POST /v1/policies/none/reload",
            "",
            404,
            "there is no policy named \\\"none\\\"",
        ),
        (
            "POST /v1/policies/broken/reload",
            "",
            422,
            "broken: is empty",
        ),
        (
            "POST /v1/policies/rtyp/rollback",
            "",
            409,
            "no older generation",
        ),
        (
            "POST /v1/policies/bans/recheck",
            "",
            202,
            "{\"forced\":false,\"policy\":\"bans\"}",
        ),
        (
            "POST /v1/policies/bans/recheck?force=false",
            "",
            202,
            "\"forced\":false",
        ),
        (
            "POST /v1/policies/rtyp/recheck?force=true",
            "",
            202,
            "\"forced\":true",
        ),
        (
            "POST /v1/policies/rtyp/recheck?force=yes",
            "",
            400,
            "?force=true",
        ),
        (
            "POST /v1/policies/none/recheck",
            "",
            404,
            "there is no policy named \\\"none\\\"",
        ),
        ("GET /v1/policies/rtyp/recheck", "", 405, "another method"),
        ("POST /v1/sessions/7/kick", "", 200, "\"kicked\":7"),
        (
            "POST /v1/sessions/7/kick",
            "{\"reason\": \"rude\"}",
            200,
            "\"kicked\":7",
        ),
        ("POST /v1/sessions/8/kick", "", 404, "there is no session"),
        (
            "POST /v1/sessions/seven/kick",
            "",
            404,
            "there is no session",
        ),
        ("POST /v1/sessions/7/kick", "rude", 400, "the body must be"),
        (
            "POST /v1/sessions/7/kick",
            "{\"why\": \"rude\"}",
            400,
            "the body must be",
        ),
        ("POST /v1/sessions/7/kick", &long, 400, "at most 1024 bytes"),
        ("POST /v1/sessions/7/kick", &huge, 413, "error"),
        ("GET /v1/policies/rtyp/reload", "", 405, "another method"),
        ("GET /v2/status", "", 404, "no such path"),
        ("POST /v1/policies/%ff/reload", "", 400, "UTF-8"),
        ("POST /v1/sessions/%ff/kick", "", 400, "UTF-8"),
    ];
    for (head, body, status, contains) in cases {
        let (got, answer) = endpoint.call(&format!("{head} HTTP/1.1"), body).await;
        assert_eq!(got, *status, "{head} {body:.40}: {answer}");
        assert!(answer.contains(contains), "{head} {body:.40}: {answer}");
        if got >= 300 {
            assert!(answer.starts_with("{\"error\":\""), "{answer}");
        }
    }
}

#[tokio::test]
async fn a_token_is_needed_for_everything_but_health() {
    let endpoint = endpoint(Some("0123456789abcdef")).await;
    let (status, body) = endpoint.call("GET /metrics HTTP/1.1", "").await;
    assert_eq!(status, 401);
    assert!(body.starts_with("{\"error\":\""), "{body}");
    assert_eq!(endpoint.call("GET /healthz HTTP/1.1", "").await.0, 200);
    let head = "GET /metrics HTTP/1.1\r\nAuthorization: Bearer 0123456789abcdef";
    assert_eq!(endpoint.call(head, "").await.0, 200);
}

#[tokio::test]
async fn metrics_carry_what_the_host_reports() {
    let endpoint = endpoint(None).await;
    let (status, body) = endpoint.call("GET /metrics HTTP/1.1", "").await;
    assert_eq!(status, 200);
    for line in [
        "usher_players 1",
        "usher_players_max 4",
        "usher_pending 1",
        "usher_claims 3",
        "usher_policy_calls_total{policy=\"rtyp\"} 11",
        "usher_policy_faults_total{policy=\"rtyp\"} 1",
        "usher_policy_generation{policy=\"rtyp\"} 2",
        "usher_bucket_entries{bucket=\"bans\"} 12",
        "usher_knocks_shed_total 5",
        "usher_audit_records_lost_total 6",
    ] {
        assert!(body.lines().any(|found| found == line), "{line}\n{body}");
    }
}

#[tokio::test]
async fn whoever_says_nothing_or_never_ends_is_cut_off() {
    let config = Admin {
        listen: "127.0.0.1:0".parse().expect("an address"),
        token: None,
    };
    let mut server = Server::bind(&config).await.expect("a port");
    server.patience = Duration::from_millis(20);
    let at = server.local_addr();
    let task = tokio::spawn(server.serve(Arc::new(Fake::default()), Metrics::new()));
    let whole = format!("GET /healthz HTTP/1.1\r\nHost: {at}\r\n\r\n");
    let kick = "POST /v1/sessions/7/kick HTTP/1.1";
    let half = format!("{kick}\r\nHost: {at}\r\nContent-Length: 9\r\n\r\n{{");
    for head in ["", "GET /healthz HTTP/1.1\r\n", &whole, &half] {
        let mut stream = TcpStream::connect(at).await.expect("connected");
        stream.write_all(head.as_bytes()).await.expect("written");
        let mut answer = Vec::new();
        let closed = stream.read_to_end(&mut answer);
        let closed = tokio::time::timeout(Duration::from_secs(30), closed).await;
        let closed = closed.unwrap_or_else(|_| panic!("the server closes first: {head:?}"));
        closed.expect("in good order");
    }
    task.abort();
}

/// Whoever sent call after call and read no answer kept one of few places for ever.
#[tokio::test]
async fn a_connection_has_one_call() {
    let endpoint = endpoint(None).await;
    let mut stream = TcpStream::connect(endpoint.at).await.expect("connected");
    let call = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", endpoint.at);
    let twice = call.repeat(2);
    stream.write_all(twice.as_bytes()).await.expect("written");
    let mut answer = Vec::new();
    // It may be reset, because the second call is never read.
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer);
    assert_eq!(answer.matches("HTTP/1.1 200").count(), 1, "{answer}");
}

#[tokio::test]
async fn with_the_endpoint_its_connections_end() {
    let endpoint = endpoint(None).await;
    let mut idle = TcpStream::connect(endpoint.at).await.expect("connected");
    // Once this is answered, the one before it was taken.
    endpoint.call("GET /healthz HTTP/1.1", "").await;
    let host = endpoint.host.clone();
    drop(endpoint);
    let mut rest = [0];
    let closed = idle.read(&mut rest);
    let closed = tokio::time::timeout(Duration::from_secs(5), closed).await;
    assert!(closed.is_ok(), "it goes on without the endpoint");
    assert_eq!(Arc::strong_count(&host), 1, "nothing holds the host");
}
