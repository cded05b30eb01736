use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::Stdio;
use std::thread;

use crate::folder::{Folder, GOOD, failure};

/// A folder in which nights can be measured shortly.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 8, 17, 64]");
    folder
}

const NIGHT: [&str; 9] =
    ["nightly", "--contracts", "contracts", "--budget", "1s", "--strategy", "fresh-map", "--node", "here"];

/// A night of any outcome that a busy machine may give; it is recorded whatever it was.
fn night(folder: &Folder) {
    let (code, stderr) = failure(&mut folder.estimator(&NIGHT));
    assert!([0, 3, 4, 5].contains(&code), "{code}: {stderr}");
}

fn listed(folder: &Folder) -> Vec<serde_json::Value> {
    let output = folder.estimator(&["history", "list", "--last", "1000", "--format", "json"]).output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    shown["runs"].as_array().unwrap().clone()
}

#[test]
fn a_dry_run_does_nothing() {
    let folder = folder();
    folder.estimator(&[&NIGHT[..], &["--dry-run"]].concat()).assert().success();
    assert!(!folder.join("reports").exists());
}

#[test]
fn a_dry_run_refuses_what_a_night_would() {
    let folder = folder();
    for flag in ["--contracts", "--chain"] {
        let (code, stderr) = folder.fails(&["nightly", "--dry-run", flag, "nowhere"]);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains("nowhere"), "{stderr}");
    }
}

#[test]
fn a_night_is_recorded_and_lost_databases_come_back_from_the_folders() {
    let folder = folder();
    night(&folder);
    let before = listed(&folder);
    assert!(!before.is_empty());
    folder.estimator(&["history", "check"]).assert().success();
    // Cut in the middle: damaged, set aside, and made again.
    let file = folder.join("reports/history.sqlite");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let (code, stderr) = folder.fails(&["history", "list"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("history rebuild"), "{stderr}");
    folder.estimator(&["history", "rebuild", "reports"]).assert().success();
    assert!(folder.join("reports/history.sqlite.old-1").exists());
    assert_eq!(listed(&folder), before);
}

#[test]
fn a_killed_night_is_recorded_by_the_next() {
    let folder = folder();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    command.current_dir(folder.path()).env("HOME", folder.path()).env("PATH", "/nowhere").args(NIGHT);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.into_iter().any(|line| line.starts_with("run ")), "it has begun to measure");
    child.kill().unwrap();
    child.wait().unwrap();
    night(&folder);
    let runs = listed(&folder);
    assert_eq!(runs[0]["outcome"], "unfinished");
    let mut names: Vec<String> = runs.iter().map(|run| run["run"].to_string()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), runs.len(), "none twice");

    // It goes on by hand, as advised, and the night after records how it ended.
    let name = runs[0]["run"].as_str().unwrap();
    let resumed = folder.estimator(&["run", "--resume", &format!("reports/{name}")]).output().unwrap();
    assert!([Some(0), Some(4), Some(5)].contains(&resumed.status.code()), "{resumed:?}");
    night(&folder);
    let after = listed(&folder);
    assert_eq!(after[0]["run"], runs[0]["run"], "it keeps its place");
    assert_ne!(after[0]["outcome"], "unfinished");
    assert_eq!(after[1], runs[1]);
}

#[test]
fn a_night_that_measures_something_else_says_so_everywhere() {
    let folder = folder();
    night(&folder);
    folder.contract("more", GOOD, "[2, 4]");
    let output = folder.estimator(&[&NIGHT[..], &["--format", "json"]].concat()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("alert: here: Run "), "{stderr}");
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let note = shown["notes"].to_string();
    for said in
        ["cannot be held against run", "its contract set is", "new: more", "Nothing was held against a table in force"]
    {
        assert!(note.contains(said), "{said}: {note}");
    }
    let events =
        shown["runs"].as_array().unwrap().iter().flat_map(|run| run["events"].as_array().into_iter().flatten());
    assert!(events.into_iter().any(|event| event["kind"] == "series"), "{shown}");
    let output = folder.estimator(&NIGHT).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(!stdout.contains("cannot be held against"), "told once: {stdout}");
}

