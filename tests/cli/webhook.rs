//! The webhook behind TLS, with an authority of the tests' own.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::folder::{Folder, failure};

/// A server with the tests' certificate that takes one POST; what it got, or nothing if the handshake came to nothing.
fn server() -> (u32, JoinHandle<(Option<String>, TcpListener)>) {
    let data =
        |name: &str| std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)).unwrap();
    let certificate = CertificateDer::from(data("server.der"));
    let key = PrivatePkcs8KeyDer::from(data("server.key.der"));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(config)).unwrap(), stream);
        (post(&mut stream).ok(), listener)
    });
    (port.into(), served)
}

fn post(stream: &mut (impl std::io::Read + std::io::Write)) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let stream = reader.into_inner();
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
    stream.flush()?;
    Ok(String::from_utf8(body).unwrap())
}

/// A night that fails at once and posts to this host, with this file of authorities.
fn night(host: &str, port: u32, authorities: Option<&Path>) -> (i32, String) {
    let folder = Folder::new();
    let mut command = folder.estimator(&["nightly", "--contracts", "nowhere", "--budget", "1s"]);
    command.env("ESTIMATOR_WEBHOOK_URL", format!("https://{host}:{port}/secret-path"));
    command.env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR");
    for proxy in ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "https_proxy", "http_proxy"] {
        command.env_remove(proxy);
    }
    if let Some(file) = authorities {
        command.env("SSL_CERT_FILE", file);
    }
    let (code, stderr) = failure(&mut command);
    assert!(!stderr.contains("secret-path"), "{stderr}");
    (code, stderr)
}

fn authority() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls/ca.pem")
}

#[test]
fn a_certificate_of_an_authority_that_the_system_trusts_is_accepted() {
    let (port, served) = server();
    let (code, stderr) = night("127.0.0.1", port, Some(&authority()));
    let (body, _) = served.join().unwrap();
    assert!(code == 2 && body.is_some_and(|body| body.contains("nowhere")), "{stderr}");
}

#[test]
fn a_certificate_that_is_not_accepted_is_said_at_once() {
    let (port, served) = server();
    let (_, stderr) = night("127.0.0.1", port, None);
    let (body, listener) = served.join().unwrap();
    assert_eq!(body, None);
    assert!(stderr.contains("issuer that this system does not trust") && stderr.contains("SSL_CERT_FILE"), "{stderr}");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "it was tried once");
}

#[test]
fn authorities_that_are_named_and_not_there_are_said() {
    let (_, stderr) = night("127.0.0.1", 9, Some(Path::new("/nowhere/ca.pem")));
    assert!(stderr.contains("SSL_CERT_FILE") && stderr.contains("/nowhere/ca.pem"), "{stderr}");
}

/// To the parser 99999 is no port, and what is secret went to port 443.
#[test]
fn a_port_that_is_none_is_said_and_nothing_is_posted() {
    let (code, stderr) = night("127.0.0.1", 99_999, None);
    assert!(code == 2 && stderr.contains("ESTIMATOR_WEBHOOK_URL is no address"), "{code} {stderr}");
    assert!(!stderr.contains("secret-path"), "{stderr}");
}
