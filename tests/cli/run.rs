use std::fs;

use crate::folder::{Folder, GOOD, failure};

fn measured() -> Folder {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 8, 17, 64]");
    folder.run().assert().success();
    folder
}

#[test]
fn a_run_leaves_what_it_should() {
    let folder = measured();
    for file in ["run.toml", "samples.csv", "fit.json", "summary.md", "chain.toml", "artifacts/artifacts.toml"] {
        assert!(folder.join("reports/latest").join(file).is_file(), "{file}");
    }
    let table = folder.read("params/proposed.toml");
    assert!(table.contains("[params.memory_init_base]") && table.contains("[params.memory_init_per_page]"), "{table}");
}

#[test]
fn the_charge_covers_the_median_of_every_point() {
    let folder = measured();
    let table: toml::Table = folder.read("params/proposed.toml").parse().unwrap();
    let nanos = |name: &str| table["params"][name]["nanos"]["value"].as_float().unwrap();
    let (base, per_page) = (nanos("memory_init_base"), nanos("memory_init_per_page"));
    let mut rows = csv::Reader::from_path(folder.join("reports/latest/samples.csv")).unwrap();
    let mut costs = std::collections::BTreeMap::<u32, Vec<f64>>::new();
    for row in rows.deserialize::<std::collections::HashMap<String, String>>() {
        let row = row.unwrap();
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        let cost = number("instantiate_ns") + number("first_touch_ns") - number("warm_touch_ns") + number("reset_ns");
        assert_eq!(number("minor_faults"), 16.0 * number("touched_pages"));
        costs.entry(row["initial_pages"].parse().unwrap()).or_default().push(cost);
    }
    assert_eq!(costs.len(), 6);
    assert!(base > 0.0);
    for (pages, mut costs) in costs {
        costs.sort_unstable_by(f64::total_cmp);
        let median = costs[costs.len() / 2];
        assert!(base + per_page * f64::from(pages) >= median, "{pages} pages: {base} + {per_page} a page < {median}");
    }
}

#[test]
fn fitting_again_gives_the_same_files() {
    let folder = measured();
    let before = folder.read("params/proposed.toml");
    let fit = folder.read("reports/latest/fit.json");
    folder.estimator(&["fit", "reports/latest", "--params", "again.toml"]).assert().success();
    assert_eq!(folder.read("again.toml"), before);
    assert_eq!(folder.read("reports/latest/fit.json"), fit);
}

#[test]
fn a_killed_round_is_measured_again_and_the_others_stay() {
    let folder = measured();
    let whole = folder.read("reports/latest/samples.csv");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let cut = lines[..lines.len() - 5].concat() + &lines[lines.len() - 5][..20];
    fs::write(folder.join("reports/latest/samples.csv"), &cut).unwrap();
    let run = folder.read("reports/latest/run.toml").replace("stopped = \"budget-spent\"\n", "");
    folder.write("reports/latest/run.toml", run);
    folder.estimator(&["run", "--resume", "reports/latest"]).assert().success();
    let after = folder.read("reports/latest/samples.csv");
    assert_eq!(after.lines().count(), whole.lines().count());
    let table = folder.read("params/proposed.toml");
    folder.estimator(&["fit", "reports/latest"]).assert().success();
    assert_eq!(folder.read("params/proposed.toml"), table);
}

#[test]
fn json_is_all_there_is_on_standard_output() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2, 4, 8, 17, 64]");
    let output = folder.run().args(["--format", "json"]).output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["seed"], 1);
    assert!(shown["table"]["params"]["memory_init_base"]["gas"].as_u64().unwrap() > 0);
}

#[test]
fn two_levels_are_too_few_for_a_fee() {
    let folder = Folder::new();
    folder.contract("touch", GOOD, "[1, 2]");
    let output = folder.run().output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8(output.stdout).unwrap().contains("page"), "says why");
    assert!(!folder.join("params/proposed.toml").exists());
}

#[test]
fn the_built_in_contract_needs_no_files() {
    let folder = Folder::new();
    let (code, stderr) = failure(&mut folder.estimator(&["run", "--budget", "1s", "--strategy", "fresh-map"]));
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn a_newer_run_is_incompatible() {
    let folder = measured();
    let run = folder.read("reports/latest/run.toml").replace("format = 1\n", "format = 2\n");
    folder.write("reports/latest/run.toml", run);
    assert_eq!(folder.fails(&["fit", "reports/latest"]).0, 6);
}

#[test]
fn another_machine_is_refused_unless_asked() {
    let folder = measured();
    let here = folder.join("reports/latest").canonicalize().unwrap();
    let there = folder.join("reports/other");
    fs::create_dir(&there).unwrap();
    for file in ["samples.csv", "chain.toml"] {
        fs::copy(here.join(file), there.join(file)).unwrap();
    }
    let run = fs::read_to_string(here.join("run.toml")).unwrap();
    let model = run.lines().find(|line| line.starts_with("model = ")).expect("a processor");
    fs::write(there.join("run.toml"), run.replace(model, "model = \"another\"")).unwrap();
    let (code, stderr) = folder.fails(&["fit", "reports/latest", "reports/other"]);
    assert_eq!(code, 6, "{stderr}");
    assert!(stderr.contains("--across-machines"), "{stderr}");
}
