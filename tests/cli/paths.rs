//! A folder where a file is meant, a file where a folder is, and what is not there: wrong usage, in every command.

use crate::corpus::output;
use crate::folder::Folder;
use crate::stored::stored;

#[test]
fn paths_of_the_wrong_kind_are_wrong_usage() {
    let folder = stored();
    folder.write("file", "");
    folder.write("folder/file", "");
    folder.write("params/current.toml", include_str!("../data/current.toml"));
    folder.contract("touch", crate::folder::GOOD, "[1, 2]");
    folder.estimator(&["compile", "--contracts", "contracts", "--out", "ready"]).assert().success();
    let wrong: &[&[&str]] = &[
        &["run", "--contracts", "file"],
        &["run", "--contracts", "contracts", "--chain", "folder"],
        &["run", "--contracts", "contracts", "--params", "folder"],
        &["run", "--contracts", "contracts", "--params", "file/table.toml"],
        &["run", "--contracts", "contracts", "--out", "file"],
        &["run", "--contracts", "contracts", "--out", "file/reports"],
        &["run", "--resume", "file"],
        &["compile", "--contracts", "contracts", "--out", "file"],
        &["compile", "--contracts", "contracts", "--out", "file/out"],
        &["compile", "--contracts", "contracts", "--out", "out", "--chain", "none.toml"],
        &["compile", "--contracts", "none", "--out", "out"],
        &["fit", "file"],
        &["fit", "reports/run", "--params", "folder"],
        &["fit", "reports/run", "--params", "file/table.toml"],
        &["fit", "reports/run", "--chain", "folder"],
        &["compare", "reports/run", "file"],
        &["report", "file"],
        &["report", "reports/run", "--current", "folder"],
        &["diff", "params/current.toml", "folder"],
        &["diff", "params/current.toml", "none.toml"],
        &["promote", "params/current.toml", "--onto", "folder", "--by", "me"],
        &["promote", "none.toml", "--onto", "params/current.toml", "--by", "me"],
        &["promote", "params/current.toml", "--onto", "new.toml", "--by", "me", "--kept", "file"],
        &["promote", "params/current.toml", "--onto", "new.toml", "--by", "me", "--base", "folder"],
        &["export", "--format", "near", "--params", "folder"],
        &["export", "--format", "near", "--old", "none.toml"],
        &["export", "--format", "near", "--out", "folder"],
        &["export", "--format", "near", "--out", "file/near.yaml"],
        &["survey", "file/x"],
        &["survey", "none"],
        &["price", "--params", "folder", "ready"],
        &["price", "--params", "none.toml", "ready"],
        &["verify", "--params", "folder", "ready"],
        &["noise", "--run", "file"],
        &["nightly", "--dry-run", "--settings", "folder"],
        &["nightly", "--dry-run", "--params", "folder"],
        &["nightly", "--dry-run", "--proposed", "folder"],
        &["nightly", "--contracts", "contracts", "--budget", "1s", "--history", "file/history.sqlite"],
        &["nightly", "--contracts", "contracts", "--budget", "1s", "--out", "file"],
        &["history", "list", "--history", "folder"],
        &["history", "list", "--history", "none.sqlite"],
        &["history", "prune", "--keep", "1", "--history", "folder"],
        &["history", "check", "--history", "folder"],
        &["history", "import", "folder", "--history", "all.sqlite"],
        &["history", "import", "none", "--history", "all.sqlite"],
        &["history", "rebuild", "file"],
    ];
    for args in wrong {
        let (code, _, stderr) = output(&folder, args);
        assert_eq!(code, 2, "{args:?}: {stderr}");
    }
}

#[test]
fn a_history_goes_into_a_folder_that_is_made_for_it() {
    let folder = Folder::new();
    folder.write("none.jsonl", "\u{feff}\r\n");
    folder.estimator(&["history", "import", "none.jsonl", "--history", "new/all.sqlite"]).assert().success();
    folder.estimator(&["history", "list", "--history", "new/all.sqlite"]).assert().success();
    let (code, _, stderr) = output(&folder, &["history", "import", "none.jsonl", "--history", "none.jsonl/all.sqlite"]);
    assert_eq!(code, 2, "{stderr}");
}

#[test]
fn what_stands_in_the_usual_place_of_a_file_is_not_passed_over() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("gone.toml", folder.join("nightly.toml")).unwrap();
    let (code, stderr) = folder.fails(&["nightly", "--dry-run"]);
    assert!(code != 0 && stderr.contains("nightly.toml"), "{code} {stderr}");
    std::fs::remove_file(folder.join("nightly.toml")).unwrap();
    std::fs::create_dir_all(folder.join("params")).unwrap();
    std::os::unix::fs::symlink("gone.toml", folder.join("params/chain.toml")).unwrap();
    let (code, stderr) = folder.fails(&["compile", "--out", "artifacts"]);
    assert!(code != 0 && stderr.contains("params/chain.toml"), "{code} {stderr}");
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for() {
    let (night, fit) = (["nightly", "--dry-run"], ["fit", "reports/run"]);
    for (name, args) in [
        ("nightly.toml", night),
        ("params/chain.toml", night),
        ("params/current.toml", night),
        ("reports/run/chain.toml", fit),
        ("reports/run/points.csv", fit),
        ("reports/run/samples.csv", fit),
    ] {
        let folder = stored();
        folder.write(name, "");
        std::fs::remove_file(folder.join(name)).unwrap();
        nix::unistd::mkfifo(&folder.join(name), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let (code, stderr) = folder.fails(&args);
        assert!(code == 1 && stderr.contains("it is a pipe"), "{name}: {code}: {stderr}");
    }
}
