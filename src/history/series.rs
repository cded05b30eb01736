//! One figure over time, and how far it moves when nothing changes.

use super::figure::Figure;
use super::judgement::{FindingKind, State};
use super::record::{Outcome, Record};

/// Runs that the spread and a baseline are taken from, at most.
pub(super) const WINDOW: usize = 30;
/// Spread of a figure between runs where too few have been made to know it: a tenth, which virtual machines need
/// (`docs/measurement.md`).
pub(super) const UNKNOWN_SPREAD: f64 = 0.1;
/// Degrees of freedom from which a spread is taken as known.
pub(super) const KNOWN_FREEDOM: f64 = 4.0;

/// A run's value of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The run.
    pub run: String,
    /// Its night.
    pub night: String,
    /// Logarithm of the value in nanoseconds.
    pub log: f64,
    /// Standard error of the logarithm, from the run's own interval.
    pub error: f64,
}

/// One figure over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The points in the order of the history.
    pub points: Vec<Point>,
    /// Where each level begins: at 0, and at the first run after each confirmed change.
    pub eras: Vec<usize>,
}

/// The spread between runs of one level, and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// Standard deviation of the logarithm.
    pub(super) deviation: f64,
    /// Degrees of freedom.
    pub(super) freedom: f64,
}

impl Series {
    /// The figure in all measured runs. Values that have no logarithm are left out; a fit that gives one is rejected before.
    #[must_use]
    pub fn of(figure: &Figure, records: &[Record]) -> Self {
        let mut points = Vec::new();
        let mut changes = Vec::new();
        for record in records.iter().filter(|record| record.outcome == Outcome::Measured) {
            points.extend(point(figure, record));
            let findings = record.judgement.iter().flat_map(|judgement| &judgement.findings);
            let change = |kind, state| state == State::Changed && kind != FindingKind::Table;
            changes.extend(
                findings
                    .filter(|finding| finding.figure == *figure && change(finding.kind, finding.state))
                    .map(|finding| finding.since.clone()),
            );
        }
        let place = |run: &String| points.iter().position(|point| point.run == *run);
        let mut eras: Vec<usize> = changes.iter().filter_map(place).collect();
        eras.push(0);
        eras.sort_unstable();
        eras.dedup();
        Self { points, eras }
    }

    /// The points of the level that holds now.
    #[must_use]
    pub fn era(&self) -> &[Point] {
        &self.points[self.eras.last().copied().unwrap_or(0)..]
    }

    /// The spread between runs of the same level over the last [`WINDOW`] runs before `until`, pooled over levels.
    ///
    /// Residuals from the median of their level are cut off at 2.5 robust deviations (Huber, *Robust Statistics*, 1981,
    /// chapter 5), so that one disturbed night does not blind the gate for a month. The runs' own intervals are a floor.
    pub(super) fn spread(&self, until: usize) -> Spread {
        let from = until.saturating_sub(WINDOW);
        let (mut residuals, mut levels) = (Vec::new(), 0);
        for (index, &start) in self.eras.iter().enumerate() {
            let end = self.eras.get(index + 1).copied().unwrap_or(until).min(until);
            let level: Vec<f64> =
                self.points.get(start.max(from)..end).unwrap_or_default().iter().map(|point| point.log).collect();
            if level.len() >= 2 {
                let middle = median(&level);
                residuals.extend(level.iter().map(|log| log - middle));
                levels += 1;
            }
        }
        let freedom = count(residuals.len()) - f64::from(levels);
        if freedom < KNOWN_FREEDOM {
            return Spread { deviation: UNKNOWN_SPREAD, freedom: f64::INFINITY };
        }
        let squares: f64 = winsorized(&residuals).iter().map(|residual| residual.powi(2)).sum();
        let own = mean(self.points[from..until].iter().map(|point| point.error.powi(2)));
        Spread { deviation: (squares / freedom).max(own).sqrt(), freedom }
    }

    /// Whether the spread up to there is known from runs.
    pub(super) fn is_known(&self, until: usize) -> bool {
        self.spread(until).freedom.is_finite()
    }
}

fn point(figure: &Figure, record: &Record) -> Option<Point> {
    let estimate = record.estimate(figure).filter(|estimate| estimate.value > 0.0 && estimate.is_finite())?;
    Some(Point {
        run: record.run.clone(),
        night: record.night.clone(),
        log: estimate.value.ln(),
        // A 95 % interval reaches 1.96 standard errors to either side.
        error: (estimate.high - estimate.low).abs() / 2.0 / 1.96 / estimate.value,
    })
}

/// Values cut off at 2.5 robust deviations from 0.
fn winsorized(values: &[f64]) -> Vec<f64> {
    let sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    // 1.4826 makes the median absolute deviation that of a normal distribution.
    let limit = 2.5 * 1.4826 * median(&sizes);
    values.iter().map(|value| if limit > 0.0 { value.clamp(-limit, limit) } else { *value }).collect()
}

/// The middle of the values, a disturbed one having little weight: the mean after cutting off residuals from the median.
pub(super) fn level(points: &[Point]) -> f64 {
    let logs: Vec<f64> = points.iter().map(|point| point.log).collect();
    let middle = median(&logs);
    let residuals: Vec<f64> = logs.iter().map(|log| log - middle).collect();
    middle + mean(winsorized(&residuals).into_iter())
}

/// The mean; 0 of nothing.
pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let number = values.len();
    if number == 0 { 0.0 } else { values.sum::<f64>() / count(number) }
}

/// The median; 0 of nothing.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        length if length % 2 == 1 => sorted[half],
        _ => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of runs")]
pub(super) fn count(number: usize) -> f64 {
    number as f64
}
