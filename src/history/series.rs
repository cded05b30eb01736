//! One figure over time, and how far it moves when nothing changes.

use super::figure::Figure;
use super::judgement::{Finding, FindingKind, State};
use super::record::{Outcome, Record};

/// Nights that the spread and a baseline are taken from, at most.
pub(super) const WINDOW: usize = 30;
/// Spread of a figure between nights where too few have been made to know it: a tenth, which virtual machines need
/// (`docs/measurement.md`).
pub(super) const UNKNOWN_SPREAD: f64 = 0.1;
/// Degrees of freedom from which a spread is taken as known.
pub(super) const KNOWN_FREEDOM: f64 = 4.0;

/// A night's value of a figure: the mean of its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The first of its runs that has the figure.
    pub run: String,
    /// The night.
    pub night: String,
    /// Logarithm of the value in nanoseconds.
    pub log: f64,
    /// Variance of the logarithm of a single run, from its own interval.
    pub own: f64,
    /// How many runs.
    pub runs: f64,
}

/// One figure over time.
///
/// Nights are what is compared. What disturbs a machine for hours disturbs both runs of a night, so that two of one night prove less
/// than two of two.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The points in the order of the history.
    pub points: Vec<Point>,
    /// Where each level begins: at 0, and at the first night after each confirmed change.
    pub eras: Vec<usize>,
}

impl Series {
    /// The figure in all measured runs. Values that have no logarithm are left out; a fit that gives one is rejected before.
    #[must_use]
    pub fn of(figure: &Figure, records: &[Record]) -> Self {
        let mut points: Vec<Point> = Vec::new();
        let mut changes = Vec::new();
        for record in records.iter().filter(|record| record.outcome == Outcome::Measured) {
            let findings = || record.judgement.iter().flat_map(|judgement| &judgement.findings);
            let of_past = |finding: &&Finding| finding.figure == *figure && finding.kind != FindingKind::Table;
            if let Some(new) = point(figure, record) {
                match points.last_mut().filter(|last| last.night == new.night) {
                    // What a fresh run refuted was a disturbance, and the fresh run stands for the night.
                    Some(last) if findings().filter(of_past).any(|one| one.state == State::Refuted) => *last = new,
                    Some(last) => last.add(&new),
                    None => points.push(new),
                }
            }
            let found = findings().filter(of_past).filter(|finding| finding.state == State::Changed);
            changes.extend(found.map(|finding| match finding.kind {
                // A drift has no first night of a new level: it begins with the night that found it.
                FindingKind::Drift => &record.night,
                _ => &finding.since,
            }));
        }
        let place = |run: &&String| points.iter().position(|point| point.run == **run || point.night == **run);
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

    /// Up to `until`, the last [`WINDOW`] points as residuals from the median of their level.
    ///
    /// They are cut off at 2.5 robust deviations (Huber, *Robust Statistics*, 1981, chapter 5), so that one disturbed night does not
    /// blind the gate for a month.
    fn residuals(&self, until: usize) -> Vec<Vec<f64>> {
        let from = until.saturating_sub(WINDOW);
        let ends = self.eras.iter().skip(1).copied().chain([until]);
        let levels = self.eras.iter().zip(ends).filter_map(|(&start, end)| {
            let level: Vec<f64> =
                self.points.get(start.max(from)..end.min(until))?.iter().map(|point| point.log).collect();
            let middle = median(&level);
            (level.len() >= 2).then(|| level.iter().map(|log| log - middle).collect::<Vec<f64>>())
        });
        let mut levels: Vec<Vec<f64>> = levels.collect();
        let limit = limit(&levels.concat());
        levels.iter_mut().flatten().for_each(|residual| *residual = residual.clamp(-limit, limit));
        levels
    }

    /// How far the nights up to `until` lie apart when nothing changes.
    pub(super) fn spread(&self, until: usize) -> Spread {
        let levels = self.residuals(until);
        let nights = count(levels.iter().map(Vec::len).sum());
        // Too little correlation would make wolves of a machine's slow moods, and too much costs a step little.
        let correlation = correlation(&levels, 1.0);
        let alike = inflation(nights / count(levels.len().max(1)), correlation);
        let freedom = nights - count(levels.len()) * alike;
        if freedom < KNOWN_FREEDOM {
            return Spread { variance: UNKNOWN_SPREAD.powi(2), own: 0.0, correlation: 0.0, freedom: None };
        }
        let squares: f64 = levels.iter().flatten().map(|residual| residual.powi(2)).sum();
        let window = &self.points[until.saturating_sub(WINDOW)..until];
        let own = mean(window.iter().map(|point| point.own));
        // A variance of correlated values is known as if from fewer (Bartlett 1935).
        let square = correlation.powi(2);
        let known = (nights - count(levels.len())) * (1.0 - square) / (1.0 + square);
        Spread { variance: (squares / freedom).max(own), own, correlation, freedom: Some(known.max(1.0)) }
    }

    /// Whether the spread up to there is known from runs.
    pub(super) fn is_known(&self, until: usize) -> bool {
        self.spread(until).freedom.is_some()
    }
}

/// The spread between nights of one level, and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// Variance of the logarithm of a night of one run.
    pub(super) variance: f64,
    /// The part of it that is within a run, by the runs' own intervals.
    own: f64,
    /// Correlation of each night with the next, not below 0.
    correlation: f64,
    /// Degrees of freedom; `None` where too few nights are known and the spread is assumed.
    freedom: Option<f64>,
}

