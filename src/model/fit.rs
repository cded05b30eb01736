//! The whole fit: each strategy's points, lines and diagnostics.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bootstrap::Bootstrap;
use super::covering::{Covering, Demands, LEAST_BASE};
use super::design::Design;
use super::diagnostics::{Curvature, Drift, Moving, StackTest, moving};
use super::form::{Costs, Form};
use super::grid::{Grid, strategies};
use super::held_out::HeldOut;
use super::line::Line;
use super::points::PointFit;
use super::pooling::pooled;
use super::rejection::Rejection;
use super::{Estimate, FitSettings, ModelError};
use crate::experiment::{Experiment, Point, Regressor, Term};
use crate::measure::Samples;

/// Version of the serialized form of [`Fit`].
pub const FORMAT: u32 = 2;

/// The worst relative error with which a straight line still describes the costs.
///
/// Costs are mildly convex (10 to 20 % between 17 and 1024 pages), which the covering line allows for. Beyond half of the
/// cost the factors measured are not what the cost depends on.
pub const WORST_ERROR: f64 = 0.5;

/// What `fit.json` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// [`FORMAT`].
    pub format: u32,
    /// What was measured.
    pub experiment: &'static Experiment,
    /// The settings.
    pub settings: FitSettings,
    /// Resamples taken at each level.
    pub resamples: u32,
    /// The strategy that the chain's nodes run.
    pub chain_strategy: String,
    /// Each strategy measured, by name.
    pub strategies: Vec<StrategyFit>,
    /// Why the fit of the chain's strategy must not be used; empty if it may.
    pub rejected: Vec<Rejection>,
}

impl Fit {
    /// The fit of one strategy.
    #[must_use]
    pub fn strategy(&self, name: &str) -> Option<&StrategyFit> {
        self.strategies.iter().find(|fit| fit.strategy == name)
    }
}

/// The fit of one strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrategyFit {
    /// Name of the strategy.
    pub strategy: String,
    /// Processes that measured it.
    pub processes: usize,
    /// Rounds over all processes.
    pub rounds: usize,
    /// Every design point, in the order of the samples.
    pub points: Vec<PointFit>,
    /// The model in nanoseconds as measured; `None` if it could not be fitted, and `rejected` says why.
    pub absolute: Option<Model>,
    /// The model in nanoseconds on a machine whose probe takes [`nominal_probe`](super::nominal_probe); `None` without probes.
    pub normalised: Option<Model>,
    /// How steady the two forms are between processes.
    pub steadiness: Steadiness,
    /// Points that differ between processes by more than their rounds explain.
    pub moving: Vec<Moving>,
    /// Whether all intervals come from the rounds of one process and leave out the variation between processes.
    pub single_process: bool,
    /// Why the absolute model must not be used.
    pub rejected: Vec<Rejection>,
}

/// Lines through the costs in one form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Condition number of the design with columns of unit length; above [`CONDITION_DOUBTFUL`](super::CONDITION_DOUBTFUL) the
    /// coefficients are doubtful.
    pub condition: f64,
    /// The line of least relative error.
    pub relative: Line,
    /// Ordinary least squares on the same points, to compare with.
    pub plain: Line,
    /// The covering charge.
    pub covering: Covering,
    /// Validation on points that were not fitted; `None` if the grid is too small to spare one.
    pub held_out: Option<HeldOut>,
    /// The effect of stack size given the pages.
    pub stack: StackTest,
    /// The best line of two pieces; `None` with fewer than 4 page levels.
    pub curvature: Option<Curvature>,
    /// Drift of the costs along the run; `None` below 3 processes.
    pub drift: Option<Drift>,
}

/// The relative spread between processes in both forms, by which the steadier is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steadiness {
    /// Standard deviation of a point's statistic between processes relative to its mean, root mean square over points;
    /// `None` with a single process.
    pub absolute: Option<f64>,
    /// The same after division by the probe; `None` also without probes.
    pub normalised: Option<f64>,
}

impl Steadiness {
    /// The form with the smaller spread; absolute if only one is known.
    #[must_use]
    pub fn steadier(&self) -> Form {
        match (self.absolute, self.normalised) {
            (Some(absolute), Some(normalised)) if normalised < absolute => Form::Normalised,
            _ => Form::Absolute,
        }
    }
}

/// Fits every strategy in the samples.
///
/// # Errors
/// [`ModelError`] if the samples or settings allow no statistics. A fit that can be made but must not be used is
/// returned, with the reasons in [`Fit::rejected`].
pub fn fit(samples: &Samples, settings: &FitSettings, chain_strategy: &str) -> Result<Fit, ModelError> {
    settings.check()?;
    let resamples = settings.resamples_for(samples.len());
    let strategies = strategies(samples)?;
    let fits: Vec<StrategyFit> = strategies
        .par_iter()
        .map(|(name, chosen)| StrategyFit::new(name, &Grid::new(samples, chosen)?, settings, resamples))
        .collect::<Result<_, ModelError>>()?;
    let rejected = match fits.iter().find(|fit| fit.strategy == chain_strategy) {
        Some(fit) => fit.rejected.clone(),
        None => vec![Rejection::StrategyNotMeasured {
            strategy: chain_strategy.into(),
            measured: strategies.keys().map(ToString::to_string).collect(),
        }],
    };
    Ok(Fit {
        format: FORMAT,
        experiment: samples.experiment,
        settings: *settings,
        resamples,
        chain_strategy: chain_strategy.into(),
        strategies: fits,
        rejected,
    })
}

