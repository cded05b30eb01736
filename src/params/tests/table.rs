use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::*;
use crate::experiment::memory::DATA_BASE;
use crate::experiment::node::{RESIDENT, SPINNING_THREADS};
use crate::experiment::{Levels, page_beyond};

fn any_evidence() -> impl Strategy<Value = Estimate> {
    let number = || prop_oneof![0.0f64..1e6, 0.0f64..=f64::MAX, Just(0.0), Just(5e-324)];
    (number(), number(), number()).prop_map(|(value, a, b)| Estimate { value, low: a.min(b), high: a.max(b) })
}

fn any_param(name: &str) -> impl Strategy<Value = Param> + use<> {
    let unit = match name {
        INIT_BASE => "gas per call".to_owned().into(),
        INIT_PER_PAGE => "gas per initial page of 64 KiB".to_owned().into(),
        GROW_PER_PAGE => "gas per grown page of 64 KiB".to_owned().into(),
        _ => None,
    };
    let unit = (any::<String>()).prop_map(move |any| unit.clone().unwrap_or(any));
    (0..=Gas::MAX.0, unit, any_evidence(), proptest::option::of(any_evidence()), any::<String>(), any::<String>())
        .prop_map(|(gas, unit, nanos, measured, model, derivation)| Param {
            gas: Gas(gas),
            unit,
            nanos,
            measured,
            model,
            derivation,
        })
}

fn any_chain() -> impl Strategy<Value = ChainSettings> {
    let statistic =
        prop_oneof![Just(Statistic::Mean), Just(Statistic::Median), Just(Statistic::P95), Just(Statistic::P99)];
    let node = (0..=64u64, 0..=1u64 << 40)
        .prop_map(|(threads, bytes)| Levels::default().with(&SPINNING_THREADS, threads).with(&RESIDENT, bytes));
    let terms = proptest::sample::subsequence(
        vec![&PER_DATA_PAGE, &DATA_BASE, &PER_GROWN_PAGE, page_beyond(16).unwrap()],
        0..=4,
    );
    let charge = (statistic, terms, 0..=1_000u32, 1..=1_000u32, 1..=10u32, node);
    let reset = ("[a-z0-9-]{1,12}", proptest::option::of(0..=1u64 << 32), 1..=1_000u32);
    (1..=1_000_000_000_000_000_000u64, 1_000..=1_000_000u32, 17..=65_536u32, reset, charge).prop_map(
        |(
            gas_per_second,
            thousandths,
            pages,
            (strategy, kept, pool_slots),
            (statistic, terms, margin, noise_limit, digits, node),
        )| {
            ChainSettings {
                gas_per_second,
                safety_factor: f64::from(thousandths) / 1000.0,
                initial_pages_max: Pages(pages),
                pages_max: Pages(pages.max(2048)),
                strategy,
                keep_resident: kept.map(Bytes),
                pool_slots,
                statistic,
                terms: std::iter::once(&PER_PAGE).chain(terms).collect(),
                margin: f64::from(margin) / 1000.0,
                noise_limit: f64::from(noise_limit) / 1000.0,
                significant_digits: digits,
                gas_unit: GasUnit::new("Mgas", 1_000_000).filter(|_| digits > 5),
                node,
            }
        },
    )
}

fn any_run() -> impl Strategy<Value = RunFacts> {
    let text = any::<String>;
    (
        (text(), text(), any::<u64>(), text(), text()),
        (text(), text(), text()),
        [vec(text(), 0..3), vec(text(), 0..3), vec(text(), 0..2)],
        btree_map(text(), 0..=i64::MAX.unsigned_abs(), 0..3),
    )
        .prop_map(
            |(
                (run, date, seed, machine, cpu),
                (contract_set, worst_case, stop_reason),
                [notes, skipped, unsigned],
                measured_up_to,
            )| {
                RunFacts {
                    run,
                    date,
                    seed,
                    machine,
                    cpu,
                    contract_set,
                    estimator: "0.1.0".into(),
                    wasmtime: "48.0.8".into(),
                    worst_case,
                    stop_reason,
                    notes,
                    skipped,
                    unsigned,
                    measured_up_to,
                }
            },
        )
}

