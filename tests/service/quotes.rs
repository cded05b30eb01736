//! Fee quotes, the table in force and exports.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::started::{Answer, Service, answer, folder, until};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A contract as linkers make it by default: a stack of 1 MiB before some data.
fn contract() -> Vec<u8> {
    let text = "(module (memory 17) (global (mut i32) (i32.const 1048576))
        (global (export \"__heap_base\") i32 (i32.const 1048592)) (data (i32.const 1048576) \"abcd\"))";
    wat::parse_str(text).unwrap()
}

fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, &answer.json()["error"]), (status, &code.into()), "{}", answer.text());
}

#[test]
fn a_contract_is_priced_as_the_command_prices_it() {
    let service = Service::start();
    let quote = service.post("/api/v1/price", &contract());
    assert_eq!(quote.status, 200, "{}", quote.text());
    std::fs::write(service.path("contract"), contract()).unwrap();
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    let args = ["price", "--params", "params/current.toml", "--format", "json", "contract"];
    let output = command.current_dir(service.folder.path()).args(args).output().unwrap();
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let quote = quote.json();
    assert_eq!(quote["price"], rows["contracts"][0], "{rows}");
    assert!(quote["price"]["fee_of_stack"].is_u64() && quote["facts"]["stack_bytes"] == 1 << 20, "{quote}");
    assert_eq!(quote["facts"]["sha256"], sha256(&contract()));
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    format!("{:x}", sha2::Sha256::digest(bytes))
}

#[test]
fn gzip_is_priced_the_same_whether_a_header_says_so_or_not() {
    let service = Service::start();
    let (plain, zipped) = (service.post("/api/v1/price", &contract()), gzip(&contract()));
    for headers in [&[][..], &[("Content-Encoding", "gzip")]] {
        assert_eq!(service.ask("POST", "/api/v1/price", headers, &zipped).json(), plain.json());
    }
    let other = service.ask("POST", "/api/v1/price", &[("Content-Encoding", "br")], &zipped);
    refused(&other, 415, "encoding");
}

#[test]
fn what_is_no_contract_or_too_large_is_refused() {
    let service = Service::start();
    refused(&service.post("/api/v1/price", b""), 422, "no-module");
    refused(&service.post("/api/v1/price", b"<html>"), 422, "no-module");
    refused(&service.post("/api/v1/price", &contract()[..20]), 422, "no-module");
    let bomb = gzip(&vec![0; 100 << 20]);
    assert!(bomb.len() < 1 << 20);
    refused(&service.post("/api/v1/price", &bomb), 413, "too-large");
    // What the length says is refused before a byte of it comes.
    refused(&answer(service.begin("POST", "/api/v1/price", &[], 100 << 20)), 413, "too-large");
    let many = service.post("/api/v1/price", &vec![0; 9 << 20]);
    refused(&many, 413, "too-large");
    assert_eq!(service.post("/api/v1/price", &contract()).status, 200);
}

#[test]
fn clients_that_hold_bodies_back_leave_room_for_others_or_those_are_told_to_wait() {
    let service = Service::start();
    let mut slow: Vec<_> = (0..8).map(|_| service.begin("POST", "/api/v1/price", &[], 8 << 20)).collect();
    let metric = |line: &str| service.get("/metrics").text().contains(&format!("{line}\n"));
    until("all have begun", || metric("estimator_http_requests_in_flight 9"));
    assert_eq!(service.post("/api/v1/price", &contract()).status, 200, "what was not sent takes no room");
    for client in &mut slow {
        client.write_all(&vec![0; (8 << 20) - 1]).unwrap();
    }
    until("there is no room", || metric(&format!("estimator_http_bodies_bytes {}", 64 << 20)));
    let busy = service.post("/api/v1/price", &contract());
    refused(&busy, 503, "busy");
    assert!(busy.header("retry-after").is_some());
    assert_eq!(service.get("/api/v1/params").status, 200);
    drop(slow);
    until("there is room", || service.post("/api/v1/price", &contract()).status == 200);
    until("they are gone", || metric("estimator_http_requests_in_flight 1"));
}

#[test]
fn the_table_in_force_comes_with_its_changes_and_is_not_sent_twice() {
    let service = Service::start();
    let first = service.get("/api/v1/params");
    let tag = first.header("etag").unwrap().to_owned();
    let json = first.json();
    assert_eq!(json["changes"][0]["number"], 1);
    assert!(
        json["changes"][0]["accepted_by"].is_string() && json["table"]["params"]["memory_init_base"]["gas"].is_u64()
    );
    for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
        let again = service.ask("GET", "/api/v1/params", &[("If-None-Match", &known)], b"");
        assert!(again.status == 304 && again.body.is_empty(), "{known}");
        assert_eq!(again.header("etag"), Some(tag.as_str()));
    }
    let current = std::fs::read_to_string(service.path("params/current.toml")).unwrap();
    std::fs::write(service.path("new"), current.replace("memory_grow_per_page", "another_name")).unwrap();
    std::fs::rename(service.path("new"), service.path("params/current.toml")).unwrap();
    let changed = service.ask("GET", "/api/v1/params", &[("If-None-Match", &tag)], b"");
    assert!(changed.status == 200 && changed.header("etag") != Some(tag.as_str()));
}

#[test]
fn without_a_table_in_force_there_is_no_quote_and_the_rest_goes_on() {
    let empty = folder();
    std::fs::remove_dir_all(empty.path().join("params")).unwrap();
    let service = Service::with(empty, &[]);
    for answer in [service.post("/api/v1/price", &contract()), service.get("/api/v1/params")] {
        refused(&answer, 503, "no-table");
    }
    assert_eq!(service.get("/readyz").json()["table"], false);
}

#[test]
fn exports_are_those_of_the_command() {
    let service = Service::start();
    let mut noted = 0;
    for (format, query) in
        [("near", ""), ("substrate", ""), ("fvm", ""), ("json", ""), ("stylus", "?gas_per_second=7000000")]
    {
        let served = service.get(&format!("/api/v1/export/{format}{query}"));
        assert_eq!(served.status, 200, "{format}");
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
        command.current_dir(service.folder.path()).args(["export", "--format", format]);
        if !query.is_empty() {
            command.args(["--gas-per-second", "7000000"]);
        }
        let output = command.env("NO_COLOR", "1").output().unwrap();
        assert_eq!(served.text(), String::from_utf8(output.stdout).unwrap());
        let sent: Vec<String> = serde_json::from_str(served.header("estimator-notes").unwrap()).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let said: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("note: ")).collect();
        assert_eq!(sent, said, "{format}");
        noted += sent.len();
    }
    assert!(noted > 0, "some format has notes");
    refused(&service.get("/api/v1/export/cobol"), 404, "no-format");
    refused(&service.get("/api/v1/export/stylus"), 400, "bad-request");
    refused(&service.get("/api/v1/export/near?gas_per_second=0"), 400, "bad-request");
    refused(&service.get("/api/v1/export/%ff"), 400, "bad-request");
}
