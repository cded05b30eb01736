//! Classes that share their surroundings, and the line that stands for what these add.

use nalgebra::DMatrix;

use super::Estimate;
use super::band::reach;
use super::classes::{Class, Resampled};
use super::surcharge::{COLUMNS, Prices, Surcharge, priced};
use crate::experiment::Experiment;

/// Classes that share their surroundings, each with the class of the usual ones.
pub(super) struct Together<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) classes: &'a [Class<'a>],
    /// What a ratio of 1 stands for in each class.
    pub(super) nanos: &'a [f64],
    pub(super) members: Vec<Member>,
}

/// Least squares of relative errors over the members.
pub(super) struct Line<'a> {
    together: &'a Together<'a>,
    /// The columns that the members differ in.
    columns: Vec<usize>,
    /// What makes prices of differences.
    solve: DMatrix<f64>,
}

#[derive(Clone, Copy)]
pub(super) struct Member {
    pub(super) class: usize,
    pub(super) usual: usize,
}

impl Together<'_> {
    /// `None` where there are too few to draw a line through.
    pub(super) fn line(&self, logs: &[f64]) -> Option<Line<'_>> {
        let Self { classes, nanos, members, .. } = self;
        let level = |member: &Member, column: usize| COLUMNS[column](classes[member.class].point);
        let varied = |&column: &usize| members.iter().any(|member| level(member, column) > 0.0);
        let columns: Vec<usize> = (0..COLUMNS.len()).filter(varied).collect();
        // A figure that is no cost has no logarithm, and a decomposition of what is no number does not end.
        let is_known = |of: &Member| logs[of.class].is_finite() && logs[of.usual].is_finite();
        if members.len() <= columns.len() || !members.iter().all(is_known) {
            return None;
        }
        let weight = |row: usize| 1.0 / (logs[members[row].class].exp() * nanos[members[row].class]);
        let weighted = DMatrix::from_fn(members.len(), columns.len(), |row, column| {
            level(&members[row], columns[column]) * weight(row)
        });
        let weights =
            DMatrix::from_fn(members.len(), members.len(), |row, other| if row == other { weight(row) } else { 0.0 });
        let solve = weighted.pseudo_inverse(1e-9).ok()? * weights;
        Some(Line { together: self, columns, solve })
    }

    fn cost(&self, logs: &[f64], class: usize) -> f64 {
        logs[class].exp() * self.nanos[class]
    }

    /// The logarithm of each member's figure with these prices; none where it is no cost.
    fn priced<'s>(&'s self, logs: &'s [f64], prices: Prices) -> impl Iterator<Item = (usize, f64)> + 's {
        let log = move |of: &Member| {
            let cost = self.cost(logs, of.usual) + priced(prices, self.classes[of.class].point);
            (of.class, (cost / self.nanos[of.class]).ln())
        };
        self.members.iter().map(log).filter(|(_, log)| log.is_finite())
    }

    fn put_prices(&self, prices: Prices, logs: &mut [f64]) {
        let found: Vec<(usize, f64)> = self.priced(logs, prices).collect();
        for (class, log) in found {
            logs[class] = log;
        }
    }

    /// The pinned line for the differences, of each member whose usual class is known.
    pub(super) fn put(&self, pinned: &Surcharge, resampled: &mut Resampled) {
        let put = |logs: &mut Vec<f64>| self.put_prices(pinned.prices(), logs);
        put(&mut resampled.logs);
        resampled.replicates.iter_mut().for_each(put);
        let known: Vec<usize> = self.priced(&resampled.logs, pinned.prices()).map(|(class, _)| class).collect();
        for class in known {
            let added = pinned.of(self.classes[class].point).abs();
            // A half of the 95 % interval is about two deviations.
            resampled.pinned[class] = pinned.half_width / 2.0 * added / self.cost(&resampled.logs, class);
        }
    }

    /// What the members cost over what they would cost with the pinned line, in the mean of those that have a cost; `None` if none has.
    pub(super) fn held_against(&self, pinned: &Surcharge, resampled: &Resampled, confidence: f64) -> Option<Estimate> {
        let mean = |logs: &[f64]| {
            let off = self.priced(logs, pinned.prices()).map(|(class, log)| logs[class] - log);
            let known = off.filter(|off| off.is_finite());
            let (sum, count) = known.fold((0.0, 0.0), |(sum, count), off| (sum + off, count + 1.0));
            (count > 0.0).then(|| sum / count)
        };
        let found = mean(&resampled.logs)?;
        let error = resampled.error(resampled.replicates.iter().filter_map(|logs| mean(logs)));
        // Both sides move from run to run, and a half of a 95 % interval is about two deviations.
        let moved = self.members.iter().map(|of| self.experiment.between_runs.of(self.classes[of.class].point));
        let known = moved.fold(0.0, f64::max).hypot(pinned.half_width / 2.0);
        Some(Estimate::around(found, reach(error, resampled.freedom, known, confidence)).exp())
    }
}

impl Line<'_> {
    /// The prices of the columns.
    pub(super) fn prices(&self, logs: &[f64]) -> Prices {
        let Together { members, .. } = self.together;
        let differences =
            members.iter().map(|of| self.together.cost(logs, of.class) - self.together.cost(logs, of.usual));
        let found = &self.solve * DMatrix::from_iterator(members.len(), 1, differences);
        let mut prices = [0.0; COLUMNS.len()];
        for (&column, price) in self.columns.iter().zip(found.iter()) {
            prices[column] = *price;
        }
        prices
    }

    /// The run's own line for the differences.
    pub(super) fn smooth(&self, resampled: &mut Resampled) {
        let own = |logs: &mut Vec<f64>| self.together.put_prices(self.prices(logs), logs);
        own(&mut resampled.logs);
        resampled.replicates.iter_mut().for_each(own);
    }
}
