//! A promotion that is killed, out of room, or onto a file whose name cannot be taken leaves both record and table or neither, and
//! the same command again completes it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::folder::Folder;

const TABLE: &str = include_str!("../data/current.toml");
const PROMOTE: [&str; 8] =
    ["promote", "params/proposed.toml", "--onto", "params/current.toml", "--by", "Ada", "--accept", "inconsistent"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("params/current.toml", format!("# ours\n{TABLE}"));
    folder.write("params/proposed.toml", proposal());
    folder
}

fn proposal() -> String {
    // Longer than the table in force, so that it does not fit into its place.
    let note = format!("skipped = [\"{}\"]", "a reason, ".repeat(60));
    TABLE.replacen("gas = 122_000_000_000", "gas = 133_000_000_000", 1).replacen("skipped = []", &note, 1)
}

fn records(folder: &Folder) -> usize {
    std::fs::read_dir(folder.join("params/history")).map_or(0, |all| {
        all.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "toml")).count()
    })
}

/// The table in force and the number of its records.
fn state(folder: &Folder) -> (bool, usize) {
    let current = folder.read("params/current.toml");
    assert!(current.starts_with("# ours\n"), "{current}");
    (current.contains("gas = 133_000_000_000"), records(folder))
}

fn check(folder: &Folder) -> i32 {
    folder.fails(&["promote", "--check", "--onto", "params/current.toml"]).0
}

/// The same command again does what was left to do, and nothing twice.
fn completes(folder: &Folder) {
    let (code, stderr) = folder.fails(&PROMOTE);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!((state(folder), check(folder)), ((true, 2), 0), "{stderr}");
}

/// A shell script in the folder, with the program as `$0` and its arguments as `$@`.
fn shell(folder: &Folder, program: &[&str], script: &str) -> Output {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).arg(script).arg(assert_cmd::cargo::cargo_bin!("estimator")).args(PROMOTE);
    command.current_dir(folder.path()).env("HOME", folder.path()).output().unwrap()
}

#[test]
fn a_record_whose_table_was_not_written_is_completed_by_the_same_command_or_a_replay() {
    for again in [&PROMOTE[..], &["promote", "--replay", "--onto", "params/current.toml"]] {
        let folder = folder();
        let before = folder.read("params/current.toml");
        completes(&folder);
        folder.write("params/current.toml", &before);
        assert_eq!(check(&folder), 3);
        let (code, stderr) = folder.fails(&[&PROMOTE[..], &["--dry-run"]].concat());
        assert!(code == 0 && stderr.contains("would be written first"), "{stderr}");
        assert_eq!(folder.read("params/current.toml"), before);
        assert_eq!(folder.fails(again).0, 0);
        assert_eq!((state(&folder), check(&folder)), ((true, 2), 0));
    }
}

#[test]
fn another_proposal_goes_on_top_of_a_record_whose_table_was_not_written() {
    let folder = folder();
    let before = folder.read("params/current.toml");
    completes(&folder);
    folder.write("params/current.toml", before);
    folder.write("params/proposed.toml", proposal().replacen("gas = 143_000_000_000", "gas = 151_000_000_000", 1));
    let (code, stderr) = folder.fails(&PROMOTE);
    assert!(code == 0 && stderr.contains("it is written now"), "{code}: {stderr}");
    assert_eq!((state(&folder), check(&folder)), ((true, 3), 0));
}

#[test]
fn a_table_that_is_neither_is_refused_with_the_ways_that_work() {
    let folder = folder();
    completes(&folder);
    let torn = folder.read("params/current.toml").replacen("gas = 133_000_000_000", "gas = 7", 1);
    for (damaged, code) in [(torn.as_str(), 6), (&torn[..torn.len() / 2], 1)] {
        folder.write("params/current.toml", damaged);
        let (found, stderr) = folder.fails(&PROMOTE);
        let way = "estimator promote --replay --onto params/current.toml";
        assert!(found == code && stderr.contains(way), "{found}: {stderr}");
        assert_eq!(folder.fails(&way.split(' ').skip(1).collect::<Vec<_>>()).0, 0);
        assert_eq!(check(&folder), 0);
    }
}