pub(super) fn any_table() -> impl Strategy<Value = ParamTable> {
    let known = (any_param(INIT_BASE), any_param(INIT_PER_PAGE), proptest::option::of(any_param(GROW_PER_PAGE)));
    // The prefix keeps free names apart from the known ones, whose unit is fixed.
    let free = btree_map(any::<String>().prop_map(|name| format!("x{name}")), any_param("x"), 0..4);
    let reference = proptest::option::of(any::<String>().prop_map(|name| reference(&name)));
    (any::<bool>(), known, free, any_run(), reference, any_chain()).prop_map(
        |(with_known, known, free, run, reference, chain)| {
            let mut params: BTreeMap<String, Param> = free;
            if with_known {
                params.insert(INIT_BASE.into(), known.0);
                params.insert(INIT_PER_PAGE.into(), known.1);
                params.extend(known.2.map(|param| (GROW_PER_PAGE.to_owned(), param)));
            }
            ParamTable { params, provenance: Provenance { run, reference, chain } }
        },
    )
}

/// A table as people leave it: comments and blank lines between the sections' lines and behind their values.
fn commented(text: &str, marks: &[u8]) -> String {
    let mut marks = marks.iter().cycle();
    let mut inside = false;
    let mut result = String::new();
    for line in text.lines() {
        // Nothing is put into lists and texts of several lines.
        inside ^= line.matches("\"\"\"").count() % 2 == 1 || line.matches("'''").count() % 2 == 1;
        let ends =
            !inside && (line.ends_with('"') || line.ends_with('}') || line.ends_with(|c: char| c.is_ascii_digit()));
        result.push_str(line);
        match marks.next() {
            Some(0) if ends => result.push_str("   # agreed in review\n"),
            Some(1) if ends => result.push_str("\n\n# a remark, für alle\n"),
            _ => result.push('\n'),
        }
    }
    result
}

/// The same values in other spellings: blanks, indents, digits without groups, texts in single quotes, Windows line ends.
fn respelled(text: &str, marks: &[u8]) -> String {
    let keys = ["gas", "unit", "nanos", "measured", "model", "derivation", "run", "date", "machine", "cpu", "strategy"];
    let mut marks = marks.iter().cycle().copied();
    let mut inside = false;
    let mut result = String::new();
    for line in text.split_inclusive('\n') {
        let starts_inside = inside;
        inside ^= line.matches("\"\"\"").count() % 2 == 1 || line.matches("'''").count() % 2 == 1;
        let plain = !starts_inside && !inside;
        match (line.split_once(" = ").filter(|(key, _)| plain && keys.contains(key)), marks.next()) {
            (Some(("gas", digits)), Some(0)) => result.extend(["gas=", &digits.replace('_', "")]),
            (Some((key, value)), Some(1)) => result.extend(["\t", key, "   =\t", value]),
            (Some((key, value)), Some(2)) => result.extend(["\"", key, "\"= ", value]),
            (Some((key, value)), Some(3))
                if value.matches(['"', '\'', '\\']).count() == 2 && value.ends_with("\"\n") =>
            {
                result.extend([key, " = ", &value.replace('"', "'")]);
            }
            _ => result.push_str(line),
        }
    }
    if marks.next() == Some(0) { result.replace('\n', "\r\n") } else { result }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_reads_back(table in any_table()) {
        let text = table.to_toml().unwrap();
        prop_assert_eq!(ParamTable::parse(&text, file()).unwrap(), table);
    }

    #[test]
    fn what_people_wrote_stays_to_the_byte(table in any_table(), marks in vec(0u8..4, 1..20)) {
        let text = commented(&table.to_toml().unwrap(), &marks);
        let read = ParamTable::parse(&text, file()).unwrap();
        prop_assert_eq!(read.written_into(&text, file()).unwrap(), text.clone());
        prop_assert_eq!(read.update_document(&text).unwrap(), text);
    }

    #[test]
    fn what_people_spell_otherwise_stays_to_the_byte(table in any_table(), marks in vec(0u8..6, 1..40)) {
        let text = respelled(&commented(&table.to_toml().unwrap(), &marks), &marks);
        // Windows line ends inside a text are part of it, so the table may be another.
        let read = ParamTable::parse(&text, file()).unwrap();
        let written = read.written_into(&text, file()).unwrap();
        prop_assert_eq!(written.replace("\r\n", "\n"), text.replace("\r\n", "\n"));
        prop_assert_eq!(read.update_document(&text).unwrap(), text);
    }

    #[test]
    fn any_table_can_take_the_place_of_any_other(old in any_table(), new in any_table()) {
        let text = new.update_document(&old.to_toml().unwrap()).unwrap();
        prop_assert_eq!(ParamTable::parse(&text, file()).unwrap(), new);
    }

    #[test]
    fn no_text_panics(text in any::<String>(), cut in any::<prop::sample::Index>()) {
        let _ = ParamTable::parse(&text, file());
        let whole = proposed().to_toml().unwrap();
        let at = cut.index(whole.len());
        if let (Some(head), Some(tail)) = (whole.get(..at), whole.get(at..)) {
            let _ = ParamTable::parse(&format!("{head}{text}{tail}"), file());
            let _ = ChainSettings::parse(&format!("{head}{text}"), file());
        }
    }
}

