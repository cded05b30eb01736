//! Whatever is named, or lies in a folder that is named, comes out: in a row and in a count.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use crate::corpus::{corpus, linked, output};
use crate::folder::Folder;

fn rows(csv: &[u8]) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(csv).deserialize().map(Result::unwrap).collect()
}

/// The exit code and the rows for a list on standard input.
fn listed(folder: &Folder, command: &[&str], list: &[u8]) -> (i32, Vec<BTreeMap<String, String>>) {
    let args = [command, &["-", "--format", "csv"]].concat();
    let output = folder.estimator(&args).write_stdin(list).output().unwrap();
    (output.status.code().unwrap(), rows(&output.stdout))
}

const COMMANDS: [&[&str]; 3] = [&["survey"], &["price"], &["verify", "--budget", "1s", "--seed", "1"]];

#[test]
fn one_bad_name_ends_no_list() {
    let folder = corpus();
    let list = b"corpus/c.wasm\n\xff\xfe.wasm\nnone.wasm\ncorpus/near/a.wasm\n";
    for command in COMMANDS {
        let (code, rows) = listed(&folder, command, list);
        assert!(code == 2 || (code == 3 && command[0] == "verify"), "{command:?}: {code}");
        let reason = |row: &BTreeMap<String, String>| row.get("error").or(row.get("reason")).unwrap().clone();
        let mut reasons: Vec<(String, bool)> =
            rows.iter().map(|row| (row["file"].clone(), reason(row).is_empty())).collect();
        reasons.sort();
        let expected =
            [(r"\xff\xfe.wasm", false), ("corpus/c.wasm", true), ("corpus/near/a.wasm", true), ("none.wasm", false)];
        assert_eq!(reasons, expected.map(|(file, read)| (file.to_owned(), read)), "{command:?}");
    }
    for command in ["survey", "price"] {
        let mut command = folder.estimator(&[command, "-", "--format", "json"]);
        let json: serde_json::Value =
            serde_json::from_slice(&command.write_stdin(&list[..]).output().unwrap().stdout).unwrap();
        assert_eq!(json["contracts"].as_array().unwrap().len(), 4);
        let totals = ["contracts", "broken", "missing"].map(|key| json["totals"][key].as_u64().unwrap());
        assert_eq!(totals, [2, 0, 2]);
    }
}

#[test]
fn a_file_whose_name_is_not_utf_8_is_read_however_it_is_named() {
    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"odd/\xff.wasm");
    folder.write("odd/a.wasm", linked(2, 1 << 16, ""));
    std::fs::write(folder.path().join(name), linked(2, 1 << 16, "")).unwrap();
    let (code, by_list) = listed(&folder, &["survey"], b"odd/a.wasm\nodd/\xff.wasm\n");
    assert_eq!(code, 0);
    for path in ["odd", "odd/*.wasm", "*", "**/*.wasm"] {
        let (code, csv, stderr) = output(&folder, &["survey", path, "--format", "csv"]);
        assert_eq!(code, 0, "{path}: {stderr}");
        let hashes =
            |rows: &[BTreeMap<String, String>]| rows.iter().map(|row| row["sha256"].clone()).collect::<Vec<_>>();
        let rows = rows(csv.as_bytes());
        assert_eq!(hashes(&rows), hashes(&by_list), "{path}");
        assert!(rows[1]["file"].ends_with(r"\xff.wasm"), "{path}: {rows:?}");
    }
}

#[test]
fn lists_are_read_as_other_systems_write_them() {
    let folder = corpus();
    let (code, rows) =
        listed(&folder, &["survey"], b"\xef\xbb\xbfcorpus/c.wasm \t\r\n\r\ncorpus/near/a.wasm  \r\n  \r\n");
    assert_eq!((code, rows.len()), (0, 2), "{rows:?}");
    let utf16: Vec<u8> = "\u{feff}corpus/c.wasm\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for list in [&utf16[..], &utf16[2..], b"corpus/c.wasm\0corpus/near/a.wasm\0"] {
        let (code, rows) = listed(&folder, &["survey"], list);
        assert_eq!((code, rows.len()), (2, 1), "{rows:?}");
        assert!(rows[0]["error"].contains("UTF-16") && rows[0]["error"].contains("-print0"), "{rows:?}");
    }
}

