use crate::folder::{Folder, failure};

const BUDGET: [&str; 4] = ["--budget", "1s", "--seed", "1"];

const REAL: &str = r#"(module (import "env" "log" (func (param i32 i32))) (memory (export "memory") 1) (global i32 (i32.const 1))
    (func (export "go") i32.const 0 i32.const 5 call 0) (data (i32.const 0) "hello"))"#;

/// Too noisy to sign or not: what is said of files holds either way. Where it was so noisy that no line fits there is no table: no test fails
/// because the machine is slow, and the fit has tests of its own (`src/model/deploy_truth.rs`).
#[test]
fn validation_is_measured_priced_and_held_against_real_contracts() {
    let folder = Folder::new();
    folder.nothing_met();
    let (code, stderr) = failure(folder.estimator(&["run", "--experiment", "deploy-validate"]).args(BUDGET));
    assert!([0, 4, 5].contains(&code), "{code}: {stderr}");
    if code == 5 {
        return;
    }
    let signed = "params/proposed-deploy-validate.toml";
    let priced = folder.read(if folder.join(signed).exists() { signed } else { "reports/latest/unsigned.toml" });
    for name in ["base", "per_function", "per_kilo_instruction", "per_branch_target"] {
        assert!(priced.contains(&format!("[params.contract_validate_{name}]")), "{name}: {priced}");
    }
    let summary = folder.read("reports/latest/summary.md");
    for part in ["Proposed: the fee of validating", "From the usual mix to the worst", "live64", "the usual mix alone"]
    {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    folder.write("real/a.wasm", wat::parse_str(REAL).unwrap());
    let args = ["verify", "--params", "reports/latest", "--format", "json", "real"];
    let output = folder.estimator(&args).args(BUDGET).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{stderr}"));
    let real = &json["contracts"][0];
    assert_eq!((&json["experiment"], &real["instructions"]), (&"deploy-validate".into(), &4.into()), "{json}");
    assert!(real["validate_ns"].as_f64() > Some(0.0) && real["charge_over_cost"].as_f64() > Some(0.0), "{json}");
}
