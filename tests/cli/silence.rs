//! What a command does with contracts and strategies that take their time or cannot be had.

use std::fmt::Write as _;
use std::process::Command;

use crate::corpus::{corpus, linked, output};
use crate::folder::{Folder, GOOD, failure};

/// Loops for ever if the memory was touched before, which the start of a call cannot know.
const LOOPS_WHEN_TOUCHED: &str = r#"(module (memory (export "memory") 1)
    (func (export "touch") (param $at i32) (param $length i32)
      (if (i32.load (i32.const 8)) (then (loop $forever (br $forever))))
      (memory.fill (local.get $at) (i32.const 1) (local.get $length))))"#;

#[test]
fn a_contract_that_loops_in_its_second_call_is_named() {
    let folder = Folder::new();
    folder.module("looper", LOOPS_WHEN_TOUCHED);
    let (code, stderr) = failure(folder.run().env("ESTIMATOR_PATIENCE_MS", "1500"));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("looper") && stderr.contains("no answer for 1.5 s"), "{stderr}");
}

#[test]
fn a_contract_that_loops_at_once_is_named() {
    let folder = Folder::new();
    folder.module(
        "looper",
        r#"(module (memory (export "memory") 1) (func (export "touch") (param i32 i32) (loop (br 0))))"#,
    );
    let (code, stderr) = failure(folder.run().env("ESTIMATOR_PATIENCE_MS", "1500"));
    assert!(code == 1 && stderr.contains("looper") && stderr.contains("first call"), "{stderr}");
}

/// The command under a limit of address space, in KiB.
fn limited(folder: &Folder, kib: u32, args: &[&str]) -> (i32, String) {
    let program = assert_cmd::cargo::cargo_bin!("estimator");
    let mut command = Command::new("/bin/sh");
    command.current_dir(folder.path()).env("HOME", folder.path()).env("PATH", "/nowhere");
    command.arg("-c").arg(format!("ulimit -v {kib}; exec \"$0\" \"$@\"")).arg(program).args(args);
    let output = command.output().unwrap();
    (output.status.code().expect("not killed"), String::from_utf8(output.stderr).unwrap())
}

const SHORT: [&str; 7] = ["run", "--contracts", "contracts", "--budget", "1s", "--seed", "1"];

#[test]
fn a_strategy_that_cannot_be_set_up_is_left_out_with_the_limit_named() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 8, 17, 64]");
    let (code, stderr) = limited(&folder, 8_000_000, &SHORT);
    assert!([0, 4, 5].contains(&code), "{stderr}");
    let note = |name: &str| stderr.lines().any(|line| line.starts_with(&format!("note: {name} is left out: ")));
    assert!(note("recycle-adaptive") && note("pool-decommit") && !note("fresh-map"), "{stderr}");
    assert!(stderr.contains("ulimit -v unlimited"), "{stderr}");
    let points = folder.read("reports/latest/points.csv");
    assert!(points.contains("fresh-map") && !points.contains("recycle-adaptive"));
}

#[test]
fn a_strategy_that_the_chain_needs_and_cannot_be_set_up_is_an_error_with_the_limit_named() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4]");
    let (code, stderr) = limited(&folder, 3_000_000, &SHORT);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("`fresh-map`") && stderr.contains("ulimit -v unlimited"), "{stderr}");
}

#[test]
fn a_contract_of_many_functions_and_exports_is_told_of_and_compiled_once() {
    let folder = Folder::new();
    let mut text = String::from(r#"(module (memory (export "memory") 1)"#);
    for index in 0..3000 {
        write!(text, r#"(func (export "f{index}") (result i32) (i32.const {index}))"#).unwrap();
    }
    text += r#"(func (export "touch") (param $at i32) (param $length i32)
        (memory.fill (local.get $at) (i32.const 1) (local.get $length))))"#;
    folder.module("large", &text);
    let output = folder.run().output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("compiling: 1 of 1 contracts"), "{stderr}");
    assert_eq!(output.status.code(), Some(5), "one size of memory gives no fee: {stderr}");
}

#[test]
fn verification_without_a_terminal_says_how_far_it_is() {
    let folder = corpus();
    for index in 0..7 {
        folder.write(&format!("corpus/more{index}.wasm"), linked(1, 1 << 14, ""));
    }
    let (_, _, stderr) = output(&folder, &["verify", "corpus", "--budget", "1s", "--seed", "1"]);
    for line in ["trying: 5 of 10 contracts", "trying: 10 of 10 contracts", "measuring: 10 contracts, some "] {
        assert!(stderr.contains(line), "{line}: {stderr}");
    }
    let rounds = stderr.lines().filter(|line| line.starts_with("measuring: ") && line.ends_with(" rounds"));
    assert_eq!(rounds.count(), 10, "{stderr}");
}

#[test]
fn one_name_imported_with_two_types_is_measured() {
    let folder = corpus();
    let text = r#"(module (import "env" "f" (func)) (import "env" "f" (func (param i32))) (memory 1))"#;
    folder.write("twice.wasm", wat::parse_str(text).unwrap());
    let (code, stdout, stderr) = output(&folder, &["verify", "twice.wasm", "--budget", "1s", "--format", "json"]);
    assert!(code == 0 || code == 3, "{stderr}");
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json["unmeasured"], 0, "{stdout}");
}
