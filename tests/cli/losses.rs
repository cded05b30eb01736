//! Histories that are damaged, killed while they are written, on a full disk, or another user's: nothing is lost in silence.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::folder::{Folder, GOOD, failure};

/// Records as another machine exports them, a line each, with figures that stand nowhere else in the file.
fn exported(runs: u32) -> String {
    let line = |run: u32| {
        let estimate = |param: &str, value: f64| serde_json::json!({ "param": param, "line": "cost", "form": "reference", "value": value, "low": value, "high": value });
        let record = serde_json::json!({
            "format": 2, "run": format!("imported{run}"), "sequence": run, "night": format!("imported{run}"), "role": "first",
            "outcome": "measured", "created": "2026-01-01T00:00:00Z", "machine": "0123456789ab", "cpu": "a processor",
            "strategy": "fresh-map", "statistic": "median", "reference": "", "contract_set": "c0", "wasmtime": "48.0.8", "estimator": "0.1.0",
            "budget_seconds": 600,
            "estimates": [estimate("memory_init_base", value(run)), estimate("memory_init_per_page", value(run) / 3.0)],
        });
        record.to_string() + "\n"
    };
    (1..=runs).map(line).collect()
}

fn value(run: u32) -> f64 {
    1234.5 + f64::from(run) / 7.0
}

fn imported(runs: u32) -> Folder {
    let folder = Folder::new();
    folder.write("other.jsonl", exported(runs));
    fs::create_dir_all(folder.join("reports")).unwrap();
    folder.estimator(&["history", "import", "other.jsonl"]).assert().success();
    folder
}

