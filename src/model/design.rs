//! The design matrix: which factors the points vary, and whether they can be told apart.

use std::collections::BTreeSet;
use std::fmt;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::rejection::Rejection;
use crate::experiment::Point;
use crate::units::{HOST_PAGE, WASM_PAGE};

/// What a coefficient is the cost of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Factor {
    /// A call whatever its pages.
    Base,
    /// One declared page, fully touched.
    Page,
    /// One declared page that is not touched.
    UntouchedPage,
    /// 64 KiB of active data segments.
    Data,
    /// 64 KiB of shadow stack.
    Stack,
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Base => "base",
            Self::Page => "touched pages",
            Self::UntouchedPage => "untouched pages",
            Self::Data => "data",
            Self::Stack => "stack",
        })
    }
}

impl Factor {
    /// The factor's level at a point, in its unit.
    #[expect(clippy::cast_precision_loss, reason = "a memory is below 2^53 bytes")]
    pub(crate) fn level(self, point: &Point) -> f64 {
        let wasm_pages = |bytes: u64| bytes as f64 / WASM_PAGE as f64;
        match self {
            Self::Base => 1.0,
            Self::Page => f64::from(point.initial_pages().min(point.touched_pages()).0),
            Self::UntouchedPage => f64::from(point.initial_pages().beyond(point.touched_pages()).0),
            Self::Data => wasm_pages(point.data_bytes().0),
            Self::Stack => wasm_pages(point.stack_bytes().0),
        }
    }
}

/// Condition number of a design with columns of unit length from which dependencies are worth a warning, after Belsley, Kuh
/// and Welsch, *Regression Diagnostics*, 1980, chapter 3.
pub const CONDITION_DOUBTFUL: f64 = 30.0;
/// Condition number from which coefficients are not used: the same source's "strong" dependencies.
pub const CONDITION_COLLINEAR: f64 = 100.0;

/// Some of the points with the levels of the factors that vary among them.
#[derive(Clone)]
pub(crate) struct Design {
    /// Indices of the points.
    pub(crate) rows: Vec<usize>,
    /// Base, page and the other factors that vary.
    pub(crate) factors: Vec<Factor>,
    /// For each row the levels of the factors.
    pub(crate) levels: Vec<Vec<f64>>,
}

impl Design {
    /// Takes the points among `rows` that do not grow. Other factors than pages take part if they vary by a host page or more.
    #[expect(clippy::cast_precision_loss, reason = "both are small powers of two")]
    pub(crate) fn new(points: &[&Point], rows: impl IntoIterator<Item = usize>) -> Self {
        let rows: Vec<usize> = rows.into_iter().filter(|&row| points[row].grown_pages().0 == 0).collect();
        let varies = |factor: &Factor| {
            let levels = || rows.iter().map(|&row| factor.level(points[row]));
            let range = levels().fold(f64::NEG_INFINITY, f64::max) - levels().fold(f64::INFINITY, f64::min);
            range >= HOST_PAGE as f64 / WASM_PAGE as f64
        };
        let optional = [Factor::UntouchedPage, Factor::Data].into_iter().filter(varies);
        let factors: Vec<_> = [Factor::Base, Factor::Page].into_iter().chain(optional).collect();
        Self { factors, rows, levels: Vec::new() }.with_levels(points)
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

    /// Checks that the costs determine the coefficients, and gives the condition number.
    ///
    /// `linregress` answers collinear and constant columns with coefficients of any size, so this comes first.
    pub(crate) fn check(&self, points: &[&Point], costs: &[f64]) -> Result<f64, Rejection> {
        let page_levels: BTreeSet<_> = self.rows.iter().map(|&row| points[row].initial_pages()).collect();
        if page_levels.len() < 3 {
            return Err(Rejection::TooFewPageLevels { found: page_levels.len() });
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
    pub(crate) fn condition(&self, costs: &[f64]) -> (f64, Vec<Factor>) {
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
