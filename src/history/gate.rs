//! The gate: what changed, by how much, and how surely.
//!
//! # Method
//!
//! Each figure is tested for a [step](super::step) and a [drift](super::drift) against the recent past, and each charge against the
//! table in force. Holm's correction (*A Simple Sequentially Rejective Multiple Test Procedure*, 1979) covers all tests of the
//! night. What is both beyond the practical threshold and below 5 % is suspected, and a fresh run decides. The change counts if each
//! of the two runs by itself puts it below 0.01 %: noise would have to strike twice in the same direction, and one far-out run
//! cannot carry the other. A change that is real but small next to the noise is told a night or two later rather than never,
//! since the nights add up.

use super::drift::drift;
use super::figure::{Figure, gated};
use super::judgement::{Finding, FindingKind, Judgement, State, Verdict};
use super::key::key;
use super::record::{Outcome, Record};
use super::series::{Series, count};
use super::step::step;
use super::table_gate::against_table;
use crate::model::Form;
use crate::params::ParamTable;

/// A drift is looked for in windows that share all but one of their nights with the next, so that a year holds far fewer
/// independent tests of it than of steps: its limit is so many times as high.
const OVERLAP: f64 = 10.0;

/// Settings of the gate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateSettings {
    /// The smallest change of practical interest as a share: 0.02 for 2 %.
    pub threshold: f64,
    /// Below this p-value a change is suspected and a fresh run made.
    pub suspect: f64,
    /// Below this p-value of each run by itself a change counts.
    pub confirm: f64,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self { threshold: 0.02, suspect: 0.05, confirm: 1e-4 }
    }
}

/// Judges a night by its one or two measured runs.
///
/// `past` are the runs before of the same [series](super::SeriesKey), oldest first. `told` says whether a finding of this key has been
/// confirmed on an earlier night. With one run a change is at most suspected; with two it is confirmed, unsure or refuted.
#[must_use]
pub fn judge(
    past: &[Record],
    tonight: &[Record],
    table: Option<&ParamTable>,
    told: &dyn Fn(&str) -> bool,
    settings: &GateSettings,
) -> Judgement {
    let runs: Vec<&Record> = tonight.iter().filter(|record| record.outcome == Outcome::Measured).collect();
    let with = |runs: &[&Record]| -> Vec<Record> { past.iter().chain(runs.iter().copied()).cloned().collect() };
    let findings = match runs[..] {
        [] => return Judgement { verdict: Verdict::Unsure, findings: Vec::new() },
        [first, .., fresh] => {
            let suspected = suspected(&with(&[first]), table, told, settings);
            let alone = self::suspected(&with(&[fresh]), table, told, settings);
            let both = tested(&with(&runs), table, told);
            suspected.into_iter().map(|finding| decided(finding, &alone, &both, settings)).collect()
        }
        [only] => suspected(&with(&[only]), table, told, settings),
    };
    let any = |state| findings.iter().any(|finding| finding.state == state);
    let verdict = if any(State::Changed) || any(State::Standing) {
        Verdict::Changed
    } else if any(State::Unsure) || any(State::Suspected) {
        Verdict::Unsure
    } else if is_known(&with(&runs)) {
        Verdict::Steady
    } else {
        Verdict::Learning
    };
    Judgement { verdict, findings }
}

/// All tests of a night, with Holm's correction.
fn tested(records: &[Record], table: Option<&ParamTable>, told: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (param, line) in gated() {
        // A run without this figure must not be judged by an older one.
        let tonight = |series: &Series| {
            let night = series.points.last().map(|point| &point.night);
            night.is_some() && night == records.last().map(|record| &record.night)
        };
        // Time goes with the machine and its hour. It is judged only where there is nothing else.
        let judged = [Form::Reference, Form::Measured].into_iter().find_map(|form| {
            let figure = Figure::new(param, line, form);
            let series = Series::of(&figure, records);
            tonight(&series).then_some((series, figure))
        });
        if let Some((series, figure)) = judged {
            findings.extend(steps(&figure, &series, records));
            findings.extend(drifts(&figure, &series));
        }
    }
    if let Some(table) = table {
        findings.extend(against_table(records, table));
    }
    findings.retain(|finding| finding.kind == FindingKind::Table || !told(&finding.key));
    holm(&mut findings);
    findings
}

