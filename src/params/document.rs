//! Writing a table into a document that people have commented.

use std::path::Path;

use toml_edit::{Array, InlineTable, Item, Table, TableLike, Value};

use super::decimal::show;
use super::error::ParamsError;
use super::evidence;
use super::provenance::Provenance;
use super::reference_facts::ReferenceFacts;
use super::section::edit;
use super::table::{Param, ParamTable, known_unit};
use crate::experiment::Unit;
use crate::experiment::node::PROPERTIES;
use crate::files::{Staged, write_whole};
use crate::model::Estimate;
use crate::text::read_text;
use crate::units::Bytes;
use crate::units::{Gas, GasUnit, group_digits};
use crate::versioned::Source;

/// The beginning of a new table.
const NEW: &str = "\
# What a contract call pays for its memory. Gas is `nanos.value`, the time on the reference machine, with the factors of
# `derivation`, rounded up; low and high are its interval. The format is specified in docs/params-format.md.

format = 2
";

impl ParamTable {
    /// The table as a new document.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Param`], with the parameter's name, if the table holds what the format does not: gas beyond
    /// [`Gas::MAX`], numbers that are not finite, a negative value, an interval upside down, a wrong unit.
    pub fn to_toml(&self) -> Result<String, ParamsError> {
        self.written_into(NEW, Path::new("new table"))
    }

    /// The table written into `existing`, an earlier table whose comments and formatting stay.
    ///
    /// Only values that differ are touched, each on its own line. A parameter that is new is added after the others, one
    /// that is gone takes the comments above its header with it. If nothing differs the text comes back as it was.
    ///
    /// # Errors
    ///
    /// As for [`ParamTable::parse`] if `existing` is not a table, and as for [`ParamTable::to_toml`].
    pub fn update_document(&self, existing: &str) -> Result<String, ParamsError> {
        self.update(existing, Path::new("existing table"))
    }

    /// Writes the table to `file`, into what is there if it is a table. The file changes whole or not at all.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Read`] and the errors of parsing for a file that is there and is not a table, which is left as it
    /// is; [`ParamsError::Param`] as for [`ParamTable::to_toml`]; [`ParamsError::Write`].
    pub fn save(&self, file: &Path) -> Result<(), ParamsError> {
        self.stage(file)?.publish().map_err(ParamsError::Write)
    }

    /// The same up to the last step, for what is to appear together with something else.
    pub(super) fn stage(&self, file: &Path) -> Result<Staged, ParamsError> {
        let text = match read_text(file) {
            Ok(existing) => self.update(&existing, file)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => self.to_toml()?,
            Err(error) => return Err(ParamsError::read(file)(error)),
        };
        Staged::over(file, text.as_bytes()).map_err(ParamsError::Write)
    }

    /// Writes the table to `file` anew, whatever is there: comments are lost. The file changes whole or not at all.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Param`] as for [`ParamTable::to_toml`]; [`ParamsError::Write`].
    pub fn replace(&self, file: &Path) -> Result<(), ParamsError> {
        write_whole(file, self.to_toml()?.as_bytes()).map_err(ParamsError::Write)
    }

    fn update(&self, existing: &str, file: &Path) -> Result<String, ParamsError> {
        if Self::parse(existing, file)? == *self {
            return Ok(existing.to_owned());
        }
        let text = self.written_into(existing, file)?;
        // toml_edit writes line feeds only; a file with Windows line ends keeps them unless that would alter a value.
        let windows = text.replace('\n', "\r\n");
        let keep = existing.contains("\r\n") && Self::parse(&windows, file).is_ok_and(|table| table == *self);
        Ok(if keep { windows } else { text })
    }

    /// As [`ParamTable::update_document`], with `existing` taken on trust.
    pub(super) fn written_into(&self, existing: &str, file: &Path) -> Result<String, ParamsError> {
        for (name, param) in &self.params {
            check(name, param).map_err(|reason| ParamsError::Param { param: name.clone(), reason })?;
        }
        let mut document = edit(Source { file, text: existing })?;
        let params = section(document.as_table_mut(), "params")?;
        if self.params.is_empty() {
            params.set_implicit(false);
        }
        params.retain(|name, _| self.params.contains_key(name));
        for (name, param) in self.in_order() {
            write_param(section(params, name)?, param);
        }
        write_provenance(section(document.as_table_mut(), "provenance")?, &self.provenance)?;
        Ok(document.to_string())
    }
}

