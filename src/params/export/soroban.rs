//! `ContractCostParams` of a Soroban network: constant and linear term per entry, in the JSON that
//! `stellar-xdr encode --type ContractCostParams` reads. The linear term is scaled by 2^7
//! (`soroban-env-host/src/budget/model.rs` of stellar/rs-soroban-env, `COST_MODEL_LIN_TERM_SCALE_BITS`), and the host drops what
//! is left below one after multiplying.

use serde_json::{Value, json};

use super::charges::{Charges, Line, Part};
use super::countable::countable;
use super::exporter::{Export, Exporter, Worth, of_memory};
use super::rate::Rate;
use crate::experiment::declared::{
    DATA_SEGMENTS, ELEMENTS, EXPORTS, FUNCTIONS, GLOBALS, HAS_DATA, IMPORTS, INSTRUCTIONS, TYPES,
};
use crate::experiment::load::LOAD_KEPT;
use crate::experiment::{Column, EXPERIMENTS, Experiment, Factor, MEMORY, Term};
use crate::params::error::ParamsError;
use crate::params::table::ParamTable;
use crate::units::Gas;

/// What the linear term is multiplied by.
const SCALE: u64 = 1 << 7;

/// Cost parameters, JSON for stellar-xdr.
pub(super) static SOROBAN: Exporter = Exporter {
    name: "soroban",
    about: "Cost parameters, JSON for stellar-xdr",
    worth: Worth::Asked,
    is_json: true,
    has_place: Some(has_place),
    export,
    change: None,
};

/// What a contract is charged for when it is parsed or instantiated: the end of the cost type's name, and the factor that is its input or at
/// most as large (`soroban-env-host/src/vm/parsed_module.rs`): elements are entries of a table, unless segments overlap, which no toolchain makes. The first has the constant as well.
const INPUTS: [(&str, &[&Factor]); 8] = [
    ("Instructions", &[&INSTRUCTIONS]),
    ("Functions", &[&FUNCTIONS]),
    ("Globals", &[&GLOBALS]),
    ("TableEntries", &[&ELEMENTS]),
    ("Types", &[&TYPES]),
    ("DataSegments", &[&DATA_SEGMENTS, &HAS_DATA]),
    ("Imports", &[&IMPORTS]),
    ("Exports", &[&EXPORTS]),
];

/// The place among [`INPUTS`] of what a term is charged for.
fn input_of(term: &Term) -> Option<usize> {
    let Column::Level(factor) = term.column else { return None };
    INPUTS.iter().position(|(_, factors)| factors.contains(&factor))
}

fn has_place(name: &str) -> bool {
    let others = || EXPERIMENTS.into_iter().filter(|experiment| experiment.proposes && **experiment != MEMORY);
    let of = |experiment: &Experiment| {
        let mut terms = experiment.terms.iter().filter(|term| input_of(term).is_some());
        experiment.by_size.is_some() && (experiment.base.name == name || terms.any(|term| term.parameter.name == name))
    };
    of_memory(name) || others().any(of)
}

fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    let (mut entries, mut notes) = (Vec::new(), Vec::new());
    if let Some(charges) = Charges::of(table)? {
        (entries, notes) = memory(table, &charges, rate)?;
    }
    for part in Part::all(table)? {
        let (own, note) = contract(&part, rate)?;
        entries.extend(own);
        notes.push(note);
    }
    Ok(Export { text: format!("{:#}\n", Value::from(entries)), notes })
}

/// The entries for what a contract declares, and what they are.
fn contract(part: &Part<'_>, rate: Rate) -> Result<(Vec<Value>, String), ParamsError> {
    let step = if *part.experiment == LOAD_KEPT { "InstantiateWasm" } else { "ParseWasm" };
    let mut entries = Vec::new();
    for (at, (input, _)) in INPUTS.iter().enumerate() {
        let base = if at == 0 { part.base.gas } else { Gas(0) };
        let priced = part.terms.iter().find(|(term, _)| input_of(term) == Some(at));
        let (linear, per) = priced.map_or((Gas(0), 1), |(term, param)| (param.gas, term.per));
        if base > Gas(0) || priced.is_some() {
            let (constant, linear) = terms(rate, base, linear, per)?;
            entries.push((format!("{step}{input}"), entry(constant, linear)));
        }
    }
    let (names, entries): (Vec<String>, Vec<Value>) = entries.into_iter().unzip();
    Ok((entries, format!("for {} the entries are, in this order, {}", part.experiment.name, names.join(", "))))
}

/// The entries for a memory, and what they are.
fn memory(table: &ParamTable, charges: &Charges, rate: Rate) -> Result<(Vec<Value>, Vec<String>), ParamsError> {
    let declared = table.provenance.chain.initial_pages_max.0.into();
    let (page, dearer) = charges.dearest_page()?;
    let (base, page) = terms(rate, charges.base, page, 1)?;
    let exported = Line { base: base.saturating_mul(SCALE), page, beyond: Vec::new() };
    let mut entries = vec![entry(base, page)];
    let mut notes = vec![
        "the first entry is for the initial memory, its input the declared pages".to_owned(),
        rate.loss(charges, &exported, SCALE, declared),
    ];
    notes.extend(dearer);
    if let Some(grow) = charges.grow {
        let (base, page) = terms(rate, Gas(0), grow, 1)?;
        entries.push(entry(base, page));
        notes.push("the second is for growing, its input the grown pages".to_owned());
    }
    Ok((entries, notes))
}

/// The constant and the linear term of a base and of gas for so many units of the input.
fn terms(rate: Rate, base: Gas, linear: Gas, per: u64) -> Result<(u64, u64), ParamsError> {
    let linear = rate.share_up(linear, SCALE, per)?;
    // The host drops a share of one when it divides by the scale.
    let dropped = u64::from(!linear.is_multiple_of(SCALE));
    let constant = rate.up(base, 1)?.saturating_add(dropped);
    // The network keeps both in an `i64`, and the host multiplies and adds in a `u64`.
    countable(constant, 0, Gas::MAX.0, "the constant term")?;
    countable(0, linear, u64::MAX, "the linear term")?;
    countable(constant, linear.div_ceil(SCALE), u64::MAX, "the host's sum")?;
    Ok((constant, linear))
}

fn entry(constant: u64, linear: u64) -> Value {
    json!({ "ext": "v0", "const_term": Gas(constant), "linear_term": Gas(linear) })
}