#[test]
fn a_kill_at_any_moment_loses_nothing() {
    for delay in 0..20u32 {
        let folder = folder();
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
        command.current_dir(folder.path()).env("HOME", folder.path()).env("PATH", "/nowhere").args(PROMOTE);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // From before the first file to after the last: what can be seen of the promotion is a file more each time.
        let files = || walk(&folder.join("params"));
        while files() < 2 + delay as usize % 5 && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let (table, records) = state(&folder);
        assert!(!table || records == 2, "a table without its record");
        completes(&folder);
    }
}

fn walk(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { walk(&entry.path()) } else { 1 }).sum()
}

/// A limit on the size of files stands for a disk that is full after so many bytes.
#[test]
fn a_full_disk_leaves_neither_record_nor_table() {
    let folder = folder();
    let before = folder.read("params/current.toml");
    let mut refused = 0;
    for blocks in 0..10 {
        let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let output = shell(&folder, &["sh", "-c"], &script);
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            break;
        }
        refused += 1;
        assert!(output.status.code() == Some(1) && stderr.contains("cannot write `params/"), "{stderr}");
        assert_eq!((folder.read("params/current.toml"), records(&folder)), (before.clone(), 0), "{stderr}");
    }
    assert!(refused > 1);
    completes(&folder);
}

/// Where file systems can be mounted.
fn can_mount(folder: &Folder) -> bool {
    let script = "mount --bind params params && mount -o remount,bind,ro params";
    let can = Command::new("unshare").args(["-rm", "sh", "-c", script]).current_dir(folder.path()).output();
    let can = can.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("skipped: file systems cannot be mounted here");
    }
    can
}

#[test]
fn a_table_that_is_mounted_into_a_container_is_written_in_its_place() {
    let folder = folder();
    if !can_mount(&folder) {
        return;
    }
    let mounted = "mount --bind params/current.toml params/current.toml && exec \"$0\" \"$@\"";
    let output = shell(&folder, &["unshare", "-rm", "sh", "-c"], mounted);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!((state(&folder), check(&folder)), ((true, 2), 0));
    assert_eq!(walk(&folder.join("params")), 4, "nothing lies beside");

    // A shorter table, in a folder that takes no file; the records are elsewhere.
    folder.write("params/proposed.toml", TABLE.replacen("gas = 122_000_000_000", "gas = 133_000_000_000", 1));
    let locked = "mv params/history kept && cp params/current.toml store && mount --bind params params && \
                  mount -o remount,bind,ro params && mount --bind store params/current.toml && \
                  exec \"$0\" \"$@\" --kept kept";
    let output = shell(&folder, &["unshare", "-rm", "sh", "-c"], locked);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let store = folder.read("store");
    assert!(store.starts_with("# ours\n") && store.contains("skipped = []"), "{store}");
    assert!(folder.join("kept/0003.toml").exists());
}

#[test]
fn a_table_that_can_neither_be_replaced_nor_written_is_refused_before_the_record() {
    let folder = folder();
    if !can_mount(&folder) {
        return;
    }
    let locked =
        "mkdir kept && mount --bind params params && mount -o remount,bind,ro params && exec \"$0\" \"$@\" --kept kept";
    let output = shell(&folder, &["unshare", "-rm", "sh", "-c"], locked);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && stderr.contains("cannot write `params/current.toml`"), "{stderr}");
    assert_eq!(std::fs::read_dir(folder.join("kept")).unwrap().count(), 0);
    // A mount that cannot be written is met only when the name is to be taken: the record goes again.
    let sealed = "mount --bind params/current.toml params/current.toml && mount -o remount,bind,ro params/current.toml && \
                  exec \"$0\" \"$@\"";
    let output = shell(&folder, &["unshare", "-rm", "sh", "-c"], sealed);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(state(&folder), (false, 0));
    completes(&folder);
}