#[test]
fn one_changed_value_is_one_changed_line() {
    let text = commented(&proposed().to_toml().unwrap(), &[0, 1, 2]);
    let mut table = ParamTable::parse(&text, file()).unwrap();
    table.params.get_mut(INIT_PER_PAGE).unwrap().gas = Gas(84_000_000);
    table.params.get_mut(INIT_PER_PAGE).unwrap().nanos.high = 28_000.0;
    let changed = table.update_document(&text).unwrap();
    let lines: Vec<_> = text.lines().zip(changed.lines()).filter(|(old, new)| old != new).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].1.starts_with("gas = 84_000_000"), "{lines:?}");
    assert!(lines[1].1.starts_with("nanos = { value = 27_124.0, low = 26_852.0, high = 28_000.0 }"), "{lines:?}");
    assert_eq!(text.lines().count(), changed.lines().count());
    assert_eq!(text.matches('#').count(), changed.matches('#').count());
}

#[test]
fn parameters_come_and_go_beside_the_others() {
    let full = proposed();
    let mut fewer = full.clone();
    let grow = fewer.params.remove(GROW_PER_PAGE).unwrap();
    let text = full.to_toml().unwrap();
    let shorter = fewer.update_document(&text).unwrap();
    assert!(!shorter.contains(GROW_PER_PAGE));
    fewer.params.insert(GROW_PER_PAGE.into(), grow);
    assert_eq!(fewer.update_document(&shorter).unwrap(), text);
}

#[test]
fn windows_line_ends_are_kept() {
    let text = proposed().to_toml().unwrap().replace('\n', "\r\n");
    let mut table = ParamTable::parse(&text, file()).unwrap();
    table.params.get_mut(INIT_BASE).unwrap().gas = Gas(1);
    let changed = table.update_document(&text).unwrap();
    assert_eq!(changed.matches('\n').count(), changed.matches("\r\n").count());
}

#[test]
fn a_table_is_written_for_review() {
    insta::assert_snapshot!(proposed().to_toml().unwrap());
}

#[test]
fn every_fault_is_named_with_its_place_and_key() {
    let text = proposed().to_toml().unwrap();
    for (from, to, key) in [
        ("gas = 91_600_000_000", "gas = -1", "params.memory_init_base.gas"),
        ("gas = 91_600_000_000", "gas = 9_223_372_036_854_775_808", "params.memory_init_base.gas"),
        ("gas = 91_600_000_000", "gas = 1.5", "params.memory_init_base.gas"),
        ("gas = 91_600_000_000", "gas = 1\ngas = 2", "gas"),
        ("gas = 91_600_000_000", "gas = 1\nfee = 2", "params.memory_init_base.fee"),
        ("unit = \"gas per call\"", "unit = \"gas per page\"", "params.memory_init_base.unit"),
        ("value = 30_512.0", "value = nan", "params.memory_init_base.nanos.value"),
        ("value = 30_512.0", "value = -1.0", "params.memory_init_base.nanos"),
        ("value = 30_512.0", "value = true", "params.memory_init_base.nanos.value"),
        ("low = 30_206.0", "low = inf", "params.memory_init_base.nanos.low"),
        ("low = 30_206.0", "low = 1e9", "params.memory_init_base.nanos"),
        ("low = 30_206.0", "lower = 1", "params.memory_init_base.nanos.lower"),
        ("seed = 0", "seed = \"x\"", "provenance.seed"),
        ("seed = 0", "seed = -1", "provenance.seed"),
        ("skipped = []", "skipped = [1]", "provenance.skipped"),
        ("statistic = \"median\"", "statistic = \"mode\"", "provenance.chain.statistic"),
        ("[provenance.chain]", "[provenance.chains]", "provenance.chains"),
        ("[params.memory_init_base]", "[params.memory_init_per_page]", "params.memory_init_per_page"),
    ] {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        let (line, _, found) = fault(ParamTable::parse(&broken, file()));
        if from.starts_with("[params") {
            // Two sections of one name: the second header is where it shows.
            assert!(broken.lines().nth(line - 1).unwrap().contains("memory_init_per_page"), "{line}");
            continue;
        }
        assert_eq!(found.as_deref(), Some(key), "{to}");
        let shown = broken.lines().nth(line - 1).unwrap();
        assert!(to.lines().last().is_some_and(|to| shown.contains(to)), "line {line} is {shown}, not {to}");
    }
}

