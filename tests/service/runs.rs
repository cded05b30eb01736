//! Runs that nodes send: there whole and once, or not at all.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use serde_json::{Value, json};
use tar::{EntryType, Header};

use crate::sent::{Files, change, gzip, on_disk, run, tar};
use crate::started::{Answer, PUSH, READ, Service, answer, command, folder, until};

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

fn put(service: &Service, name: &str, body: &[u8]) -> Answer {
    service.ask("PUT", &format!("/api/v1/runs/{name}"), &[("Authorization", &bearer(PUSH))], body)
}

fn recorded(service: &Service) -> Vec<String> {
    let runs = service.get("/api/v1/runs").json();
    let names: Vec<String> =
        runs["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap().to_owned()).collect();
    assert_eq!(runs["count"], names.len());
    names
}

/// What is in the folder of the runs apart from the history.
fn folders(service: &Service) -> Vec<String> {
    let entries = fs::read_dir(service.path("reports")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with("history.") && name != ".serve.lock").collect();
    names.sort();
    names
}

fn push(service: &Service, run: &std::path::Path, token: &str) -> (i32, String) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    fs::write(service.path("token"), token).unwrap();
    command.current_dir(service.folder.path()).arg("push").arg(run);
    command.args(["--to", &format!("http://{}", service.address), "--token-file", "token"]);
    let output = command.env("NO_COLOR", "1").output().unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (output.status.code().unwrap(), said)
}

#[test]
fn a_run_that_is_pushed_is_fitted_recorded_and_shown_and_there_once() {
    let service = Service::start();
    let node = on_disk(service.folder.path(), "one", &run("one", 2));
    fs::write(node.join("report.html"), "<script>alert(1)</script>").unwrap();
    let (code, said) = push(&service, &node, PUSH);
    assert!(code == 0 && said.contains("Run one is there now: "), "{said}");
    let (code, said) = push(&service, &node, PUSH);
    assert!(code == 0 && said.contains("Run one was there already: "), "{said}");
    assert_eq!((recorded(&service), folders(&service)), (vec!["one".to_owned()], vec!["one".to_owned()]));
    let record = service.get("/api/v1/runs/one").json();
    assert_eq!((&record["run"], &record["role"], &record["sequence"]), (&"one".into(), &"single".into(), &1.into()));
    let report = service.get("/api/v1/runs/one/report");
    assert!(report.header("content-type").unwrap().starts_with("text/html"));
    assert!(report.text().contains("memory_init_per_page") && !report.text().contains("alert(1)"));
    for path in ["/api/v1/runs/two", "/api/v1/runs/two/report"] {
        assert_eq!(service.get(path).json()["error"], "no-run", "{path}");
    }
    for path in ["/api/v1/runs/..%2Fone/report", "/api/v1/runs/.hidden", "/api/v1/runs/%00"] {
        assert_eq!(service.get(path).status, 400, "{path}");
    }
}

#[test]
fn every_coding_of_the_archive_gives_the_same_run() {
    let service = Service::start();
    let plain = tar(&run("one", 2));
    assert_eq!(put(&service, "one", &plain).status, 201);
    let zstd = ruzstd::encoding::compress_to_vec(&plain[..], ruzstd::encoding::CompressionLevel::Fastest);
    for again in [&plain, &gzip(&plain), &zstd] {
        let known = put(&service, "one", again);
        assert!(known.status == 200 && known.json()["new"] == false, "{}", known.text());
    }
}

