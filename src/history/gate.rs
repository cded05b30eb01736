//! The gate: what changed, by how much, and how surely.
//!
//! # Method
//!
//! Each figure is tested for a [step](super::step) and a [drift](super::drift) against the recent past, and each charge against the
//! table in force. Holm's correction (*A Simple Sequentially Rejective Multiple Test Procedure*, 1979) covers all tests of the
//! night. What is both beyond the practical threshold and below 5 % is suspected, and a fresh run decides: the change counts if
//! the fresh run by itself shows it beyond the threshold, and both together are below 0.1 %. So noise must strike twice in the
//! same direction, and a change that is real but small next to the noise is told a night later rather than never.

use super::drift::{NIGHTS, drift};
use super::figure::{Figure, LineKind};
use super::judgement::{Finding, FindingKind, Judgement, State, Verdict};
use super::record::{Outcome, Record};
use super::series::{Series, median};
use super::step::{agrees, step};
use super::table_gate::against_table;
use crate::model::{Estimate, Form};
use crate::params::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, ParamTable};

/// What is gated, in both forms. A kernel or a machine that changes moves the time and hardly the time over probe; a
/// runtime that changes moves both. There is no line of least error through grown pages, so their charge stands in.
const GATED: [(&str, LineKind); 3] =
    [(INIT_BASE, LineKind::Cost), (INIT_PER_PAGE, LineKind::Cost), (GROW_PER_PAGE, LineKind::Charge)];

/// Settings of the gate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateSettings {
    /// The smallest change of practical interest as a share: 0.02 for 2 %.
    pub threshold: f64,
    /// Below this p-value a change is suspected and a fresh run made.
    pub suspect: f64,
    /// Below this p-value of both runs together a change counts.
    pub confirm: f64,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self { threshold: 0.02, suspect: 0.05, confirm: 0.001 }
    }
}

/// One thing tested.
pub(super) struct Candidate {
    pub(super) finding: Finding,
    /// The level before the change, as a logarithm.
    pub(super) before: f64,
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
    let measured = |record: &&Record| record.outcome == Outcome::Measured;
    let Some(first) = tonight.iter().position(|record| record.outcome == Outcome::Measured) else {
        return Judgement { verdict: Verdict::Unsure, findings: Vec::new() };
    };
    let up_to = |last: usize| -> Vec<Record> { past.iter().chain(&tonight[..last]).cloned().collect() };
    let mut findings = suspected(&up_to(first + 1), table, told, settings);
    if let Some(fresh) = tonight[first + 1..].iter().rfind(measured) {
        let both = tested(&up_to(tonight.len()), table, told);
        findings.retain(|finding| finding.state == State::Standing);
        let before: Vec<Finding> = suspected(&up_to(first + 1), table, told, settings);
        for candidate in both {
            let asked = before.iter().any(|one| same(one, &candidate.finding) && one.state == State::Suspected);
            findings.extend(decided(candidate, fresh, asked, settings));
        }
        one_kind_each(&mut findings);
    }
    let any = |state| findings.iter().any(|finding| finding.state == state);
    let verdict = if any(State::Changed) || any(State::Standing) {
        Verdict::Changed
    } else if any(State::Unsure) || any(State::Suspected) {
        Verdict::Unsure
    } else if is_known(&up_to(tonight.len())) {
        Verdict::Steady
    } else {
        Verdict::Learning
    };
    Judgement { verdict, findings }
}

/// All tests of a night, with Holm's correction.
fn tested(records: &[Record], table: Option<&ParamTable>, told: &dyn Fn(&str) -> bool) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for figure in gated() {
        let series = Series::of(&figure, records);
        let is_tonight = |run: &String| records.last().is_some_and(|last| last.run == *run || last.night == *run);
        // A run without this figure must not be judged by an older one.
        if !series.points.last().is_some_and(|point| is_tonight(&point.run)) {
            continue;
        }
        candidates.extend(steps(&figure, &series, records));
        candidates.extend(drifts(&figure, &series));
    }
    if let Some(table) = table {
        candidates.extend(against_table(records, table));
    }
    candidates.retain(|candidate| candidate.finding.kind == FindingKind::Table || !told(&candidate.finding.key));
    holm(&mut candidates);
    candidates
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
        .map(|candidate| candidate.finding)
        .filter(|finding| beyond(finding, settings) && finding.p_value < settings.suspect)
        .map(|finding| Finding { state: if told(&finding.key) { State::Standing } else { State::Suspected }, ..finding })
        .collect();
    one_kind_each(&mut findings);
    findings
}