#[test]
fn all_faults_of_a_table_are_told_at_once() {
    let text = proposed().to_toml().unwrap();
    let broken = text
        .replacen("gas = 91_600_000_000", "gas = -1\nfee = 2", 1)
        .replacen("low = 30_206.0", "lower = 1", 1)
        .replacen("seed = 0", "seed = -1", 1)
        .replacen("statistic = \"median\"", "statistic = \"mode\"", 1);
    let error = ParamTable::parse(&broken, file()).unwrap_err().to_string();
    let mut keys: Vec<&str> = error.lines().map(|line| line.split('`').nth(1).unwrap()).collect();
    keys.sort_unstable();
    let base = |key: &str| format!("params.memory_init_base.{key}");
    let mut expected = ["fee", "gas", "nanos.low", "nanos.lower"].map(base).to_vec();
    expected.extend(["provenance.chain.statistic", "provenance.seed"].map(str::to_owned));
    assert_eq!(keys, expected, "{error}");
}

#[test]
fn parameters_must_be_sections() {
    for params in ["params = {}", "params = 1", "[[params]]", "params.x.gas = 1", "[params]\nx = { gas = 1 }"] {
        let (line, _, key) = fault(ParamTable::parse(&format!("format = 2\n{params}"), file()));
        assert!(line >= 2 && key.unwrap().starts_with("params"), "{params}");
    }
}

#[test]
fn a_newer_format_is_an_error_of_its_own() {
    let text = proposed().to_toml().unwrap().replace("format = 2", "format = 3");
    let error = ParamTable::parse(&text, file()).unwrap_err();
    assert!(matches!(error, ParamsError::Format(VersionedError::Newer { found: 3, .. })), "{error}");
}

#[test]
fn what_the_format_cannot_hold_is_not_written() {
    for spoil in [
        |param: &mut Param| param.gas = Gas(u64::MAX),
        |param: &mut Param| param.nanos.value = f64::NAN,
        |param: &mut Param| param.nanos.low = f64::INFINITY,
        |param: &mut Param| param.unit = "gas per fortnight".into(),
    ] {
        let mut table = proposed();
        spoil(table.params.get_mut(INIT_BASE).unwrap());
        assert!(matches!(table.to_toml(), Err(ParamsError::Param { param, .. }) if param == INIT_BASE));
    }
}

#[test]
fn a_file_is_updated_and_what_is_no_table_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/current.toml");
    let mut table = proposed();
    table.save(&file).unwrap();
    let text = commented(&std::fs::read_to_string(&file).unwrap(), &[0]);
    std::fs::write(&file, &text).unwrap();
    table.params.get_mut(INIT_BASE).unwrap().gas = Gas(7);
    table.save(&file).unwrap();
    assert_eq!(ParamTable::load(&file).unwrap(), table);
    assert!(std::fs::read_to_string(&file).unwrap().contains("# agreed in review"));

    std::fs::write(&file, "my notes").unwrap();
    assert!(matches!(table.save(&file), Err(ParamsError::Format(VersionedError::Fault { .. }))));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "my notes");
}

/// The next promotion was refused, since the table in force said what its record did not.
#[test]
fn a_table_that_is_written_over_another_has_no_surcharges_of_its_machine() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.toml");
    let mut table = ParamTable::parse(ParamTable::SHIPPED_TEXT, &file).unwrap();
    assert!(!table.provenance.reference.as_ref().unwrap().surcharges.is_empty());
    table.save(&file).unwrap();
    table.provenance.reference.as_mut().unwrap().surcharges.clear();
    table.save(&file).unwrap();
    assert_eq!(ParamTable::load(&file).unwrap(), table);
}
