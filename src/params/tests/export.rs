//! Every format is read back as its consumer reads it, and every charge is held against the table's.

use proptest::prelude::*;
use serde_json::Value;

use super::consumers::{BEYOND, Charge, TIER, fvm, json, near, near_number, soroban, stylus, substrate};
use super::*;

fn format(name: &str) -> &'static Exporter {
    Exporter::find(name).unwrap()
}

fn table(base: u64, page: u64, grow: u64, gas_per_second: u64) -> ParamTable {
    let mut table = proposed();
    for (name, gas) in [(INIT_BASE, base), (INIT_PER_PAGE, page), (GROW_PER_PAGE, grow)] {
        table.params.get_mut(name).unwrap().gas = Gas(gas);
    }
    table.provenance.chain.gas_per_second = gas_per_second;
    table
}

fn with_tier(mut table: ParamTable, gas: Option<u64>) -> ParamTable {
    if let Some(gas) = gas {
        let param = table.params[INIT_PER_PAGE].clone();
        let unit = "gas per initial page of 64 KiB beyond these".into();
        table.params.insert(BEYOND.into(), Param { gas: Gas(gas), unit, ..param });
    }
    table
}

fn beyond(table: &ParamTable) -> u128 {
    table.params.get(BEYOND).map_or(0, |param| param.gas.0.into())
}

/// The page counts that a format is held at: every one to 2048, and those about each power of two up to the most that a memory can
/// have, where a consumer's integers would end.
fn counts() -> impl Iterator<Item = u64> {
    (1..=2048).chain((12..=16).flat_map(|power| (1 << power) - 1..=1 << power))
}

/// Holds a format against the table at [`counts`], initial and grown: never below, and above by at most
/// `slack` in units of 1/`per`, a function of both counts.
fn hold(table: &ParamTable, to: u64, per: u128, charge: &Charge, slack: impl Fn(u128, u128) -> u128) {
    let from = u128::from(table.provenance.chain.gas_per_second);
    let [base, page, grow] = [INIT_BASE, INIT_PER_PAGE, GROW_PER_PAGE].map(|name| u128::from(gas(table, name).0));
    for count in counts() {
        for (initial, grown) in [(count, 0), (0, count)] {
            let Some(charged) = charge(initial, grown) else { continue };
            let over = u128::from(initial.saturating_sub(TIER));
            let (initial, grown) = (u128::from(initial), u128::from(grown));
            let ours = (base + page * initial + beyond(table) * over + grow * grown) * u128::from(to) * per;
            assert!(charged * from >= ours, "{charged} at {initial} + {grown} pages is below {ours}/{from}");
            let least = ours.div_ceil(from);
            assert!(
                charged <= least + slack(initial, grown),
                "{charged} at {initial} + {grown} pages is above {least}"
            );
        }
    }
}

fn exported(table: &ParamTable, target: &Exporter, to: u64) -> Option<String> {
    match target.export(table, Some(to)) {
        Ok(export) => Some(export.text),
        Err(ParamsError::Export(_)) => None,
        Err(error) => panic!("{error}"),
    }
}

fn any_gas() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..1_000, 0u64..1_000_000_000, 0u64..1_000_000_000_000_000]
}

