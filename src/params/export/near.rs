//! `core/parameters/res/runtime_configs/*.yaml` of nearcore: `parameters.yaml` holds `NAME: VALUE`, each `NN.yaml` holds
//! `NAME: { old: VALUE, new: VALUE }` for one protocol version. Its parser is `core/parameters/src/parameter_table.rs`, which takes
//! digits in groups and integers of at most 19 digits.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::countable::countable_as_it_is;
use super::exporter::{Export, Exporter, Worth};
use super::origin::{commented, origin};
use super::rate::Rate;
use crate::experiment::LOAD;
use crate::params::decimal::show;
use crate::params::error::ParamsError;
use crate::params::table::{Param, ParamTable};
use crate::text::counted;
use crate::units::group_digits;

/// Runtime parameters of nearcore, YAML.
pub(super) static NEAR: Exporter = Exporter {
    name: "near",
    about: "Runtime parameters of nearcore, YAML",
    worth: Worth::OfTheTable,
    is_json: false,
    has_place: None,
    export,
    change: Some(change),
};

fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    let keyed = keyed(table)?;
    countable_as_it_is(table, rate, "nearcore")?;
    let mut text = commented("#", &origin(table, rate));
    for (key, param, parts) in keyed {
        let nanos = &param.nanos;
        let [value, low, high] = [nanos.value, nanos.low, nanos.high].map(show);
        let _ = writeln!(text, "# {value} ns, 95 % interval {low} to {high}\n{key}: {}", value_of(param, parts, rate)?);
    }
    Ok(Export { text, notes: Vec::new() })
}

/// As a versioned parameter file of nearcore, which checks each old value.
fn change(old: &ParamTable, new: &ParamTable) -> Result<Export, ParamsError> {
    let own = new.provenance.chain.gas_per_second;
    if old.provenance.chain.gas_per_second != own {
        return Err(ParamsError::Export("the two tables count another gas per second each".into()));
    }
    let rate = Rate { from: own, to: own };
    countable_as_it_is(new, rate, "nearcore")?;
    let mut text = commented("#", &origin(new, rate));
    // By the names that they have there: `x` of one table and `wasm_x` of the other are one parameter.
    let (olds, news) = (keyed(old)?, keyed(new)?);
    let added = news.iter().filter(|(key, ..)| side(&olds, key).is_none());
    let mut changed = 0;
    for (key, ..) in olds.iter().chain(added) {
        let value = |of: &[Keyed<'_>]| side(of, key).map(|(_, param, parts)| value_of(param, *parts, rate)).transpose();
        let sides = match (value(&olds)?, value(&news)?) {
            (Some(old), Some(new)) if old == new => continue,
            (Some(old), Some(new)) => format!("old: {old}, new: {new}"),
            (Some(old), None) => format!("old: {old}"),
            (None, Some(new)) => format!("new: {new}"),
            (None, None) => continue,
        };
        changed += 1;
        let _ = writeln!(text, "{key}: {{ {sides} }}");
    }
    Ok(Export { text, notes: vec![counted(changed, "parameter differs", "parameters differ")] })
}

/// A parameter under nearcore's name, and how many of nearcore's units its own has.
type Keyed<'a> = (String, &'a Param, u64);

/// The parameters under nearcore's names, which differ, in the order of a table.
fn keyed(table: &ParamTable) -> Result<Vec<Keyed<'_>>, ParamsError> {
    let mut seen = BTreeSet::new();
    table
        .in_order()
        .map(|(name, param)| {
            let (key, parts) = place(name)?;
            if !seen.insert(key.clone()) {
                return Err(ParamsError::Export(format!("another parameter than `{name}` would be `{key}` too")));
            }
            Ok((key, param, parts))
        })
        .collect()
}

fn side<'a, 'k>(keyed: &'k [Keyed<'a>], key: &str) -> Option<&'k Keyed<'a>> {
    keyed.iter().find(|(found, ..)| found == key)
}

/// nearcore's name of a parameter, and how many of its units the parameter's own has: costs of a contract call begin with `wasm_`, and what it
/// charges for a load by size alone are parameters of its own, by the byte.
fn place(name: &str) -> Result<(String, u64), ParamsError> {
    match LOAD.by_size {
        Some(of) if name == of.base.name => return Ok(("wasm_contract_loading_base".into(), 1)),
        Some(of) if name == of.term.parameter.name => return Ok(("wasm_contract_loading_bytes".into(), of.term.per)),
        _ => {}
    }
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        return Err(ParamsError::Export(format!("`{name}` is not a name in snake case, which nearcore's are")));
    }
    Ok((if name.starts_with("wasm_") { name.to_owned() } else { format!("wasm_{name}") }, 1))
}

fn value_of(param: &Param, parts: u64, rate: Rate) -> Result<String, ParamsError> {
    /// The largest number of 19 digits.
    const MOST: u64 = 9_999_999_999_999_999_999;
    match rate.share_up(param.gas, 1, parts)? {
        value if value > MOST => {
            Err(ParamsError::Export(format!("{} has more than nearcore's 19 digits", group_digits(value))))
        }
        value => Ok(group_digits(value)),
    }
}
