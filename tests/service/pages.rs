//! The dashboard without a browser: what it says, and that nothing of others becomes markup.

use std::fs;

use crate::sent::{run, tar};
use crate::started::{Answer, PUSH, Service};

fn put(service: &Service, name: &str, cores: u32) {
    let authorization = format!("Bearer {PUSH}");
    let path = format!("/api/v1/runs/{name}");
    let answer = service.ask("PUT", &path, &[("Authorization", &authorization)], &tar(&run(name, cores)));
    assert_eq!(answer.status, 201, "{}", answer.text());
}

/// A contract in a form, as a browser sends it.
fn form(service: &Service, name: &str, content: &[u8]) -> Answer {
    let head = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: application/wasm\r\n\r\n"
    );
    let body = [head.as_bytes(), content, b"\r\n--x--\r\n"].concat();
    service.ask("POST", "/price", &[("Content-Type", "multipart/form-data; boundary=x")], &body)
}

#[test]
fn every_page_is_there_before_and_after_the_first_run() {
    let service = Service::start();
    for path in ["/", "/fleet", "/runs", "/price"] {
        assert_eq!(service.get(path).status, 200, "{path}");
    }
    assert_eq!(service.get("/trends").status, 404);
    put(&service, "one", 2);
    put(&service, "two", 4);
    for path in ["/", "/fleet", "/trends", "/runs", "/runs?before=2", "/runs/one", "/runs/one/report", "/price"] {
        let page = service.get(path);
        assert_eq!(page.status, 200, "{path}");
        assert!(page.header("content-type").unwrap().starts_with("text/html"), "{path}");
        assert!(page.text().contains("<h1>"), "{path}");
    }
}

#[test]
fn the_fleet_shows_each_machine_and_the_one_that_decides() {
    let service = Service::start();
    put(&service, "one", 2);
    put(&service, "two", 4);
    let fleet = service.get("/api/v1/fleet").json();
    let machines: Vec<String> =
        fleet["machines"].as_array().unwrap().iter().map(|run| run["machine"].as_str().unwrap().to_owned()).collect();
    assert_eq!(machines.len(), 2, "{fleet}");
    let decides = fleet["envelope"]["memory_init_base"]["machine"].as_str().unwrap();
    for path in ["/", "/fleet"] {
        let page = service.get(path).text();
        for machine in &machines {
            assert!(
                page.contains(&format!("<a href=\"/trends?machine={machine}\">{machine}</a>")),
                "{path}: {machine}"
            );
        }
        assert!(page.contains("machine that decides") && page.contains(decides), "{path}");
    }
    let trend = service.get(&format!("/trends?machine={}", machines[1])).text();
    assert!(trend.contains(&format!("Machine {}", machines[1])) && trend.contains("<svg"), "{trend}");
    assert_eq!(service.get("/trends?machine=none").status, 404);
}

#[test]
fn a_contract_that_a_person_sends_is_billed_as_the_quote_says() {
    let service = Service::start();
    let text = "(module (memory 17) (global (mut i32) (i32.const 1048576)) (data (i32.const 1048576) \"x\"))";
    let wasm = wat::parse_str(text).unwrap();
    let fee = service.post("/api/v1/price", &wasm).json()["price"]["fee"].as_u64().unwrap();
    let page = form(&service, "mine.wasm", &wasm);
    let grouped: String = fee
        .to_string()
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|chunk| std::str::from_utf8(chunk).unwrap())
        .collect::<Vec<_>>()
        .join("_");
    assert!(page.status == 200 && page.text().contains(&grouped), "{grouped} in {}", page.text());
    assert!(page.text().contains("The bill of mine.wasm") && page.text().contains("with a stack of 16 KiB"));
    for (answer, status) in [
        (form(&service, "mine.wasm", b"rubbish"), 422),
        (service.ask("POST", "/price", &[("Content-Type", "multipart/form-data; boundary=x")], b"--x--\r\n"), 400),
        (service.post("/price", &wasm), 400),
        (service.get("/runs/none"), 404),
        (service.get("/runs?last=0"), 400),
    ] {
        assert_eq!(answer.status, status, "{}", answer.text());
        assert!(answer.text().contains("<h1>") && answer.header("content-type").unwrap().starts_with("text/html"));
    }
}

#[test]
fn nothing_that_others_wrote_becomes_markup() {
    let service = Service::start();
    let hostile = "<script>alert(1)</script>\"'&";
    let record = serde_json::json!({
        "format": 2, "run": hostile, "sequence": 1, "night": hostile, "role": "first", "outcome": "measured",
        "created": "2026-01-01T00:00:00Z", "machine": hostile, "cpu": hostile, "strategy": hostile, "statistic": hostile, "reference": hostile,
        "contract_set": hostile, "wasmtime": hostile, "estimator": hostile, "budget_seconds": 1,
        "gas": { "memory_init_base": 1 },
        "estimates": [
            { "param": "memory_init_base", "line": "cost", "form": "reference", "value": 2e3, "low": 1e3, "high": 3e3 },
        ],
    });
    fs::write(service.path("hostile.jsonl"), record.to_string()).unwrap();
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    command.current_dir(service.folder.path()).args(["history", "import", "hostile.jsonl"]).assert().success();
    for path in ["/", "/fleet", "/trends", "/runs"] {
        let page = service.get(path).text();
        assert!(page.contains("&#60;script&#62;") && !page.contains("<script>alert"), "{path}: {page}");
    }
    let metrics = service.get("/metrics").text();
    assert!(metrics.contains("alert(1)</script>\\\"'&"), "{metrics}");
    assert_eq!(form(&service, "<script>.wasm", b"\0asm\x01\0\0\0").status, 200);
    assert!(!form(&service, "<script>.wasm", b"\0asm\x01\0\0\0").text().contains("<script>."));
}