#[test]
fn another_run_of_the_same_name_is_refused_and_changes_nothing() {
    let service = Service::start();
    assert_eq!(put(&service, "one", &tar(&run("one", 2))).status, 201);
    let before = fs::read(service.path("reports/one/samples.csv")).unwrap();
    let mut other = run("one", 2);
    change(&mut other, "samples.csv", "\n0,", "\n1,");
    let refused = put(&service, "one", &tar(&other));
    assert_eq!((refused.status, &refused.json()["error"]), (409, &"conflict".into()));
    let node = on_disk(service.folder.path(), "one", &other);
    let (code, said) = push(&service, &node, PUSH);
    assert!(code == 6 && said.contains("another run of this name is there"), "{code}: {said}");
    assert_eq!(fs::read(service.path("reports/one/samples.csv")).unwrap(), before);
    assert_eq!(folders(&service), ["one"]);
}

#[test]
fn without_a_token_to_push_nothing_is_written() {
    let service = Service::start();
    let node = on_disk(service.folder.path(), "one", &run("one", 2));
    let (code, said) = push(&service, &node, READ);
    assert!(code == 2 && said.contains("this token is for reading"), "{code}: {said}");
    let (code, said) = push(&service, &node, "wrong-wrong-wrong-wrong");
    assert!(code == 2 && said.contains("not known") && !said.contains("wrong-wrong"), "{code}: {said}");
    let (code, said) = push(&service, &node, "");
    assert!(code == 2 && said.contains("ESTIMATOR_PUSH_TOKEN"), "{code}: {said}");
    assert_eq!(service.ask("PUT", "/api/v1/runs/one", &[], &tar(&run("one", 2))).status, 401);
    assert!(folders(&service).is_empty());
    let open = Service::with(folder(), &[]);
    assert_eq!(put(&open, "one", &tar(&run("one", 2))).status, 403);
}

/// Runs that must not be taken, with what is said of each.
fn refused() -> Vec<(Files, &'static str)> {
    let changed = |file: &str, from: &str, to: &str| {
        let mut files = run("one", 2);
        change(&mut files, file, from, to);
        files
    };
    let without = |name: &str| run("one", 2).into_iter().filter(|(file, _)| file != name).collect::<Files>();
    let hash = format!("skipped = []\nsamples = \"{}\"", "0".repeat(64));
    let mut other_machine = run("one", 2);
    other_machine.push(("night.json".into(), night("one", "0123456789ab").into_bytes()));
    let mut other_night = run("one", 2);
    other_night.push(("night.json".into(), night("two", "0123456789ab").into_bytes()));
    vec![
        (run("two", 2), "is called two"),
        (without("samples.csv"), "samples.csv"),
        (without("run.toml"), "run.toml"),
        (without("chain.toml"), "chain.toml"),
        (changed("run.toml", "format = 2", "format = 9"), "format 9"),
        (changed("run.toml", "stopped = \"budget-spent\"\n", ""), "has not ended"),
        (changed("run.toml", "\"budget-spent\"", "\"interrupted\""), "has not ended"),
        (changed("run.toml", "experiment = \"memory\"", "experiment = \"rain\""), "rain"),
        (changed("run.toml", "skipped = []", &hash), "samples.csv is not as the run left it"),
        (changed("samples.csv", "\n0,", "\nx,"), "samples.csv"),
        (other_machine, "night.json is of machine 0123456789ab"),
        (other_night, "night.json is of the run two"),
    ]
}

fn night(run: &str, machine: &str) -> String {
    json!({
        "format": 2, "run": run, "sequence": 1, "night": run, "role": "first", "outcome": "measured",
        "created": "2026-01-01T00:00:00Z", "machine": machine, "cpu": "c", "strategy": "s", "statistic": "median",
        "reference": "", "contract_set": "c", "wasmtime": "1", "estimator": "1", "budget_seconds": 1,
    })
    .to_string()
}

#[test]
fn runs_that_cannot_be_used_are_refused_by_what_is_wrong_and_nothing_is_written() {
    let service = Service::start();
    for (files, said) in refused() {
        let answer = put(&service, "one", &gzip(&tar(&files)));
        let message = answer.json()["message"].as_str().unwrap_or_default().to_owned();
        assert_eq!((answer.status, &answer.json()["error"]), (422, &"no-run".into()), "{said}: {message}");
        assert!(message.contains(said) && !message.contains(".incoming"), "{said}: {message}");
    }
    assert!(folders(&service).is_empty() && recorded(&service).is_empty());
}

