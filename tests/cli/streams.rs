use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::corpus::{corpus, linked, output};
use crate::folder::{Folder, GOOD};
use crate::stored::stored;

fn estimator(folder: &Folder, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    command.current_dir(folder.path()).env("HOME", folder.path()).env("PATH", "/nowhere").args(args);
    command
}

/// The end of a process that must end by itself.
fn ended(child: &mut Child, what: &str) -> ExitStatus {
    let deadline = Instant::now() + Duration::from_mins(2);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("{what} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The exit code and standard error of a command whose reader left before it wrote anything.
fn unheard(folder: &Folder, args: &[&str]) -> (Option<i32>, String) {
    let mut child = estimator(folder, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = stored();
    folder.write("params/current.toml", include_str!("../data/current.toml"));
    for args in [
        &["host"][..],
        &["host", "--format", "json"],
        &["completions", "bash"],
        &["diff", "params/current.toml", "params/current.toml"],
        &["export", "--format", "near"],
        &["report", "reports/run", "--format", "html"],
        &["fit", "reports/run"],
    ] {
        assert_eq!(unheard(&folder, args), (Some(0), String::new()), "{args:?}");
    }
}

#[test]
fn a_verdict_that_nobody_reads_is_still_the_exit_code() {
    let folder = Folder::new();
    let table = include_str!("../data/current.toml");
    folder.write("old.toml", table);
    folder.write("new.toml", table.replacen("gas = 122_000_000_000", "gas = 222_000_000_000", 1));
    let args = ["diff", "old.toml", "new.toml", "--exit-code"];
    assert_eq!(output(&folder, &args).0, 3);
    assert_eq!(unheard(&folder, &args), (Some(3), String::new()));
}

/// The list never ends, so that only the reader's leaving can end the command.
#[test]
fn a_listing_ends_when_its_reader_leaves() {
    let folder = corpus();
    for (command, format) in
        [("survey", "human"), ("survey", "csv"), ("survey", "json"), ("price", "human"), ("price", "csv")]
    {
        let args = [command, "-", "--format", format];
        let mut child = estimator(&folder, &args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut list = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || while list.write_all(b"corpus/c.wasm\ncorpus/none.wasm\n").is_ok() {});
        let mut stderr = child.stderr.take().unwrap();
        let drained = std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(rows.next().unwrap().is_ok() && rows.next().unwrap().is_ok());
        drop(rows);
        assert_eq!(ended(&mut child, command).code(), Some(0), "{args:?}");
        writer.join().unwrap();
        drained.join().unwrap().unwrap();
    }
}

#[test]
fn a_run_whose_readers_left_keeps_its_samples() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 8, 17, 64]");
    let args = ["run", "--contracts", "contracts", "--budget", "1s", "--seed", "1", "--strategy", "fresh-map"];
    let mut child = estimator(&folder, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    let code = ended(&mut child, "the run").code();
    assert!(matches!(code, Some(0 | 4 | 5)), "{code:?}");
    assert!(folder.read("reports/latest/samples.csv").lines().count() > 20);
    assert!(folder.join("reports/latest/report.html").exists());
}

const ODD: &str = "\u{1b}[2Jodd|`\u{202e}\n\u{9b}8m.wasm";

/// A corpus with names that command a terminal: of a file and of an import.
fn hostile() -> Folder {
    let folder = corpus();
    let import = r#"(module (import "\1b[31mred\e2\80\ae" "x" (func)) (memory 1))"#;
    folder.write("odd/import.wasm", wat::parse_str(import).unwrap());
    folder.write(&format!("odd/{ODD}"), linked(2, 1 << 16, ""));
    folder.write(&format!("odd/broken{ODD}"), "no module");
    folder
}

/// Whether nothing in a text acts on what is around it. The styles of the program itself are none of others.
fn is_safe(text: &str) -> bool {
    let mut text = text.to_owned();
    for style in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[33m"] {
        text = text.replace(style, "");
    }
    !text.contains(|c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c))
}

#[test]
fn data_has_the_same_bytes_for_a_terminal_and_a_pipe() {
    let folder = hostile();
    for command in ["survey", "price"] {
        for format in ["csv", "json"] {
            let [terminal, pipe] = ["always", "never"]
                .map(|color| output(&folder, &[command, "odd", "--format", format, "--color", color]).1);
            assert_eq!(terminal, pipe);
            assert!(is_safe(&pipe) && pipe.contains(r"\u"), "{pipe}");
        }
    }
    let (_, json, _) = output(&folder, &["survey", "odd", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = json["contracts"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["file"] == ODD), "JSON reads back as it was");
    assert!(rows.iter().any(|row| row["import_modules"] == "\u{1b}[31mred\u{202e}"), "JSON reads back as it was");
    let (_, csv, _) = output(&folder, &["survey", "odd", "--format", "csv"]);
    let files: Vec<String> =
        csv::Reader::from_reader(csv.as_bytes()).records().map(|row| row.unwrap()[0].to_owned()).collect();
    assert_eq!(files.len(), 3, "{csv}");
    assert!(files.iter().any(|file| file.starts_with(r"\u{1b}[2Jodd|`\u{202e}")), "{csv}");
}

#[test]
fn names_of_others_command_no_terminal() {
    let folder = hostile();
    folder.write(&format!("runs/{ODD}/night.json"), "{}");
    folder.write(&format!("runs/{ODD}/run.toml"), "format = \"\u{1b}[2J\"");
    folder.write(&format!("contracts/{ODD}/contract.toml"), "");
    let (odd, run, table) = (format!("odd/{ODD}"), format!("runs/{ODD}"), format!("odd/broken{ODD}"));
    let missing = format!("none{ODD}");
    for args in [
        &["survey", "odd"][..],
        &["survey", &missing],
        &["price", "odd"],
        &["price", &odd, &missing],
        &["verify", &missing],
        &["diff", &table, "params/current.toml"],
        &["diff", &missing, "params/current.toml"],
        &["export", "--format", "near", "--params", &table],
        &["promote", &table, "--onto", "params/current.toml", "--by", "me"],
        &["compile", "--contracts", "contracts", "--out", &missing],
        &["fit", &run],
        &["report", &run],
        &["history", "rebuild", "runs"],
        &["history", "import", &table],
        &["nightly", "--settings", &table],
    ] {
        let (_, stdout, stderr) = output(&folder, &[args, &["--color", "always"]].concat());
        assert!(is_safe(&stdout) && is_safe(&stderr), "{args:?}: {stdout}{stderr}");
        assert!((stdout + &stderr).contains(r"\u{1b}[2J"), "{args:?}");
    }
    let (_, human, _) = output(&folder, &["survey", "odd"]);
    assert!(human.lines().any(|line| line.ends_with(r"  \u{1b}[2Jodd|`\u{202e}\n\u{9b}8m.wasm")), "{human}");
}

#[test]
fn a_full_disk_behind_standard_output_is_an_error_and_no_panic() {
    let folder = corpus();
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    for args in [&["host"][..], &["host", "--format", "json"], &["survey", "corpus"]] {
        let output = estimator(&folder, args).stdout(full.try_clone().unwrap()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.starts_with("error:") && !stderr.contains("panicked"), "{stderr}");
    }
}

#[test]
fn a_full_disk_behind_standard_error_stops_nothing() {
    let folder = Folder::new();
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    let output = estimator(&folder, &["run", "--contracts", "nowhere"]).stderr(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn completions_and_the_manual_page_are_printed() {
    let folder = Folder::new();
    for args in [&["completions", "bash"][..], &["completions", "--man"]] {
        let output = estimator(&folder, args).output().unwrap();
        assert!(output.status.success() && output.stdout.len() > 1000, "{args:?}");
        let Ok(full) = File::options().write(true).open("/dev/full") else { continue };
        let output = estimator(&folder, args).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && stderr.contains("cannot write to standard output"), "{stderr}");
    }
}
