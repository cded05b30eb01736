//! A run that was measured once and is fitted again and again: what follows from its samples is the same everywhere.

use std::fs;
use std::path::Path;

use crate::folder::Folder;

/// The stored run in `reports/run` of a folder of its own.
pub fn stored() -> Folder {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run");
    for file in ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"] {
        folder.write(&format!("reports/run/{file}"), fs::read(source.join(file)).unwrap());
    }
    folder
}

#[test]
fn the_table_is_the_expected_one() {
    let folder = stored();
    folder.estimator(&["fit", "reports/run", "--params", "table.toml"]).assert().success();
    assert_eq!(folder.read("table.toml"), include_str!("../data/table.toml"));
    assert_eq!(folder.read("reports/run/summary.md"), include_str!("../data/summary.md"));
}

#[test]
fn any_number_of_threads_gives_the_same_fit() {
    let fits = ["1", "3"].map(|threads| {
        let folder = stored();
        let mut command = folder.estimator(&["fit", "reports/run", "--params", "table.toml"]);
        command.env("RAYON_NUM_THREADS", threads).assert().success();
        folder.read("reports/run/fit.json")
    });
    assert_eq!(fits[0], fits[1]);
}

#[test]
fn the_report_fits_in_eighty_columns() {
    let folder = stored();
    let output = folder.estimator(&["fit", "reports/run"]).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let wide: Vec<&str> = stdout.lines().filter(|line| line.chars().count() > 80).collect();
    assert_eq!(wide, Vec::<&str>::new());
    assert!(!stdout.contains('\u{1b}'), "no colours where nobody sees them");
}

#[test]
fn a_percentile_of_few_cycles_is_rejected() {
    let folder = stored();
    let chain = folder.read("reports/run/chain.toml").replace("\"median\"", "\"p99\"");
    folder.write("chain.toml", chain);
    let output = folder.estimator(&["fit", "reports/run", "--chain", "chain.toml"]).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(5), "{stdout}");
    assert!(stdout.contains("99th percentile needs 500"), "{stdout}");
    assert!(!folder.join("params/proposed.toml").exists());
}

#[test]
fn touches_without_their_faults_are_refused() {
    let folder = stored();
    let samples = folder.read("reports/run/samples.csv");
    let row = samples.lines().nth(1).unwrap();
    let mut fields: Vec<&str> = row.split(',').collect();
    fields[8] = "0";
    folder.write("reports/run/samples.csv", samples.replacen(row, &fields.join(","), 1));
    let (code, stderr) = folder.fails(&["fit", "reports/run"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("page faults"), "{stderr}");
}

#[test]
fn a_price_that_was_not_measured_is_not_taken_out_in_silence() {
    let folder = stored();
    folder.estimator(&["fit", "reports/run", "--params", "table.toml"]).assert().success();
    let grow = "\n[params.memory_grow_per_page]\ngas = 1\nunit = \"gas per grown page of 64 KiB\"\n\
                nanos = { value = 1.0, low = 1.0, high = 1.0 }\nmodel = \"\"\nderivation = \"\"\n";
    folder.write("table.toml", folder.read("table.toml") + grow);
    let output = folder.estimator(&["fit", "reports/run", "--params", "table.toml"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("memory_grow_per_page was not measured and is taken out of table.toml"), "{stderr}");
}
