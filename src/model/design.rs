//! The design matrix: which factors the points vary, and whether they can be told apart.

use std::collections::BTreeSet;

use nalgebra::DMatrix;

use super::rejection::Rejection;
use crate::experiment::{BASE, Experiment, Factor, Point, Regressor, Term, bend_of};

/// Condition number of a design with columns of unit length from which dependencies are worth a warning, after Belsley, Kuh
/// and Welsch, *Regression Diagnostics*, 1980, chapter 3.
pub const CONDITION_DOUBTFUL: f64 = 30.0;
/// Condition number from which coefficients are not used: the same source's "strong" dependencies.
pub const CONDITION_COLLINEAR: f64 = 100.0;

/// A regressor takes part if it varies by so much or more: a host page, where it counts Wasm pages.
const LEAST_RANGE: f64 = 1.0 / 16.0;

/// Some of the points with the levels of the regressors that vary among them.
#[derive(Clone)]
pub(crate) struct Design {
    /// The factor at whose levels the line is checked.
    pub(crate) leading: &'static Factor,
    /// Indices of the points.
    pub(crate) rows: Vec<usize>,
    /// The base, the leading regressor and the others that vary.
    pub(crate) factors: Vec<&'static Regressor>,
    /// For each row the levels of the regressors.
    pub(crate) levels: Vec<Vec<f64>>,
}

impl Design {
    /// Takes the points among `rows` that a line of the experiment is drawn through. It bends where a tier among the `terms` begins.
    pub(crate) fn new(
        experiment: &Experiment,
        terms: &[&'static Term],
        points: &[&Point],
        rows: impl IntoIterator<Item = usize>,
    ) -> Self {
        // What surrounds a call is no column: such points would only pull the line to themselves.
        let beyond = |row: &usize| {
            let point = points[*row];
            !point.is_undisturbed() || experiment.beyond_line.is_some_and(|column| column.at(point) > 0)
        };
        let rows: Vec<usize> = rows.into_iter().filter(|row| !beyond(row)).collect();
        let varies = |regressor: &Regressor| {
            let levels = || rows.iter().map(|&row| regressor.level(points[row]));
            let range = levels().fold(f64::NEG_INFINITY, f64::max) - levels().fold(f64::INFINITY, f64::min);
            range >= LEAST_RANGE
        };
        let others = experiment.line.iter().enumerate().filter(|(place, regressor)| *place == 0 || varies(regressor));
        // With fewer levels on a side it would go through them whatever they cost, or be the line over again.
        let splits = |bend: &Regressor| {
            let level = |row: &usize| points[*row].level(experiment.leading);
            let beyond = |row: &&usize| bend.level(points[**row]) > 0.0;
            let (above, below): (Vec<&usize>, Vec<&usize>) = rows.iter().partition(beyond);
            [above, below].iter().all(|side| side.iter().map(|row| level(row)).collect::<BTreeSet<_>>().len() >= 2)
        };
        let bends = terms.iter().filter_map(|term| bend_of(term)).filter(|bend| varies(bend) && splits(bend));
        let others = others.map(|(_, &regressor)| regressor).chain(bends);
        let factors: Vec<_> = std::iter::once(&BASE).chain(others).collect();
        Self { leading: experiment.leading, factors, rows, levels: Vec::new() }.with_levels(points)
    }

    fn with_levels(mut self, points: &[&Point]) -> Self {
        let levels = |&row: &usize| self.factors.iter().map(|factor| factor.level(points[row])).collect();
        self.levels = self.rows.iter().map(levels).collect();
        self
    }

    /// The cost that coefficients, one for each factor, predict at each row.
    pub(crate) fn predict<'a>(&'a self, coefficients: &'a [f64]) -> impl Iterator<Item = f64> {
        self.levels.iter().map(move |levels| levels.iter().zip(coefficients).map(|(level, cost)| level * cost).sum())
    }

    /// The levels of the leading factor.
    pub(crate) fn leading_levels(&self, points: &[&Point]) -> BTreeSet<u64> {
        self.rows.iter().map(|&row| points[row].level(self.leading)).collect()
    }

    /// Checks that the costs determine the coefficients, and gives the condition number.
    ///
    /// `linregress` answers collinear and constant columns with coefficients of any size, so this comes first.
    pub(crate) fn check(&self, points: &[&Point], costs: &[f64]) -> Result<f64, Rejection> {
        let levels = self.leading_levels(points).len();
        if levels < 3 {
            return Err(Rejection::TooFewPageLevels { found: levels });
        }
        if self.rows.len() <= self.factors.len() {
            return Err(Rejection::TooFewPoints { points: self.rows.len(), coefficients: self.factors.len() });
        }
        let (condition, factors) = self.condition(costs);
        if condition > CONDITION_COLLINEAR {
            return Err(Rejection::Collinear { factors, condition });
        }
        Ok(condition)
    }

    /// Condition number of the relatively weighted design with columns of unit length, and the factors that take part in its
    /// weakest direction.
    pub(crate) fn condition(&self, costs: &[f64]) -> (f64, Vec<&'static Regressor>) {
        let weighted = |row: usize, column: usize| self.levels[row][column] / costs[self.rows[row]];
        let mut matrix = DMatrix::from_fn(self.rows.len(), self.factors.len(), weighted);
        for mut column in matrix.column_iter_mut() {
            let norm = column.norm();
            if norm > 0.0 {
                column /= norm;
            }
        }
        let svd = matrix.svd(false, true);
        let weakest = svd.singular_values.imin();
        let condition = svd.singular_values.max() / svd.singular_values[weakest].max(f64::MIN_POSITIVE);
        let part = |column: usize| svd.v_t.as_ref().is_some_and(|v_t| v_t[(weakest, column)].abs() > 0.2);
        let factors = self.factors.iter().enumerate().filter(|&(column, _)| part(column)).map(|(_, &factor)| factor);
        (condition.min(f64::MAX), factors.collect())
    }
}
