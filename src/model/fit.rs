//! The whole fit: each strategy's points, classes, charge, lines and diagnostics.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::alternative::Alternative;
use super::band::Band;
use super::bootstrap::Bootstrap;
use super::class_fit::ClassFit;
use super::classes::{dearest, works};
use super::covering::{Covering, SizeCharge};
use super::design::Design;
use super::diagnostics::{Curvature, Drift, Moving, StackTest, moving};
use super::form::Costs;
use super::grid::{Grid, strategies};
use super::held_out::HeldOut;
use super::line::Line;
use super::points::PointFit;
use super::pooled::{Forms, Pooled};
use super::reference::Reference;
use super::refusal::Refusal;
use super::rejection::Rejection;
use super::surcharge::HeldSurcharge;
use super::{Estimate, FitSettings, ModelError};
use crate::experiment::{Experiment, Point, Regressor, Term};
use crate::measure::Samples;

/// Version of the serialized form of [`Fit`].
pub const FORMAT: u32 = 4;

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
    /// The machine that costs are stated on; `None` without probes, where they are as measured.
    pub reference: Option<Reference>,
    /// The strategy that the chain's nodes run.
    pub chain_strategy: String,
    /// Each strategy measured, by name.
    pub strategies: Vec<StrategyFit>,
    /// Why the fit of the chain's strategy must not be used; empty if it may.
    pub rejected: Vec<Rejection>,
    /// Why the charge of the chain's strategy must not be signed; empty if it may, and without a fit.
    pub refused: Vec<Refusal>,
}

impl Fit {
    /// Whether measuring longer would change little.
    #[must_use]
    pub fn is_precise(&self) -> bool {
        let band = self.strategy(&self.chain_strategy).and_then(|fit| fit.band.as_ref());
        self.rejected.is_empty() && self.refused.is_empty() && band.is_some_and(Band::is_narrow)
    }

    /// Of a strategy's classes that do the same work, the one in the dearest surroundings: what a charge is to cover.
    #[must_use]
    pub fn dearest<'a>(&self, fit: &'a StrategyFit) -> Vec<&'a ClassFit> {
        let points: Vec<&Point> = fit.classes.iter().map(|class| &class.point).collect();
        let works = works(self.experiment, &points);
        dearest(&works, |at| fit.classes[at].cost.value).map(|at| &fit.classes[at]).collect()
    }

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
    /// Points that do the same work, pooled: what the charge covers.
    pub classes: Vec<ClassFit>,
    /// What the run found of the reference's surcharges for small calls.
    pub surcharges: Vec<HeldSurcharge>,
    /// How well they are known; `None` if there is no model.
    pub band: Option<Band>,
    /// Charge, lines and diagnostics on the reference machine; `None` if they could not be fitted, and `rejected` says why.
    pub model: Option<Model>,
    /// How steady the two forms are between processes.
    pub steadiness: Steadiness,
    /// Points that differ between processes by more than their rounds explain.
    pub moving: Vec<Moving>,
    /// Whether all intervals come from the rounds of one process and leave out the variation between processes.
    pub single_process: bool,
    /// Why the model must not be used.
    pub rejected: Vec<Rejection>,
    /// Why its charge must not be signed.
    pub refused: Vec<Refusal>,
}

/// The charge and lines through the costs, in nanoseconds on the reference machine.
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
    /// The covering charge: the fee.
    pub covering: Covering,
    /// What other terms would charge, the fewest first.
    pub alternatives: Vec<Alternative>,
    /// The charge by size alone; `None` where an experiment has none.
    #[serde(default)]
    pub by_size: Option<SizeCharge>,
    /// The charge that would cover the times as measured; `None` where these are what the other covers.
    pub measured: Option<Covering>,
    /// Validation on points that were not fitted; `None` if the grid is too small to spare one.
    pub held_out: Option<HeldOut>,
    /// The effect of stack size given the pages.
    pub stack: StackTest,
    /// The best line of two pieces; `None` with fewer than 4 page levels.
    pub curvature: Option<Curvature>,
    /// Drift of the times along the run; `None` below 3 processes.
    pub drift: Option<Drift>,
}

/// The relative spread between processes in both forms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steadiness {
    /// Standard deviation of a point's statistic between processes relative to its mean, root mean square over points;
    /// `None` with a single process.
    pub measured: Option<f64>,
    /// The same after division by the probe; `None` also without probes.
    pub relative: Option<f64>,
}

/// Fits every strategy in the samples, on the machine of this reference, or where there is none on the run's own.
///
/// # Errors
/// [`ModelError`] if the samples or settings allow no statistics. A fit that can be made but must not be used is
/// returned, with the reasons in [`Fit::rejected`] and [`Fit::refused`].
pub fn fit(
    samples: &Samples,
    settings: &FitSettings,
    reference: Option<&Reference>,
    chain_strategy: &str,
) -> Result<Fit, ModelError> {
    settings.check()?;
    let resamples = settings.resamples_for(samples.len());
    let strategies = strategies(samples)?;
    let of_run = Reference::of_run(samples, chain_strategy);
    // Without probes there is nothing that a reference could be applied to.
    let reference = of_run.as_ref().map(|of_run| reference.unwrap_or(of_run));
    let fits: Vec<StrategyFit> = strategies
        .par_iter()
        .map(|(name, chosen)| StrategyFit::new(name, &Grid::new(samples, chosen)?, settings, reference, resamples))
        .collect::<Result<_, ModelError>>()?;
    let own = fits.iter().find(|fit| fit.strategy == chain_strategy);
    let rejected = own.map_or_else(
        || {
            let measured = strategies.keys().map(ToString::to_string).collect();
            vec![Rejection::StrategyNotMeasured { strategy: chain_strategy.into(), measured }]
        },
        |fit| fit.rejected.clone(),
    );
    let refused = own.map(|fit| fit.refused.clone()).unwrap_or_default();
    Ok(Fit {
        format: FORMAT,
        experiment: samples.experiment,
        settings: settings.clone(),
        resamples,
        reference: reference.cloned(),
        chain_strategy: chain_strategy.into(),
        strategies: fits,
        rejected,
        refused,
    })
}

