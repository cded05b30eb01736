//! Tables of what else is charged for than a memory, in every format.

use std::collections::BTreeMap;

use serde_json::Value;

use super::*;
use crate::experiment::deploy::{CRANELIFT, VALIDATE};
use crate::experiment::load::LOAD_KEPT;
use crate::experiment::{EXPERIMENTS, Experiment, LOAD};

fn format(name: &str) -> &'static Exporter {
    Exporter::find(name).unwrap()
}

/// Every experiment whose charge is by what a module declares.
fn experiments() -> impl Iterator<Item = &'static Experiment> {
    EXPERIMENTS.into_iter().filter(|experiment| experiment.proposes && experiment.by_size.is_some())
}

/// A table with every parameter of an experiment, each of another price, and its charge by size.
fn table(experiment: &'static Experiment) -> ParamTable {
    let by_size = experiment.by_size.unwrap();
    let all = experiment.parameters().chain([&by_size.base, &by_size.term.parameter]);
    let params = (0_u32..).zip(all).map(|(number, of)| input(of, 40_000.0 / f64::from(1 + 7 * number)));
    let proposal = ProposalInput { params: params.collect(), ..proposal() };
    propose(&proposal, &ChainSettings::default()).unwrap()
}

fn exported(name: &str, table: &ParamTable) -> Export {
    format(name).export(table, Some(1_000_000_000)).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_parameter_is_exported_or_named_whatever_the_table_is_of() {
    let mut refused = Vec::new();
    for exporter in EXPORTERS {
        for experiment in experiments() {
            let table = table(experiment);
            let by_size = experiment.by_size.unwrap();
            // A chain of Arbitrum has gas of its own size.
            let rate = if exporter.name == "stylus" { 7_000_000 } else { 1_000_000_000 };
            match exporter.export(&table, Some(rate)) {
                Err(error) => {
                    let error = error.to_string();
                    assert!(table.params.keys().all(|name| error.contains(&format!("{name:?}"))), "{error}");
                    refused.push(format!("{} {}", exporter.name, experiment.name));
                }
                Ok(export) => {
                    let notes = export.notes.join("\n");
                    let left_out = table.params.keys().filter(|name| notes.contains(&format!("{name:?} has no place")));
                    let left_out: Vec<&str> = left_out.map(String::as_str).collect();
                    let expected = match exporter.name {
                        "near" | "json" => 0,
                        _ => 2,
                    };
                    assert!(left_out.len() >= expected, "{} {}: {notes}", exporter.name, experiment.name);
                    if expected == 2 {
                        assert!(left_out.contains(&by_size.base.name), "{notes}");
                    }
                    assert!(!left_out.contains(&experiment.base.name), "{notes}");
                }
            }
        }
    }
    assert_eq!(refused, ["stylus deploy-validate", "stylus deploy-cranelift", "stylus deploy-winch"]);
}

#[test]
fn near_charges_for_a_load_by_its_own_parameters_and_by_ours() {
    let table = table(&LOAD);
    let yaml: BTreeMap<String, serde_yaml::Value> = serde_yaml::from_str(&exported("near", &table).text).unwrap();
    let value = |name: &str| match &yaml[name] {
        serde_yaml::Value::Number(number) => number.as_u64().unwrap(),
        other => other.as_str().unwrap().replace('_', "").parse().unwrap(),
    };
    let own = |name: &str| gas(&table, name).0.div_ceil(1_000_000);
    assert_eq!(value("wasm_contract_loading_base"), own("contract_load_by_size_base"));
    assert_eq!(
        value("wasm_contract_loading_bytes"),
        gas(&table, "contract_load_per_module_kib").0.div_ceil(1024 * 1_000_000)
    );
    assert_eq!(value("wasm_contract_load_per_type"), own("contract_load_per_type"));
}

/// The host's cost types are the places of its list, and its charge is never below the table's.
#[test]
fn soroban_charges_for_parsing_and_instantiating_by_its_cost_types() {
    for (experiment, step) in [(&LOAD, "Parse"), (&VALIDATE, "Parse"), (&LOAD_KEPT, "Instantiate")] {
        let table = table(experiment);
        let export = exported("soroban", &table);
        let entries: stellar_xdr::ContractCostParams = serde_json::from_str(&export.text).unwrap();
        let note = export.notes.iter().find(|note| note.contains("in this order")).unwrap();
        let names: Vec<&str> = note.split("order, ").nth(1).unwrap().split(", ").collect();
        assert_eq!(names.len(), entries.0.len());
        for (name, entry) in names.iter().zip(entries.0.iter()) {
            assert!(name.starts_with(step) && stellar_xdr::ContractCostType::VARIANTS_STR.contains(name), "{name}");
            let end = name.trim_start_matches(step).trim_start_matches("Wasm");
            let term = match end {
                "Instructions" => "kilo_instruction",
                "TableEntries" => "element",
                "DataSegments" if experiment == &VALIDATE => "data_segment",
                "DataSegments" => "data",
                other => &other.to_lowercase()[..other.len() - 1],
            };
            let priced = experiment.terms.iter().find(|of| of.name.ends_with(&format!("_{term}")));
            let base = if end == "Instructions" { gas(&table, experiment.base.name).0 } else { 0 };
            for input in [0_u64, 1, 3, 999, 100_000] {
                let price = priced.map_or(0, |of| u128::from(gas(&table, of.parameter.name).0) * u128::from(input));
                let ours = u128::from(base) + price / u128::from(priced.map_or(1, |of| of.per));
                let theirs = u128::try_from(entry.const_term).unwrap()
                    + ((u128::try_from(entry.linear_term).unwrap() * u128::from(input)) >> 7);
                assert!(theirs * 1_000_000 >= ours, "{name} at {input}: {theirs}, {ours}");
            }
        }
    }
}

#[test]
fn rust_formats_have_a_price_for_each_parameter() {
    for experiment in [&LOAD, &CRANELIFT] {
        let table = table(experiment);
        let priced = experiment.terms.len() + 1;
        let file = syn::parse_file(&exported("substrate", &table).text).unwrap();
        let impls = file.items.iter().filter(|item| matches!(item, syn::Item::Impl(_))).collect::<Vec<_>>();
        assert_eq!(impls.len(), 2);
        let text = exported("substrate", &table).text;
        assert_eq!(text.matches("Weight::from_parts(").count(), 2 * priced, "{text}");
        assert!(text.contains("(a: u32, b: u32, "), "{text}");
        let text = exported("fvm", &table).text;
        let constants = syn::parse_file(&text).unwrap().items;
        assert_eq!(constants.len(), priced, "{text}");
        assert!(constants.iter().all(|item| matches!(item, syn::Item::Const(_))), "{text}");
    }
    let text = exported("fvm", &table(&LOAD)).text;
    assert!(text.contains("pub(crate) const CONTRACT_LOAD_PER_TYPE: Gas = Gas::from_milligas("), "{text}");
}

/// What `ArbOS` takes for a program that is not cached (`programs.go`), from what the prover makes of it (`binary.rs`).
#[test]
fn stylus_has_minima_and_constants_of_the_prover() {
    let rate = 7_000_000;
    let stylus = |table: &ParamTable| json(&format("stylus").export(table, Some(rate)).unwrap().text);
    let (load, kept) = (table(&LOAD), table(&LOAD_KEPT));
    let there = |table: &ParamTable, name: &str| u128::from(gas(table, name).0) * u128::from(rate);
    let from = u128::from(load.provenance.chain.gas_per_second);
    let loaded = stylus(&load);
    let number = |value: &Value| u128::from(value.as_u64().unwrap());
    assert!(number(&loaded["min_init_gas"]) * 128 * from >= there(&load, "contract_load_base"));
    let functions = number(&loaded["init_cost"]["funcs"]);
    assert!(functions * from >= there(&load, "contract_load_per_function") * 1_000_000);
    let bytes = number(&loaded["init_cost"]["wasm_len"]);
    for name in ["contract_load_per_code_kib", "contract_load_per_name_kib"] {
        assert!(bytes * from * 1024 >= there(&load, name) * 1_000_000, "{name}");
    }
    let cached = stylus(&kept);
    assert!(number(&cached["min_cached_init_gas"]) * 32 * from >= there(&kept, "contract_load_kept_base"));
    assert!(cached["cached_init_cost"]["globals"].as_u64() > Some(0) && cached["init_cost"].is_null(), "{cached}");
}
