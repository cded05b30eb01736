use super::*;

const IN_FORCE: &str = include_str!("../../../tests/data/current.toml");

fn said(text: &str) -> Vec<Objection> {
    ParamTable::parse(text, file()).unwrap().objections()
}

#[test]
fn sound_tables_are_objected_to_by_nothing() {
    for text in [
        IN_FORCE,
        include_str!("../../../tests/data/table.toml"),
        include_str!("../../../params/current.toml"),
        &proposed().to_toml().unwrap(),
        // Rounded up to a whole number alone.
        &IN_FORCE.replace("gas = 122_000_000_000", "gas = 121_407_000_000"),
        // A derivation in words of one's own.
        &IN_FORCE
            .replace("derivation = \"40_469 ns", "derivation = \"by the committee: 40_469 ns")
            .replace("ns × safety", "ns times"),
        &IN_FORCE.replace("date = \"2026-11-30T16:38:58Z\"", "date = \"2026-11-30T18:38:58+02:00\""),
    ] {
        assert_eq!(said(text), [], "{text}");
    }
}

#[test]
fn every_table_in_the_history_of_this_repository_is_sound() {
    let kept = AcceptedChanges::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("params/history")).unwrap();
    assert_eq!(kept.replay().unwrap().unwrap().objections(), []);
    assert!(kept.before_last().unwrap().is_none_or(|table| table.objections().is_empty()));
}

/// What is done to the table, and the names of the objections that are to come of it.
#[test]
fn nonsense_is_objected_to_by_name() {
    use ObjectionKind::{Free, Implausible, Incomplete, Inconsistent, Saturating};
    let base = "nanos = { value = 40_469.0, low = 37_837.0, high = 44_857.0 }";
    let own = "measured = { value = 21_619.0, low = 19_653.0, high = 22_763.0 }";
    let page = "measured = { value = 37_706.0, low = 35_691.0, high = 37_706.0 }";
    let cases: &[(&str, &str, &[ObjectionKind])] = &[
        ("gas = 122_000_000_000", "gas = 0", &[Inconsistent, Free]),
        ("gas = 122_000_000_000", "gas = 1", &[Inconsistent]),
        ("gas = 122_000_000_000", "gas = 121_406_999_999", &[Inconsistent]),
        ("gas = 122_000_000_000", "gas = 122_000_000_001", &[Inconsistent]),
        ("gas = 122_000_000_000", "gas = 9_223_372_036_854_775_807", &[Inconsistent, Saturating]),
        ("gas = 143_000_000_000", "gas = 0", &[Inconsistent, Free]),
        ("gas = 143_000_000_000", "gas = 1", &[Inconsistent]),
        ("gas = 143_000_000_000", "gas = 9_223_372_036_854_775_807", &[Inconsistent, Saturating]),
        ("gas = 131_000_000_000", "gas = 0", &[Inconsistent, Free]),
        ("gas = 131_000_000_000", "gas = 5_000_000_000_000_000", &[Inconsistent, Saturating]),
        ("[params.memory_init_per_page]", "[params.memory_init_per_pages]", &[Incomplete]),
        ("[params.memory_init_base]", "[params.base]", &[Incomplete]),
        ("strategy = \"fresh-map\"", "strategy = \"free\"", &[Inconsistent]),
        ("date = \"2026-11-30T16:38:58Z\"", "date = \"yesterday\"", &[Inconsistent]),
        ("date = \"2026-11-30T16:38:58Z\"", "date = \"\"", &[Inconsistent]),
        ("date = \"2026-11-30T16:38:58Z\"", "date = \"2026-13-45T25:61:61Z\"", &[Inconsistent]),
        (base, "nanos = { value = 40_469.0, low = 50_000.0, high = 60_000.0 }", &[Inconsistent]),
        (base, "nanos = { value = 40_469.0, low = 30_000.0, high = 40_000.0 }", &[Inconsistent]),
        (base, "nanos = { value = 40_469.0, low = -1e300, high = -1.0 }", &[Inconsistent, Implausible]),
        (base, "nanos = { value = 40_469.0, low = -1.0, high = 44_857.0 }", &[Implausible]),
        (base, "nanos = { value = 40_469.0, low = 37_837.0, high = 1e300 }", &[Implausible]),
        (base, "nanos = { value = 0.0, low = 0.0, high = 0.0 }", &[Inconsistent, Implausible]),
        (base, "nanos = { value = 1e300, low = 1e300, high = 1e300 }", &[Saturating, Implausible]),
        (base, "nanos = { value = 40_470.0, low = 37_837.0, high = 44_857.0 }", &[Inconsistent]),
        (own, "measured = { value = 0.0, low = 0.0, high = 22_763.0 }", &[Implausible]),
        (own, "measured = { value = 21_619.0, low = 1.0, high = 2.0 }", &[Inconsistent]),
        (page, "measured = { value = 37.0, low = 35.0, high = 38.0 }", &[Implausible]),
        ("safety_factor = 3.0", "safety_factor = 2.0", &[Inconsistent]),
        ("gas_per_second = 1_000_000_000_000_000", "gas_per_second = 1_000_000_000", &[Inconsistent]),
        ("gas_per_second = 1_000_000_000_000_000", "gas_per_second = 1_000_000_000_000_000_000", &[Inconsistent]),
        ("significant_digits = 3", "significant_digits = 6", &[Inconsistent]),
        ("derivation = \"40_469 ns × safety 3", "derivation = \"40_469 ns × safety 1", &[Inconsistent]),
        ("machine = \"8b4c6356ae54\"", "machine = \"\"", &[Incomplete]),
        ("contract_set = \"e401f4aa7829c73b\"", "contract_set = \" \"", &[Incomplete]),
        ("run = \"20261130T163858Z-seed1012761478\"", "run = \"\"", &[Incomplete]),
        ("wasmtime = \"48.0.8\"", "wasmtime = \"\"", &[Incomplete]),
    ];
    assert!(cases.len() >= 25);
    for (from, to, names) in cases {
        assert!(IN_FORCE.contains(from), "{from}");
        let found = said(&IN_FORCE.replacen(from, to, 1));
        let kinds: Vec<ObjectionKind> = found.iter().map(|objection| objection.kind).collect();
        assert_eq!(&kinds, names, "{to}: {found:?}");
    }
}