fn check(name: &str, param: &Param) -> Result<(), String> {
    if param.gas > Gas::MAX {
        return Err(format!("gas {} is above {}", param.gas, Gas::MAX));
    }
    if let Some(unit) = known_unit(name).filter(|unit| *unit != param.unit) {
        return Err(format!("its unit is \"{unit}\", not \"{}\"", param.unit));
    }
    evidence::check(&param.nanos)?;
    param.measured.as_ref().map_or(Ok(()), evidence::check)
}

fn write_param(table: &mut Table, param: &Param) {
    set_integer(table, "gas", param.gas.0);
    set_text(table, "unit", &param.unit);
    set_evidence(table, "nanos", &param.nanos);
    match &param.measured {
        Some(measured) => set_evidence(table, "measured", measured),
        None => _ = table.remove("measured"),
    }
    set_text(table, "model", &param.model);
    set_text(table, "derivation", &param.derivation);
}

fn write_provenance(table: &mut Table, provenance: &Provenance) -> Result<(), ParamsError> {
    let Provenance { run, reference, chain } = provenance;
    set_text(table, "run", &run.run);
    set_text(table, "date", &run.date);
    if i64::try_from(run.seed).is_ok() {
        set_integer(table, "seed", run.seed);
    } else {
        set_text(table, "seed", &run.seed.to_string());
    }
    set_text(table, "machine", &run.machine);
    set_text(table, "cpu", &run.cpu);
    set_text(table, "contract_set", &run.contract_set);
    set_text(table, "estimator", &run.estimator);
    set_text(table, "wasmtime", &run.wasmtime);
    set_text(table, "worst_case", &run.worst_case);
    set_text(table, "stop_reason", &run.stop_reason);
    set_texts(table, "notes", &run.notes);
    set_texts(table, "skipped", &run.skipped);
    if run.unsigned.is_empty() {
        table.remove("unsigned");
    } else {
        set_texts(table, "unsigned", &run.unsigned);
    }
    if run.measured_up_to.is_empty() {
        table.remove("measured_up_to");
    } else {
        let section = section(table, "measured_up_to")?;
        section.retain(|name, _| run.measured_up_to.contains_key(name));
        for (name, level) in &run.measured_up_to {
            set_integer(section, name, *level);
        }
    }
    match reference {
        Some(reference) => write_reference(section(table, "reference")?, reference),
        None => _ = table.remove("reference"),
    }
    let table = section(table, "chain")?;
    set_integer(table, "gas_per_second", chain.gas_per_second);
    set_number(table, "safety_factor", chain.safety_factor);
    set_integer(table, "initial_pages_max", chain.initial_pages_max.0.into());
    set_integer(table, "pages_max", chain.pages_max.0.into());
    set_text(table, "strategy", &chain.strategy);
    match chain.keep_resident {
        Some(kept) => set_text(table, "keep_resident", &kept.to_string()),
        None => _ = table.remove("keep_resident"),
    }
    match chain.pool_slots {
        1 => _ = table.remove("pool_slots"),
        slots => set_integer(table, "pool_slots", slots.into()),
    }
    set_text(table, "statistic", chain.statistic.name());
    set_texts_in_line(table, "terms", &chain.terms.iter().map(|term| term.name).collect::<Vec<_>>());
    set_number(table, "margin", chain.margin);
    set_number(table, "noise_limit", chain.noise_limit);
    set_integer(table, "significant_digits", chain.significant_digits.into());
    match &chain.gas_unit {
        Some(unit) => set_unit(table, unit),
        None => _ = table.remove("gas_unit"),
    }
    let table = section(table, "node")?;
    for factor in PROPERTIES {
        match chain.node.get(factor) {
            // Always there, since a section without a key would be lost.
            level if factor.unit == Unit::Name => set_text(table, factor.name, &factor.text(level)),
            level if level == factor.usual => _ = table.remove(factor.name),
            level if factor.unit == Unit::Bytes => set_text(table, factor.name, &Bytes(level).to_string()),
            level => set_integer(table, factor.name, level),
        }
    }
    Ok(())
}

