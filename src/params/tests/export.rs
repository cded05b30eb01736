//! Every format is read back as its consumer reads it, and every charge is held against the table's.

use proptest::prelude::*;
use serde_json::Value;
use syn::visit::Visit;

use super::*;

fn format(name: &str) -> &'static Exporter {
    Exporter::find(name).unwrap()
}

/// What a format charges, in units of which `per` are one gas: a function of initial and grown pages; `None` where the chain
/// refuses the call.
type Charge = Box<dyn Fn(u64, u64) -> Option<u128>>;

fn table(base: u64, page: u64, grow: u64, gas_per_second: u64) -> ParamTable {
    let mut table = proposed();
    for (name, gas) in [(INIT_BASE, base), (INIT_PER_PAGE, page), (GROW_PER_PAGE, grow)] {
        table.params.get_mut(name).unwrap().gas = Gas(gas);
    }
    table.provenance.chain.gas_per_second = gas_per_second;
    table
}

/// The pages beyond which a table of these tests may charge more, and its parameter.
const TIER: u64 = 16;
const BEYOND: &str = "memory_init_per_page_beyond_16";

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

/// nearcore reads YAML with `serde_yaml` and takes the groups out of digits (`canonicalize_yaml_string`).
fn near(text: &str) -> Charge {
    let yaml: std::collections::BTreeMap<String, serde_yaml::Value> = serde_yaml::from_str(text).unwrap();
    let number = |name: &str| near_number(&yaml[name]);
    let [base, page, grow] =
        ["wasm_memory_init_base", "wasm_memory_init_per_page", "wasm_memory_grow_per_page"].map(number).map(u128::from);
    let tier = yaml.get("wasm_memory_init_per_page_beyond_16").map_or(0, near_number).into();
    Box::new(move |initial, grown| Some(tiered(base, page, tier, initial) + u64_sum(0, grow, grown)))
}

fn near_number(value: &serde_yaml::Value) -> u64 {
    match value {
        serde_yaml::Value::Number(number) => number.as_u64().unwrap(),
        serde_yaml::Value::String(text) => {
            assert!(text.bytes().all(|c| c.is_ascii_digit() || c == b'_'), "{text}");
            let digits = text.replace('_', "");
            assert!(digits.len() < 20, "{text}");
            digits.parse().unwrap()
        }
        other => panic!("{other:?} is no number"),
    }
}

/// The integers in the calls of a function of this name, in their order, as rustc's grammar has them.
struct Calls<'a> {
    name: &'a str,
    found: Vec<u64>,
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func
            && path.path.segments.last().unwrap().ident == self.name
            && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) = &call.args[0]
        {
            self.found.push(number.base10_parse().unwrap());
        }
        syn::visit::visit_expr_call(self, call);
    }
}

fn calls(items: &[syn::Item], name: &str) -> Vec<u64> {
    let mut calls = Calls { name, found: Vec::new() };
    for item in items {
        calls.visit_item(item);
    }
    calls.found
}

fn substrate(text: &str) -> Charge {
    let file = syn::parse_file(text).unwrap();
    let weights: Vec<Vec<u64>> = file
        .items
        .iter()
        .filter(|item| matches!(item, syn::Item::Impl(_)))
        .map(|item| calls(std::slice::from_ref(item), "from_parts"))
        .collect();
    // One implementation for the runtime and one for tests; the outer call of a chain of methods is the inner one here.
    let [ours, tests] = &weights[..] else { panic!("{weights:?}") };
    assert_eq!(ours, tests);
    let [base, page, ref tier @ .., none, grow] = ours[..] else { panic!("{ours:?}") };
    let tier = tier.iter().sum::<u64>();
    assert_eq!(none, 0);
    // Weights saturate.
    let weight = |base: u64, page: u64, pages: u64| u128::from(base.saturating_add(page.saturating_mul(pages)));
    Box::new(move |initial, grown| {
        let over = weight(0, tier, initial.saturating_sub(TIER));
        Some((weight(base, page, initial) + over).min(u64::MAX.into()) + weight(0, grow, grown))
    })
}

