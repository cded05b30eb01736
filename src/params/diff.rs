//! Two tables for a reviewer: what changed, whether the change is real, and what it does to a call.
//!
//! The rule for "unsure" is specified in `docs/params-format.md`.

use std::collections::BTreeSet;

use super::chain::ChainSettings;
use super::error::ParamsError;
use super::evidence::overlap;
use super::objection::Objection;
use super::provenance::{Provenance, UNKNOWN_MACHINE};
use super::table::{Param, ParamTable};
use crate::units::{Gas, Pages};

/// Declared pages at which a diff shows the charge where both chains allow them, beside the most that each of them does: the
/// smallest memory, the 17 that a 1 MiB stack makes of a small contract, and 4 MiB. Coefficients alone mislead.
pub const CHARGED_PAGES: [Pages; 3] = [Pages(1), Pages(17), Pages(64)];

/// What became of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ParamChange {
    /// Only the new table has it.
    Added,
    /// Only the old table has it.
    Removed,
    /// Its gas is higher.
    Raised,
    /// Its gas is lower.
    Lowered,
    /// Its gas is the same.
    Unchanged,
    /// Its gas moved beyond the threshold, but the two measurements behind it may be of the same time.
    Unsure,
}

/// One parameter in both tables.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamRow<'a> {
    /// Its name.
    pub name: &'a str,
    /// What became of it.
    pub change: ParamChange,
    /// Its side in the old table, with gas and interval.
    pub old: Option<&'a Param>,
    /// Its side in the new table.
    pub new: Option<&'a Param>,
    /// (new − old) / old of the gas; `None` with one side missing or an old value of zero.
    pub relative: Option<f64>,
    /// Whether the change is larger than the threshold. A side that is missing and a rise from zero always are.
    pub beyond_threshold: bool,
}

/// The charge for a number of declared pages, by both tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChargeChange {
    /// The declared pages.
    pub pages: Pages,
    /// Charge by the old table, `None` if its chain forbids the size, it lacks a parameter or the charge is out of range.
    pub old: Option<Gas>,
    /// Charge by the new table.
    pub new: Option<Gas>,
    /// (new − old) / old, `None` unless both are there and the old one is above zero.
    pub relative: Option<f64>,
}

/// A fact about the runs or the settings in which the tables differ, so that their times may not compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenanceChange {
    /// The key in `[provenance]`.
    pub key: &'static str,
    /// Its old value.
    pub old: String,
    /// Its new value.
    pub new: String,
}

/// How many rows are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Added rows.
    pub added: usize,
    /// Removed rows.
    pub removed: usize,
    /// Raised rows, those within the threshold included.
    pub raised: usize,
    /// Lowered rows, those within the threshold included.
    pub lowered: usize,
    /// Unchanged rows.
    pub unchanged: usize,
    /// Unsure rows.
    pub unsure: usize,
    /// Of the raised and lowered rows, those within the threshold.
    pub within_threshold: usize,
}

/// What a gate makes of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No parameter changed beyond the threshold.
    Same,
    /// At least one did.
    Changed,
    /// None certainly did, but at least one is unsure.
    Unsure,
}

/// Everything that a diff found; every parameter of either table has a row.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamDiff<'a> {
    /// The share above which a change counts, such as 0.02.
    pub threshold: f64,
    /// The parameters by name. One whose unit changed is another parameter: removed, and added.
    pub rows: Vec<ParamRow<'a>>,
    /// The charges at [`CHARGED_PAGES`] and at the most that either chain allows.
    pub charges: Vec<ChargeChange>,
    /// Machine, contract set, versions and chain settings where they differ.
    pub provenance: Vec<ProvenanceChange>,
    /// What the old table says against itself.
    pub old_objections: Vec<Objection>,
    /// What the new table says against itself.
    pub new_objections: Vec<Objection>,
}

impl ParamDiff<'_> {
    /// How many rows are of each kind.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.rows.iter().fold(Counts::default(), |mut counts, row| {
            match row.change {
                ParamChange::Added => counts.added += 1,
                ParamChange::Removed => counts.removed += 1,
                ParamChange::Raised => counts.raised += 1,
                ParamChange::Lowered => counts.lowered += 1,
                ParamChange::Unchanged => counts.unchanged += 1,
                ParamChange::Unsure => counts.unsure += 1,
            }
            let moved = matches!(row.change, ParamChange::Raised | ParamChange::Lowered);
            counts.within_threshold += usize::from(moved && !row.beyond_threshold);
            counts
        })
    }

    /// What a gate makes of it. A certain change weighs more than an unsure one.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let beyond = |row: &&ParamRow| row.beyond_threshold;
        let (unsure, certain): (Vec<_>, Vec<_>) =
            self.rows.iter().filter(beyond).partition(|row| row.change == ParamChange::Unsure);
        match (certain.is_empty(), unsure.is_empty()) {
            (true, true) => Verdict::Same,
            (true, false) => Verdict::Unsure,
            (false, _) => Verdict::Changed,
        }
    }
}

