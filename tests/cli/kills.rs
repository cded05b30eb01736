//! A run that is killed at any moment goes on, with every completed round there once.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::folder::{Folder, GOOD};

fn estimator(folder: &Folder, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    command.current_dir(folder.path()).env("HOME", folder.path()).env("PATH", "/nowhere").args(args);
    command
}

/// Starts the command, kills it with SIGKILL once it has written this many lines that say how many rounds are measured, and says
/// whether it got so far.
fn killed_after(lines: usize, mut command: Command) -> bool {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let seen = stderr.lines().map_while(Result::ok).filter(|line| line.ends_with("rounds")).take(lines).count();
    child.kill().unwrap();
    child.wait().unwrap();
    seen == lines
}

/// Rows by process and round.
fn rounds(folder: &Folder) -> BTreeMap<(u32, u32), Vec<String>> {
    let mut rounds: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for line in folder.read("reports/latest/samples.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let key = (fields[0].parse().unwrap(), fields[1].parse().unwrap());
        rounds.entry(key).or_default().push(line.to_owned());
    }
    rounds
}

#[test]
fn a_killed_run_goes_on_and_loses_no_completed_round() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 17]");
    let run = ["run", "--contracts", "contracts", "--budget", "1s", "--seed", "3", "--strategy", "fresh-map"];
    assert!(killed_after(2, estimator(&folder, &run)));
    // A kill before the first run ended leaves no link yet.
    let name = std::fs::read_dir(folder.join("reports")).unwrap().next().unwrap().unwrap().path();
    let _ = std::os::unix::fs::symlink(&name, folder.join("reports/latest"));
    let resume = ["run", "--resume", "reports/latest"];
    for lines in [1, 2, 1] {
        let before = rounds(&folder);
        killed_after(lines, estimator(&folder, &resume));
        let after = rounds(&folder);
        for (round, rows) in before.into_iter().filter(|(_, rows)| rows.len() == 16 * 4 * 2) {
            assert_eq!(after.get(&round), Some(&rows), "a completed round stays as it was");
        }
    }
    let code = estimator(&folder, &resume).stderr(Stdio::null()).stdout(Stdio::null()).status().unwrap().code();
    assert!(matches!(code, Some(0 | 4 | 5)), "{code:?}");
    let rounds = rounds(&folder);
    // One that was killed and replaced has a number of its own: process + 8 for the first replacement.
    let planned = |process| rounds.keys().filter(|(of, _)| of % 8 == process).count();
    assert!(planned(0) >= 2 && (1..8).all(|process| planned(process) == planned(0)), "{:?}", rounds.keys());
    assert_eq!(rounds.len(), 8 * planned(0), "the rounds of eight processes");
    assert!(rounds.values().all(|rows| rows.len() == 16 * 4 * 2));
}

#[test]
fn workers_are_the_program_that_began_the_run_though_its_file_is_gone() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 17]");
    let program = assert_cmd::cargo::cargo_bin!("estimator");
    // A link beside it is on the same file system, and no copy that is still being written.
    let link = program.with_file_name(format!("estimator-{}", std::process::id()));
    std::fs::hard_link(program, &link).unwrap();
    let mut command = Command::new(&link);
    command.current_dir(folder.path()).env("HOME", folder.path()).env("PATH", "/nowhere");
    command.args(["run", "--contracts", "contracts", "--budget", "1s", "--seed", "3", "--strategy", "fresh-map"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let begun = stderr.any(|line| line.starts_with("measuring: worker process 1 "));
    std::fs::remove_file(&link).unwrap();
    let rest: Vec<String> = stderr.collect();
    let code = child.wait().unwrap().code();
    assert!(begun && (matches!(code, Some(0 | 4 | 5))), "{code:?}: {rest:?}");
}

#[test]
fn a_resume_that_fails_removes_nothing() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 17]");
    let run = ["run", "--contracts", "contracts", "--budget", "1s", "--seed", "3", "--strategy", "fresh-map"];
    estimator(&folder, &run).stderr(Stdio::null()).stdout(Stdio::null()).status().unwrap();
    let text = folder.read("reports/latest/run.toml");
    let kept = |line: &&str| !line.starts_with("rounds = ") && !line.starts_with("stopped = ");
    let stripped: Vec<&str> = text.lines().filter(kept).collect();
    folder.write("reports/latest/run.toml", stripped.join("\n"));
    let samples = folder.read("reports/latest/samples.csv");
    folder.write("reports/latest/samples.csv", samples.clone() + "not,a,row\n");
    assert_eq!(folder.fails(&["run", "--resume", "reports/latest"]).0, 1);
    assert!(folder.read("reports/latest/samples.csv").starts_with(&samples));

    std::fs::remove_dir_all(folder.join("reports/latest/artifacts")).unwrap();
    assert_eq!(folder.fails(&["run", "--resume", "reports/latest"]).0, 1);
    assert!(folder.read("reports/latest/samples.csv").starts_with(&samples));
}

#[test]
fn a_run_that_another_process_measures_is_not_said_to_go_on_by_a_resume() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 17]");
    folder.run().output().unwrap();
    let text = folder.read("reports/latest/run.toml");
    folder.write("reports/latest/run.toml", text.replace("\nstopped = \"budget-spent\"", ""));
    let samples = std::fs::File::open(folder.join("reports/latest/samples.csv")).unwrap();
    samples.lock().unwrap();
    let (code, stderr) = folder.fails(&["run", "--resume", "reports/latest"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("is being written by another process") && !stderr.contains("--resume"), "{stderr}");
}

#[test]
fn a_run_of_other_modules_is_not_resumed() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 17]");
    let run = ["run", "--contracts", "contracts", "--budget", "1s", "--seed", "3", "--strategy", "fresh-map"];
    estimator(&folder, &run).stderr(Stdio::null()).stdout(Stdio::null()).status().unwrap();
    let text = folder.read("reports/latest/run.toml");
    let hash = text.lines().find(|line| line.starts_with("sha256 = ")).unwrap();
    folder.write("reports/latest/run.toml", text.replacen(hash, &format!("sha256 = \"{}\"", "0".repeat(64)), 1));
    let (code, stderr) = folder.fails(&["run", "--resume", "reports/latest"]);
    assert_eq!(code, 6, "{stderr}");
    assert!(stderr.contains("touch/pages"), "{stderr}");
}

#[test]
fn samples_of_another_run_are_refused() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 17]");
    let run = ["run", "--contracts", "contracts", "--budget", "1s", "--seed", "3", "--strategy", "fresh-map"];
    estimator(&folder, &run).stderr(Stdio::null()).stdout(Stdio::null()).status().unwrap();
    let samples = folder.read("reports/latest/samples.csv");
    let (header, rows) = samples.split_once('\n').unwrap();
    folder.write("reports/latest/samples.csv", format!("{header}\n{}", crate::run::another_order(rows)));
    let (code, stderr) = folder.fails(&["fit", "reports/latest"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("where the plan's seed puts point"), "{stderr}");
    let missing: Vec<&str> = rows.lines().skip(1).collect();
    folder.write("reports/latest/samples.csv", format!("{header}\n{}\n", missing.join("\n")));
    let (code, stderr) = folder.fails(&["fit", "reports/latest"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("rows where the plan has"), "{stderr}");
}