/// What the fresh run makes of a candidate. `None` for what neither run made suspect.
fn decided(candidate: Candidate, fresh: &Record, asked: bool, settings: &GateSettings) -> Option<Finding> {
    let Candidate { mut finding, before } = candidate;
    if finding.state == State::Standing {
        return None;
    }
    let series = Series::of(&finding.figure, std::slice::from_ref(fresh));
    let change = finding.ratio.value.ln();
    let shows = series.points.first().is_some_and(|point| agrees(point, before, change, settings.threshold));
    finding.state = if shows && beyond(&finding, settings) && finding.p_value < settings.confirm {
        State::Changed
    } else if asked && shows && beyond(&finding, settings) && finding.p_value < settings.suspect {
        State::Unsure
    } else if asked {
        State::Refuted
    } else {
        return None;
    };
    Some(finding)
}

/// A step and a drift of one figure are one event: the surer of the two is told, the step where both are sure and recent.
fn one_kind_each(findings: &mut Vec<Finding>) {
    let rank = |state: State| match state {
        State::Standing | State::Changed => 0,
        State::Unsure | State::Suspected => 1,
        State::Refuted => 2,
    };
    let of_past = |finding: &Finding| finding.kind != FindingKind::Table;
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings.drain(..) {
        match kept.iter_mut().find(|one| of_past(one) && of_past(&finding) && one.figure == finding.figure) {
            Some(one) if (rank(finding.state), finding.p_value) < (rank(one.state), one.p_value) => *one = finding,
            Some(_) => {}
            None => kept.push(finding),
        }
    }
    *findings = kept;
}

fn same(one: &Finding, other: &Finding) -> bool {
    one.figure == other.figure && (one.kind == FindingKind::Table) == (other.kind == FindingKind::Table)
}

fn beyond(finding: &Finding, settings: &GateSettings) -> bool {
    finding.ratio.value.ln().abs() > settings.threshold.ln_1p()
}

/// All figures that are gated.
fn gated() -> impl Iterator<Item = Figure> {
    GATED.into_iter().flat_map(|(param, line)| [Form::Absolute, Form::Normalised].map(|form| Figure::new(param, line, form)))
}

/// Whether the spread of any figure is known.
fn is_known(records: &[Record]) -> bool {
    gated().any(|figure| {
        let series = Series::of(&figure, records);
        series.is_known(series.points.len())
    })
}

fn steps(figure: &Figure, series: &Series, records: &[Record]) -> Option<Candidate> {
    let found = step(series)?;
    let key = key(FindingKind::Step, figure, found.ratio.value, &found.since);
    let along = changed_with(records, &found.since);
    let finding = Finding {
        kind: FindingKind::Step,
        figure: figure.clone(),
        ratio: found.ratio,
        p_value: found.p_value,
        since: found.since,
        state: State::Suspected,
        key,
        along,
    };
    Some(Candidate { finding, before: found.before })
}

fn drifts(figure: &Figure, series: &Series) -> Option<Candidate> {
    let (trend, since) = drift(series)?;
    let era = series.era();
    let start = era.iter().position(|point| point.night == since)?;
    let logs: Vec<f64> = era[start..].iter().map(|point| point.log).take(NIGHTS / 3).collect();
    let length = f64::from(u32::try_from(trend.length - 1).ok()?);
    let finding = Finding {
        kind: FindingKind::Drift,
        figure: figure.clone(),
        ratio: trend.slope.scaled(length).exp(),
        p_value: trend.p_value,
        key: key(FindingKind::Drift, figure, trend.slope.value.exp(), &since),
        since,
        state: State::Suspected,
        along: Vec::new(),
    };
    Some(Candidate { finding, before: median(&logs) })
}

/// What a finding is told by.
pub(super) fn key(kind: FindingKind, figure: &Figure, ratio: f64, since: &str) -> String {
    let kind = format!("{kind:?}").to_lowercase();
    let way = if ratio > 1.0 { "dearer" } else { "cheaper" };
    let form = format!("{:?}", figure.form).to_lowercase();
    format!("{kind}/{}/{form}/{way}/{since}", figure.param)
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
fn holm(candidates: &mut [Candidate]) {
    candidates.sort_by(|one, other| one.finding.p_value.total_cmp(&other.finding.p_value));
    let mut floor = 0.0_f64;
    for (left, candidate) in (1..=candidates.len()).rev().zip(candidates) {
        floor = floor.max(candidate.finding.p_value * f64::from(u32::try_from(left).unwrap_or(u32::MAX))).min(1.0);
        candidate.finding.p_value = floor;
    }
}

/// A ratio of logarithms with its interval.
pub(super) fn ratio(change: f64, half_width: f64) -> Estimate {
    Estimate::around(change, half_width).exp()
}