#[test]
fn nothing_in_a_folder_is_dropped_outside_of_the_counts() {
    let folder = corpus();
    symlink("nowhere", folder.join("corpus/broken.wasm")).unwrap();
    symlink("near", folder.join("corpus/link")).unwrap();
    symlink("..", folder.join("corpus/near/loop")).unwrap();
    let pipe = std::process::Command::new("/usr/bin/mkfifo").arg(folder.join("corpus/pipe.wasm")).status();
    let piped = usize::from(pipe.is_ok_and(|status| status.success()));
    folder.write("corpus/shut/d.wasm", linked(2, 1 << 16, ""));
    let shut = folder.join("corpus/shut");
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o0)).unwrap();
    // Whoever may read everything finds a fourth contract there.
    let open = usize::from(std::fs::read_dir(&shut).is_ok());
    let found = output(&folder, &["survey", "corpus", "--format", "csv"]);
    let by_pattern = output(&folder, &["survey", "corpus/*", "--format", "csv"]);
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o755)).unwrap();
    // The pattern finds the link as well, as if it was named: two contracts are behind it.
    for ((code, csv, stderr), named) in [(found, 0), (by_pattern, 2)] {
        let rows = rows(csv.as_bytes());
        assert_eq!((code, rows.len()), (1, 5 + named + piped), "{csv}");
        let failed = rows.iter().filter(|row| !row["error"].is_empty()).count();
        assert_eq!(failed, 2 - open + piped, "{csv}");
        let kind = if failed == 1 { "is no contract" } else { "are no contracts" };
        let said = format!("{failed} of {} files {kind}", rows.len());
        assert!(stderr.contains(&said), "{stderr}");
        assert!(stderr.contains("links to folders were not followed"), "{stderr}");
    }
}

#[test]
fn what_of_a_contract_folder_is_left_out_is_said() {
    let folder = Folder::new();
    folder.contract("touch", crate::folder::GOOD, "[1, 2]");
    folder.write("contracts/packed.wasm.gz", "");
    folder.write("contracts/LOUD.WASM", "");
    symlink("nowhere", folder.join("contracts/gone")).unwrap();
    let (code, _, stderr) = output(&folder, &["compile", "--contracts", "contracts", "--out", "out"]);
    assert_eq!(code, 0, "{stderr}");
    for name in ["packed.wasm.gz", "LOUD.WASM", "gone"] {
        assert!(stderr.contains(&format!("contracts/{name} is not a contract and is left out")), "{stderr}");
    }
}

/// As an editor of another system saves it.
fn foreign(text: &str) -> String {
    format!("\u{feff}{}", text.replace('\n', "  \r\n"))
}

#[test]
fn files_are_read_as_other_systems_write_them() {
    let folder = crate::stored::stored();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    folder.contract("touch", crate::folder::GOOD, "[1, 2]");
    folder.write("params/chain.toml", include_str!("../../params/chain.toml"));
    folder.write("table.toml", include_str!("../data/current.toml"));
    folder.write("nightly.toml", "format = 1\ncontracts = \"contracts\"\nthreshold = 3.0\n");
    let commands: [(&str, &[&str]); 6] = [
        ("contracts/touch/contract.toml", &["compile", "--contracts", "contracts", "--out", "out"]),
        ("contracts/touch/touch.wat", &["compile", "--contracts", "contracts", "--out", "out"]),
        ("params/chain.toml", &["compile", "--contracts", "contracts", "--out", "out"]),
        ("nightly.toml", &["nightly", "--dry-run"]),
        ("table.toml", &["export", "--format", "json", "--params", "table.toml"]),
        ("reports/run/chain.toml", &["fit", "reports/run", "--params", "fitted.toml"]),
    ];
    for (file, args) in commands {
        let text = folder.read(file);
        let utf16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        folder.write(file, utf16);
        let (code, _, stderr) = output(&folder, args);
        assert!(code != 0 && stderr.contains("UTF-16"), "{file}: {stderr}");
        folder.write(file, foreign(&text));
        let (code, _, stderr) = output(&folder, args);
        assert_eq!(code, 0, "{file}: {stderr}");
    }
    let samples = folder.read("reports/run/samples.csv");
    let spaced = samples.lines().map(|line| line.replace(',', " ,") + " \r\n").collect::<String>();
    folder.write("reports/run/samples.csv", format!("\u{feff}{spaced}  \r\n"));
    folder.write("reports/run/run.toml", foreign(&folder.read("reports/run/run.toml")));
    folder.estimator(&["fit", "reports/run", "--params", "fitted.toml"]).assert().success();
    assert_eq!(folder.read("fitted.toml"), std::fs::read_to_string(data.join("table.toml")).unwrap());
    let utf16: Vec<u8> = format!("\u{feff}{samples}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("reports/run/samples.csv", utf16);
    let (code, _, stderr) = output(&folder, &["fit", "reports/run"]);
    assert!(code == 1 && stderr.contains("UTF-16"), "{stderr}");
}
