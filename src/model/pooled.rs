//! The classes of a strategy with their figures: what the charge is made of.

use super::alternative::Alternative;
use super::band::{Known, from_log, reach};
use super::class_fit::ClassFit;
use super::classes::{Class, Of, Resampled, classes};
use super::covering::{Covering, Demands, Scale, SizeCharge};
use super::form::Costs;
use super::grid::Grid;
use super::reference::Reference;
use super::surcharge::{HeldSurcharge, Surcharge};
use super::surrounded::estimate_together;
use super::{FitSettings, ModelError};
use crate::experiment::{BetweenRuns, Experiment, Point, Term};

/// The costs of a strategy's points in both forms.
pub(super) struct Forms {
    pub(super) measured: Costs,
    /// On the reference machine, with the place of the probe among the values and what it takes there beside each point.
    pub(super) on_reference: Option<(Costs, usize, Vec<f64>)>,
}

impl Forms {
    pub(super) fn new(
        grid: &Grid<'_>,
        settings: &FitSettings,
        reference: Option<&Reference>,
        resamples: u32,
    ) -> Result<Self, ModelError> {
        let probe = grid.probe().zip(grid.experiment.reference.as_ref());
        let on_reference = || {
            let Some(((place, probe), reference)) = probe.zip(reference) else { return Ok(None) };
            let nanos: Vec<f64> = grid.points.iter().map(|point| reference.of_point(probe, point)).collect();
            let costs = Costs::on_reference(grid, settings, resamples, place, &nanos)?;
            Ok::<_, ModelError>(Some((costs, place, nanos)))
        };
        let (measured, on_reference) = rayon::join(|| Costs::measured(grid, settings, resamples), on_reference);
        Ok(Self { measured: measured?, on_reference: on_reference? })
    }

    /// What the charge is made of.
    pub(super) fn stated(&self) -> &Costs {
        self.on_reference.as_ref().map_or(&self.measured, |(costs, ..)| costs)
    }
}

/// The classes of a strategy's points in both forms.
pub(super) struct Pooled<'a> {
    experiment: &'static Experiment,
    classes: Vec<Class<'a>>,
    times: Resampled,
    /// Ratios to the probe, with what it takes on the reference machine beside each class.
    ratios: Option<(Resampled, Vec<f64>)>,
    pub(super) known: Known,
    /// What the run found of the reference's surcharges.
    pub(super) held: Vec<HeldSurcharge>,
    confidence: f64,
}

impl<'a> Pooled<'a> {
    pub(super) fn new(
        grid: &Grid<'a>,
        settings: &FitSettings,
        forms: &Forms,
        surcharges: &[Surcharge],
        resamples: u32,
    ) -> Result<Self, ModelError> {
        let classes = classes(grid.experiment, &grid.points);
        let mut times = Resampled::new(grid, &classes, Of::Time, settings, resamples)?;
        let together = |nanos: &[f64], resampled: &mut Resampled, pinned: &[&Surcharge]| {
            estimate_together(grid.experiment, &classes, nanos, resampled, pinned, settings.confidence)
        };
        together(&vec![1.0; classes.len()], &mut times, &[]);
        let mut held = Vec::new();
        let ratios = match &forms.on_reference {
            Some((_, place, nanos)) => {
                let of_class: Vec<f64> = classes.iter().map(|class| nanos[class.rows[0]]).collect();
                let mut ratios = Resampled::new(grid, &classes, Of::Ratio(*place), settings, resamples)?;
                let strategy = grid.points.first().map(|point| &point.strategy);
                let pinned: Vec<&Surcharge> =
                    surcharges.iter().filter(|pinned| Some(&pinned.strategy) == strategy).collect();
                held = together(&of_class, &mut ratios, &pinned);
                Some((ratios, of_class))
            }
            None => None,
        };
        let known =
            Known::new(grid.experiment, &classes, ratios.as_ref().map_or(&times, |(ratios, _)| ratios), settings);
        Ok(Self { experiment: grid.experiment, classes, times, ratios, known, held, confidence: settings.confidence })
    }

    pub(super) fn fits(&self) -> Vec<ClassFit> {
        let errors = self.times.errors();
        let fit = |(at, class): (usize, &Class<'_>)| {
            let measured = from_log(self.times.logs[at], reach(errors[at], self.times.freedom, 0.0, self.confidence));
            let ratio = self.ratios.as_ref().map(|(ratios, _)| from_log(ratios.logs[at], self.known.half_widths[at]));
            let nanos = self.ratios.as_ref().map(|(_, nanos)| nanos[at]);
            ClassFit {
                point: class.point.clone(),
                points: class.rows.len(),
                ratio,
                cost: ratio.zip(nanos).map_or(measured, |(ratio, nanos)| ratio.scaled(nanos)),
                measured,
            }
        };
        self.classes.iter().enumerate().map(fit).collect()
    }

    /// The charge that covers the classes in the form that is stated, and that by time if it is another.
    pub(super) fn covered(&self, settings: &FitSettings) -> Result<(Covering, Option<Covering>), ModelError> {
        self.covered_by(&settings.terms, settings)
    }

    /// The same by size alone.
    pub(super) fn by_size(&self, settings: &FitSettings) -> Result<Option<SizeCharge>, ModelError> {
        let Some(by_size) = self.experiment.by_size else { return Ok(None) };
        let (covering, measured) = self.covered_by(&[&by_size.term], settings)?;
        Ok(Some(SizeCharge { covering, measured }))
    }

    fn covered_by(
        &self,
        terms: &[&'static Term],
        settings: &FitSettings,
    ) -> Result<(Covering, Option<Covering>), ModelError> {
        let points: Vec<&Point> = self.classes.iter().map(|class| class.point).collect();
        let demands = Demands::new(self.experiment, terms, &points);
        let (steady, ones) = (vec![0.0; points.len()], vec![1.0; points.len()]);
        let scale = |nanos, between_runs, common| Scale {
            nanos,
            between_runs,
            common,
            margin: settings.margin,
            confidence: settings.confidence,
        };
        let by_time = Covering::new(&demands, &self.times, &scale(&ones, &steady, 0.0))?;
        let Some((ratios, nanos)) = &self.ratios else { return Ok((by_time, None)) };
        let BetweenRuns { class, common } = self.experiment.between_runs;
        let between_runs = points.iter().zip(&ratios.pinned);
        let between_runs: Vec<f64> = between_runs.map(|(point, pinned)| class(point).hypot(*pinned)).collect();
        Ok((Covering::new(&demands, ratios, &scale(nanos, &between_runs, common))?, Some(by_time)))
    }

    /// What each further term would make of the charge.
    pub(super) fn alternatives(&self, settings: &FitSettings) -> Result<Vec<Alternative>, ModelError> {
        let nanos = |at: usize| self.ratios.as_ref().map_or(1.0, |(_, nanos)| nanos[at]);
        let logs = self.ratios.as_ref().map_or(&self.times.logs, |(ratios, _)| &ratios.logs);
        let costs: Vec<f64> = logs.iter().enumerate().map(|(at, log)| log.exp() * nanos(at)).collect();
        let points: Vec<&Point> = self.classes.iter().map(|class| class.point).collect();
        Alternative::all(self.experiment, &points, &costs, settings)
    }

    /// A class whose figure is no cost.
    pub(super) fn not_positive(&self) -> Option<&Point> {
        let logs = self.ratios.as_ref().map_or(&self.times.logs, |(ratios, _)| &ratios.logs);
        let at = logs.iter().zip(&self.times.logs).position(|(one, other)| !(one.is_finite() && other.is_finite()))?;
        Some(self.classes[at].point)
    }
}