/// What one run alone makes suspect, and what stands since an earlier night.
fn suspected(
    records: &[Record],
    table: Option<&ParamTable>,
    told: &dyn Fn(&str) -> bool,
    settings: &GateSettings,
) -> Vec<Finding> {
    let mut findings: Vec<Finding> = tested(records, table, told)
        .into_iter()
        .filter(|finding| beyond(finding, settings) && finding.p_value < settings.suspect)
        .map(|finding| Finding {
            state: if told(&finding.key) { State::Standing } else { State::Suspected },
            ..finding
        })
        .collect();
    one_kind_each(&mut findings);
    findings
}

/// What the fresh run makes of what the first one made suspect: `alone` are the suspicions of the fresh run in its place, `both` are
/// the tests of both runs together, for the size of the change. The weaker of the two runs decides.
fn decided(finding: Finding, alone: &[Finding], both: &[Finding], settings: &GateSettings) -> Finding {
    if finding.state == State::Standing {
        return finding;
    }
    let Some(again) = alone.iter().find(|fresh| same(fresh, &finding)) else {
        return Finding { state: State::Refuted, ..finding };
    };
    let p_value = finding.p_value.max(again.p_value);
    let surely = if again.kind == FindingKind::Drift { settings.confirm * OVERLAP } else { settings.confirm };
    let state = if p_value < surely { State::Changed } else { State::Unsure };
    let sized = both.iter().filter(|both| same(both, &finding));
    let sized = sized.min_by(|one, other| one.p_value.total_cmp(&other.p_value)).unwrap_or(again).clone();
    Finding { p_value, state, ..sized }
}

/// A step and a drift of one figure are one event, of which the surer is kept.
fn one_kind_each(findings: &mut Vec<Finding>) {
    findings.sort_by(|one, other| one.p_value.total_cmp(&other.p_value));
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings.drain(..) {
        if !kept.iter().any(|one| same(one, &finding)) {
            kept.push(finding);
        }
    }
    *findings = kept;
}

/// Whether two findings are of one event: the same figure, both against the past or both against the table, in one direction.
fn same(one: &Finding, other: &Finding) -> bool {
    one.figure == other.figure
        && (one.kind == FindingKind::Table) == (other.kind == FindingKind::Table)
        && (one.ratio.value > 1.0) == (other.ratio.value > 1.0)
}

fn beyond(finding: &Finding, settings: &GateSettings) -> bool {
    finding.ratio.value.ln().abs() > settings.threshold.ln_1p()
}

/// Whether the spread of any figure is known.
fn is_known(records: &[Record]) -> bool {
    let figures = gated().flat_map(|(param, line)| Form::BOTH.map(|form| Figure::new(param, line, form)));
    figures.into_iter().any(|figure| {
        let series = Series::of(&figure, records);
        series.is_known(series.points.len())
    })
}

fn steps(figure: &Figure, series: &Series, records: &[Record]) -> Option<Finding> {
    let found = step(series)?;
    Some(Finding {
        kind: FindingKind::Step,
        key: key(FindingKind::Step, figure, found.ratio.value, &found.since),
        along: changed_with(records, &found.since),
        figure: figure.clone(),
        ratio: found.ratio,
        p_value: found.p_value,
        since: found.since,
        state: State::Suspected,
    })
}

fn drifts(figure: &Figure, series: &Series) -> Option<Finding> {
    let (trend, since) = drift(series)?;
    let nights = f64::from(u32::try_from(trend.length - 1).ok()?);
    Some(Finding {
        kind: FindingKind::Drift,
        key: key(FindingKind::Drift, figure, trend.slope.value.exp(), &since),
        figure: figure.clone(),
        ratio: trend.slope.scaled(nights).exp(),
        p_value: trend.p_value,
        since,
        state: State::Suspected,
        along: Vec::new(),
    })
}

/// The versions that differ between a run and the one before it.
fn changed_with(records: &[Record], run: &str) -> Vec<String> {
    let Some(place) = records.iter().position(|record| record.run == run).filter(|&place| place > 0) else {
        return Vec::new();
    };
    let (before, after) = (&records[place - 1], &records[place]);
    let facts = [
        ("Wasmtime", &before.wasmtime, &after.wasmtime),
        ("estimator", &before.estimator, &after.estimator),
        ("machine", &before.cpu, &after.cpu),
    ];
    let differ = facts.into_iter().filter(|(_, before, after)| before != after);
    differ.map(|(name, before, after)| format!("{name} {before} → {after}")).collect()
}

/// Holm's step-down correction of the p-values.
fn holm(findings: &mut [Finding]) {
    findings.sort_by(|one, other| one.p_value.total_cmp(&other.p_value));
    let mut floor = 0.0_f64;
    for (left, finding) in (1..=findings.len()).rev().zip(findings) {
        floor = floor.max(finding.p_value * count(left)).min(1.0);
        finding.p_value = floor;
    }
}
