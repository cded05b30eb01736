//! Settings and contracts to begin with.

use crate::folder::Folder;

fn said(folder: &Folder, args: &[&str]) -> (Option<i32>, String, String) {
    let output = folder.estimator(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn what_init_writes_is_compiled_as_it_is_and_never_written_over() {
    let folder = Folder::new();
    let limits = ["--set", "initial_pages_max=64", "--set", "pages_max=64"];
    let (code, shown, stderr) = said(&folder, &[&["init", "--chain", "generic"][..], &limits].concat());
    assert!(code == Some(0) && shown.contains("Next: estimator run"), "{stderr}");
    let chain = folder.read("params/chain.toml");
    assert!(
        chain.contains("gas_per_second = 1_000_000_000\n") && chain.contains("initial_pages_max = 64\n"),
        "{chain}"
    );

    // It has no toolchain here, so each Rust contract has a twin.
    let (code, _, stderr) = said(&folder, &["compile", "--contracts", "estimator-contracts", "--out", "artifacts"]);
    assert_eq!(code, Some(0), "{stderr}");

    folder.write("params/chain.toml", "mine");
    let (code, _, stderr) = said(&folder, &["init"]);
    assert!(code == Some(2) && stderr.contains("params/chain.toml is there already"), "{stderr}");
    assert_eq!(folder.read("params/chain.toml"), "mine");
}

#[test]
fn a_wrong_setting_is_wrong_usage_and_leaves_nothing() {
    let folder = Folder::new();
    for (set, why) in [("pages=1", "no key"), ("margin=2", "`margin`"), ("strategy", "KEY=VALUE")] {
        let (code, _, stderr) = said(&folder, &["init", "--set", set]);
        assert!(code == Some(2) && stderr.contains(why), "{stderr}");
    }
    let (code, _, stderr) = said(&folder, &["init", "--chain", "soroban"]);
    assert!(code == Some(2) && stderr.contains("--set gas_per_second"), "{stderr}");
    assert!(!folder.path().join("params").exists() && !folder.path().join("estimator-contracts").exists());
}
