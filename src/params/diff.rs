//! Two tables for a reviewer: what changed, whether the change is real, and what it does to a call.
//!
//! The rule for "unsure" is specified in `docs/params-format.md`.

use std::collections::{BTreeMap, BTreeSet};

use super::chain::ChainSettings;
use super::error::ParamsError;
use super::evidence::{agree, overlap};
use super::objection::Objection;
use super::provenance::{Provenance, UNKNOWN_MACHINE};
use super::reference_facts::ReferenceFacts;
use super::table::{Param, ParamTable};
use crate::units::{Gas, GasUnit, Pages};

/// Declared pages at which a diff shows the charge where both chains allow them, beside the most that each of them does: the
/// smallest memory, the 17 that a 1 MiB stack makes of a small contract, and 4 MiB. Coefficients alone mislead.
pub const CHARGED_PAGES: [Pages; 3] = [Pages(1), Pages(17), Pages(64)];

/// What became of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParamChange {
    /// Only the new table has it.
    Added,
    /// Only the old table has it.
    Removed,
    /// Its gas is higher, beyond the threshold.
    Raised,
    /// Its gas is lower, beyond the threshold.
    Lowered,
    /// Its gas moved by no more than is of interest.
    WithinThreshold,
    /// Its gas moved beyond the threshold, and two measurements of the same time differ by as much in most pairs of runs.
    WithinNoise,
    /// Its gas is the same.
    Unchanged,
    /// Its gas moved further than two measurements of the same time usually do, and the intervals still have a point in common.
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

/// A probe that takes another time on the new reference machine.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ProbeChange {
    /// Its size in words.
    pub size: String,
    /// Its old time in words, `None` if the old machine does not have it.
    pub old: Option<String>,
    /// Its new time.
    pub new: Option<String>,
}

/// How many rows are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Added rows.
    pub added: usize,
    /// Removed rows.
    pub removed: usize,
    /// Raised rows.
    pub raised: usize,
    /// Lowered rows.
    pub lowered: usize,
    /// Unchanged rows.
    pub unchanged: usize,
    /// Unsure rows.
    pub unsure: usize,
    /// Rows that moved within the threshold.
    pub within_threshold: usize,
    /// Rows that moved within the noise.
    pub within_noise: usize,
}

