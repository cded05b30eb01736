//! Straight lines through the costs: ours by relative error, and plain least squares to compare it with.

use linregress::fit_low_level_regression_model_without_statistics as least_squares;
use serde::{Deserialize, Serialize};

use super::bootstrap::Bootstrap;
use super::design::Design;
use super::{Estimate, ModelError};
use crate::experiment::{BASE, Point, Regressor};

/// The cost of one unit of a regressor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coefficient {
    /// What it is the cost of.
    pub factor: &'static Regressor,
    /// Nanoseconds for each unit of it.
    pub nanos: Estimate,
}

/// How far a line is from a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Residual {
    /// Label of the point.
    pub point: String,
    /// Predicted minus measured, relative to measured: −0.1 is a line that is 10 % too low there.
    pub relative: f64,
}

/// A linear cost model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The coefficients, base first, the leading one second, then the others that vary. Those in `removed` are 0.
    pub coefficients: Vec<Coefficient>,
    /// Regressors that were left out because their coefficients came out negative.
    pub removed: Vec<&'static Regressor>,
    /// The point that the line misses most, relatively.
    pub worst: Residual,
}

impl Line {
    /// The coefficient of a regressor.
    #[must_use]
    pub fn coefficient(&self, regressor: &Regressor) -> Option<Estimate> {
        self.coefficients.iter().find(|coefficient| coefficient.factor == regressor).map(|found| found.nanos)
    }

    /// The cost of a call before its first unit.
    #[must_use]
    pub fn base(&self) -> Option<Estimate> {
        self.coefficient(&BASE)
    }

    /// The cost of a point by this line, in nanoseconds; growth is not in it.
    #[must_use]
    pub fn predict(&self, point: &Point) -> f64 {
        self.coefficients.iter().map(|found| found.nanos.value * found.factor.level(point)).sum()
    }

    fn new(
        design: &Design,
        points: &[&Point],
        bootstrap: &Bootstrap,
        fit: impl Fn(&[f64]) -> Vec<f64> + Sync,
    ) -> Result<Self, ModelError> {
        let estimates = bootstrap.estimates("coefficients of the line", fit)?;
        let coefficients: Vec<_> =
            design.factors.iter().zip(estimates).map(|(&factor, nanos)| Coefficient { factor, nanos }).collect();
        let values: Vec<f64> = coefficients.iter().map(|coefficient| coefficient.nanos.value).collect();
        let worst = worst(design, &values, points, &bootstrap.observed);
        Ok(Self { coefficients, removed: Vec::new(), worst })
    }

    /// Least squares of relative errors, `Σ((predicted − cost)/cost)²`, with non-negative coefficients.
    pub(crate) fn relative(design: &Design, points: &[&Point], bootstrap: &Bootstrap) -> Result<Self, ModelError> {
        let mut line = Self::new(design, points, bootstrap, |costs| non_negative(design, costs))?;
        let observed = line.coefficients.iter().filter(|coefficient| coefficient.nanos.value == 0.0);
        line.removed = observed.map(|coefficient| coefficient.factor).collect();
        Ok(line)
    }

    /// Ordinary least squares, as most tools fit it. The largest points rule it, and its base can come out negative.
    pub(crate) fn plain(design: &Design, points: &[&Point], bootstrap: &Bootstrap) -> Result<Self, ModelError> {
        let all: Vec<usize> = (0..design.factors.len()).collect();
        Self::new(design, points, bootstrap, |costs| solve(design, &all, costs, |_| 1.0))
    }
}

/// The point that coefficients miss most.
pub(crate) fn worst(design: &Design, coefficients: &[f64], points: &[&Point], costs: &[f64]) -> Residual {
    let residuals =
        design.predict(coefficients).zip(&design.rows).map(|(predicted, &row)| (predicted / costs[row] - 1.0, row));
    let (relative, row) = residuals.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs())).unwrap_or((0.0, 0));
    Residual { point: points[row].label(), relative }
}

/// Relative least squares with all coefficients free.
pub(crate) fn unconstrained(design: &Design, costs: &[f64]) -> Vec<f64> {
    let all: Vec<usize> = (0..design.factors.len()).collect();
    solve(design, &all, costs, |cost| 1.0 / cost)
}

/// Relative least squares, fitted again without the most negative coefficient until none is negative.
///
/// Setting a negative coefficient to 0 and keeping the others would leave a line that fits nothing: that fault gave
/// calls a base of 0 in paritytech/substrate#11804.
pub(crate) fn non_negative(design: &Design, costs: &[f64]) -> Vec<f64> {
    let mut kept: Vec<usize> = (0..design.factors.len()).collect();
    loop {
        let fitted = solve(design, &kept, costs, |cost| 1.0 / cost);
        let share = |&column: &usize| fitted[column] * column_norm(design, column, costs);
        let lowest = kept.iter().copied().min_by(|a, b| share(a).total_cmp(&share(b)));
        match lowest {
            Some(column) if fitted[column] < 0.0 => kept.retain(|&other| other != column),
            _ => return fitted,
        }
    }
}

fn column_norm(design: &Design, column: usize, costs: &[f64]) -> f64 {
    let squares = design.levels.iter().zip(&design.rows).map(|(levels, &row)| (levels[column] / costs[row]).powi(2));
    squares.sum::<f64>().sqrt()
}

/// Weighted least squares over the `kept` columns; the others are 0, and all are NaN if there is no solution.
///
/// `linregress` knows no weights, but takes the intercept as a column, so rows are scaled by their weights.
fn solve(design: &Design, kept: &[usize], costs: &[f64], weight: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut coefficients = vec![0.0; design.factors.len()];
    let mut matrix = Vec::with_capacity(design.rows.len() * (kept.len() + 1));
    for (levels, &row) in design.levels.iter().zip(&design.rows) {
        let weight = weight(costs[row]);
        matrix.push(costs[row] * weight);
        matrix.extend(kept.iter().map(|&column| levels[column] * weight));
    }
    let fitted = match kept {
        [] => return coefficients,
        // The library fits two columns or more.
        [_] => {
            let (products, squares) = matrix.chunks_exact(2).fold((0.0, 0.0), |(products, squares), pair| {
                (products + pair[0] * pair[1], squares + pair[1] * pair[1])
            });
            vec![products / squares]
        }
        _ => least_squares(&matrix, design.rows.len(), kept.len() + 1).unwrap_or_else(|_| vec![f64::NAN; kept.len()]),
    };
    for (&column, value) in kept.iter().zip(fitted) {
        coefficients[column] = value;
    }
    coefficients
}