fn any_rate() -> impl Strategy<Value = u64> {
    prop_oneof![1u64..1_000, 1_000_000u64..10_000_000_000, 1_000_000_000_000u64..1_000_000_000_000_000_000]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_exported_charge_is_below_the_tables(
        (base, page, grow) in (any_gas(), any_gas(), any_gas()), from in any_rate(), to in any_rate(),
        tier in prop::option::of(any_gas()),
    ) {
        let table = with_tier(table(base, page, grow, from), tier);
        // Base, page, page beyond the tier and grown page may each be rounded up by less than one unit.
        let linear = |initial, grown| 2 + 2 * initial + grown;
        // One price for all pages is that of the dearest.
        let folded = |initial: u128| (beyond(&table) * initial.min(TIER.into()) * u128::from(to)).div_ceil(from.into());
        if let Some(text) = exported(&table, format("near"), to) {
            hold(&table, to, 1, &near(&text), linear);
        }
        if let Some(text) = exported(&table, format("json"), to) {
            hold(&table, to, 1, &json(&text), linear);
        }
        if let Some(text) = exported(&table, format("substrate"), to) {
            hold(&table, to, 1, &substrate(&text), linear);
        }
        if let Some(text) = exported(&table, format("soroban"), to) {
            hold(&table, to, 1, &soroban(&text), |initial, grown| 5 + (initial + grown) / 128 + folded(initial));
        }
        if let Some(text) = exported(&table, format("fvm"), to) {
            hold(&table, to, 1000, &fvm(&text), |initial, grown| 2 + 65_536 * (2 * initial + grown));
        }
    }

    #[test]
    fn no_stylus_charge_is_below_the_tables(base in 0u64..20_000, page in 0u64..70_000, grow in 0u64..70_000) {
        let table = table(base, page, grow, 7_000_000);
        let apart = u128::from(page.abs_diff(grow));
        match exported(&table, format("stylus"), 7_000_000) {
            // A page costs the dearer of both, the minimum comes in steps of 32 gas.
            Some(text) => hold(&table, 7_000_000, 1, &stylus(&text), |initial, grown| 128 + apart * (initial + grown)),
            None => prop_assert!(base > 8160 || page.max(grow) > 65_535),
        }
    }

    #[test]
    fn a_change_for_near_has_the_old_and_the_new_values(old in any_gas(), new in any_gas()) {
        let tables = [old, new].map(|gas| table(gas, 5, 5, 1_000));
        let text = format("near").change(&tables[0], &tables[1]).unwrap().text;
        let yaml: Option<std::collections::BTreeMap<String, std::collections::BTreeMap<String, serde_yaml::Value>>> =
            serde_yaml::from_str(&text).unwrap();
        let yaml = yaml.unwrap_or_default();
        if old == new {
            prop_assert!(yaml.is_empty());
        } else {
            prop_assert_eq!(yaml.len(), 1);
            let sides = &yaml["wasm_memory_init_base"];
            prop_assert_eq!((near_number(&sides["old"]), near_number(&sides["new"])), (old, new));
        }
    }
}

#[test]
fn a_format_with_one_price_for_all_pages_charges_what_the_dearest_pays_and_says_so() {
    for (target, to) in [(format("soroban"), 1_000_000_000), (format("stylus"), 7_000_000)] {
        let table = with_tier(table(7_000, 100, 50, to), Some(1_000));
        let export = target.export(&table, Some(to)).unwrap();
        let charge = if target.name == "soroban" { soroban(&export.text) } else { stylus(&export.text) };
        let page = charge(17, 0).unwrap() - charge(16, 0).unwrap();
        assert!((1_100..=1_101).contains(&page), "{page} in {}", target.name);
        let notes = export.notes.join("\n");
        assert!(notes.contains("one of the first 16 costs 100") && !notes.contains("no place"), "{notes}");
    }
}

fn capitalised(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}

fn unversioned(text: &str) -> String {
    text.replace(concat!("estimator ", env!("CARGO_PKG_VERSION")), "estimator VERSION")
}

#[test]
fn the_formats_read_as_their_projects_write_them() {
    let table = proposed();
    for (target, to) in [
        (format("near"), None),
        (format("substrate"), None),
        (format("fvm"), None),
        (format("json"), None),
        (format("soroban"), Some(1_000_000_000)),
        (format("stylus"), Some(7_000_000)),
    ] {
        let export = target.export(&table, to).unwrap();
        let text = format!("{}\n--- notes ---\n{}", export.text, export.notes.join("\n"));
        insta::assert_snapshot!(capitalised(target.name), unversioned(&text));
    }
    let mut new = table.clone();
    new.params.get_mut(INIT_BASE).unwrap().gas = Gas(95_000_000_000);
    let grow = new.params.remove(GROW_PER_PAGE).unwrap();
    new.params.insert("memory_x".into(), Param { unit: "gas".into(), ..grow });
    insta::assert_snapshot!("NearChange", unversioned(&format("near").change(&table, &new).unwrap().text));
}