/// What a gate makes of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The two are of different units, or charge for different things.
    NotComparable,
    /// No parameter changed beyond the threshold and the noise.
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
    /// Why the two cannot be compared, a sentence each; empty if they can.
    pub incomparable: Vec<String>,
    /// The probes of the two reference machines where they differ: the size, the old and the new time.
    pub reference: Vec<ProbeChange>,
    /// What the old table says against itself.
    pub old_objections: Vec<Objection>,
    /// What the new table says against itself.
    pub new_objections: Vec<Objection>,
    /// What the run behind the new table says to whoever signs it, and what was accepted in spite of it.
    pub new_notes: &'a [String],
    /// The unit in which people read the gas of either.
    pub gas_unit: Option<&'a GasUnit>,
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
                ParamChange::WithinThreshold => counts.within_threshold += 1,
                ParamChange::WithinNoise => counts.within_noise += 1,
            }
            counts
        })
    }

    /// What a gate makes of it. A certain change weighs more than an unsure one.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let any = |change: fn(ParamChange) -> bool| self.rows.iter().any(|row| change(row.change));
        let certain = |change| {
            matches!(change, ParamChange::Added | ParamChange::Removed | ParamChange::Raised | ParamChange::Lowered)
        };
        if !self.incomparable.is_empty() {
            Verdict::NotComparable
        } else if any(certain) {
            Verdict::Changed
        } else if any(|change| change == ParamChange::Unsure) {
            Verdict::Unsure
        } else {
            Verdict::Same
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
    let incomparable = incomparable(&old.provenance, &new.provenance);
    Ok(ParamDiff {
        incomparable,
        reference: probe_changes(&old.provenance, &new.provenance),
        threshold,
        rows,
        charges,
        provenance,
        old_objections: old.objections(),
        new_objections: new.objections(),
        new_notes: &new.provenance.run.notes,
        gas_unit: new.provenance.chain.gas_unit.as_ref(),
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
        _ if !beyond_threshold => ParamChange::WithinThreshold,
        _ if is_measured_anew(old, new, tolerance) && agree(&old.nanos, &new.nanos) => ParamChange::WithinNoise,
        _ if is_measured_anew(old, new, tolerance) && overlap(&old.nanos, &new.nanos) => ParamChange::Unsure,
        std::cmp::Ordering::Greater => ParamChange::Raised,
        std::cmp::Ordering::Less => ParamChange::Lowered,
    };
    ParamRow { name, change, old: Some(old), new: Some(new), relative, beyond_threshold }
}

/// Whether a change of gas comes from a new measurement.
///
/// It does not if the measurement is the same, so that somebody edited or repriced the gas; nor if the gas per
/// nanosecond moved by itself, by more than the threshold and what rounding explains.
fn is_measured_anew(old: &Param, new: &Param, tolerance: f64) -> bool {
    let repriced = match (price_per_nano(old), price_per_nano(new)) {
        (Some(old), Some(new)) => (new / old - 1.0).abs() > tolerance,
        _ => true,
    };
    old.nanos != new.nanos && !repriced
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

/// Facts without which two tables charge for the same thing.
const DECIDING: [&str; 5] = ["contract_set", "chain.strategy", "chain.statistic", "chain.terms", "chain.margin"];

/// Why two tables say nothing of each other: their times are of two units, of other contracts, or for other things.
fn incomparable(old: &Provenance, new: &Provenance) -> Vec<String> {
    let same_run = old.run.run == new.run.run;
    let of_reference = match (&old.reference, &new.reference) {
        // A run and itself are of one time.
        (Some(old), Some(new)) if same_run && old == new => None,
        (Some(old), Some(new)) => old.differs_from(new),
        (None, None) => None,
        _ => Some("one table is stated on a reference machine and the other on time as measured".into()),
    };
    let facts = facts(old).into_iter().zip(facts(new));
    let others = facts.filter(|((key, old), (_, new))| DECIDING.contains(key) && old != new);
    let others = others.map(|((key, old), (_, new))| format!("{key} was {old} and is {new}"));
    of_reference.into_iter().chain(others).collect()
}

/// The sizes whose probes differ, if the tables are stated on two machines.
fn probe_changes(old: &Provenance, new: &Provenance) -> Vec<ProbeChange> {
    let times = |of: &Provenance| -> BTreeMap<String, String> {
        let lines = of.reference.as_ref().map(ReferenceFacts::times).unwrap_or_default();
        let parts = lines.iter().filter_map(|line| line.split_once(": "));
        parts.map(|(size, time)| (size.to_owned(), time.to_owned())).collect()
    };
    let (olds, news) = (times(old), times(new));
    let in_order = |of: &Provenance| {
        let lines = of.reference.as_ref().map(ReferenceFacts::times).unwrap_or_default();
        lines.into_iter().filter_map(|line| Some(line.split_once(": ")?.0.to_owned())).collect::<Vec<_>>()
    };
    let mut sizes = in_order(new);
    sizes.extend(in_order(old).into_iter().filter(|size| !news.contains_key(size)));
    let change = |size: String| {
        let (old, new) = (olds.get(&size).cloned(), news.get(&size).cloned());
        (old != new).then_some(ProbeChange { size, old, new })
    };
    sizes.into_iter().filter_map(change).collect()
}

fn facts(provenance: &Provenance) -> [(&'static str, String); 15] {
    let Provenance { run, reference, chain } = provenance;
    let terms: Vec<&str> = chain.terms.iter().map(|term| term.name).collect();
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
        ("chain.strategy", chain.strategy_in_full()),
        ("chain.statistic", chain.statistic.to_string()),
        ("reference", reference.as_ref().map_or_else(|| "time as measured".into(), |of| of.reference.name.clone())),
        ("chain.terms", terms.join(", ")),
        ("chain.margin", chain.margin.to_string()),
        ("chain.significant_digits", chain.significant_digits.to_string()),
    ]
}