#[test]
fn a_consistent_table_can_be_as_good_as_free_or_beyond_all_gas() {
    let priced = |nanos: f64, rate: u64| {
        let chain = ChainSettings { gas_per_second: rate, ..ChainSettings::default() };
        let input = with(page(nanos));
        let kinds = |table: ParamTable| table.objections().iter().map(|objection| objection.kind).collect::<Vec<_>>();
        kinds(propose(&input, &chain).unwrap())
    };
    assert_eq!(priced(27_123.4, 1_000_000_000_000_000), []);
    assert_eq!(priced(0.000_1, 1_000_000_000_000_000), [ObjectionKind::Implausible]);
    assert_eq!(priced(2e9, 1_000_000_000), [ObjectionKind::Implausible]);
    assert_eq!(priced(9e8, 10_000_000_000_000_000), [ObjectionKind::Saturating]);
}

#[test]
fn a_hostile_text_is_shown_escaped_and_many_faults_are_counted() {
    let found = said(&IN_FORCE.replace("date = \"2026-11-30T16:38:58Z\"", "date = \"\\u001b[31m\""));
    assert!(found[0].reason.contains("\\u{1b}") && !found[0].reason.contains('\u{1b}'), "{}", found[0]);
    let mut table = proposed();
    for number in 0..50 {
        let param = Param { nanos: evidence(1.0, 2.0, 3.0), ..table.params[INIT_BASE].clone() };
        table.params.insert(format!("other{number}\n"), param);
    }
    let found = table.objections();
    assert!(found.len() == 1 && found[0].reason.ends_with("and 45 more"), "{found:?}");
    assert!(!found[0].reason.contains('\n'));
}
