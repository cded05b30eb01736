//! `ContractCostParams` of a Soroban network: constant and linear term per entry, in the JSON that
//! `stellar-xdr encode --type ContractCostParams` reads. The linear term is scaled by 2^7
//! (`soroban-env-host/src/budget/model.rs` of stellar/rs-soroban-env, `COST_MODEL_LIN_TERM_SCALE_BITS`), and the host drops what
//! is left below one after multiplying.

use serde_json::{Value, json};

use super::charges::Charges;
use super::countable::countable;
use super::exporter::{Export, Exporter, MEMORY_ALONE, Worth};
use super::rate::Rate;
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
    places: MEMORY_ALONE,
    export,
    change: None,
};

fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    let charges = Charges::of(table)?;
    let declared = table.provenance.chain.initial_pages_max.0.into();
    let (base, page) = terms(rate, charges.base, charges.page)?;
    let mut entries = vec![entry(base, page)];
    let mut notes = vec![
        "the first entry is for the initial memory, its input the declared pages".to_owned(),
        rate.loss(charges, base.saturating_mul(SCALE), page, SCALE, declared),
    ];
    if let Some(grow) = charges.grow {
        let (base, page) = terms(rate, Gas(0), grow)?;
        entries.push(entry(base, page));
        notes.push("the second is for growing, its input the grown pages".to_owned());
    }
    Ok(Export { text: format!("{:#}\n", Value::from(entries)), notes })
}

fn terms(rate: Rate, base: Gas, page: Gas) -> Result<(u64, u64), ParamsError> {
    let linear = rate.up(page, SCALE)?;
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
