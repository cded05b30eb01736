//! What is stored follows from what was stored and named, not from where and how the command is given.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::folder::{Folder, GOOD};
use crate::stored::stored;

const TABLE: &str = include_str!("../data/current.toml");

/// Every file below a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn a_report_is_the_same_from_any_folder_by_any_path_and_in_any_environment() {
    let folder = stored();
    folder.write("in-force.toml", TABLE);
    let run = folder.join("reports/run");
    folder.estimator(&["fit", "reports/run", "--current", "in-force.toml"]).assert().success();
    let first = files(&run);
    assert!(String::from_utf8_lossy(&first["summary.md"]).contains("the table in force, of run "));
    // Others lie in the way, and the one that was named is gone.
    fs::remove_file(folder.join("in-force.toml")).unwrap();
    folder.write("params/current.toml", TABLE.replacen("gas = 122_000_000_000", "gas = 5", 1));
    folder.write("away/params/current.toml", "broken");
    let absolute = run.to_string_lossy().into_owned();
    let typed =
        [(".", "./reports/../reports/run"), ("/", &*absolute), ("away", "../reports/run"), ("reports/run", ".")];
    let table = folder.join("table.toml").to_string_lossy().into_owned();
    for (place, path) in typed {
        for args in [&["report", path][..], &["fit", path, "--params", &table]] {
            let mut command = folder.estimator(args);
            command.current_dir(folder.path().join(place)).env("COLUMNS", "40").env("TERM", "xterm-256color");
            command
                .env_remove("NO_COLOR")
                .env("CLICOLOR_FORCE", "1")
                .env("LC_ALL", "de_DE.UTF-8")
                .env("TZ", "Asia/Tokyo");
            command.assert().success();
            assert!(files(&run) == first, "{args:?} in {place}");
        }
    }
    let named = ["report", "reports/run", "--current", "params/current.toml", "--format", "markdown"];
    let shown = folder.estimator(&named).output().unwrap();
    assert!(String::from_utf8_lossy(&shown.stdout).contains("1 raised"), "another table can still be named");
    assert!(files(&run) == first, "to show is not to write");
}

#[test]
fn a_run_keeps_the_table_that_it_was_held_against() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2]");
    folder.write("params/current.toml", TABLE);
    let code = folder.run().output().unwrap().status.code();
    assert!(code == Some(0) || code == Some(5), "{code:?}");
    assert_eq!(folder.read("reports/latest/current.toml"), TABLE);
    let first = files(&folder.join("reports/latest"));
    fs::remove_dir_all(folder.join("params")).unwrap();
    folder.estimator(&["report", "reports/latest"]).output().unwrap();
    assert!(files(&folder.join("reports/latest")) == first);
}

#[test]
fn runs_that_were_held_against_different_tables_are_together_held_against_none() {
    let folder = stored();
    let text = |name: &str| folder.read(&format!("reports/run/{name}"));
    let named = |name: &str, text: String| {
        let run = toml::from_str::<toml::Table>(&folder.read("reports/run/run.toml")).unwrap()["run"].clone();
        folder.write(&format!("reports/other/{name}"), text.replace(run.as_str().unwrap(), "other"));
    };
    for file in ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"] {
        named(file, text(file));
    }
    folder.write("reports/run/current.toml", TABLE);
    folder.write("reports/other/current.toml", TABLE.replacen("gas = 122_000_000_000", "gas = 5", 1));
    let output = folder.estimator(&["fit", "reports/run", "reports/other"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("held against different tables"), "{stderr}");
    assert!(!folder.read("reports/merged/summary.md").contains("Against the table in force"));
}