#[test]
fn a_night_names_its_node_writes_metrics_and_keeps_what_it_is_told_to() {
    let folder = folder();
    let settings = "format = 1\ncontracts = \"contracts\"\nbudget = \"1s\"\nstrategy = [\"fresh-map\"]\nnode = \"node-7\"\n\
                    metrics.textfile = \"estimator.prom\"\nkeep.samples = 1\n";
    folder.write("s.toml", settings);
    let night = || {
        let (code, stderr) = failure(&mut folder.estimator(&["nightly", "--settings", "s.toml"]));
        assert!([0, 3, 4, 5].contains(&code), "{code}: {stderr}");
        stderr
    };
    night();
    let first = listed(&folder)[0]["run"].as_str().unwrap().to_owned();
    assert_eq!(listed(&folder)[0]["node"], "node-7");
    assert!(folder.read(&format!("reports/{first}/run.toml")).contains("node = \"node-7\""));
    let metrics = folder.read("estimator.prom");
    let last = metrics.lines().find(|line| line.starts_with("estimator_machine_last_run_timestamp_seconds{machine="));
    assert!(last.is_some() && metrics.ends_with("# EOF\n"), "{metrics}");
    assert!(folder.join(&format!("reports/{first}/samples.csv")).exists());

    let stderr = night();
    assert!(stderr.contains(&format!("removed by [keep]: the samples of {first}")), "{stderr}");
    assert!(!folder.join(&format!("reports/{first}/samples.csv")).exists());
    assert!(folder.join(&format!("reports/{first}/fit.json")).exists());
    let output = folder.estimator(&["history", "list"]).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("node-7") && shown.contains("charge"), "{shown}");
    let (code, stderr) = folder.fails(&["nightly", "--settings", "s.toml", "--node", "two\nlines", "--dry-run"]);
    assert!(code == 2 && stderr.contains("names no node"), "{stderr}");
}

#[test]
fn a_night_that_needs_the_toolchain_measures_nothing_without_it() {
    let folder = folder();
    let manifest = "format = 1\ndescription = \"test\"\nsource = \"rusty.rs\"\nentry = \"touch\"\n[factors]\n\
                    initial_pages = [1]\nstack_bytes = [\"16 KiB\"]\n";
    folder.write("contracts/rusty/contract.toml", manifest);
    folder.write("contracts/rusty/rusty.rs", "");
    folder.write("s.toml", "format = 1\ncontracts = \"contracts\"\nbudget = \"1s\"\nrequire_toolchain = true\n");
    let (code, stderr) = folder.fails(&["nightly", "--settings", "s.toml"]);
    assert_ne!(code, 0, "{stderr}");
    assert!(stderr.contains("rusty") && stderr.contains("rustup"), "{stderr}");
    assert!(listed(&folder).is_empty());
    let (_, stderr) = failure(&mut folder.estimator(&[&NIGHT[..], &["--require-toolchain"]].concat()));
    assert!(stderr.contains("rusty"), "{stderr}");
}

#[test]
fn a_night_whose_proposal_cannot_be_written_is_recorded_and_says_what_speaks_against_the_table() {
    let folder = folder();
    let nonsense = include_str!("../data/current.toml").replacen("gas = 143_000_000_000", "gas = 1", 1);
    folder.write("params/current.toml", nonsense);
    // No file system takes a name as long as this.
    let proposed = format!("{}.toml", "n".repeat(300));
    let output =
        folder.estimator(&[&NIGHT[..], &["--proposed", &proposed, "--format", "json"]].concat()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    // A fit that is rejected or not signed proposes nothing.
    let failed = output.status.code() == Some(1) && stderr.contains("the proposed table cannot be written");
    assert!(failed || matches!(output.status.code(), Some(4 | 5)), "{stderr}");
    assert!(stderr.contains("warning: params/current.toml: inconsistent: "), "{stderr}");
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["objections"][0]["name"], "inconsistent");
    assert_eq!(listed(&folder).len(), shown["runs"].as_array().unwrap().len());
}

#[test]
fn a_failed_night_posts_to_the_webhook_and_says_no_secret() {
    let folder = folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let answers = [
            "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nRetry-After: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        ];
        let mut bodies = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut length, mut line) = (0, String::new());
            while reader.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            bodies.push(String::from_utf8(body).unwrap());
        }
        bodies
    });
    let mut command = folder.estimator(&["nightly", "--contracts", "nowhere", "--budget", "1s"]);
    command.env("ESTIMATOR_WEBHOOK_URL", format!("http://127.0.0.1:{port}/secret-path"));
    let (code, stderr) = failure(&mut command);
    let bodies = server.join().unwrap();
    assert_eq!(code, 2, "{stderr}");
    assert!(!stderr.contains("secret-path"), "{stderr}");
    assert_eq!(bodies[0], bodies[1]);
    let body: serde_json::Value = serde_json::from_str(&bodies[1]).unwrap();
    assert!(body["text"].as_str().unwrap().contains("nowhere") && body.as_object().unwrap().len() == 1, "{body}");
}

#[test]
fn wrong_settings_are_usage_and_newer_ones_incompatible() {
    let folder = folder();
    for (text, code) in
        [("format = 1\ncolour = 1\n", 2), ("format = 2\n", 6), ("format = 1\nprofile = \"slow\"\n", 2), ("x", 2)]
    {
        folder.write("s.toml", text);
        assert_eq!(folder.fails(&["nightly", "--settings", "s.toml", "--dry-run"]).0, code, "{text}");
    }
    assert_eq!(folder.fails(&["history", "list", "--history", "nowhere.sqlite"]).0, 2);
}