/// Compares two tables. A change of gas counts if it is larger than `threshold`, a share: 0.02 for 2 %.
///
/// # Errors
///
/// [`ParamsError::Threshold`] if the threshold is negative or not finite.
pub fn diff<'a>(old: &'a ParamTable, new: &'a ParamTable, threshold: f64) -> Result<ParamDiff<'a>, ParamsError> {
    if !threshold.is_finite() || threshold < 0.0 {
        return Err(ParamsError::Threshold(threshold));
    }
    let tolerance = threshold + rounding_step(&old.provenance.chain) + rounding_step(&new.provenance.chain);
    let names: BTreeSet<&String> = old.params.keys().chain(new.params.keys()).collect();
    let mut rows = Vec::with_capacity(names.len());
    for name in names {
        match (old.params.get(name), new.params.get(name)) {
            (Some(old), Some(new)) if old.unit == new.unit => rows.push(changed(name, old, new, threshold, tolerance)),
            (old, new) => {
                rows.extend(old.map(|old| one_sided(name, ParamChange::Removed, Some(old), None)));
                rows.extend(new.map(|new| one_sided(name, ParamChange::Added, None, Some(new))));
            }
        }
    }
    let sizes: BTreeSet<Pages> =
        [old, new].into_iter().flat_map(|table| table.provenance.chain.sizes(&CHARGED_PAGES)).collect();
    let at = |pages: Pages| {
        let charge = |table: &ParamTable| table.charge(pages, Pages(0));
        let (old, new) = (charge(old), charge(new));
        ChargeChange { pages, old, new, relative: old.zip(new).and_then(|(old, new)| relative(old, new)) }
    };
    let charges = sizes.into_iter().map(at).collect();
    let provenance = provenance_changes(&old.provenance, &new.provenance);
    Ok(ParamDiff {
        threshold,
        rows,
        charges,
        provenance,
        old_objections: old.objections(),
        new_objections: new.objections(),
    })
}

fn one_sided<'a>(name: &'a str, change: ParamChange, old: Option<&'a Param>, new: Option<&'a Param>) -> ParamRow<'a> {
    ParamRow { name, change, old, new, relative: None, beyond_threshold: true }
}

fn changed<'a>(name: &'a str, old: &'a Param, new: &'a Param, threshold: f64, tolerance: f64) -> ParamRow<'a> {
    let relative = relative(old.gas, new.gas);
    let beyond_threshold = old.gas != new.gas && relative.is_none_or(|share| share.abs() > threshold);
    let change = match new.gas.cmp(&old.gas) {
        std::cmp::Ordering::Equal => ParamChange::Unchanged,
        _ if beyond_threshold && may_be_noise(old, new, tolerance) => ParamChange::Unsure,
        std::cmp::Ordering::Greater => ParamChange::Raised,
        std::cmp::Ordering::Less => ParamChange::Lowered,
    };
    ParamRow { name, change, old: Some(old), new: Some(new), relative, beyond_threshold }
}

/// Whether a change of gas comes from a new measurement that the old one does not contradict.
///
/// It does not if the measurement is the same, so that somebody edited or repriced the gas; nor if the gas per
/// nanosecond moved by itself, by more than the threshold and what rounding explains; nor if the intervals are apart.
fn may_be_noise(old: &Param, new: &Param, tolerance: f64) -> bool {
    let repriced = match (price_per_nano(old), price_per_nano(new)) {
        (Some(old), Some(new)) => (new / old - 1.0).abs() > tolerance,
        _ => true,
    };
    old.nanos != new.nanos && !repriced && overlap(&old.nanos, &new.nanos)
}

/// Gas per nanosecond, `None` unless both are above zero.
fn price_per_nano(param: &Param) -> Option<f64> {
    (param.gas > Gas(0) && param.nanos.value > 0.0).then(|| to_f64(param.gas) / param.nanos.value)
}

/// The largest share by which rounding up to significant digits can raise a number: 1 % for three digits.
fn rounding_step(chain: &ChainSettings) -> f64 {
    let digits = i32::try_from(chain.significant_digits).unwrap_or(i32::MAX);
    10f64.powi(1i32.saturating_sub(digits))
}

fn relative(old: Gas, new: Gas) -> Option<f64> {
    // The difference is taken before the conversion, so that large equal parts cancel exactly.
    let share = match new.0.checked_sub(old.0) {
        Some(rise) => to_f64(Gas(rise)),
        None => -to_f64(Gas(old.0 - new.0)),
    };
    (old > Gas(0)).then(|| share / to_f64(old))
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn to_f64(gas: Gas) -> f64 {
    gas.0 as f64
}

/// The facts that decide whether two times compare. Names, dates and seeds of runs always differ and are left out.
fn provenance_changes(old: &Provenance, new: &Provenance) -> Vec<ProvenanceChange> {
    facts(old)
        .into_iter()
        .zip(facts(new))
        .filter(|((key, old_fact), (_, new_fact))| {
            let unknown = *key == "machine" && old_fact == UNKNOWN_MACHINE && old.run.run != new.run.run;
            old_fact != new_fact || unknown
        })
        .map(|((key, old), (_, new))| ProvenanceChange { key, old, new })
        .collect()
}

fn facts(provenance: &Provenance) -> [(&'static str, String); 12] {
    let Provenance { run, chain } = provenance;
    [
        ("machine", run.machine.clone()),
        ("contract_set", run.contract_set.clone()),
        ("worst_case", run.worst_case.clone()),
        ("estimator", run.estimator.clone()),
        ("wasmtime", run.wasmtime.clone()),
        ("chain.gas_per_second", Gas(chain.gas_per_second).to_string()),
        ("chain.safety_factor", chain.safety_factor.to_string()),
        ("chain.initial_pages_max", chain.initial_pages_max.0.to_string()),
        ("chain.pages_max", chain.pages_max.0.to_string()),
        ("chain.strategy", chain.strategy.clone()),
        ("chain.statistic", chain.statistic.to_string()),
        ("chain.significant_digits", chain.significant_digits.to_string()),
    ]
}
