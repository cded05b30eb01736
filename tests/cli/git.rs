//! Files of a git repository, in the surroundings that hooks and continuous integration make.

use std::path::Path;
use std::process::Command as Process;

use crate::folder::{Folder, failure};
use crate::review::{comment_in, repository, with_git};

const TABLE: &str = include_str!("../data/current.toml");
const DIFF: [&str; 4] = ["diff", "--base", "HEAD", "params/current.toml"];

fn raised() -> String {
    TABLE.replacen("gas = 122_000_000_000", "gas = 150_000_000_000", 1)
}

/// What git itself asks in its tests to take a repository for somebody else's.
const FOREIGN: (&str, &str) = ("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");

#[test]
fn what_git_says_against_a_repository_is_not_taken_for_a_missing_revision() {
    let Some(folder) = repository(TABLE) else { return };
    let (code, stderr) = failure(with_git(folder.estimator(&DIFF)).env(FOREIGN.0, FOREIGN.1));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("dubious ownership") && stderr.contains("safe.directory"), "{stderr}");
    assert!(!stderr.contains("knows no revision") && stderr.contains("`git rev-parse"), "{stderr}");

    let outside = Folder::new();
    outside.write("params/current.toml", TABLE);
    let (code, stderr) =
        failure(with_git(outside.estimator(&DIFF)).env("GIT_CEILING_DIRECTORIES", outside.path().parent().unwrap()));
    assert!(code == 1 && stderr.contains("not a git repository"), "{code}: {stderr}");

    let (code, stderr) = failure(&mut folder.estimator(&DIFF));
    assert!(code == 1 && stderr.contains("cannot start `git"), "{code}: {stderr}");
}

#[test]
fn what_git_says_reaches_the_reader_of_the_comment() {
    let Some(folder) = repository(TABLE) else { return };
    let base = ["HEAD", "params/current.toml"];
    let (code, text) = comment_in(&folder, &base, &[FOREIGN]);
    assert!(code == Some(1) && text.contains("dubious ownership") && !text.contains("fetch it first"), "{text}");
    let (code, text) = comment_in(&folder, &["nowhere", "params/current.toml"], &[]);
    assert!(code == Some(2) && text.contains("fetch it first") && text.contains("fatal: "), "{text}");
}

/// A hook of a linked worktree has `GIT_DIR` and more in its environment; git then takes the folder that it is sent to for the top.
#[test]
fn the_file_that_was_named_is_compared_whatever_a_hook_exports() {
    let Some(folder) = repository(TABLE) else { return };
    // Another table of the same name at the top, which must not be taken for the one that is named.
    folder.write("current.toml", TABLE.replacen("gas = 122_000_000_000", "gas = 13_000_000_000", 1));
    let git = |args: &[&str]| {
        let name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        let status =
            Process::new("git").current_dir(folder.path()).env("HOME", folder.path()).args(name).args(args).status();
        assert!(status.unwrap().success(), "{args:?}");
    };
    git(&["add", "current.toml"]);
    git(&["commit", "--quiet", "--message", "Another"]);
    git(&["worktree", "add", "--quiet", "linked"]);
    folder.write("linked/params/current.toml", raised());
    let linked = folder.join("linked");
    let own = folder.join(".git/worktrees/linked");
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let exported = [
        vec![("GIT_DIR", path(&own))],
        vec![("GIT_DIR", path(&own)), ("GIT_WORK_TREE", path(&linked)), ("GIT_INDEX_FILE", path(&own.join("index")))],
        vec![("GIT_DIR", path(&folder.join(".git"))), ("GIT_PREFIX", "params/".into())],
        vec![("GIT_WORK_TREE", "/".into())],
        vec![("GIT_OBJECT_DIRECTORY", "/nowhere".into())],
    ];
    for variables in exported {
        let mut command = with_git(folder.estimator(&[&DIFF[..], &["--exit-code"]].concat()));
        command.current_dir(&linked).envs(variables.clone());
        let output = command.output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.code() == Some(3) && stdout.contains("+23.0 %"), "{variables:?}: {output:?}");
        let exported: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, &**value)).collect();
        let (_, text) = crate::review::comment_at(&linked, &folder, &["HEAD", "params/current.toml"], &exported);
        assert!(text.contains("+23.0 %"), "{variables:?}: {text}");
    }
}

#[test]
fn who_accepts_is_asked_of_the_repository_of_the_table() {
    let Some(folder) = repository(TABLE) else { return };
    for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
        let status = Process::new("git").current_dir(folder.path()).args(["config", key, value]).status();
        assert!(status.unwrap().success());
    }
    folder.write("proposed.toml", raised());
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let args =
        ["promote", &path("proposed.toml"), "--onto", &path("params/current.toml"), "--accept", "unsure,inconsistent"];
    let (code, stderr) = failure(with_git(folder.estimator(&args)).current_dir("/"));
    assert_eq!(code, 0, "{stderr}");
    assert!(folder.read("params/history/0002.toml").contains("Ada <ada@example.org>"));
}
