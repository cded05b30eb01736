//! Each format as its consumer reads it, and what that consumer then charges.

use serde_json::Value;
use syn::visit::Visit;

use super::*;

/// What a format charges, in units of which `per` are one gas: a function of initial and grown pages; `None` where the chain
/// refuses the call.
pub(super) type Charge = Box<dyn Fn(u64, u64) -> Option<u128>>;

/// The pages beyond which a table of these tests may charge more, and its parameter.
pub(super) const TIER: u64 = 16;
pub(super) const BEYOND: &str = "memory_init_per_page_beyond_16";

/// nearcore reads YAML with `serde_yaml` and takes the groups out of digits (`canonicalize_yaml_string`).
pub(super) fn near(text: &str) -> Charge {
    let yaml: std::collections::BTreeMap<String, serde_yaml::Value> = serde_yaml::from_str(text).unwrap();
    let number = |name: &str| near_number(&yaml[name]);
    let [base, page, grow] =
        ["wasm_memory_init_base", "wasm_memory_init_per_page", "wasm_memory_grow_per_page"].map(number).map(u128::from);
    let tier = yaml.get("wasm_memory_init_per_page_beyond_16").map_or(0, near_number).into();
    Box::new(move |initial, grown| Some(tiered(base, page, tier, initial) + u64_sum(0, grow, grown)))
}

pub(super) fn near_number(value: &serde_yaml::Value) -> u64 {
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

pub(super) fn substrate(text: &str) -> Charge {
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
pub(super) fn soroban(text: &str) -> Charge {
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

pub(super) fn fvm(text: &str) -> Charge {
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
pub(super) fn stylus(text: &str) -> Charge {
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
pub(super) fn exact(value: &Value) -> u64 {
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

pub(super) fn json(text: &str) -> Charge {
    let json: Value = serde_json::from_str(text).unwrap();
    let gas = |name: &str| u128::from(exact(&json["params"][name]["gas"]));
    let [base, page, grow] = [INIT_BASE, INIT_PER_PAGE, GROW_PER_PAGE].map(gas);
    let tier = json["params"].get(BEYOND).map_or(0, |_| gas(BEYOND));
    Box::new(move |initial, grown| Some(tiered(base, page, tier, initial) + u64_sum(0, grow, grown)))
}
