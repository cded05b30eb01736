use serde::Serialize;

use crate::history::{Figure, Outcome, Record, Segment, State, Trend, Verdict, segments, trend};
use crate::model::Estimate;

/// One figure over the nights.
#[derive(Debug, Clone, Serialize)]
pub struct TrendLine {
    /// The figure.
    pub figure: Figure,
    /// Each run, oldest first.
    pub runs: Vec<TrendRun>,
    /// Levels, with where each begins.
    pub levels: Vec<TrendLevel>,
    /// Change from run to run over the present level, as a share; `None` where it is too short to have one.
    pub slope: Option<Slope>,
}

/// A run in a trend.
#[derive(Debug, Clone, Serialize)]
pub struct TrendRun {
    /// The run.
    pub run: String,
    /// When it was planned, by its clock.
    pub created: String,
    /// The name of the machine; empty where it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// The figure in nanoseconds.
    pub nanos: Estimate,
    /// What the gate found that night; `None` of a run that it did not judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// What the gate confirmed of this figure that night.
    pub told: Vec<String>,
}

/// A stretch of runs of one level.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TrendLevel {
    /// Place of its first run.
    pub start: usize,
    /// One after that of its last.
    pub end: usize,
    /// The level in nanoseconds.
    pub nanos: f64,
}

/// The slope of the present level.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Slope {
    /// Change a run as a share, 0.003 for 0.3 %.
    pub per_run: Estimate,
    /// p-value that there is none.
    pub p_value: f64,
}

impl TrendLine {
    /// The figure in these runs; `None` if none has it.
    #[must_use]
    pub fn new(figure: &Figure, records: &[Record]) -> Option<Self> {
        let run = |record: &Record| {
            let nanos = record.estimate(figure).filter(|nanos| nanos.value > 0.0)?;
            let findings = record.judgement.iter().flat_map(|judgement| &judgement.findings);
            let told = findings.filter(|finding| finding.figure == *figure && finding.state == State::Changed);
            let told = told.map(crate::history::Finding::sentence).collect();
            let Record { run, created, node, .. } = record.clone();
            let verdict = record.judgement.as_ref().map(|judgement| judgement.verdict);
            Some(TrendRun { run, created, node, nanos, verdict, told })
        };
        let runs: Vec<TrendRun> =
            records.iter().filter(|record| record.outcome == Outcome::Measured).filter_map(run).collect();
        if runs.is_empty() {
            return None;
        }
        let logs: Vec<f64> = runs.iter().map(|run| run.nanos.value.ln()).collect();
        let found = segments(&logs);
        let level =
            |segment: &Segment| TrendLevel { start: segment.start, end: segment.end, nanos: segment.level.exp() };
        // A slope over more runs than the gate looks at would hide what has just begun.
        let last = found.last().map_or(0, |segment| segment.start).max(logs.len().saturating_sub(60));
        let slope = trend(&logs[last..]).map(|Trend { slope, p_value, .. }| Slope { per_run: slope, p_value });
        Some(Self { figure: figure.clone(), levels: found.iter().map(level).collect(), runs, slope })
    }

    /// Changes from each level to the next: the first run of the new one, and the change as a share.
    pub(super) fn changes(&self) -> Vec<(&TrendRun, f64)> {
        let pairs = self.levels.windows(2);
        pairs.map(|pair| (&self.runs[pair[1].start], pair[1].nanos / pair[0].nanos - 1.0)).collect()
    }

    /// The slope in words, if it is more than noise.
    pub(super) fn slope_sentence(&self) -> Option<String> {
        let Slope { per_run, p_value } = self.slope.filter(|slope| slope.p_value < 0.01)?;
        let percent = |share: f64| share * 100.0;
        Some(format!(
            "{:+.2} % a run ({:+.2} % … {:+.2} %) in the present level (p = {p_value:.1e})",
            percent(per_run.value),
            percent(per_run.low),
            percent(per_run.high)
        ))
    }
}
