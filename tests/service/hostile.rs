//! Clients that want harm, or know no better: others are answered meanwhile, and nothing is written.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::sent::{gzip, run, tar};
use crate::started::{Answer, PUSH, Service, answer, command, until};

fn bearer() -> String {
    format!("Bearer {PUSH}")
}

/// The answers to bytes that are sent as they are.
fn said(service: &Service, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(&service.address).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answers = Vec::new();
    let _ = stream.read_to_end(&mut answers);
    String::from_utf8_lossy(&answers).into_owned()
}

fn statuses(answers: &str) -> Vec<&str> {
    answers.lines().filter(|line| line.starts_with("HTTP/1.")).filter_map(|line| line.split(' ').nth(1)).collect()
}

/// A body of so many MiB that does not say how long it is.
fn endless(service: &Service, method: &str, path: &str, mebibytes: usize) -> Answer {
    let mut stream = TcpStream::connect(&service.address).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: {}\r\nTransfer-Encoding: chunked\r\n\r\n",
        bearer()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = [format!("{:x}\r\n", 1 << 20).as_bytes(), &vec![0; 1 << 20], b"\r\n"].concat();
    // The service may hang up before all of it has come.
    let _ = (0..mebibytes).try_for_each(|_| stream.write_all(&chunk)).and_then(|()| stream.write_all(b"0\r\n\r\n"));
    answer(stream)
}

fn metric(service: &Service, line: &str) -> bool {
    service.get("/metrics").text().contains(&format!("{line}\n"))
}

#[test]
fn a_body_that_does_not_say_how_long_it_is_ends_at_the_limit() {
    let service = Service::start();
    for (method, path, mebibytes) in
        [("POST", "/api/v1/price", 9), ("POST", "/price", 9), ("PUT", "/api/v1/runs/one", 40)]
    {
        assert_eq!(endless(&service, method, path, mebibytes).status, 413, "{path}");
    }
    assert_eq!(service.get("/api/v1/runs").json()["count"], 0);
    // Files of zeros are no tar, which says so only at its end.
    assert_eq!(endless(&service, "PUT", "/api/v1/runs/one", 1).status, 422);
    assert!(!service.path("reports/one").exists());
}

#[test]
fn old_clients_are_answered_and_what_is_no_request_is_refused() {
    let service = Service::start();
    let old = said(&service, b"GET /healthz HTTP/1.0\r\n\r\n");
    assert!(statuses(&old) == ["200"] && old.ends_with("{\"alive\":true}\n"), "{old}");
    let three = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /no HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert_eq!(statuses(&said(&service, three)), ["200", "404", "200"], "in their order");
    assert_eq!(
        statuses(&said(&service, b"GET http://elsewhere/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")),
        ["200"]
    );
    for refused in [
        &b"POST /api/v1/price HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"[..],
        b"POST /api/v1/price HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/v1/price HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nab",
        b"POST /api/v1/price HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nab",
        b"GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\n\r\n",
        b"GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT elsewhere:80 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ] {
        let answers = said(&service, refused);
        let found = statuses(&answers);
        assert!(found.len() <= 1 && found.iter().all(|status| status.starts_with('4')), "{refused:?}: {answers}");
    }
    // A length beside chunks: what follows the chunks is the next request, and not what the length says.
    let smuggled = b"POST /api/v1/price HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\na\r\n0\r\n\r\n";
    let answers = said(&service, smuggled);
    assert!(statuses(&answers).len() == 1 && statuses(&answers)[0].starts_with('4'), "{answers}");
    assert_eq!(service.get("/healthz").status, 200);
}

/// Descriptors for a thousand connections, where the system gives them; they are those of the test.
fn many_descriptors() -> usize {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let _ = setrlimit(Resource::RLIMIT_NOFILE, hard.min(8192).max(soft), hard);
    let (soft, _) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    usize::try_from(soft).unwrap().saturating_sub(500).min(1000)
}

#[test]
fn a_thousand_slow_clients_leave_memory_and_others_their_answers() {
    let clients = many_descriptors();
    let service = Service::start();
    let mut slow = Vec::new();
    for number in 0..clients {
        // Some never end their headers, some hold bodies back, some never read what they asked for.
        let mut stream = match number % 3 {
            0 => TcpStream::connect(&service.address).unwrap(),
            1 => service.begin("POST", "/api/v1/price", &[], 8 << 20),
            _ => service.begin("GET", "/api/v1/openapi.json", &[], 0),
        };
        let sent: &[u8] = if number % 3 == 0 { b"GET /healthz HTTP/1.1\r\nX: " } else { b"" };
        stream.write_all(sent).unwrap();
        if number % 3 == 1 {
            stream.write_all(&vec![0; 64 << 10]).unwrap();
        }
        slow.push(stream);
    }
    let wasm = wat::parse_str("(module (memory 3))").unwrap();
    assert_eq!((service.get("/healthz").status, service.post("/api/v1/price", &wasm).status), (200, 200));
    let status = fs::read_to_string(format!("/proc/{}/status", service.pid())).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kibibytes: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kibibytes < 200 << 10, "{kibibytes} KiB for {clients} clients");
    drop(slow);
    until("all have gone", || metric(&service, "estimator_http_connections 1"));
}

#[test]
fn clients_that_hang_up_give_back_what_they_held_and_are_written_down() {
    let service = Service::start();
    for _ in 0..20 {
        let mut gone = service.begin("POST", "/api/v1/price", &[], 8 << 20);
        gone.write_all(&vec![0; 1 << 20]).unwrap();
    }
    until("none is worked for", || metric(&service, "estimator_http_requests_in_flight 1"));
    until("no body is held", || metric(&service, "estimator_http_bodies_bytes 0"));
    let said = std::iter::repeat_with(|| service.heard("request")).find(|said| said["path"] == "/api/v1/price");
    assert!([499, 400].iter().any(|status| said.as_ref().unwrap()["status"] == *status), "{said:?}");
}

#[test]
fn a_second_service_on_the_same_folder_or_address_touches_nothing_of_the_first() {
    let service = Service::start();
    let body = gzip(&tar(&run("one", 2)));
    let mut begun = service.begin("PUT", "/api/v1/runs/one", &[("Authorization", &bearer())], body.len());
    begun.write_all(&body[..body.len() / 2]).unwrap();
    let incoming = || fs::read_dir(service.path("reports")).unwrap().flatten();
    until("it is unpacked", || incoming().any(|entry| entry.file_name().to_string_lossy().starts_with(".incoming-")));
    for (listen, word) in [("127.0.0.1:0", "another service"), (service.address.as_str(), "cannot listen")] {
        let second = command(service.folder.path(), &["--tokens", "tokens.toml", "--listen", listen]);
        let output = { second }.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(word), "{said}");
    }
    begun.write_all(&body[body.len() / 2..]).unwrap();
    assert_eq!(answer(begun).status, 201);
}