#[test]
fn archives_that_lead_elsewhere_or_never_end_are_refused_and_nothing_is_written() {
    let service = Service::start();
    let mut bomb = run("one", 2);
    bomb.push(("report.html".into(), vec![0; 140 << 20]));
    for (body, status) in [
        (b"<html>".to_vec(), 422),
        (Vec::new(), 422),
        (gzip(&tar(&bomb)), 413),
        (tar(&run("one", 2))[..3000].to_vec(), 422),
    ] {
        let refused = put(&service, "one", &body);
        assert_eq!(refused.status, status, "{}", refused.text());
    }
    let large = service.begin("PUT", "/api/v1/runs/one", &[("Authorization", &bearer(PUSH))], 100 << 20);
    assert_eq!(answer(large).status, 413);
    for (kind, name, said) in [
        (EntryType::Regular, "../escaped", "leads out"),
        (EntryType::Regular, "/tmp/escaped", "leads out"),
        (EntryType::Regular, "one/../../escaped", "leads out"),
        (EntryType::Symlink, "run.toml", "is a link"),
        (EntryType::Link, "samples.csv", "is a link"),
        (EntryType::Fifo, "samples.csv", "is neither a file nor a folder"),
    ] {
        let refused = put(&service, "one", &[entry(kind, name), tar(&run("one", 2))].concat());
        assert!(refused.status == 422 && refused.text().contains(said), "{name}: {}", refused.text());
    }
    for name in ["..%2Fone", "a%2Fb", ".one", "latest", "history.lock", "history.sqlite.rebuilt"] {
        assert_eq!(put(&service, name, &tar(&run("one", 2))).status, 400, "{name}");
    }
    assert!(folders(&service).is_empty() && !service.path("escaped").exists());
}

/// An entry of an archive that only somebody with bad intent writes.
fn entry(kind: EntryType, name: &str) -> Vec<u8> {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_size(0);
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.as_mut_bytes()[157..168].copy_from_slice(b"/etc/passwd");
    header.set_cksum();
    header.as_bytes().to_vec()
}

#[test]
fn a_run_that_has_arrived_is_recorded_though_its_client_has_gone() {
    let service = Service::start();
    let body = gzip(&tar(&run("one", 2)));
    let mut gone = service.begin("PUT", "/api/v1/runs/one", &[("Authorization", &bearer(PUSH))], body.len());
    gone.write_all(&body).unwrap();
    until("it is fitted", || {
        folders(&service)
            .iter()
            .any(|name| name == "one" || service.path("reports").join(name).join("one/fit.json").exists())
    });
    drop(gone);
    until("it is recorded", || recorded(&service) == ["one"]);
    // Its name is taken until the answer that nobody waits for.
    until("it is known", || match put(&service, "one", &body).status {
        503 => false,
        status => status == 200 || panic!("{status}"),
    });
}

#[test]
fn a_night_of_the_same_machine_is_left_to_record_itself() {
    let service = Service::start();
    let mut files = run("own", 2);
    files.push(("night.json".into(), night("own", "0123456789ab").into_bytes()));
    let from = on_disk(service.folder.path(), "own", &files);
    fs::rename(from, service.path("reports/own")).unwrap();
    let service = service.killed_and_started(&["--tokens", "tokens.toml"]);
    assert!(recorded(&service).is_empty() && folders(&service) == ["own"]);
}

