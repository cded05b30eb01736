use proptest::prelude::*;

use super::*;
use crate::versioned::VersionedError;

const LIMITS: Limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };

const GOOD: &str = r#"format = 1
description = "A contract"
source = "a.rs"
entry = "touch"
[factors]
initial_pages = [1, 17]
stack_bytes = ["64 KiB", 16]
touched_pages = [1, 2048]
"#;

fn parse(text: &str) -> Result<Manifest, ContractError> {
    Manifest::parse(text, Path::new("a/contract.toml"), "a", LIMITS)
}

#[test]
fn a_good_manifest_is_read() {
    let manifest = parse(GOOD).unwrap();
    assert_eq!(manifest.language, Language::Rust);
    assert_eq!(manifest.factors.stack_bytes, [Bytes(65536), Bytes(16)]);
    assert!(manifest.left_out.is_empty());
    assert_eq!(manifest.factors.cross().len(), 4);
}

#[test]
fn every_fault_is_named_with_its_place() {
    for (from, to, expected) in [
        ("entry =", "entyr =", "a/contract.toml:4:1: `entyr`: unknown field `entyr`"),
        ("entry = \"touch\"", "entry = 3", "a/contract.toml:4:9: `entry`: invalid type"),
        ("entry = \"touch\"", "", "missing field `entry`"),
        ("entry = \"touch\"", "entry = \"\"", "4:9: `entry`: name the exported function"),
        ("touch\"", "touch", "a/contract.toml:4:15: "),
        ("\"a.rs\"", "\"../a.rs\"", "3:10: `source`: only the name of a file"),
        ("\"a.rs\"", "\"/a.rs\"", "3:10: `source`: only the name"),
        ("\"a.rs\"", "\"..\"", "3:10: `source`: only the name"),
        ("\"a.rs\"", "\"a.c\"", "3:10: `source`: must end in"),
        ("\"a.rs\"", "\"a.wasm\"", "6:17: `factors.initial_pages`: is fixed in a ready .wasm"),
        ("entry =", "stands_in_for = \"a\"\nentry =", "4:17: `stands_in_for`: a contract cannot"),
        ("format = 1", "format = 0", "1:10: `format`: expected a whole number from 1 to 1"),
        ("format = 1", "", "`format`: missing"),
        ("[1, 17]", "[1, 0]", "6:21: `factors.initial_pages`: 0 pages is no memory"),
        ("[1, 17]", "[1, 1025]", "6:21: `factors.initial_pages`: 1025 pages is above the chain's limit of 1024 pages"),
        ("[1, 17]", "[1, -1]", "6:21: `factors.initial_pages`: invalid value"),
        ("[1, 17]", "[1, 1]", "6:21: `factors.initial_pages`: 1 page is listed twice"),
        ("[1, 17]", "[]", "6:17: `factors.initial_pages`: needs at least one level"),
        ("\"64 KiB\"", "0", "7:16: `factors.stack_bytes`: 0 B is no stack"),
        ("\"64 KiB\"", "24", "7:16: `factors.stack_bytes`: 24 B is not a multiple of 16"),
        ("\"64 KiB\"", "\"2 MiB\"", "`factors.stack_bytes`: 2 MiB fits with no level"),
        ("\"64 KiB\"", "\"64 kb\"", "7:15: `factors.stack_bytes`: `64 kb` has an unknown unit"),
        ("[\"64 KiB\", 16]", "[\"2 MiB\"]", "`factors`: stack and data fit in the initial pages in no combination"),
        ("2048]", "2049]", "8:21: `factors.touched_pages`: 2049 pages is above the chain's limit of 2048 pages"),
        ("entry =", "edition = \"2015\"\nentry =", "4:11: `edition`: unknown variant `2015`"),
        ("entry =", "cap_levels = 1\nentry =", "4:14: `cap_levels`: invalid type"),
        ("touched_pages = [1, 2048]", "data_bytes = [0]", "`factors.data_bytes`: 0 B is no data"),
        ("touched_pages = [1, 2048]", "data_bytes = [\"full\"]", "`factors.data_bytes`: `full` is not a size"),
        (
            "touched_pages = [1, 2048]",
            "data_bytes = [\"fill\", \"fill\"]",
            "`factors.data_bytes`: fill is listed twice",
        ),
        ("initial_pages =", "pages =", "6:1: `factors.pages`: unknown field"),
        ("initial_pages = [1, 17]", "", "`factors.initial_pages`: missing"),
    ] {
        let text = GOOD.replacen(from, to, 1);
        let error = parse(&text).expect_err(to).to_string();
        assert!(error.contains(expected), "{to}: {error}");
        assert!(error.starts_with("a/contract.toml:"), "{error}");
    }
}

#[test]
fn all_faults_are_told_at_once() {
    let text =
        GOOD.replace("entry =", "entyr =").replace("a.rs", "a.c").replace("[1, 17]", "[0]").replace("16]", "24]");
    let error = parse(&text).unwrap_err().to_string();
    let keys = ["missing field `entry`", "`entyr`", "`source`", "`factors.initial_pages`", "`factors.stack_bytes`"];
    assert_eq!(error.lines().count(), keys.len(), "{error}");
    assert!(error.lines().zip(keys).all(|(line, key)| line.contains(key)), "{error}");
}

#[test]
fn a_text_module_needs_no_stack_and_a_rust_source_has_an_edition() {
    let no_stack = GOOD.replace("stack_bytes = [\"64 KiB\", 16]\n", "");
    assert!(parse(&no_stack).unwrap_err().to_string().contains("`factors.stack_bytes`: missing"));
    let text = parse(&no_stack.replace("a.rs", "a.wat")).unwrap();
    assert_eq!(text.factors.stack_bytes, [Bytes(0)]);
    assert_eq!(text.factors.cross()[0].name, "pages1");
    let of = |edition: &str| GOOD.replace("entry =", &format!("edition = \"{edition}\"\nentry ="));
    let editions = [GOOD.to_owned(), of("2018"), of("2021")].map(|text| parse(&text).unwrap().edition);
    assert_eq!(editions, [Edition::Of2024, Edition::Of2018, Edition::Of2021]);
    let error = parse(&of("2021").replace("a.rs", "a.wat")).unwrap_err().to_string();
    assert!(error.contains("`edition`: is of a Rust source"), "{error}");
}

#[test]
fn a_newer_format_is_told_apart_whatever_its_keys() {
    let error = parse(&GOOD.replace("format = 1", "format = 2\nnovelty = true")).unwrap_err();
    assert!(matches!(error, ContractError::Format(VersionedError::Newer { found: 2, .. })), "{error}");
}

#[test]
fn a_hostile_crossing_is_refused_before_it_is_made() {
    let levels = |count: u64| (1..=count).map(|n| (n * 16).to_string()).collect::<Vec<_>>().join(",");
    let text = GOOD.replace("\"64 KiB\", 16", &levels(3000));
    assert!(parse(&text).unwrap_err().to_string().contains("6000 combinations"));
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC*") {
        let _ = parse(&text);
    }

    #[test]
    fn no_changed_manifest_panics(at in 0..GOOD.len(), length in 0usize..20, new in "[\\PC\n]{0,8}") {
        let mut text = GOOD.to_owned();
        text.replace_range(at..(at + length).min(GOOD.len()), &new);
        let _ = parse(&text);
    }
}