#[test]
fn a_rate_that_nothing_tells_is_asked_for() {
    for target in [format("soroban"), format("stylus")] {
        let error = target.export(&proposed(), None).unwrap_err().to_string();
        assert!(error.contains("--gas-per-second"), "{error}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |table: &ParamTable, target: &Exporter, to| target.export(table, Some(to)).unwrap_err().to_string();
    let dear = table(Gas::MAX.0, Gas::MAX.0, 1, 1);
    assert!(refused(&dear, format("near"), 1_000_000).contains("out of range"));
    assert!(refused(&dear, format("soroban"), 1).contains("range"));
    assert!(refused(&dear, format("fvm"), 1).contains("range"));
    assert!(refused(&proposed(), format("stylus"), 1_000_000_000_000_000).contains("page_gas would be"));
    let mut without = proposed();
    without.params.remove(INIT_PER_PAGE);
    assert!(refused(&without, format("fvm"), 1).contains(INIT_PER_PAGE));
    let mut odd = proposed();
    let param = odd.params[INIT_BASE].clone();
    odd.params.insert("a b".into(), param);
    assert!(refused(&odd, format("near"), 1).contains("snake case"));
    let mut other = proposed();
    let param = other.params.remove(GROW_PER_PAGE).unwrap();
    other.params.insert("other".into(), param);
    let notes = format("fvm").export(&other, Some(1_000_000_000_000_000)).unwrap().notes.join("\n");
    assert!(notes.contains("\"other\" has no place") && notes.contains("are not charged"), "{notes}");
    let mut twice = proposed();
    let param = twice.params[INIT_BASE].clone();
    twice.params.insert(format!("wasm_{INIT_BASE}"), param);
    assert!(refused(&twice, format("near"), 1).contains("too"));
}

#[test]
fn a_hostile_text_does_not_leave_its_comment() {
    let mut table = proposed();
    table.provenance.run.cpu = "evil\nwasm_memory_init_base: 1\r\u{85}\u{2028}fn main() {} */".into();
    near(&format("near").export(&table, None).unwrap().text)(1, 0).unwrap();
    substrate(&format("substrate").export(&table, None).unwrap().text)(1, 0).unwrap();
    fvm(&format("fvm").export(&table, None).unwrap().text)(1, 0).unwrap();
}

#[test]
fn two_names_that_are_one_key_of_near_are_one_change() {
    let mut new = proposed();
    let mut param = new.params.remove(INIT_BASE).unwrap();
    param.gas = Gas(93_000_000_000);
    new.params.insert(format!("wasm_{INIT_BASE}"), param.clone());
    let text = format("near").change(&proposed(), &new).unwrap().text;
    let yaml: std::collections::BTreeMap<String, serde_yaml::Value> = serde_yaml::from_str(&text).unwrap();
    assert_eq!(yaml.len(), 1, "{text}");
    assert!(text.contains("wasm_memory_init_base: { old: 91_600_000_000, new: 93_000_000_000 }"), "{text}");
    new.params.insert(INIT_BASE.into(), param);
    for (old, new) in [(&proposed(), &new), (&new, &proposed())] {
        assert!(format("near").change(old, new).unwrap_err().to_string().contains("`wasm_memory_init_base` too"));
    }
}

#[test]
fn amounts_that_a_reader_of_json_would_round_are_texts() {
    let large = (1 << 53) + 1;
    let table = table(large, 5, 5, 1_000_000_000_000_000);
    for (target, key) in [(format("json"), "/params/memory_init_base/gas"), (format("soroban"), "/0/const_term")] {
        let text = exported(&table, target, 1_000_000_000_000_000).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json.pointer(key).unwrap(), &Value::String(large.to_string()), "{text}");
    }
    let json: Value = serde_json::from_str(&exported(&table, format("json"), 1 << 54).unwrap()).unwrap();
    assert_eq!(json["gas_per_second"], Value::String((1u64 << 54).to_string()));
}

/// Each format at the rates where the largest memory just fits into its consumer's integers, and just does not.
#[test]
fn where_a_consumers_integers_end_an_export_is_refused() {
    let pages = 65_536;
    for (target, most) in [
        (format("near"), u64::MAX / pages),
        (format("json"), u64::MAX / pages),
        (format("substrate"), u64::MAX / pages),
        (format("fvm"), u64::try_from(i64::MAX).unwrap() / pages / 1000),
        (format("soroban"), u64::MAX / pages / 128),
    ] {
        // Rounding up may need the last few.
        let fitting = most - 100;
        for (base, page, grow, fits) in [
            (0, fitting, 1, true),
            (0, 1, fitting, true),
            (0, most + 1, 1, false),
            (0, 1, most + 1, false),
            (u64::MAX / 2 + 1, most, 1, false),
        ] {
            let table = table(base, page, grow, 1_000);
            let export = target.export(&table, Some(1_000));
            assert_eq!(export.is_ok(), fits, "{} with {base}, {page} and {grow}: {export:?}", target.name);
            if let Err(error) = export {
                assert!(error.to_string().contains("out of range"), "{error}");
            }
        }
    }
}

#[test]
fn an_export_says_what_speaks_against_its_table() {
    let free = table(0, 0, 0, 1_000);
    for target in [format("near"), format("substrate"), format("fvm")] {
        let text = target.export(&free, Some(1_000)).unwrap().text;
        assert!(text.contains("Objection: free: memory_grow_per_page costs no gas; "), "{text}");
    }
    let json: Value = serde_json::from_str(&format("json").export(&free, None).unwrap().text).unwrap();
    assert_eq!(json["objections"][1]["name"], "free");
}