#[test]
fn where_the_history_cannot_grow_a_run_is_taken_back_and_later_it_goes() {
    let service = Service::start();
    assert_eq!(put(&service, "one", &tar(&run("one", 2))).status, 201);
    let most = fs::metadata(service.path("reports/one/report.html")).unwrap().len() * 2;
    // Somebody who reads keeps the log from beginning anew, and others write until it is longer than files may be.
    let reader = rusqlite::Connection::open(service.path("reports/history.sqlite")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM runs;").unwrap();
    let others: Vec<String> = (0..1000).map(|number| night(&format!("other{number}"), "m")).collect();
    fs::write(service.path("others.jsonl"), others.join("\n")).unwrap();
    let mut import = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    import.current_dir(service.folder.path()).args(["history", "import", "others.jsonl"]).assert().success();
    assert!(fs::metadata(service.path("reports/history.sqlite-wal")).unwrap().len() > most);
    let args = ["--tokens", "tokens.toml"];
    let service = service.killed_and_started_by(&args, |folder, args| limited(folder, args, most / 512));
    let full = put(&service, "two", &tar(&run("two", 2)));
    assert_eq!((full.status, &full.json()["error"]), (507, &"full".into()), "{}", full.text());
    assert_eq!(
        (service.get("/api/v1/runs").json()["count"].clone(), folders(&service)),
        (1001.into(), vec!["one".into()])
    );
    let service = service.killed_and_started(&args);
    assert_eq!(put(&service, "two", &tar(&run("two", 2))).status, 201);
}

/// A service whose files may have so many blocks of 512 bytes.
fn limited(folder: &std::path::Path, args: &[&str], blocks: u64) -> Command {
    let whole = command(folder, args);
    let mut limited = Command::new("sh");
    limited.current_dir(folder).arg("-c").arg(format!("ulimit -f {blocks}; exec \"$0\" \"$@\""));
    limited.arg(whole.get_program()).args(whole.get_args());
    limited
}

#[test]
fn an_upload_that_breaks_off_leaves_nothing_and_the_next_one_all() {
    let service = Service::start();
    let body = gzip(&tar(&run("one", 2)));
    for sent in [0, 1, body.len() / 2, body.len() - 1] {
        let mut half = service.begin("PUT", "/api/v1/runs/one", &[("Authorization", &bearer(PUSH))], body.len());
        half.write_all(&body[..sent]).unwrap();
        drop(half);
    }
    // The name is free once the service knows that they have gone.
    let whole = loop {
        let answer = put(&service, "one", &body);
        if answer.status != 503 {
            break answer;
        }
    };
    assert_eq!(whole.status, 201, "{}", whole.text());
    assert_eq!((recorded(&service), folders(&service)), (vec!["one".to_owned()], vec!["one".to_owned()]));
}

/// `ESTIMATOR_KILLS=30 cargo test --release --test service kill` for as many.
#[test]
fn after_a_kill_in_the_middle_a_run_is_there_whole_or_not_at_all_and_the_next_push_ends_with_it_there() {
    let kills = std::env::var("ESTIMATOR_KILLS").map_or(4, |number| number.parse().unwrap());
    let args = ["--tokens", "tokens.toml"];
    let mut service = Service::start();
    let mut seen = [0, 0];
    for kill in 0..kills {
        let name = format!("run{kill}");
        let files = run(&name, 2);
        let body = gzip(&tar(&files));
        let mut begun =
            service.begin("PUT", &format!("/api/v1/runs/{name}"), &[("Authorization", &bearer(PUSH))], body.len());
        // Cut at other places each time: half sent, at work on all of it, fitted, in its place.
        let sent = if kill % 4 == 0 { body.len() / 2 } else { body.len() };
        begun.write_all(&body[..sent]).unwrap();
        until("it is so far", || {
            let all = folders(&service);
            let beside =
                all.iter().find(|found| found.starts_with('.')).map(|found| service.path("reports").join(found));
            let is_in_place = all.contains(&name);
            match kill % 4 {
                0 | 1 => is_in_place || beside.is_some(),
                2 => is_in_place || beside.is_some_and(|beside| beside.join(&name).join("fit.json").exists()),
                _ => is_in_place,
            }
        });
        service = service.killed_and_started(&args);
        let whole = folders(&service).contains(&name);
        seen[usize::from(whole)] += 1;
        assert_eq!(recorded(&service).contains(&name), whole, "{name}");
        assert!(!folders(&service).iter().any(|name| name.starts_with('.')), "{:?}", folders(&service));
        let (code, said) = push(&service, &on_disk(service.folder.path(), &name, &files), PUSH);
        assert_eq!(code, 0, "{said}");
        assert_eq!(recorded(&service).iter().filter(|found| **found == name).count(), 1);
    }
    assert_eq!(recorded(&service).len(), kills);
    assert!(seen[0] > 0 && seen[1] > 0, "not there and there: {seen:?}");
}

#[test]
fn a_run_that_was_put_in_its_place_and_not_recorded_is_recorded_by_the_next_start() {
    let service = Service::start();
    let body = tar(&run("one", 2));
    assert_eq!(put(&service, "one", &body).status, 201);
    let lost = |service: &Service| {
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(service.path(&format!("reports/history.sqlite{suffix}")));
        }
    };
    lost(&service);
    assert_eq!((service.get("/readyz").status, put(&service, "one", &body).status), (503, 500));
    assert!(!service.path("reports/history.sqlite").exists(), "none is made in its place");
    let service = service.killed_and_started(&["--tokens", "tokens.toml"]);
    assert_eq!(recorded(&service), ["one"]);
    let known = put(&service, "one", &body);
    assert!(known.status == 200 && known.json()["new"] == false, "{}", known.text());
}

