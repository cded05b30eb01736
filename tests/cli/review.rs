//! The script for pull requests, in a repository of its own.

use std::path::Path;
use std::process::Command as Process;

use assert_cmd::Command;

use crate::folder::Folder;

/// A repository whose first revision has this table, unless git is not at hand.
pub fn repository(table: &str) -> Option<Folder> {
    let folder = Folder::new();
    folder.write("params/current.toml", table);
    for args in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--message", "The table"],
    ] {
        let status = Process::new("git").current_dir(folder.path()).env("HOME", folder.path()).args(args).status();
        if !status.is_ok_and(|status| status.success()) {
            eprintln!("skipped: no git");
            return None;
        }
    }
    Some(folder)
}

/// The command with programs in reach.
pub fn with_git(mut command: Command) -> Command {
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

fn comment(folder: &Folder, gate: &str, args: &[&str]) -> (Option<i32>, String) {
    run(script(folder, gate, args))
}

/// What the script says with these variables set.
pub fn comment_in(folder: &Folder, args: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    comment_at(folder.path(), folder, args, variables)
}

/// The same in a place of its own.
pub fn comment_at(place: &Path, folder: &Folder, args: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut script = script(folder, "1", args);
    script.current_dir(place).envs(variables.iter().copied());
    run(script)
}

fn run(mut script: Process) -> (Option<i32>, String) {
    let output = script.output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
}

fn script(folder: &Folder, gate: &str, args: &[&str]) -> Process {
    let binary = Path::new(assert_cmd::cargo::cargo_bin!("estimator")).parent().unwrap();
    let path = std::env::join_paths(
        [folder.path().join("bin"), binary.to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut script = Process::new("bash");
    script
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/review/comment.sh"))
        .args(args)
        .current_dir(folder.path())
        .env("PATH", path.unwrap())
        .env("GATE", gate)
        .env_remove("PULL_REQUEST")
        .env_remove("GITHUB_STEP_SUMMARY");
    script
}

/// With a `gh` that notes what it is asked, and knows one comment or none.
#[test]
fn a_comment_is_posted_once_and_renewed() {
    use std::os::unix::fs::PermissionsExt;
    let table = include_str!("../data/current.toml");
    let Some(folder) = repository(table) else { return };
    let changed = table.replacen("gas = 122_000_000_000", "gas = 150_000_000_000", 1);
    let asked = |table: &str, known: &str, says: &str| {
        folder.write("params/current.toml", table);
        folder.write("says", says);
        folder.write(
            "bin/gh",
            format!(
                "#!/bin/sh\necho \"$*\" >>asked\ncase \"$*\" in *--paginate*) echo {known};; *--jq*) cat says;; \
                 *body=@*) cp \"${{6#body=@}}\" posted;; esac\n"
            ),
        );
        std::fs::set_permissions(folder.path().join("bin/gh"), PermissionsExt::from_mode(0o755)).unwrap();
        folder.write("asked", "");
        let mut script = script(&folder, "0", &["HEAD", "params/current.toml"]);
        script.env("PULL_REQUEST", "7").env("GH_TOKEN", "t").env("GITHUB_REPOSITORY", "a/b");
        assert_eq!(run(script), (Some(0), String::new()), "the text is in the comment");
        let all = folder.read("asked");
        assert!(all.contains("github-actions[bot]"), "{all}");
        all.lines().find(|line| line.contains("--method")).unwrap_or_default().to_owned()
    };
    let (post, patch) =
        ("api --method POST repos/a/b/issues/7/comments", "api --method PATCH repos/a/b/issues/comments/41");
    assert!(asked(&changed, "", "").starts_with(post));
    let posted = folder.read("posted");
    let first = posted.lines().nth(1).unwrap();
    assert!(
        first.starts_with("**A call of 17 pages pays ") && first.ends_with("changed.** (`params/current.toml`)"),
        "{posted}"
    );
    assert!(
        posted.contains("### Before you sign") && posted.contains("steal: ") && posted.contains("<details>"),
        "{posted}"
    );
    assert_eq!(asked(&changed, "41", &posted.replace('\n', "\r\n")), "", "it says so already");
    assert!(asked(&changed, "41", "something else").starts_with(patch));
    assert!(asked(table, "41", &posted).starts_with(patch), "a change that was taken back");
    assert_eq!(asked(table, "", ""), "", "nothing changed, so nobody is told");
}

#[test]
fn the_comment_says_what_the_change_means() {
    let table = include_str!("../data/current.toml");
    let Some(folder) = repository(table) else { return };
    let (code, text) = comment(&folder, "1", &["HEAD", "params/current.toml"]);
    assert!(code == Some(0) && text.contains("No difference"), "{text}");
    folder.write("params/current.toml", table.replacen("gas = 122_000_000_000", "gas = 150_000_000_000", 1));
    let (code, text) = comment(&folder, "1", &["HEAD", "params/current.toml"]);
    assert!(code == Some(3) && text.contains("### What a call pays") && text.contains("+23.0 %"), "{text}");
    let (code, text) = comment(&folder, "0", &["HEAD", "params/current.toml", "params/other.toml"]);
    assert!(code == Some(0) && text.contains("There is no such table"), "{text}");
    folder.write("params/other.toml", table);
    let (code, text) = comment(&folder, "1", &["HEAD", "params/other.toml"]);
    assert!(code == Some(3) && text.contains("The table is new"), "{text}");
    assert!(!text.contains("Objections"), "{text}");
    folder.write("params/other.toml", table.replacen("gas = 143_000_000_000", "gas = 1", 1));
    let (code, text) = comment(&folder, "1", &["HEAD", "params/other.toml"]);
    assert!(code == Some(3) && text.contains("### Objections") && text.contains("does not follow"), "{text}");
    folder.write("params/current.toml", table.replacen("strategy = \"fresh-map\"", "strategy = \"free\"", 1));
    let (_, text) = comment(&folder, "0", &["HEAD", "params/current.toml"]);
    assert!(text.contains("| new | inconsistent"), "{text}");
    assert_eq!(comment(&folder, "1", &["nowhere", "params/other.toml"]).0, Some(2));
    assert_eq!(comment(&folder, "1", &["HEAD"]).0, Some(2));
}
