//! Who gets in, how much of it anybody can take, and the end.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;

use crate::started::{PUSH, READ, Service, answer, command, folder, tokens};

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

#[test]
fn beyond_loopback_it_starts_only_with_a_word_on_who_may_read() {
    let folder = folder();
    let output = command(folder.path(), &["--listen", "0.0.0.0:0"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("--tokens FILE") && stderr.contains("--public-read"), "{stderr}");
    assert!(!folder.path().join("reports").exists(), "nothing is made before that");
}

#[test]
fn beyond_loopback_reading_takes_a_token_and_probes_do_not() {
    let service = Service::with(folder(), &["--listen", "0.0.0.0:0", "--tokens", "tokens.toml"]);
    for path in ["/api/v1/params", "/metrics", "/no/such/page"] {
        let refused = service.get(path);
        assert_eq!(refused.status, 401, "{path}");
        assert!(refused.header("www-authenticate").is_some() && refused.json()["error"] == "unauthorized");
        assert_eq!(service.ask("GET", path, &[("Authorization", &bearer("no-such-token-at-all"))], b"").status, 401);
    }
    for token in [PUSH, READ] {
        assert_eq!(service.ask("GET", "/api/v1/params", &[("Authorization", &bearer(token))], b"").status, 200);
    }
    assert_eq!((service.get("/healthz").status, service.get("/readyz").status), (200, 200));
}

#[test]
fn with_public_read_everybody_reads_and_a_token_that_was_taken_out_writes_nothing_any_more() {
    let service = Service::with(folder(), &["--listen", "0.0.0.0:0", "--tokens", "tokens.toml", "--public-read"]);
    assert_eq!(service.get("/api/v1/params").status, 200);
    let other = "other-other-other-other";
    std::fs::write(service.path("tokens.toml"), tokens(&[("push", other)])).unwrap();
    service.signal("-HUP");
    assert_eq!(service.heard("tokens")["reloaded"], true);
    std::fs::write(service.path("tokens.toml"), "format = 1\nrubbish\n").unwrap();
    service.signal("-HUP");
    let said = service.heard("tokens");
    assert!(said["reloaded"] == false && said["cause"].as_str().unwrap().contains("tokens.toml:2"), "{said}");
}

#[test]
fn every_answer_has_the_headers_that_keep_browsers_from_harm() {
    let service = Service::start();
    for path in ["/healthz", "/api/v1/params", "/no/such/page"] {
        let answer = service.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(policy.contains("script-src 'sha256-") && !policy.contains("script-src 'unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert!(answer.header("cache-control").is_some());
    }
}

#[test]
fn what_is_not_there_or_cannot_be_done_is_said_in_one_shape() {
    let service = Service::start();
    for (method, path, status) in [
        ("GET", "/no/such/page", 404),
        ("GET", "/api/v1/params/", 404),
        ("DELETE", "/api/v1/params", 405),
        ("BREW", "/healthz", 405),
        ("GET", "/api/v1/params?colour=red", 400),
    ] {
        let answer = service.ask(method, path, &[], b"");
        assert_eq!(answer.status, status, "{method} {path}");
        let (json, keys) = (answer.json(), ["error", "message"]);
        assert!(keys.iter().all(|key| json[key].is_string()) && json.as_object().unwrap().len() == 2, "{json}");
    }
    assert!(service.ask("DELETE", "/api/v1/params", &[], b"").header("allow").unwrap().contains("GET"));
}

#[test]
fn the_log_has_a_line_of_json_for_each_request_and_no_token() {
    let service = Service::start();
    service.ask("GET", "/api/v1/params?x=%0a", &[("Authorization", &bearer(PUSH))], b"");
    let said = service.heard("request");
    assert_eq!(
        (&said["method"], &said["path"], &said["status"]),
        (&"GET".into(), &"/api/v1/params".into(), &400.into())
    );
    assert!(said["peer"].as_str().unwrap().starts_with("127.0.0.1:") && said["ms"].is_number(), "{said}");
    assert!(said["time"].as_str().unwrap().ends_with('Z') && !said.to_string().contains(PUSH), "{said}");
}

#[test]
fn headers_that_are_too_large_or_never_end_are_refused() {
    let service = Service::start();
    let large = "x".repeat(40 << 10);
    assert_eq!(service.ask("GET", "/healthz", &[("X-Large", &large)], b"").status, 431);
    let many: Vec<(String, &str)> = (0..200).map(|number| (format!("X-{number}"), "1")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(service.ask("GET", "/healthz", &many, b"").status, 431);
    let mut rubbish = TcpStream::connect(&service.address).unwrap();
    rubbish.write_all(b"\x16\x03\x01 not HTTP\r\n\r\n").unwrap();
    assert_eq!(answer(rubbish).status, 400);
    let mut silent = TcpStream::connect(&service.address).unwrap();
    silent.write_all(b"GET /healthz HT").unwrap();
    let mut rest = Vec::new();
    // The service hangs up by itself, with an answer or without.
    let _ = silent.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 200"), "{rest:?}");
    assert_eq!(service.get("/healthz").status, 200);
}

#[test]
fn at_sigterm_a_request_that_has_begun_is_answered_and_none_after_it() {
    let mut service = Service::start();
    let wasm = wat::parse_str("(module (memory 3))").unwrap();
    let mut begun = service.begin("POST", "/api/v1/price", &[], wasm.len());
    begun.write_all(&wasm[..4]).unwrap();
    // Once it is counted, it has begun.
    while !service.get("/metrics").text().contains("estimator_http_requests_in_flight 2") {}
    service.signal("-TERM");
    service.heard("stopping");
    assert!(TcpStream::connect(&service.address).is_err());
    begun.write_all(&wasm[4..]).unwrap();
    assert_eq!(answer(begun).status, 200);
    assert_eq!(service.heard("stopped")["in_time"], true);
    assert_eq!(service.ended().code(), Some(0));
}

#[test]
fn it_is_not_ready_without_its_history_and_says_nothing_of_where_that_is() {
    let service = Service::start();
    assert_eq!(service.get("/readyz").json(), serde_json::json!({ "ready": true, "runs": 0, "table": true }));
    let current = std::fs::read(service.path("params/current.toml")).unwrap();
    let put = |file: &str, content: &[u8]| {
        for log in ["history.sqlite-wal", "history.sqlite-shm"].iter().filter(|_| file.ends_with("sqlite")) {
            let _ = std::fs::remove_file(service.path("reports").join(log));
        }
        std::fs::write(service.path("other"), content).unwrap();
        std::fs::rename(service.path("other"), service.path(file)).unwrap();
    };
    for (file, content) in [("params/current.toml", "rubbish"), ("reports/history.sqlite", "no history at all")] {
        put(file, content.as_bytes());
        let refused = service.get("/readyz");
        assert_eq!((refused.status, &refused.json()["error"]), (503, &"not-ready".into()), "{file}");
        assert!(!refused.text().contains("history.sqlite") && !refused.text().contains("current.toml"));
        let cause = loop {
            let said = service.heard("request");
            if said["status"] == 503 {
                break said["cause"].as_str().unwrap().to_owned();
            }
        };
        assert!(cause.contains(file), "{cause}");
        put("params/current.toml", &current);
    }
    assert_eq!(service.get("/healthz").status, 200);
}

/// As systemd starts a service that has a unit for its socket.
#[test]
fn a_socket_that_is_handed_over_is_where_it_listens_and_says_who_may_read() {
    let handed = |listener: TcpListener, folder: &Path, args: &[&str]| {
        let whole = command(folder, args);
        let mut shell = Command::new("sh");
        let hand_over = "exec 3<&0 </dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\"";
        shell.current_dir(folder).args(["-c", hand_over]).arg(whole.get_program()).args(whole.get_args());
        shell.stdin(OwnedFd::from(listener));
        shell
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    // It is not yet there, and nobody is refused.
    let mut early = TcpStream::connect(&address).unwrap();
    early.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let folder = folder();
    let start = handed(listener, folder.path(), &["--listen", "127.0.0.1:1"]);
    let service = Service::of(folder, start);
    assert_eq!((&service.address, answer(early).status), (&address, 200));
    let open = TcpListener::bind("0.0.0.0:0").unwrap();
    let output = handed(open, service.folder.path(), &["--listen", "127.0.0.1:1"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("--public-read"), "{said}");
}
