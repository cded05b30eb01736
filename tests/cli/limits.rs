//! What the chain allows: no larger memory is measured, priced or shown.

use crate::folder::{Folder, GOOD, failure};
use crate::stored::stored;

/// NEAR's settings with other limits.
fn chain(initial: u32, all: u32) -> String {
    include_str!("../../params/chain.toml")
        .replace("initial_pages_max = 1024", &format!("initial_pages_max = {initial}"))
        .replace("pages_max = 2048", &format!("pages_max = {all}"))
        .replace("noise_limit = 0.06", "noise_limit = 0.5")
}

/// Fits the stored run, whose memories have 1 to 1024 pages, for such a chain: exit code and standard output.
fn fitted(folder: &Folder, initial: u32, all: u32) -> (Option<i32>, String) {
    folder.write("other.toml", chain(initial, all));
    let output =
        folder.estimator(&["fit", "reports/run", "--chain", "other.toml", "--params", "table.toml"]).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_run_that_is_fitted_for_a_smaller_chain_shows_no_size_that_it_forbids() {
    let folder = stored();
    let (code, stdout) = fitted(&folder, 64, 128);
    assert_eq!(code, Some(0), "{stdout}");
    assert!(stdout.contains("each of 64") && stdout.contains("64 pages"), "{stdout}");
    let table = folder.read("table.toml");
    assert!(
        table.contains(
            "2 of 8 points are left out, beyond the chain's limits of 64 pages at first and 128 pages in all"
        )
    );
    // The reference machine keeps the sizes of its own probes.
    let table = table.split("[provenance.reference]").next().unwrap().to_owned();
    for text in [stdout, table, folder.read("reports/run/summary.md"), folder.read("reports/run/report.html")] {
        for size in ["1024 pages", "of 1024", "256 pages", "pages1024", "pages256"] {
            assert!(!text.contains(size), "{size} in {text}");
        }
    }
}

#[test]
fn a_chain_of_one_page_is_told_why_there_is_no_line_and_what_a_call_costs() {
    let folder = stored();
    let (code, stdout) = fitted(&folder, 1, 1);
    assert_eq!(code, Some(5), "{stdout}");
    assert!(stdout.contains("initial pages take one level") && stdout.contains("needs no line"), "{stdout}");
    let row = stdout.lines().find(|line| line.trim_start().starts_with("1 page ")).unwrap();
    assert!(row.ends_with(" Tgas"), "a charge in gas: {row}");
    assert!(!folder.join("table.toml").exists() && !stdout.contains("17 pages"), "{stdout}");
}

#[test]
fn what_is_beyond_the_largest_measured_size_is_said_to_be_extrapolated() {
    let folder = stored();
    let (code, stdout) = fitted(&folder, 65_536, 65_536);
    assert_eq!(code, Some(0), "{stdout}");
    let said =
        "the largest memory measured has 1024 pages, and the chain allows 65536 pages: charges beyond are extrapolated";
    assert!(folder.read("table.toml").contains(said), "{}", folder.read("table.toml"));
    fitted(&folder, 1024, 2048);
    assert!(!folder.read("table.toml").contains("extrapolated"));
}

/// A contract of these page levels that are meant for every chain.
fn capped(folder: &Folder, pages: &str) {
    folder.contract("a", GOOD, pages);
    let manifest = folder.read("contracts/a/contract.toml").replace("[factors]", "cap_levels = true\n[factors]");
    folder.write("contracts/a/contract.toml", manifest);
}

#[test]
fn levels_beyond_the_limit_are_noted_in_the_run_and_in_its_reports() {
    let folder = Folder::new();
    capped(&folder, "[1, 2, 17, 1024]");
    folder.write("params/chain.toml", chain(3, 4));
    let (code, stderr) = failure(&mut folder.run());
    assert!([0, 4, 5].contains(&code), "{stderr}");
    let said = "left out of a: 17 and 1024 initial pages, beyond the chain's limit of 3 pages, which is measured in their place";
    assert!(stderr.contains(&format!("note: {said}")), "{stderr}");
    for file in ["run.toml", "summary.md"] {
        assert!(folder.read(&format!("reports/latest/{file}")).contains(said), "{file}");
    }
    let artifacts = folder.read("reports/latest/artifacts/artifacts.toml");
    let pages: Vec<&str> = artifacts.lines().filter(|line| line.starts_with("initial_pages")).collect();
    assert_eq!(pages, ["initial_pages = 1", "initial_pages = 2", "initial_pages = 3"]);
}

#[test]
fn what_was_compiled_for_a_larger_chain_runs_on_a_smaller_as_far_as_it_goes() {
    let folder = Folder::new();
    folder.contract("a", GOOD, "[1, 2, 4]");
    folder.estimator(&["compile", "--contracts", "contracts", "--out", "artifacts"]).assert().success();
    folder.write("params/chain.toml", chain(2, 2));
    let run = ["run", "--contracts", "artifacts", "--budget", "1s", "--strategy", "fresh-map"];
    let (code, stderr) = folder.fails(&run);
    assert_eq!(code, 5, "two levels make no line: {stderr}");
    assert!(stderr.contains("left out of a: pages4-stack16KiB, beyond the chain's limit of 2 pages"), "{stderr}");
    assert!(!folder.read("reports/latest/points.csv").contains("pages4"));

    folder.contract("a", GOOD, "[2]");
    folder.estimator(&["compile", "--contracts", "contracts", "--out", "artifacts"]).assert().success();
    folder.write("params/chain.toml", chain(1, 1));
    let (code, stderr) = folder.fails(&run);
    assert!(code == 1 && stderr.contains("within the chain's limit of 1 page"), "{stderr}");
}

#[test]
fn a_diff_shows_no_charge_for_a_size_that_a_chain_forbids() {
    let folder = Folder::new();
    let old = include_str!("../data/current.toml");
    folder.write("old.toml", old);
    folder.write("new.toml", old.replace("initial_pages_max = 1_024", "initial_pages_max = 100"));
    let charges = |one: &str, other: &str| -> Vec<(u64, bool, bool)> {
        let output = folder.estimator(&["diff", one, other, "--format", "json"]).output().unwrap();
        let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let charges = shown["charges"].as_array().unwrap().iter();
        charges.map(|row| (row["pages"].as_u64().unwrap(), !row["old"].is_null(), !row["new"].is_null())).collect()
    };
    let both = |pages| (pages, true, true);
    let expected = [both(1), both(17), both(64), both(100), (1024, true, false)];
    assert_eq!(charges("old.toml", "new.toml"), expected);
    assert_eq!(charges("new.toml", "new.toml"), [both(1), both(17), both(64), both(100)]);
}

#[test]
fn a_contract_beyond_the_limit_has_no_fee() {
    let folder = Folder::new();
    folder.write("table.toml", include_str!("../data/current.toml"));
    folder.module("small", "(module (memory 17))");
    folder.module("large", "(module (memory 1025))");
    let output =
        folder.estimator(&["price", "--params", "table.toml", "contracts", "--format", "csv"]).output().unwrap();
    let rows: Vec<std::collections::HashMap<String, String>> =
        csv::Reader::from_reader(&output.stdout[..]).deserialize().map(Result::unwrap).collect();
    let fee = |file: &str| rows.iter().find(|row| row["file"].contains(file)).unwrap()["fee"].clone();
    assert!(fee("large").is_empty() && !fee("small").is_empty(), "{rows:?}");
}

#[test]
fn a_contract_of_no_pages_is_refused_with_the_way_out_in_every_command() {
    let folder = Folder::new();
    folder.module("none", r#"(module (memory (export "memory") 0) (func (export "touch") (param i32 i32)))"#);
    for args in
        [&["run", "--contracts", "contracts"][..], &["compile", "--contracts", "contracts", "--out", "artifacts"]]
    {
        let (code, stderr) = folder.fails(args);
        assert_eq!(code, 1, "{stderr}");
        assert!(stderr.contains("none/pages0: the module declares a memory of 0 pages"), "{stderr}");
        assert!(stderr.contains("declare 1 page at least") && !stderr.contains("write the folder again"), "{stderr}");
    }
}

#[test]
fn a_contract_with_imports_is_measured_and_one_that_calls_them_is_named() {
    let folder = Folder::new();
    folder.nothing_met();
    let touching =
        "(loop (i32.store8 (local.get 0) (i32.const 1)) (local.set 0 (i32.add (local.get 0) (i32.const 4096)))
        (br_if 0 (i32.lt_u (local.get 0) (local.get 1))))";
    let module = |call: &str| {
        format!(
            r#"(module (import "env" "host" (func $host (param i64) (result i32))) (memory (export "memory") 1)
                 (func (export "touch") (param i32 i32) {call} {touching}))"#
        )
    };
    folder.module("imports", &module(""));
    let (code, stderr) = failure(&mut folder.run());
    assert_eq!(code, 5, "one level makes no line: {stderr}");
    assert!(folder.read("reports/latest/points.csv").contains(",imports,pages1,"));
    folder.module("imports", &module("(drop (call $host (i64.const 1)))"));
    let (code, stderr) = failure(&mut folder.run());
    assert!(code == 1 && stderr.contains("imports/pages1") && stderr.contains("host"), "{stderr}");
}