/// The host multiplies, stays at 2^64 − 1, and shifts (`MeteredCostComponent::evaluate`).
fn soroban(text: &str) -> Charge {
    let params: stellar_xdr::ContractCostParams = serde_json::from_str(text).unwrap();
    let terms = |index: usize| {
        let entry = &params.0[index];
        assert!(entry.const_term >= 0 && entry.linear_term >= 0);
        (entry.const_term.cast_unsigned(), entry.linear_term.cast_unsigned())
    };
    let (init, grow) = (terms(0), terms(1));
    let evaluate =
        |(constant, linear): (u64, u64), input: u64| constant.saturating_add(linear.saturating_mul(input) >> 7);
    Box::new(move |initial, grown| {
        let growth = if grown == 0 { 0 } else { evaluate(grow, grown) };
        Some(u128::from(evaluate(init, initial)) + u128::from(growth))
    })
}

fn fvm(text: &str) -> Charge {
    let file = syn::parse_file(text).unwrap();
    let [flat, scale, ref tier @ .., grow] = calls(&file.items, "from_milligas")[..] else { panic!("{text}") };
    let tier = u128::from(tier.iter().sum::<u64>());
    let bytes = |pages: u64| u128::from(pages) * 65_536;
    Box::new(move |initial, grown| {
        let over = tier * bytes(initial.saturating_sub(TIER));
        let total = u128::from(flat) + u128::from(scale) * bytes(initial) + over + u128::from(grow) * bytes(grown);
        // `Gas` saturates.
        Some(total.min(i64::MAX as u128))
    })
}

/// `GasCost` without its ramp, and the least that a call of any program pays from version 2 on.
fn stylus(text: &str) -> Charge {
    let json: Value = serde_json::from_str(text).unwrap();
    let field = |name: &str, most: u64| json[name].as_u64().filter(|&value| value <= most).unwrap();
    let (free, page) = (field("free_pages", 65_535), field("page_gas", 65_535));
    let limit = field("page_limit", 65_535);
    let (init, cached) = (field("min_init_gas", 255) * 128, field("min_cached_init_gas", 255) * 32);
    assert!(field("init_cost_scalar", 255) * 2 == 100 && field("cached_cost_scalar", 255) * 2 == 100);
    Box::new(move |initial, grown| {
        let pages = initial + grown;
        (pages <= limit).then(|| u128::from(init.min(cached) + page * pages.saturating_sub(free)))
    })
}

/// A number as a reader has it that keeps numbers in 64-bit floats, unless it is a text.
fn exact(value: &Value) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and not negative")]
    match value {
        Value::String(digits) => digits.parse().unwrap(),
        other => other.as_f64().unwrap() as u64,
    }
}

/// What declared pages take where those beyond the tier pay more.
fn tiered(base: u128, page: u128, tier: u128, pages: u64) -> u128 {
    let sum = u64_sum(base, page, pages) + tier * u128::from(pages.saturating_sub(TIER));
    assert!(u64::try_from(sum).is_ok(), "{sum} at {pages} pages saturates");
    sum
}

/// A sum that must not leave the 64 bits that a consumer has.
fn u64_sum(base: u128, page: u128, pages: u64) -> u128 {
    let sum = base + page * u128::from(pages);
    assert!(u64::try_from(sum).is_ok(), "{sum} at {pages} pages saturates");
    sum
}

fn json(text: &str) -> Charge {
    let json: Value = serde_json::from_str(text).unwrap();
    let gas = |name: &str| u128::from(exact(&json["params"][name]["gas"]));
    let [base, page, grow] = [INIT_BASE, INIT_PER_PAGE, GROW_PER_PAGE].map(gas);
    let tier = json["params"].get(BEYOND).map_or(0, |_| gas(BEYOND));
    Box::new(move |initial, grown| Some(tiered(base, page, tier, initial) + u64_sum(0, grow, grown)))
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
