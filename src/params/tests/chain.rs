use super::*;

#[test]
fn the_shipped_text_is_the_default() {
    let parsed = ChainSettings::parse(ChainSettings::DEFAULT_TEXT, file()).unwrap();
    assert_eq!(parsed, ChainSettings::default());
}

const GAS_UNIT: &str = "gas_unit = { name = \"Tgas\", gas = 1_000_000_000_000 }";

#[test]
fn every_broken_line_is_named_with_its_place_and_key() {
    for (line, broken, column) in [
        ("gas_per_second = 1_000_000_000_000_000", "gas_per_second = 0", 18),
        ("gas_per_second = 1_000_000_000_000_000", "gas_per_second = 1e15", 18),
        ("gas_per_second = 1_000_000_000_000_000", "gas_per_second = 99999999999999999999", 18),
        ("safety_factor = 3.0", "safety_factor = 0.9", 17),
        ("safety_factor = 3.0", "safety_factor = 1.0001", 17),
        ("safety_factor = 3.0", "safety_factor = nan", 17),
        ("safety_factor = 3.0", "safety_factor = \"3\"", 17),
        ("initial_pages_max = 1024", "initial_pages_max = -1", 21),
        ("pages_max = 2048", "pages_max = 1023", 13),
        ("pages_max = 2048", "pages_max = 65537", 13),
        ("strategy = \"fresh-map\"", "strategy = \"\"", 12),
        ("strategy = \"fresh-map\"", "strategy = [\"fresh-map\"]", 12),
        ("keep_resident = \"all\"", "keep_resident = \"some\"", 17),
        ("keep_resident = \"all\"", "keep_resident = \"5 GiB\"", 17),
        ("keep_resident = \"all\"", "keep_resident = -1", 17),
        ("pool_slots = 1", "pool_slots = 0", 14),
        ("statistic = \"median\"", "statistic = \"mode\"", 13),
        ("terms = [\"page\"]", "terms = []", 9),
        ("terms = [\"page\"]", "terms = [\"data\", \"page\"]", 9),
        ("terms = [\"page\"]", "terms = [\"page\", \"page\"]", 9),
        ("terms = [\"page\"]", "terms = [\"page\", \"stack\"]", 9),
        ("terms = [\"page\"]", "terms = [\"page\", \"page_beyond_1024\"]", 9),
        ("margin = 0.05", "margin = 1.5", 10),
        ("noise_limit = 0.06", "noise_limit = 0", 15),
        ("significant_digits = 3", "significant_digits = 11", 22),
        ("significant_digits = 3", "significant_digits = 3\ndigits = 3", 1),
        (GAS_UNIT, "gas_unit = \"Tgas\"", 12),
        (GAS_UNIT, "gas_unit = { name = \"Tgas\", gas = 1_024 }", 12),
        ("pages_max = 2048", "pages_max = 2048\npages_max = 2048", 1),
    ] {
        let text = ChainSettings::DEFAULT_TEXT.replace(&format!("\n{line}"), &format!("\n{broken}"));
        let last = broken.lines().last().unwrap();
        let expected_line = 1 + text.lines().collect::<Vec<_>>().iter().rposition(|line| *line == last).unwrap();
        let key = last.split(" =").next().unwrap();
        assert_eq!(fault(ChainSettings::parse(&text, file())), (expected_line, column, Some(key.into())), "{broken}");
    }
}

#[test]
fn a_missing_key_is_named() {
    let text = ChainSettings::DEFAULT_TEXT.replace("\nstrategy", "\n# strategy");
    assert_eq!(fault(ChainSettings::parse(&text, file())).2.as_deref(), Some("strategy"));
    assert_eq!(fault(ChainSettings::parse("", file())), (1, 1, Some("format".into())));
}

/// Nobody should have to try once for each fault.
#[test]
fn all_faults_of_a_file_are_told_at_once() {
    let text = ChainSettings::DEFAULT_TEXT
        .replace("\nstrategy = ", "\nstrategie = ")
        .replace("\ninitial_pages_max = 1024", "\ninitial_pages_max = -1")
        .replace("\nmargin = 0.05", "\nmargin = 5");
    let error = ChainSettings::parse(&text, file()).unwrap_err().to_string();
    let keys: Vec<&str> = error.lines().map(|line| line.split('`').nth(1).unwrap()).collect();
    assert_eq!(keys, ["strategie", "initial_pages_max", "strategy", "margin"], "{error}");
    assert!(error.lines().all(|line| line.starts_with("some.toml:")), "{error}");
}

/// It was found only once all else was right.
#[test]
fn a_strategy_that_is_none_is_told_beside_another_fault() {
    let text =
        ChainSettings::DEFAULT_TEXT.replace("\"fresh-map\"", "\"stale-map\"").replace("margin = 0.05", "margin = 5");
    let error = ChainSettings::parse(&text, file()).unwrap_err().to_string();
    assert!(
        error.lines().count() == 2 && error.contains("`stale-map` is no strategy: use one of fresh-map"),
        "{error}"
    );
}

/// Files of before there were these settings have one memory, all of which is kept.
#[test]
fn what_a_pool_keeps_is_a_size_or_all_and_may_be_left_out() {
    let parsed = |keep: &str| {
        let text = ChainSettings::DEFAULT_TEXT.replace("\nkeep_resident = \"all\"\npool_slots = 1", keep);
        let text = text.replace("strategy = \"fresh-map\"", "strategy = \"pool-keep-resident\"");
        ChainSettings::parse(&text, file()).unwrap()
    };
    let old = parsed("");
    assert_eq!((old.keep_resident, old.pool_slots, &*old.strategy_in_full()), (None, 1, "pool-keep-resident"));
    let chain = parsed("\nkeep_resident = \"1 MiB\"\npool_slots = 8");
    assert_eq!((chain.keep_resident, chain.pool_slots), (Some(Bytes(1 << 20)), 8));
    assert_eq!(chain.strategy_in_full(), "pool-keep-resident (1 MiB kept, 8 slots)");
    assert_eq!(parsed("\nkeep_resident = 65536").keep_resident, Some(Bytes(1 << 16)));
    let other = ChainSettings { strategy: "fresh-map".into(), ..chain };
    assert_eq!(other.strategy_in_full(), "fresh-map", "it has no pool");
}

#[test]
fn messages_read_well() {
    let unknown = format!("safety = 2\n{}", ChainSettings::DEFAULT_TEXT);
    let error = ChainSettings::parse(&unknown, file()).unwrap_err().to_string();
    assert!(error.starts_with("some.toml:1:1: `safety`: unknown key; known here are format, "), "{error}");
    let error = ChainSettings::parse("format = 2\nsafety =", file()).unwrap_err().to_string();
    assert!(error.starts_with("some.toml:2:9: "), "{error}");
}

#[test]
fn a_newer_format_is_an_error_of_its_own() {
    let error = ChainSettings::parse("format = 3\nunheard_of = 1", file()).unwrap_err();
    assert!(matches!(error, ParamsError::Format(VersionedError::Newer { found: 3, known: 2, .. })), "{error}");
    assert_eq!(fault(ChainSettings::parse("format = 0", file())), (1, 10, Some("format".into())));
}

#[test]
fn a_missing_file_is_named() {
    let error = ChainSettings::load(Path::new("/nowhere/chain.toml")).unwrap_err();
    assert!(error.to_string().contains("/nowhere/chain.toml"), "{error}");
}

#[test]
fn a_format_before_this_one_is_refused_by_its_name() {
    let error = ChainSettings::parse("format = 1", file()).unwrap_err();
    assert!(error.is_incompatible() && error.to_string().contains("another method"), "{error}");
}
