//! Standard output and standard error in every state that a shell can leave them in.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::folder::Folder;

fn estimator(folder: &Folder, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    command.current_dir(folder.path()).args(args);
    command
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = Folder::new();
    let mut child = estimator(&folder, &["host"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_full_disk_behind_standard_output_is_an_error_and_no_panic() {
    let folder = Folder::new();
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    let output = estimator(&folder, &["host"]).stdout(full).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with("error:") && !stderr.contains("panicked"), "{stderr}");
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
