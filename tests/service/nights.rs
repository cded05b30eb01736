//! Nights of several nodes in one service, and a node whose service is out of reach.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::sent::{Files, on_disk, run, tar};
use crate::started::{PUSH, Service, folder};

fn push(service: &Service, name: &str, files: &Files) {
    let run = on_disk(service.folder.path(), name, files);
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    command.arg("push").arg(run).args(["--to", &format!("http://{}", service.address)]);
    let output = command.env("ESTIMATOR_PUSH_TOKEN", PUSH).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What a text names that looks like a metric.
fn named_metrics(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_lowercase() && c != '_');
    words.filter(|word| word.starts_with("estimator_")).map(str::to_owned).collect()
}

/// A run with what its night was: on the last one, the gate of the node confirmed a change and told it.
fn night(name: &str, cores: u32, machine: &str, verdict: &str) -> Files {
    let mut files = run(name, cores);
    let finding = json!({
        "kind": "step", "figure": { "param": "memory_init_base", "line": "cost", "form": "reference" },
        "ratio": { "value": 1.1, "low": 1.05, "high": 1.15 }, "p_value": 1e-9, "since": name, "state": "changed", "key": name,
    });
    let findings = if verdict == "changed" { vec![finding] } else { Vec::new() };
    let record = json!({
        "format": 2, "run": name, "sequence": 1, "night": name, "role": "first", "outcome": "measured",
        "created": "2026-01-01T00:00:00Z", "machine": machine, "cpu": "c", "strategy": "s", "statistic": "median",
        "reference": "", "contract_set": "c", "wasmtime": "1", "estimator": "1", "budget_seconds": 1,
        "judgement": { "verdict": verdict, "findings": findings },
        "events": [{ "format": 1, "id": format!("changed/{name}"), "kind": "changed", "text": "t", "night": name,
                     "machine": machine, "cpu": "c" }],
    });
    files.push(("night.json".into(), record.to_string().into_bytes()));
    files
}