#[test]
fn on_a_full_disk_nothing_is_kept_and_nothing_lost_and_later_it_goes() {
    let service = Service::start();
    assert_eq!(put(&service, "one", &tar(&run("one", 2))).status, 201);
    let most = fs::metadata(service.path("reports/one/report.html")).unwrap().len() / 512 - 20;
    let args = ["--tokens", "tokens.toml"];
    let service = service.killed_and_started_by(&args, |folder, args| limited(folder, args, most));
    let full = put(&service, "two", &tar(&run("two", 2)));
    assert_eq!((full.status, &full.json()["error"]), (507, &"full".into()), "{}", full.text());
    assert_eq!((recorded(&service), folders(&service)), (vec!["one".to_owned()], vec!["one".to_owned()]));
    let service = service.killed_and_started(&args);
    assert_eq!(put(&service, "two", &tar(&run("two", 2))).status, 201);
    assert_eq!(recorded(&service), ["two", "one"]);
}

#[test]
fn pages_of_runs_hold_each_once_and_a_machine_has_its_own() {
    let service = Service::start();
    for (name, cores) in [("a", 2), ("b", 4), ("c", 2)] {
        assert_eq!(put(&service, name, &tar(&run(name, cores))).status, 201);
    }
    let page = |query: &str| service.get(&format!("/api/v1/runs?{query}")).json();
    let names = |page: &Value| -> Vec<String> {
        page["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap().to_owned()).collect()
    };
    let first = page("last=2");
    assert_eq!((names(&first), &first["next"]), (vec!["c".to_owned(), "b".to_owned()], &2.into()));
    let second = page("last=2&before=2");
    assert_eq!((names(&second), &second["next"]), (vec!["a".to_owned()], &Value::Null));
    let machine = first["runs"][1]["machine"].as_str().unwrap();
    assert_eq!(names(&page(&format!("machine={machine}"))), ["b"]);
    assert!(names(&page("machine=none")).is_empty());
    let long = format!("machine={}", "x".repeat(101));
    for wrong in [
        "last=0",
        "last=501",
        "last=x",
        "before=-1",
        "before=0",
        "before=9007199254740992",
        &long,
        "colour=1",
        "last=1&last=2",
    ] {
        assert_eq!(service.get(&format!("/api/v1/runs?{wrong}")).status, 400, "{wrong}");
    }
}