impl StrategyFit {
    fn new(name: &str, grid: &Grid<'_>, settings: &FitSettings, resamples: u32) -> Result<Self, ModelError> {
        let (absolute, normalised) =
            rayon::join(|| Costs::absolute(grid, settings, resamples), || Costs::normalised(grid, settings, resamples));
        let (absolute, normalised) = (absolute?, normalised?);
        let estimates = |costs: &Costs| {
            let each = costs.bootstrap.estimates("costs of the points", <[f64]>::to_vec)?;
            Ok::<_, ModelError>(pooled(grid.experiment, &grid.points, &each))
        };
        let costs = estimates(&absolute)?;
        let normal_costs = normalised.as_ref().map(estimates).transpose()?;
        let points = (0..grid.points.len())
            .into_par_iter()
            .map(|at| PointFit::new(at, grid, &absolute, costs[at], normal_costs.as_ref().map(|costs| costs[at])))
            .collect::<Result<_, ModelError>>()?;
        let mut rejected = Vec::new();
        let model = match Model::new(grid.experiment, &grid.points, &absolute, &costs, settings)? {
            Ok(model) => {
                let noise = |label: &str| {
                    let missed = grid.points.iter().zip(&costs).find(|(point, _)| point.label() == label);
                    missed.map_or(0.0, |(_, cost)| (cost.high - cost.low) / 2.0 / cost.value)
                };
                rejected.extend(model.rejections(grid.experiment, noise));
                Some(model)
            }
            Err(rejection) => {
                rejected.push(rejection);
                None
            }
        };
        let normalised_model = match (&normalised, &normal_costs) {
            (Some(form), Some(costs)) => Model::new(grid.experiment, &grid.points, form, costs, settings)?.ok(),
            _ => None,
        };
        Ok(Self {
            strategy: name.into(),
            processes: grid.processes.len(),
            rounds: grid.process_of.len(),
            points,
            absolute: model,
            normalised: normalised_model,
            steadiness: Steadiness {
                absolute: absolute.spread(),
                normalised: normalised.as_ref().and_then(Costs::spread),
            },
            moving: moving(grid, &absolute.series, &absolute.by_process, 1.0 - settings.confidence),
            single_process: grid.processes.len() == 1,
            rejected,
        })
    }
}

impl Model {
    fn new(
        experiment: &Experiment,
        points: &[&Point],
        costs: &Costs,
        estimates: &[Estimate],
        settings: &FitSettings,
    ) -> Result<Result<Self, Rejection>, ModelError> {
        let bootstrap: &Bootstrap = &costs.bootstrap;
        let observed = &bootstrap.observed;
        let design = Design::new(experiment, points, 0..points.len());
        if let Some(rejection) = unusable(points, costs, settings) {
            return Ok(Err(rejection));
        }
        let condition = match design.check(points, observed) {
            Ok(condition) => condition,
            Err(rejection) => return Ok(Err(rejection)),
        };
        let upper: Vec<f64> = estimates.iter().map(|cost| cost.high).collect();
        let relative = Line::relative(&design, points, bootstrap)?;
        let base = relative.base().map_or(0.0, |base| base.value);
        let covering =
            Covering::new(&Demands::new(experiment, points, 0..points.len()), &upper, LEAST_BASE * base, bootstrap)?;
        Ok(Ok(Self {
            condition,
            relative,
            plain: Line::plain(&design, points, bootstrap)?,
            held_out: HeldOut::new(experiment, points, &upper, bootstrap, settings)?,
            stack: StackTest::new(experiment, points, bootstrap)?,
            curvature: Curvature::new(&design, points, bootstrap, &covering)?,
            covering,
            drift: costs.drift,
        }))
    }

    /// Why this model must not be used.
    fn rejections(&self, experiment: &Experiment, noise: impl Fn(&str) -> f64) -> Vec<Rejection> {
        let mut rejections = Vec::new();
        let free = |line: Option<Estimate>, covering: Option<Estimate>| {
            let none = |value: Option<Estimate>| value.is_none_or(|value| value.value <= 0.0);
            none(line) || none(covering)
        };
        if free(self.relative.base(), Some(self.covering.base)) {
            rejections.push(Rejection::FreeBase);
        }
        let leading = |(regressor, term): (&&Regressor, &Term)| {
            free(self.relative.coefficient(regressor), self.covering.price(term.name))
        };
        if experiment.line.first().zip(experiment.terms.first()).is_some_and(leading) {
            rejections.push(Rejection::FreePages);
        }
        let worst = &self.relative.worst;
        if worst.relative.abs() > WORST_ERROR {
            rejections.push(Rejection::PoorFit {
                point: worst.point.clone(),
                percent: worst.relative.abs() * 100.0,
                limit: WORST_ERROR * 100.0,
                noise: noise(&worst.point) * 100.0,
            });
        }
        rejections
    }
}

/// Costs with which no relative fit can be made.
fn unusable(points: &[&Point], costs: &Costs, settings: &FitSettings) -> Option<Rejection> {
    let statistic = settings.statistic;
    let needed = statistic.fewest_cycles();
    let few = points.iter().zip(&costs.series).find(|(_, series)| series.values().len() < needed);
    if let Some((point, series)) = few {
        return Some(Rejection::TooFewCycles {
            point: point.label(),
            cycles: series.values().len(),
            statistic,
            needed,
        });
    }
    let costs = &costs.bootstrap.observed[..];
    if let Some((point, &cost)) = points.iter().zip(costs).find(|&(_, &cost)| cost <= 0.0) {
        return Some(Rejection::NonPositiveCost { point: point.label(), statistic, cost });
    }
    match costs {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|cost| cost.total_cmp(first).is_eq()) => {
            Some(Rejection::ConstantCost { statistic, cost: *first })
        }
        _ => None,
    }
}