#[test]
fn two_nodes_push_three_nights_and_a_change_that_was_told_is_not_told_again() {
    let service = Service::start();
    // The classes of the two machines, as the service makes them out.
    for (name, cores) in [("a0", 2), ("b0", 4)] {
        push(&service, name, &run(name, cores));
    }
    let class =
        |name: &str| service.get(&format!("/api/v1/runs/{name}")).json()["machine"].as_str().unwrap().to_owned();
    let (a, b) = (class("a0"), class("b0"));
    assert_ne!(a, b);
    for number in 1..=3 {
        for (node, cores, machine) in [("a", 2, &a), ("b", 4, &b)] {
            let verdict = if node == "b" && number == 3 { "changed" } else { "steady" };
            let name = format!("{node}{number}");
            let files = night(&name, cores, machine, verdict);
            push(&service, &name, &files);
            push(&service, &name, &files);
        }
    }
    assert_eq!(service.get("/api/v1/runs").json()["count"], 8);
    let fleet = service.get("/api/v1/fleet").json();
    let last: Vec<&str> =
        fleet["machines"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert_eq!(last, ["a3", "b3"]);
    assert!(fleet["envelope"]["memory_init_base"]["machine"].is_string());
    let page = service.get("/fleet").text();
    assert!([a.as_str(), &b, "What covers them all", "/runs/a3", "/runs/b3"].iter().all(|said| page.contains(said)));
    let metrics = service.get("/metrics").text();
    for (machine, verdict) in [(&a, "steady"), (&b, "changed")] {
        let (of_machine, said) =
            (format!("estimator_machine_verdict{{machine=\"{machine}\",node="), format!("verdict=\"{verdict}\"}} 1.0"));
        let is_told = metrics.lines().any(|line| line.starts_with(&of_machine) && line.ends_with(&said));
        assert!(is_told, "{of_machine} {said} in {metrics}");
        assert!(metrics.contains(&format!("estimator_machine_probe_ratio{{machine=\"{machine}\"}} ")), "{metrics}");
    }
    for file in ["docs/service.md", "deploy/prometheus/estimator.rules.yml", "deploy/grafana/estimator.json"] {
        for name in named_metrics(&fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()) {
            assert!(metrics.contains(&name), "{file} names {name}");
        }
    }
    // What a night of the service's own machine would tell.
    let database = rusqlite::Connection::open(service.path("reports/history.sqlite")).unwrap();
    let events: i64 = database.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap();
    assert_eq!(events, 0);
    // What the node's gate told keeps the one of the service's own machine from telling nothing.
    let key = format!("{b}/b3");
    assert_eq!(service.get("/api/v1/runs/b3").json()["judgement"]["findings"][0]["key"], Value::from(key.clone()));
    let told: String = database.query_row("SELECT key FROM told", [], |row| row.get(0)).unwrap();
    assert_eq!(told, key);
}

#[test]
fn a_night_keeps_what_it_could_not_send_and_the_next_one_sends_it() {
    let node = folder();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/estimator-contracts/touch-memory-wat");
    let contract = node.path().join("contracts/touch");
    fs::create_dir_all(&contract).unwrap();
    fs::copy(format!("{root}/touch-memory.wat"), contract.join("touch.wat")).unwrap();
    let manifest = "format = 1\ndescription = \"test\"\nsource = \"touch.wat\"\nentry = \"touch\"\n[factors]\n\
                    initial_pages = [1, 2, 4, 8, 17, 64]\nstack_bytes = [\"16 KiB\"]\n";
    fs::write(contract.join("contract.toml"), manifest).unwrap();
    let (settings, _) = include_str!("../../params/chain.toml").split_once("[node]").unwrap();
    fs::write(node.path().join("params/chain.toml"), format!("{settings}[node]\n")).unwrap();
    fs::write(node.path().join("push.token"), format!("{PUSH}\n")).unwrap();
    let night = |to: &str| {
        let settings = format!(
            "format = 1\ncontracts = \"contracts\"\nbudget = \"1s\"\nstrategy = [\"fresh-map\"]\n[push]\nto = \"{to}\"\n\
             token_file = \"push.token\"\ntries = 1\n"
        );
        fs::write(node.path().join("nightly.toml"), settings).unwrap();
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
        command.current_dir(node.path()).arg("nightly").env("PATH", "/nowhere").env("HOME", node.path());
        let output = command.env_remove("ESTIMATOR_HISTORY").output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let unsent = || {
        let runs = fs::read_dir(node.path().join("reports")).unwrap();
        runs.filter(|run| run.as_ref().unwrap().path().join("unsent").exists()).count()
    };
    // A port that was free a moment ago, and that nobody listens at.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let said = night(&format!("http://{gone}"));
    let kept = unsent();
    assert!(kept >= 1 && said.contains("kept, and sent the next night"), "{said}");
    let service = Service::start();
    // One that the service has another run in the place of holds up none of the others.
    let authorization = format!("Bearer {PUSH}");
    let other =
        service.ask("PUT", "/api/v1/runs/0other", &[("Authorization", &authorization)], &tar(&run("0other", 4)));
    assert_eq!(other.status, 201, "{}", other.text());
    let refused = node.path().join("reports/0other");
    fs::rename(on_disk(node.path(), "0other", &run("0other", 2)), &refused).unwrap();
    fs::write(refused.join("unsent"), "there\n").unwrap();
    let said = night(&format!("http://{}", service.address));
    assert!(refused.join("refused").exists() && said.contains("a run is not sent again"), "{said}");
    assert!(said.contains(&format!("sent to http://{}", service.address)), "{said}");
    assert_eq!(unsent(), 0);
    // A machine that is too busy gives a night without a fit, which is no run to send.
    let fitted = fs::read_dir(node.path().join("reports")).unwrap();
    let fitted = fitted.map(|run| run.unwrap().path()).filter(|run| run.join("fit.json").exists() && !run.is_symlink());
    let fitted: Vec<String> = fitted.map(|run| run.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert!(fitted.len() >= kept, "{fitted:?}");
    for run in fitted {
        assert_eq!(service.get(&format!("/api/v1/runs/{run}")).status, 200, "{run}: {said}");
    }
}
