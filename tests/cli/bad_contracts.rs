use crate::folder::{Folder, GOOD, failure};

#[test]
fn a_missing_folder_is_named() {
    let folder = Folder::new();
    let (code, stderr) = folder.fails(&["run", "--contracts", "nowhere"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("no folder nowhere"), "{stderr}");
}

#[test]
fn a_folder_without_contracts_is_named() {
    let folder = Folder::new();
    folder.write("contracts/readme.txt", "nothing here");
    let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("no contract in contracts"), "{stderr}");
}

#[test]
fn broken_toml_is_placed() {
    let folder = Folder::new();
    folder.write("contracts/a/contract.toml", "format = 1\nsource = \n");
    let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("contracts/a/contract.toml:2:"), "{stderr}");
}

#[test]
fn an_unknown_key_is_named() {
    let folder = Folder::new();
    folder.contract("a", GOOD, "[1]");
    let manifest = folder.read("contracts/a/contract.toml").replace("entry", "colour = \"red\"\nentry");
    folder.write("contracts/a/contract.toml", manifest);
    let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("colour"), "{stderr}");
}

#[test]
fn a_newer_manifest_is_incompatible() {
    let folder = Folder::new();
    folder.contract("a", GOOD, "[1]");
    let manifest = folder.read("contracts/a/contract.toml").replace("format = 1", "format = 2");
    folder.write("contracts/a/contract.toml", manifest);
    assert_eq!(folder.fails(&["run", "--contracts", "contracts"]).0, 6);
}

#[test]
fn levels_out_of_range_are_named() {
    for (pages, word) in [("[0]", "0"), ("[2000]", "2000"), ("[]", "initial_pages"), ("[1, 1]", "1"), ("[-1]", "-1")] {
        let folder = Folder::new();
        folder.contract("a", GOOD, pages);
        let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
        assert_eq!(code, 1, "{pages}: {stderr}");
        assert!(stderr.contains(word) && stderr.contains("contract.toml:"), "{pages}: {stderr}");
    }
}

#[test]
fn stacks_that_cannot_be_are_named() {
    for stack in ["100", "0", "1 MiB"] {
        let folder = Folder::new();
        folder.contract("a", GOOD, "[1]");
        let manifest = folder.read("contracts/a/contract.toml").replace("16 KiB", stack);
        folder.write("contracts/a/contract.toml", manifest);
        let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
        assert_eq!(code, 1, "{stack}: {stderr}");
        assert!(stderr.contains("stack"), "{stack}: {stderr}");
    }
}

#[test]
fn a_text_module_that_does_not_parse_is_placed() {
    let folder = Folder::new();
    folder.contract("a", "(module\n  (memory 1)\n  (nonsense))", "[1]");
    let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("nonsense"), "{stderr}");
}

#[test]
fn a_module_with_other_facts_than_asked_names_both() {
    let folder = Folder::new();
    folder.contract("a", &GOOD.replace("{initial_pages}", "3"), "[2]");
    let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
    assert_eq!(code, 1);
    assert!(stderr.contains('2') && stderr.contains('3'), "{stderr}");
}

#[test]
fn unfit_modules_are_named_with_the_reason() {
    let touch = r#"(func (export "touch") (param i32 i32))"#;
    let cases = [
        ("no-memory", format!("(module {touch})"), "memory"),
        (
            "imports",
            format!(r#"(module (import "env" "host" (global i32)) (memory (export "memory") 1) {touch})"#),
            "env",
        ),
        (
            "imported-memory",
            format!(r#"(module (import "env" "memory" (memory 1)) {touch})"#),
            "define it in the module",
        ),
        ("hidden-memory", format!("(module (memory 1) {touch})"), "export it"),
        ("no-entry", r#"(module (memory (export "memory") 1))"#.to_owned(), "touch"),
        ("wrong-type", r#"(module (memory (export "memory") 1) (func (export "touch")))"#.to_owned(), "touch"),
        ("too-large", format!(r#"(module (memory (export "memory") 1025) {touch})"#), "1025"),
    ];
    for (name, text, word) in cases {
        let folder = Folder::new();
        folder.module(name, &text);
        let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
        assert_eq!(code, 1, "{name}: {stderr}");
        assert!(stderr.contains(name) && stderr.contains(word), "{name}: {stderr}");
    }
}

#[test]
fn a_truncated_module_gives_the_offset() {
    let folder = Folder::new();
    let module = wat::parse_str(r#"(module (memory (export "memory") 1))"#).unwrap();
    folder.write("contracts/cut.wasm", &module[..module.len() - 3]);
    let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("cut") && stderr.contains("at byte"), "{stderr}");
}

#[test]
fn wrong_flags_are_usage() {
    let folder = Folder::new();
    for args in [
        &["run", "--budget", "soon"][..],
        &["run", "--budget", "0s"],
        &["run", "--strategy", "magic"],
        &["run", "--shard", "4/3"],
        &["run", "--profile", "slow"],
        &["run", "--chain", "nowhere.toml"],
        &["run", "--resume", "nowhere"],
        &["run", "--resume", "."],
        &["fit", "nowhere"],
        &["fit"],
        &["compile"],
        &["unheard-of"],
        &[],
    ] {
        assert_eq!(failure(&mut folder.estimator(args)).0, 2, "{args:?}");
    }
}

#[test]
fn a_broken_chain_file_is_placed() {
    let folder = Folder::new();
    folder.write("chain.toml", "format = 2\ngas_per_second = 0\n");
    let (code, stderr) = folder.fails(&["run", "--chain", "chain.toml"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("chain.toml:"), "{stderr}");
}
