//! `ContractCostParams` of a Soroban network: constant and linear term per entry, in the JSON that
//! `stellar-xdr encode --type ContractCostParams` reads. The linear term is scaled by 2^7
//! (`soroban-env-host/src/budget/model.rs` of stellar/rs-soroban-env, `COST_MODEL_LIN_TERM_SCALE_BITS`), and the host drops what
//! is left below one after multiplying.

use serde_json::{Value, json};

use super::{Charges, Export, Rate};
use crate::params::error::ParamsError;
use crate::params::table::ParamTable;
use crate::units::Gas;

/// What the linear term is multiplied by.
const SCALE: u64 = 1 << 7;

pub(super) fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    let charges = Charges::of(table)?;
    let chain = &table.provenance.chain;
    let (declared, most) = (chain.initial_pages_max.0.into(), chain.pages_max.0.into());
    let (base, page) = terms(rate, charges.base, charges.page, most)?;
    let mut entries = vec![entry(base, page)];
    let mut notes = vec![
        "the first entry is for the initial memory, its input the declared pages".to_owned(),
        rate.loss(charges, base.saturating_mul(SCALE), page, SCALE, declared),
    ];
    if let Some(grow) = charges.grow {
        let (base, page) = terms(rate, Gas(0), grow, most)?;
        entries.push(entry(base, page));
        notes.push("the second is for growing, its input the grown pages".to_owned());
    }
    Ok(Export { text: format!("{:#}\n", Value::from(entries)), notes })
}

fn terms(rate: Rate, base: Gas, page: Gas, most: u64) -> Result<(u64, u64), ParamsError> {
    let linear = rate.up(page, SCALE)?;
    // The host drops a share of one when it divides by the scale.
    let dropped = u64::from(!linear.is_multiple_of(SCALE));
    let constant = rate.up(base, 1)?.saturating_add(dropped);
    let out_of_range = |what: &str| {
        ParamsError::Export(format!("the {what} term is out of the host's range: give a smaller --gas-per-second"))
    };
    if constant > Gas::MAX.0 {
        return Err(out_of_range("constant"));
    }
    // The host's product stays at 2^64 − 1 when it is larger, which would be too little.
    if linear > Gas::MAX.0 || linear.checked_mul(most).is_none() {
        return Err(out_of_range("linear"));
    }
    Ok((constant, linear))
}

fn entry(constant: u64, linear: u64) -> Value {
    json!({ "ext": "v0", "const_term": constant, "linear_term": linear })
}
