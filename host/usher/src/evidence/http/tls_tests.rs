//! `https`, against a server whose certificate a test trusts or does not. `tls_tests/` has an authority that
//! signed one certificate, for `localhost`; its own key is not kept.

use super::*;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(30),
    max_body: 16,
};

fn authority() -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(include_bytes!("tls_tests/ca.pem")).expect("a certificate")
}

/// A server that answers one connection, or has it fail.
fn server() -> (u16, thread::JoinHandle<()>) {
    let certificate = include_bytes!("tls_tests/cert.pem");
    let certificate = CertificateDer::from_pem_slice(certificate).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls_tests/key.pem")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has them")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("they belong together");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let serving = thread::spawn(move || {
        let (socket, _) = listener.accept().expect("a connection");
        let tls = ServerConnection::new(Arc::new(config)).expect("it can serve");
        let mut stream = StreamOwned::new(tls, socket);
        let mut asked = [0; 4096];
        if let Ok(read) = stream.read(&mut asked)
            && read > 0
        {
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi";
            stream.write_all(answer).expect("written");
            stream.conn.send_close_notify();
            stream.flush().expect("written");
        }
    });
    (port, serving)
}

async fn asked(host: &str, roots: RootCertStore) -> Result<Vec<u8>, HttpError> {
    let settings = Settings {
        tls: true,
        keep: false,
        in_flight: 1,
    };
    let tls = trusting()?.with_root_certificates(roots);
    let http = Http::with(settings, tls.with_no_client_auth());
    let (port, serving) = server();
    let uri = format!("https://{host}:{port}/").parse();
    let answer = http.request(Call::get(uri.expect("an address")), LIMITS);
    let answer = answer.await;
    serving.join().expect("no panic");
    answer.map(|answer| answer.body)
}

fn trusted() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(authority()).expect("it is one");
    roots
}

#[tokio::test]
async fn who_shows_a_certificate_that_is_trusted_is_asked() {
    let answer = asked("localhost", trusted()).await;
    assert_eq!(answer.as_deref(), Ok(&b"hi"[..]));
}

#[tokio::test]
async fn who_shows_another_is_told_nothing() {
    let nobody = asked("localhost", RootCertStore::empty()).await;
    assert_eq!(nobody, Err(HttpError::Untrusted));
    let elsewhere = asked("127.0.0.1", trusted()).await;
    assert_eq!(elsewhere, Err(HttpError::Untrusted), "it is another name's");
}
