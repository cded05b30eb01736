use std::sync::LazyLock;

use crate::folder::{Folder, Kept, failure};

const BUDGET: [&str; 4] = ["--budget", "1s", "--seed", "1"];

/// Loads, measured as shortly as can be. Too noisy to sign or not: what is said of files holds either way. `None` where the second was so
/// noisy that no line fits: no test fails because the machine is slow, and the fit has tests of its own (`src/model/load_truth.rs`).
fn measured() -> Option<Folder> {
    static MEASURED: LazyLock<Option<Vec<Kept>>> = LazyLock::new(|| {
        let folder = Folder::new();
        folder.nothing_met();
        let (code, stderr) = failure(folder.estimator(&["run", "--experiment", "load"]).args(BUDGET));
        assert!([0, 4, 5].contains(&code), "{code}: {stderr}");
        (code != 5).then(|| folder.kept())
    });
    MEASURED.as_deref().map(Folder::holding)
}

/// The table, or the one that nobody should sign.
fn table(folder: &Folder) -> String {
    let signed = "params/proposed-load.toml";
    folder.read(if folder.join(signed).exists() { signed } else { "reports/latest/unsigned.toml" })
}

#[test]
fn loads_are_measured_priced_and_held_against_real_contracts() {
    let Some(folder) = measured() else { return };
    let priced = table(&folder);
    for name in ["base", "per_function", "per_type", "per_import", "per_export", "per_code_kib", "with_data"] {
        assert!(priced.contains(&format!("[params.contract_load_{name}]")), "{name}: {priced}");
    }
    assert!(!folder.join("params/proposed.toml").exists(), "that is the table of memories");
    let summary = folder.read("reports/latest/summary.md");
    for part in ["Proposed: the fee of loading", "Mixed modules", "without `contract_load_per_type`"] {
        assert!(summary.contains(part), "{summary}");
    }
    assert!(folder.read("reports/latest/report.html").contains("Mixed modules"));

    folder.write("table.toml", &priced);
    folder.write("real/a.wasm", wat::parse_str(REAL).unwrap());
    folder.write("real/broken.wasm", "no module");
    let args = ["verify", "--params", "table.toml", "--format", "json", "real"];
    let output = folder.estimator(&args).args(BUDGET).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{stderr}"));
    let real = &json["contracts"][0];
    assert_eq!((&json["experiment"], &real["file"], &real["imports"]), (&"load".into(), &"a.wasm".into(), &1.into()));
    assert!(real["deserialize_ns"].as_f64() > Some(0.0) && real["charge_over_cost"].as_f64() > Some(0.0), "{json}");
    assert_eq!(json["unmeasured"], 1, "{stderr}");
}

const REAL: &str = r#"(module (import "env" "log" (func (param i32 i32))) (memory (export "memory") 1) (global i32 (i32.const 1))
    (func (export "go") i32.const 0 i32.const 5 call 0) (data (i32.const 0) "hello"))"#;

#[test]
fn a_table_of_loads_alone_prices_no_memory() {
    let Some(folder) = measured() else { return };
    folder.write("table.toml", table(&folder));
    folder.write("a.wasm", wat::parse_str(REAL).unwrap());
    let (code, stderr) = folder.fails(&["price", "--params", "table.toml", "a.wasm"]);
    assert!(code == 2 && stderr.contains("memory_init_base"), "{stderr}");
    assert!(!stderr.contains("there is no memory"), "it is no incomplete table of memories: {stderr}");
    let again = ["fit", "reports/latest", "--params", "again.toml"];
    let (code, stderr) = folder.fails(&again);
    assert!([0, 4].contains(&code), "{stderr}");
}

/// Without images data is copied segment by segment, which the factors do not count.
#[test]
fn loads_are_not_measured_where_all_data_is_copied_into_every_instance() {
    let folder = Folder::new();
    for experiment in ["load", "load-kept", "deploy-winch"] {
        let (code, stderr) = folder.fails(&["run", "--experiment", experiment, "--strategy", "recycle-zero"]);
        assert!(code == 2 && stderr.contains("under `recycle-zero`") && stderr.contains("fresh-map"), "{stderr}");
    }
}
