//! The table for other programs: prices, evidence, origin and what speaks against it.

use serde_json::json;

use super::countable::countable_as_it_is;
use super::exporter::{Export, Exporter, Worth};
use super::rate::Rate;
use crate::params::error::ParamsError;
use crate::params::table::ParamTable;
use crate::units::Gas;

/// Everything, for other programs.
pub(super) static JSON: Exporter = Exporter {
    name: "json",
    about: "Everything, for other programs",
    worth: Worth::OfTheTable,
    is_json: true,
    has_place: None,
    export,
    change: None,
};

fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    countable_as_it_is(table, rate, "64 bits")?;
    let mut params = serde_json::Map::new();
    for (name, param) in &table.params {
        let gas = Gas(rate.up(param.gas, 1)?);
        params.insert(name.clone(), json!({ "gas": gas, "unit": param.unit, "nanos": param.nanos }));
    }
    let (run, chain) = (&table.provenance.run, &table.provenance.chain);
    let document = json!({
        "format": 1,
        "gas_per_second": Gas(rate.to),
        "safety_factor": chain.safety_factor,
        "strategy": chain.strategy,
        "statistic": chain.statistic.name(),
        "pages_max": chain.pages_max,
        "params": params,
        "run": run.run,
        "date": run.date,
        "machine": run.machine,
        "contract_set": run.contract_set,
        "wasmtime": run.wasmtime,
        "notes": run.notes,
        "objections": table.objections(),
    });
    Ok(Export { text: format!("{document:#}\n"), notes: Vec::new() })
}
