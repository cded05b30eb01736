//! Experiments on other work than calls: measured as shortly as can be, and told.

use crate::folder::{Folder, failure};

/// The folder of a run of these experiments, each with its exit code looked at: too noisy to sign or not, what is said of files holds.
fn measured(experiments: &str) -> Folder {
    let folder = Folder::new();
    folder.nothing_met();
    let args = ["run", "--experiment", experiments, "--budget", "1s", "--seed", "1"];
    let (code, stderr) = failure(&mut folder.estimator(&args));
    assert!([0, 4, 5].contains(&code), "{code}: {stderr}");
    folder
}

fn json(folder: &Folder, file: &str) -> serde_json::Value {
    serde_json::from_str(&folder.read(file)).unwrap()
}

/// The folders of runs, in the order in which they were made.
fn runs(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("reports")).unwrap().map(|entry| entry.unwrap());
    let runs = entries.filter(|entry| !entry.file_type().unwrap().is_symlink());
    let mut runs: Vec<String> = runs.map(|entry| format!("reports/{}", entry.file_name().display())).collect();
    runs.sort();
    runs
}

#[test]
fn ways_of_reading_are_compared_with_what_they_allocate() {
    let folder = measured("source");
    let effects = json(&folder, "reports/latest/effects.json");
    let of = |variant: &str| {
        let found = effects["effects"].as_array().unwrap().iter().find(|of| of["fit"]["point"]["variant"] == variant);
        found.unwrap_or_else(|| panic!("{variant}: {effects}")).clone()
    };
    let count = |of: &serde_json::Value, counter: &str| {
        let all = of["fit"]["counters"].as_array().unwrap();
        all.iter().find(|found| found["counter"] == counter).unwrap()["median"].as_u64().unwrap()
    };
    let (once, mapped) = (of("100x52KiB-once"), of("100x52KiB-mapped"));
    assert!(once["compared"] == "reading" && once["ratio"]["value"].as_f64() > Some(0.0));
    // A text for each file and the list of them; of mappings the list alone.
    assert!((100..110).contains(&count(&once, "allocations")) && count(&mapped, "allocations") < 10);
    assert!(count(&once, "allocated_bytes") >= 100 * 52 * 1024);
    let samples = folder.read("reports/latest/samples.csv");
    assert!(samples.starts_with(
        "process,round,point,read_ns,drop_ns,minor_faults,involuntary_switches,allocations,allocated_bytes,peak_bytes\n"
    ));
    assert!(!folder.join("params/proposed.toml").exists(), "it proposes nothing");
    let summary = folder.read("reports/latest/summary.md");
    assert!(summary.contains("By reading") && summary.contains("mapped"), "{summary}");
    let (code, _) = folder.fails(&["fit", "reports/latest"]);
    assert_eq!(code, 0);
}

/// Its stacks cost several times what a new stack of Wasmtime's costs, which is what the fee is of.
#[test]
fn a_chain_that_runs_an_interpreter_gets_no_stack_fee_of_another_engine() {
    let folder = Folder::new();
    folder.nothing_met();
    let chain = folder.read("params/chain.toml");
    folder.write("params/chain.toml", chain.replace("strategy = \"fresh-map\"", "strategy = \"wasmi-fresh\""));
    let (code, stderr) = folder.fails(&["run", "--experiment", "stack", "--budget", "1s"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("no stack fee is stated for `wasmi-fresh`"), "{stderr}");
}

#[test]
fn several_experiments_are_measured_one_after_the_other_each_with_its_table() {
    let folder = measured("payload,cache");
    let runs = runs(&folder);
    assert_eq!(runs.len(), 2, "{runs:?}");
    let (code, said) = folder.fails(&["compare", &runs[0], &runs[1]]);
    assert!(code == 6 && said.contains("experiment payload") && said.contains("has cache"), "{said}");
    let table = ["params/proposed-payload.toml".to_owned(), format!("{}/unsigned.toml", runs[0])];
    // Where the machine is too busy even for a line, nothing is proposed, and that is said.
    if let Some(table) = table.iter().find(|table| folder.join(table).exists()) {
        let table = folder.read(table);
        assert!(
            table.contains("[params.payload_base]")
                && table.contains("[params.payload_per_kib]")
                && table.contains("[params.payload_per_returned_kib]"),
            "{table}"
        );
        assert!(!table.contains("[params.memory_init_base]"));
        folder.write("table.toml", table);
        let (code, stderr) = folder.fails(&["verify", "--params", "table.toml", "--budget", "1s", "reports"]);
        assert!(code == 2 && stderr.contains("experiment `payload`"), "{code}: {stderr}");
        let (code, stderr) = folder.fails(&["price", "--params", "table.toml", "reports"]);
        assert!(code == 2 && stderr.contains("memory_init_base"), "{code}: {stderr}");
    }
    assert_eq!(json(&folder, &format!("{}/effects.json", runs[1]))["effects"].as_array().unwrap().len(), 9);
}

#[test]
fn stacks_are_compared_by_origin_height_and_engine() {
    let folder = measured("stack");
    let effects = json(&folder, "reports/latest/effects.json");
    let compared =
        |factor: &str| effects["effects"].as_array().unwrap().iter().filter(|of| of["compared"] == factor).count();
    // Seven places each, two of them on small stacks: five origins of one engine and two of each other one, of which one is usual.
    assert_eq!(["origin", "height", "engine"].map(compared), [(4 + 1 + 1) * 7, (5 + 2 + 2) * 2, (2 + 2) * 7]);
    let report = folder.read("reports/latest/report.html");
    for heading in ["By origin", "By height", "By engine"] {
        assert!(report.contains(heading), "{heading}");
    }
}

#[test]
fn one_table_is_not_for_several_experiments() {
    let folder = Folder::new();
    folder.nothing_met();
    for named in [["--params", "one.toml"], ["--current", "one.toml"]] {
        let args = [&["run", "--experiment", "source,cache"][..], &named[..]].concat();
        let (code, stderr) = folder.fails(&args);
        assert!(code == 2 && stderr.contains("a table and a name of its own"), "{code}: {stderr}");
    }
    let (code, stderr) = folder.fails(&["noise", "--experiment", "all"]);
    assert!(code == 2 && stderr.contains("one experiment alone"), "{code}: {stderr}");
    let (code, stderr) = folder.fails(&["run", "--experiment", "none"]);
    assert!(code == 2 && stderr.contains("payload") && stderr.contains("all"), "{code}: {stderr}");
}