impl StrategyFit {
    fn new(
        name: &str,
        grid: &Grid<'_>,
        settings: &FitSettings,
        reference: Option<&Reference>,
        resamples: u32,
    ) -> Result<Self, ModelError> {
        let forms = Forms::new(grid, settings, reference, resamples)?;
        let estimates = |costs: &Costs| costs.bootstrap.estimates("costs of the points", <[f64]>::to_vec);
        let times = estimates(&forms.measured)?;
        let stated = match &forms.on_reference {
            Some((costs, _, nanos)) => estimates(costs)?.into_iter().zip(nanos.iter().copied()).map(Some).collect(),
            None => vec![None; times.len()],
        };
        let points: Vec<PointFit> = (0..grid.points.len())
            .into_par_iter()
            .map(|at| PointFit::new(at, grid, (&forms.measured, times[at]), stated[at]))
            .collect::<Result<_, ModelError>>()?;
        let surcharges = reference.map_or(&[][..], |reference| &reference.surcharges);
        let pooled = Pooled::new(grid, settings, &forms, surcharges, resamples)?;
        let (mut rejected, mut refused) = (Vec::new(), Vec::new());
        let costs = forms.stated();
        let model = match Model::new(grid.experiment, &grid.points, &forms, &pooled, settings)? {
            Ok(model) => {
                let noise = |label: &str| {
                    let missed = points.iter().find(|found| found.point.label() == label);
                    missed.map_or(0.0, |found| found.cost.relative_half_width())
                };
                rejected.extend(model.rejections(grid.experiment, noise));
                if rejected.is_empty() {
                    refused = Refusal::of(&pooled.known.band, &model.covering);
                    refused.extend(Refusal::of_points(&points, &model.covering));
                }
                Some(model)
            }
            Err(rejection) => {
                rejected.push(rejection);
                None
            }
        };
        let relative = forms.on_reference.as_ref();
        Ok(Self {
            strategy: name.into(),
            processes: grid.processes.len(),
            rounds: grid.process_of.len(),
            points,
            classes: pooled.fits(),
            surcharges: pooled.held,
            band: model.is_some().then_some(pooled.known.band),
            model,
            steadiness: Steadiness {
                measured: forms.measured.spread(),
                relative: relative.and_then(|(costs, ..)| costs.spread()),
            },
            moving: moving(grid, &costs.series, &costs.by_process, 1.0 - settings.confidence),
            single_process: grid.processes.len() == 1,
            rejected,
            refused,
        })
    }
}

impl Model {
    fn new(
        experiment: &Experiment,
        points: &[&Point],
        forms: &Forms,
        pooled: &Pooled<'_>,
        settings: &FitSettings,
    ) -> Result<Result<Self, Rejection>, ModelError> {
        let bootstrap: &Bootstrap = &forms.stated().bootstrap;
        let design = Design::new(experiment, &settings.terms, points, 0..points.len());
        let straight = Design::new(experiment, &[], points, 0..points.len());
        if let Some(rejection) = unusable(points, &forms.measured, pooled, settings) {
            return Ok(Err(rejection));
        }
        let condition = match design.check(points, &bootstrap.observed) {
            Ok(condition) => condition,
            Err(rejection) => return Ok(Err(rejection)),
        };
        let (covering, measured) = pooled.covered(settings)?;
        Ok(Ok(Self {
            condition,
            relative: Line::relative(&design, points, bootstrap)?,
            plain: Line::plain(&design, points, bootstrap)?,
            held_out: HeldOut::new(experiment, points, bootstrap, settings)?,
            stack: StackTest::new(experiment, points, bootstrap)?,
            curvature: Curvature::new(&straight, points, bootstrap)?,
            alternatives: pooled.alternatives(settings)?,
            by_size: pooled.by_size(settings)?,
            covering,
            measured,
            drift: forms.measured.drift,
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
        let leading = |(regressor, term): (&&Regressor, &&Term)| {
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
fn unusable(points: &[&Point], costs: &Costs, pooled: &Pooled<'_>, settings: &FitSettings) -> Option<Rejection> {
    let statistic = settings.statistic;
    let needed = statistic.fewest_cycles();
    let few = points.iter().zip(&costs.series).find(|(_, series)| series.values().len() < needed);
    if let Some((point, series)) = few {
        let cycles = series.values().len();
        return Some(Rejection::TooFewCycles { point: point.label(), cycles, statistic, needed });
    }
    let observed = &costs.bootstrap.observed[..];
    if let Some((point, &cost)) = points.iter().zip(observed).find(|&(_, &cost)| cost <= 0.0) {
        return Some(Rejection::NonPositiveCost { point: point.label(), statistic, cost });
    }
    if let Some(point) = pooled.not_positive() {
        return Some(Rejection::NothingLeft { point: point.label() });
    }
    match observed {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|cost| cost.total_cmp(first).is_eq()) => {
            Some(Rejection::ConstantCost { statistic, cost: *first })
        }
        _ => None,
    }
}