impl Spread {
    /// Degrees of freedom for Student's t.
    pub(super) fn freedom(&self) -> f64 {
        self.freedom.unwrap_or(1e6)
    }

    /// Variance of the mean of these nights. A second run in a night halves what is within runs and not what is between nights,
    /// and nights that resemble their neighbours count for fewer. No night is surer than its own intervals say.
    pub(super) fn of_mean(&self, nights: &[Point]) -> f64 {
        let between = (self.variance - self.own).max(0.0);
        let single = mean(nights.iter().map(|night| between + night.own.max(self.own) / night.runs));
        let number = count(nights.len().max(1));
        single / number * inflation(number, self.correlation)
    }
}

/// By how much correlated neighbours raise the variance of a mean of so many: the effective sample size of a first-order
/// autoregression (Bayley and Hammersley, *The "Effective" Number of Independent Observations in an Autocorrelated Time Series*,
/// 1946).
fn inflation(number: f64, correlation: f64) -> f64 {
    let (mut sum, mut power, mut lag) = (0.0, correlation, 1.0);
    while lag < number && power > 1e-9 {
        sum += (1.0 - lag / number) * power;
        power *= correlation;
        lag += 1.0;
    }
    1.0 + 2.0 * sum
}

/// Correlation of neighbours within levels, from 0 to 0.9, `margin` standard errors above the estimate, whose bias in short series
/// is taken off (Marriott and Pope, *Bias in the Estimation of Autocorrelations*, 1954).
pub(super) fn correlation(levels: &[Vec<f64>], margin: f64) -> f64 {
    let squares: f64 = levels.iter().flatten().map(|value| value.powi(2)).sum();
    let products: f64 = levels.iter().flat_map(|level| level.windows(2)).map(|pair| pair[0] * pair[1]).sum();
    let number = count(levels.iter().map(Vec::len).sum());
    if squares <= 0.0 {
        return 0.0;
    }
    let found = products / squares;
    (found + (1.0 + 3.0 * found) / number + margin / number.sqrt()).clamp(0.0, 0.9)
}

fn point(figure: &Figure, record: &Record) -> Option<Point> {
    let estimate = record.estimate(figure).filter(|estimate| estimate.value > 0.0 && estimate.is_finite())?;
    // A 95 % interval reaches 1.96 standard errors to either side.
    let error = (estimate.high - estimate.low).abs() / 2.0 / 1.96 / estimate.value;
    Some(Point {
        run: record.run.clone(),
        night: record.night.clone(),
        log: estimate.value.ln(),
        own: error.powi(2),
        runs: 1.0,
    })
}

impl Point {
    fn add(&mut self, other: &Self) {
        let all = self.runs + other.runs;
        self.log = (self.log * self.runs + other.log * other.runs) / all;
        self.own = (self.own * self.runs + other.own * other.runs) / all;
        self.runs = all;
    }
}

/// 2.5 robust deviations of residuals; without end where most of them are 0.
pub(super) fn limit(residuals: &[f64]) -> f64 {
    let sizes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
    // 1.4826 makes the median absolute deviation that of a normal distribution.
    Some(2.5 * 1.4826 * median(&sizes)).filter(|limit| *limit > 0.0).unwrap_or(f64::INFINITY)
}

/// The middle of the values, a disturbed one having little weight: the mean after cutting off residuals from the median.
pub(super) fn level(points: &[Point]) -> f64 {
    let logs: Vec<f64> = points.iter().map(|point| point.log).collect();
    let middle = median(&logs);
    let residuals: Vec<f64> = logs.iter().map(|log| log - middle).collect();
    let limit = limit(&residuals);
    middle + mean(residuals.iter().map(|residual| residual.clamp(-limit, limit)))
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