fn names(folder: &Folder) -> Vec<String> {
    let output = folder.estimator(&["history", "list", "--last", "1000", "--format", "json"]).output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    shown["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap().to_owned()).collect()
}

/// Flips a bit in the figures of this run, wherever they stand: pages that were split keep old copies.
fn damage(folder: &Folder, run: u32) {
    let file = folder.join("reports/history.sqlite");
    let mut bytes = fs::read(&file).unwrap();
    let figure = value(run).to_be_bytes();
    let places: Vec<usize> = (0..bytes.len() - 8).filter(|&place| bytes[place..place + 8] == figure).collect();
    assert!(!places.is_empty());
    for place in places {
        bytes[place + 2] ^= 4;
    }
    fs::write(&file, bytes).unwrap();
}

const NIGHT: [&str; 7] = ["nightly", "--contracts", "contracts", "--budget", "1s", "--strategy", "fresh-map"];

/// A record has gas itself; the settings here say in what people read it.
#[test]
fn the_gas_of_a_run_is_shown_in_the_unit_of_the_chain() {
    let folder = Folder::new();
    let gas = r#""budget_seconds":600,"gas":{"memory_init_base":2500000000}"#;
    folder.write("other.jsonl", exported(1).replace(r#""budget_seconds":600"#, gas));
    fs::create_dir_all(folder.join("reports")).unwrap();
    folder.estimator(&["history", "import", "other.jsonl"]).assert().success();
    let shown = || {
        let output = folder.estimator(&["history", "show", "imported1"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(shown().contains("2_500_000_000"), "{}", shown());
    folder.write("params/chain.toml", include_str!("../../params/chain.toml"));
    assert!(shown().contains("0.0025 Tgas"), "{}", shown());
}

#[test]
fn a_wrong_figure_is_shown_by_no_command() {
    let folder = imported(6);
    damage(&folder, 3);
    for command in [&["check"][..], &["list"], &["trend"], &["export"], &["show", "imported3"]] {
        let output = folder.estimator(&[&["history"], command].concat()).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
        assert!(said.contains("run imported3 (number 3) is not what was recorded"), "{command:?}: {said}");
    }
    assert_eq!(folder.fails(&["history", "import", "reports/history.sqlite", "--history", "new.sqlite"]).0, 1);
}

#[test]
fn a_night_keeps_imported_runs_of_a_damaged_history_and_says_which_are_gone() {
    let folder = imported(6);
    folder.contract("touch", GOOD, "[1, 2, 4, 8, 17, 64]");
    damage(&folder, 3);
    let output = folder.estimator(&NIGHT).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!([1, 3, 4, 5].contains(&output.status.code().unwrap()), "never 0: {stdout}");
    for said in ["5 runs were read", "1 run could not be made again: imported3", "history.sqlite.old-1"] {
        assert!(stdout.contains(said), "{said}: {stdout}");
    }
    let names = names(&folder);
    assert_eq!(names[..5], ["imported1", "imported2", "imported4", "imported5", "imported6"]);
    assert!(names.len() >= 6, "{names:?}");
    assert!(folder.join("reports/history.sqlite.old-1").exists());
    folder.estimator(&["history", "check"]).assert().success();
}

#[test]
fn a_rebuild_takes_over_what_only_the_old_history_holds() {
    let folder = imported(3);
    folder.estimator(&["history", "rebuild", "reports"]).assert().success();
    assert_eq!(names(&folder), ["imported1", "imported2", "imported3"]);
    damage(&folder, 2);
    let (code, stderr) = folder.fails(&["history", "rebuild", "reports"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("1 run could not be made again: imported2"), "{stderr}");
    assert_eq!(names(&folder), ["imported1", "imported3"]);
    fs::write(folder.join("reports/history.sqlite"), "no history at all, whatever its name says").unwrap();
    let (code, stderr) = folder.fails(&["history", "rebuild", "reports"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("not even how many runs it held"), "{stderr}");
}

/// The commands as another user, who owns nothing here. `None` where one cannot become one without being root, or where the program
/// lies out of the other's reach.
fn as_another_user(folder: &Folder, args: &[&str]) -> Option<(Option<i32>, String)> {
    const NOBODY: u32 = 65534;
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    command.current_dir(folder.path()).env("HOME", "/nonexistent").env("NO_COLOR", "1").args(args);
    match command.uid(NOBODY).gid(NOBODY).output() {
        Ok(output) => Some((output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())),
        Err(error) => {
            eprintln!("skipped: the program cannot be started as another user: {error}");
            None
        }
    }
}

#[test]
fn another_user_reads_a_history_whoever_closed_it() {
    let folder = imported(3);
    let mode = |name: &str, mode| fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
    mode("", 0o755);
    let read = |state: &str| {
        for command in [&["history", "list"][..], &["history", "check"], &["history", "export"]] {
            let Some((code, said)) = as_another_user(&folder, command) else { return };
            assert!(code == Some(0) && said.contains('3'), "{state}, {command:?}: {said}");
        }
    };
    for (folder_mode, file_mode) in [(0o755, 0o644), (0o755, 0o666), (0o777, 0o444), (0o555, 0o644)] {
        mode("reports", folder_mode);
        mode("reports/history.sqlite", file_mode);
        read(&format!("closed cleanly, {folder_mode:o} and {file_mode:o}"));
    }
    mode("reports", 0o755);
    mode("reports/history.sqlite", 0o644);
    // A job that was killed leaves its log, in which the last runs are.
    let connection = rusqlite::Connection::open(folder.join("reports/history.sqlite")).unwrap();
    connection.execute_batch("CREATE TABLE left (x INTEGER)").unwrap();
    let log = folder.join("reports/history.sqlite-wal");
    let bytes = fs::read(&log).unwrap();
    drop(connection);
    fs::write(&log, bytes).unwrap();
    read("killed");
}

/// A folder on a disk of this size, unmounted when it is dropped. `None` where nobody may mount one.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    fn mount(path: &'a Path, kilobytes: u32) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        let options = format!("size={kilobytes}k");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "estimator-test"]).arg(path).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(path));
        }
        eprintln!("skipped: no disk can be mounted here");
        None
    }

    fn grow(&self) {
        let grown = Command::new("mount").args(["-o", "remount,size=64m"]).arg(self.0).status();
        assert!(grown.unwrap().success());
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn an_import_onto_a_full_disk_adds_all_runs_or_none_and_works_when_there_is_room() {
    for kilobytes in [8, 64, 160, 400] {
        let folder = Folder::new();
        folder.write("other.jsonl", exported(200));
        let reports = folder.join("reports");
        let Some(disk) = Disk::mount(&reports, kilobytes) else { return };
        let import = || failure(&mut folder.estimator(&["history", "import", "other.jsonl"]));
        let (code, stderr) = import();
        assert!(code == 0 || code == 1, "{kilobytes}: {stderr}");
        disk.grow();
        let (again, stderr) = import();
        assert_eq!(again, 0, "{kilobytes}: {stderr}");
        assert_eq!(names(&folder).len(), 200, "{kilobytes}");
        let added = if code == 0 { "0 runs added, 200 were there" } else { "200 runs added, 0 were there" };
        assert!(stderr.contains(added), "{kilobytes}, {code}: {stderr}");
        folder.estimator(&["history", "check"]).assert().success();
    }
}

#[test]
fn a_damaged_history_on_a_full_disk_stays_as_it_is() {
    let folder = Folder::new();
    folder.write("other.jsonl", exported(200));
    let reports = folder.join("reports");
    let Some(disk) = Disk::mount(&reports, 400) else { return };
    folder.estimator(&["history", "import", "other.jsonl"]).assert().success();
    damage(&folder, 7);
    let before = fs::read(folder.join("reports/history.sqlite")).unwrap();
    fs::write(folder.join("reports/filler"), vec![0; 1 << 20]).unwrap_err();
    let (code, stderr) = folder.fails(&["history", "rebuild", "reports"]);
    assert_eq!(code, 1, "{stderr}");
    assert_eq!(fs::read(folder.join("reports/history.sqlite")).unwrap(), before);
    disk.grow();
    let (_, stderr) = folder.fails(&["history", "rebuild", "reports"]);
    assert!(stderr.contains("1 run could not be made again: imported7"), "{stderr}");
    assert_eq!(names(&folder).len(), 199);
}

#[test]
fn an_import_that_is_killed_adds_all_runs_or_none() {
    let folder = Folder::new();
    folder.write("other.jsonl", exported(200));
    fs::create_dir_all(folder.join("reports")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("estimator");
    for moment in ["other.jsonl", "reports/history.sqlite", "reports/history.sqlite-wal", "reports/history.sqlite-shm"]
    {
        let mut command = Command::new(program);
        command.current_dir(folder.path()).env("HOME", folder.path()).args(["history", "import", "other.jsonl"]);
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        while !folder.join(moment).exists() && child.try_wait().unwrap().is_none() {}
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let (code, stderr) = failure(&mut folder.estimator(&["history", "import", "other.jsonl"]));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("200 runs added, 0 were") || stderr.contains("0 runs added, 200 were"), "{stderr}");
    assert_eq!(names(&folder).len(), 200);
    folder.estimator(&["history", "check"]).assert().success();
}

#[test]
fn a_rebuild_says_of_runs_made_by_hand_that_it_leaves_them_out_and_never_writes_into_their_folders() {
    let folder = Folder::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/example");
    for file in ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"] {
        folder.write(&format!("reports/example/{file}"), fs::read(example.join(file)).unwrap());
    }
    let (code, stderr) = folder.fails(&["history", "list"]);
    assert!(code == 2 && stderr.contains("--all"), "{stderr}");
    let (code, stderr) = folder.fails(&["history", "rebuild", "reports"]);
    assert!(code == 2 && stderr.contains("runs made by hand are left out (1): --all takes them"), "{stderr}");
    folder.estimator(&["history", "rebuild", "reports", "--all"]).assert().success();
    assert_eq!(names(&folder).len(), 1);
    assert_eq!(fs::read_dir(folder.join("reports/example")).unwrap().count(), 5);
}