fn write_reference(table: &mut Table, reference: &ReferenceFacts) {
    set_text(table, "name", &reference.reference.name);
    set_text(table, "machine", &reference.machine);
    set_integer(table, "probe", reference.probe.into());
    set_integer(table, "evict_bytes", reference.evict.0);
    set_texts(table, "times", &reference.times());
    // A table that is written over has those of another machine.
    if reference.surcharges.is_empty() {
        table.remove("surcharges");
    } else {
        set_texts(table, "surcharges", &reference.surcharges);
    }
}

/// The section `key`, made if it is missing.
fn section<'a>(parent: &'a mut Table, key: &str) -> Result<&'a mut Table, ParamsError> {
    let new = || {
        let mut table = Table::new();
        table.decor_mut().set_prefix("\n");
        // `params` has no header of its own as long as its sections have theirs.
        table.set_implicit(key == "params");
        Item::Table(table)
    };
    let fault = || ParamsError::Param { param: key.into(), reason: "it is not a section".into() };
    parent.entry(key).or_insert_with(new).as_table_mut().ok_or_else(fault)
}

fn set_integer(table: &mut Table, key: &str, number: u64) {
    let same = table.get(key).and_then(Item::as_integer).is_some_and(|old| u64::try_from(old) == Ok(number));
    set(table, key, same, || literal(&group_digits(number)));
}

fn set_number(table: &mut dyn TableLike, key: &str, number: f64) {
    #[expect(clippy::cast_precision_loss, reason = "read as the parser reads it")]
    let old = table.get(key).and_then(|item| item.as_float().or_else(|| item.as_integer().map(|old| old as f64)));
    set(table, key, old == Some(number), || literal(&show(number)));
}

fn set_text(table: &mut Table, key: &str, text: &str) {
    let same = table.get(key).and_then(Item::as_str) == Some(text);
    set(table, key, same, || text.into());
}

fn set_texts_in_line(table: &mut Table, key: &str, texts: &[&str]) {
    let same = texts_of(table, key).is_some_and(|old| old == texts);
    set(table, key, same, || texts.iter().copied().collect::<Array>().into());
}

fn texts_of<'a>(table: &'a Table, key: &str) -> Option<Vec<&'a str>> {
    table.get(key)?.as_array()?.iter().map(Value::as_str).collect()
}

fn set_texts(table: &mut Table, key: &str, texts: &[String]) {
    let same = texts_of(table, key).is_some_and(|old| old == texts);
    set(table, key, same, || {
        // One text a line, so that a new warning is one new line in a review.
        let mut array: Array = texts.iter().collect();
        if !array.is_empty() {
            array.iter_mut().for_each(|text| text.decor_mut().set_prefix("\n    "));
            array.set_trailing("\n");
            array.set_trailing_comma(true);
        }
        array.into()
    });
}

fn set_evidence(table: &mut Table, key: &str, evidence: &Estimate) {
    let item = table.entry(key).or_insert_with(|| Item::Value(InlineTable::new().into()));
    if let Some(inline) = item.as_inline_table_mut() {
        set_number(inline, "value", evidence.value);
        set_number(inline, "low", evidence.low);
        set_number(inline, "high", evidence.high);
    }
}

fn set_unit(table: &mut Table, unit: &GasUnit) {
    let item = table.entry("gas_unit").or_insert_with(|| Item::Value(InlineTable::new().into()));
    if let Some(inline) = item.as_inline_table_mut() {
        let same = inline.get("name").and_then(Value::as_str) == Some(unit.name());
        set(inline, "name", same, || unit.name().into());
        let same =
            inline.get("gas").and_then(Value::as_integer).and_then(|old| u64::try_from(old).ok()) == Some(unit.gas());
        set(inline, "gas", same, || literal(&group_digits(unit.gas())));
    }
}

/// Puts a value in the place of another, whose blanks and comments stay.
fn set(table: &mut dyn TableLike, key: &str, same: bool, value: impl FnOnce() -> Value) {
    if same {
        return;
    }
    let mut value = value();
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        _ => _ = table.insert(key, Item::Value(value)),
    }
}

/// A number in the digits given, where `toml_edit`'s own would lack the grouping.
fn literal(digits: &str) -> Value {
    digits.parse().unwrap_or_else(|_| Value::from(digits))
}
