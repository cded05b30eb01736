use super::grid::Grid;
use super::strategies::StrategiesStory;
use super::timeline::Timeline;
use crate::experiment::BASE;
use crate::experiment::Point;
use crate::experiment::memory::PAGE;
use crate::measure::{RunFile, Stop};
use crate::model::{Answer, Estimate, Fit, Model, PointFit, Rejection, StackTest, StrategyFit};
use crate::params::{ChainSettings, GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, ParamTable, flat_charge};
use crate::units::{Nanos, Pages};

/// Levels at which costs and charges are shown beside the largest: the smallest memory, and the linker's default of a 1 MiB stack
/// and some data.
const SHOWN_PAGES: [Pages; 2] = [Pages(1), Pages(17)];

/// Everything that the reports of one run tell.
#[derive(Debug, Clone, Copy)]
pub struct Story<'a> {
    /// The run.
    pub run: &'a RunFile,
    /// What gas is worth and what the node runs.
    pub chain: &'a ChainSettings,
    /// The fit.
    pub fit: &'a Fit,
    /// The table, unless the fit was rejected.
    pub table: Option<&'a ParamTable>,
    /// The cycles of the chain's own strategy over the run.
    pub timeline: &'a Timeline,
    /// The table in force, if one is known.
    pub in_force: Option<InForce<'a>>,
    /// What a strategies run found beside its costs.
    pub strategies: Option<StrategiesStory<'a>>,
}

/// The table that a proposal is held against.
#[derive(Debug, Clone, Copy)]
pub struct InForce<'a> {
    /// The table.
    pub table: &'a ParamTable,
    /// The share above which a change counts, such as 0.02.
    pub threshold: f64,
}

/// A section of a report: a heading, a table, and sentences below it.
#[derive(Debug, Clone, Default)]
pub(super) struct Section {
    pub(super) heading: &'static str,
    pub(super) grid: Grid,
    pub(super) sentences: Vec<String>,
}

impl<'a> Story<'a> {
    pub(super) fn sections(&self) -> Vec<Section> {
        [self.fee(), self.charges(), Some(self.strategies()), self.lines(), self.checks(), self.notes()]
            .into_iter()
            .flatten()
            .collect()
    }

    /// What was measured and how long.
    pub(super) fn measured(&self) -> String {
        let (processes, rounds) = self.own().map_or((0, 0), |fit| (fit.processes, fit.rounds));
        let stopped = self.run.stopped.map_or("measuring has not ended", Stop::sentence);
        format!("{processes} processes, {rounds} rounds in all over {} points; {stopped}", self.run.plan.points.len())
    }

    /// The fit of the chain's own strategy.
    pub(super) fn own(&self) -> Option<&'a StrategyFit> {
        self.fit.strategy(&self.chain.strategy)
    }

    /// Gas for each nanosecond, with the safety factor.
    #[expect(clippy::cast_precision_loss, reason = "an axis and a word need no more than 53 bits")]
    pub(super) fn gas_per_nano(&self) -> f64 {
        self.chain.gas_per_second as f64 / 1e9 * self.chain.safety_factor
    }

    /// What the checks say under a name.
    pub(super) fn finding(&self, name: &str) -> Option<String> {
        let checks = self.checks()?;
        checks.grid.rows.into_iter().find(|row| row[0] == name).map(|mut row| row.swap_remove(1))
    }

    pub(super) fn model(&self) -> Option<&'a Model> {
        self.own()?.absolute.as_ref()
    }

    pub(super) fn fee(&self) -> Option<Section> {
        let table = self.table?;
        let mut grid = Grid::new(["parameter", "gas", "time", "95 % interval"]);
        for name in [INIT_BASE, INIT_PER_PAGE, GROW_PER_PAGE] {
            if let Some(param) = table.params.get(name) {
                grid.push([name.into(), param.gas.to_string(), nanos(param.nanos.value), interval(&param.nanos)]);
            }
        }
        let chain = self.chain;
        let sentences = vec![
            format!(
                "A line above the {} under {} at every measured point, every page touched.",
                chain.statistic, chain.strategy
            ),
            format!("Gas is time × safety {}, rounded up to {} digits.", chain.safety_factor, chain.significant_digits),
        ];
        Some(Section { heading: "Proposed fee", grid, sentences })
    }

    /// The sizes that are shown: common ones that the chain allows, and the largest that was measured.
    fn sizes(&self) -> Vec<Pages> {
        let largest = self.largest();
        SHOWN_PAGES.into_iter().filter(|&pages| Some(pages) < largest).chain(largest).collect()
    }

    /// The largest size that was measured and that the chain allows.
    pub(super) fn largest(&self) -> Option<Pages> {
        let points = self.fit.strategies.iter().flat_map(|fit| &fit.points).map(|found| &found.point);
        let sizes = points.filter(|point| is_whole(point, point.initial_pages())).map(Point::initial_pages);
        sizes.filter(|&pages| pages <= self.chain.initial_pages_max).max()
    }

    /// By the line, or where there are too few sizes for one, each by itself.
    pub(super) fn charges(&self) -> Option<Section> {
        let fit = self.own()?;
        let line = self.table.zip(self.model());
        let flat = self.fit.rejected.iter().any(|why| matches!(why, Rejection::TooFewPageLevels { .. }));
        if line.is_none() && !flat {
            return None;
        }
        let mut grid = Grid::new(["call of", "costs", "95 % interval", "pays", "gas, with safety"]);
        for pages in self.sizes() {
            let Some(point) = dearest(fit, pages) else { continue };
            let (charge, gas) = if let Some((table, model)) = line {
                (model.covering.charge(&point.point), table.charge(pages, Pages(0)))
            } else {
                let whole = fit.points.iter().filter(|found| is_whole(&found.point, pages));
                let upper = whole.map(|found| found.cost.high).fold(point.cost.high, f64::max);
                (upper, flat_charge(upper, self.chain))
            };
            let gas = gas.map_or_else(|| "beyond range".into(), |gas| gas.to_string());
            grid.push([pages.to_string(), nanos(point.cost.value), interval(&point.cost), nanos(charge), gas]);
        }
        let sentences = if line.is_none() {
            vec!["There is no line: each size by itself would pay the upper end of the widest interval.".to_owned()]
        } else {
            Vec::new()
        };
        Some(Section { heading: "What the dearest call of a size costs, and would pay", grid, sentences })
    }

    /// Only points that every strategy has, so that all are shown for the same work.
    pub(super) fn strategies(&self) -> Section {
        let sizes = self.sizes();
        let name = |pages: &Pages| match pages {
            pages if SHOWN_PAGES.contains(pages) => pages.to_string(),
            pages => format!("each of {}", pages.0),
        };
        let headers = std::iter::once("strategy".to_owned()).chain(sizes.iter().map(name)).collect();
        let row = |fit: &StrategyFit| {
            let own = if fit.strategy == self.chain.strategy { " *" } else { "" };
            let cell = |&pages: &Pages| {
                let share = if SHOWN_PAGES.contains(&pages) { 1.0 } else { 1.0 / f64::from(pages.0) };
                plus_minus(self.common(fit, pages).map(|cost| cost.scaled(share)))
            };
            std::iter::once(format!("{}{own}", fit.strategy)).chain(sizes.iter().map(cell)).collect()
        };
        let grid = Grid { headers, rows: self.fit.strategies.iter().map(row).collect() };
        let sentences = vec!["* the chain's. The same contract and stack under each.".into()];
        Section { heading: "Cost by reset strategy, every page touched", grid, sentences }
    }

    /// What the largest size costs under each strategy, in the order of [`Story::strategies`].
    pub(super) fn strategies_at_most(&self) -> Vec<Option<f64>> {
        let largest = self.largest();
        let cost = |fit| self.common(fit, largest?).map(|cost| cost.value);
        self.fit.strategies.iter().map(cost).collect()
    }

    /// The dearest of a strategy's points at a number of pages that every strategy has.
    fn common(&self, fit: &StrategyFit, pages: Pages) -> Option<Estimate> {
        let everywhere = |point: &Point| {
            let has = |fit: &StrategyFit| fit.points.iter().any(|found| found.point.under("") == point.under(""));
            self.fit.strategies.iter().all(has)
        };
        let points = fit.points.iter().filter(|found| is_whole(&found.point, pages) && everywhere(&found.point));
        points.map(|found| found.cost).max_by(|a, b| a.value.total_cmp(&b.value))
    }

    pub(super) fn lines(&self) -> Option<Section> {
        let model = self.model()?;
        let mut grid = Grid::new(["line", "base", "a page", "worst error"]);
        let lines = [
            ("covering (the fee)", None),
            ("relative weights", Some(&model.relative)),
            ("plain least squares", Some(&model.plain)),
        ];
        for (name, line) in lines {
            let Some(line) = line else {
                let covering = &model.covering;
                grid.push([
                    name.into(),
                    plus_minus(Some(covering.base)),
                    plus_minus(covering.price("page")),
                    "never below".into(),
                ]);
                continue;
            };
            let coefficient = |factor| plus_minus(line.coefficient(factor));
            grid.push([name.into(), coefficient(&BASE), coefficient(&PAGE), percent(line.worst.relative)]);
        }
        let sentences = vec![
            format!("Plain least squares errs most at {}.", variant(&model.plain.worst.point)),
            format!("Relative weights err most at {}.", variant(&model.relative.worst.point)),
        ];
        Some(Section { heading: "Lines through the costs", grid, sentences })
    }

    fn notes(&self) -> Option<Section> {
        let sentences = super::notes(self);
        (!sentences.is_empty()).then(|| Section { heading: "Notes", grid: Grid::default(), sentences })
    }

    pub(super) fn checks(&self) -> Option<Section> {
        let (own, model) = (self.own()?, self.model()?);
        let mut grid = Grid::default();
        let mut check = |name: &str, finding: String| grid.rows.push(vec![name.into(), finding]);
        check("stack, given pages", stack(&model.stack));
        if let Some(curvature) = &model.curvature {
            let bend = format!(
                "{} more above {} than below ({} … {})",
                percent(curvature.bend.value),
                curvature.breakpoint,
                percent(curvature.bend.low),
                percent(curvature.bend.high)
            );
            check("a page costs", bend);
            let pieces = format!(
                "{}, then {} a page up to {}, {} beyond",
                nanos(curvature.base.value),
                nanos(curvature.below.value),
                curvature.breakpoint,
                nanos(curvature.above.value)
            );
            check("line of two pieces", pieces);
            check(
                "one line overcharges",
                format!("{} at most, against two pieces", percent(curvature.charge_error.relative)),
            );
        }
        if let Some(held_out) = &model.held_out {
            let slope = held_out.slope;
            check(
                "held-out points",
                format!(
                    "{} of them, measured/predicted {:.3} ({:.3} … {:.3})",
                    held_out.points.len(),
                    slope.value,
                    slope.low,
                    slope.high
                ),
            );
            check("held-out undercharged", held_out.undercharged.len().to_string());
        }
        if let Some(drift) = model.drift {
            let range = drift.over_run;
            check(
                "drift over the run",
                format!("{} ({} … {})", percent(range.value), percent(range.low), percent(range.high)),
            );
        }
        check("points that move", format!("{} of {}", own.moving.len(), own.points.len()));
        let outliers: usize = own.points.iter().map(|point| point.outliers).sum();
        let cycles: usize = own.points.iter().map(|point| point.cycles).sum();
        check("far-out cycles, kept", format!("{outliers} of {cycles}"));
        if let (Some(absolute), Some(normalised)) = (own.steadiness.absolute, own.steadiness.normalised) {
            let spreads = format!("{:.1} % of time, {:.1} % of time over probe", absolute * 100.0, normalised * 100.0);
            check("between processes", spreads);
        }
        Some(Section { heading: "Checks, with 95 % intervals", grid, sentences: Vec::new() })
    }
}

pub(super) fn stack(test: &StackTest) -> String {
    match test {
        StackTest::Tested(effect) => {
            let answer = match effect.answer {
                Answer::No => "no cost of its own",
                Answer::Yes => "costs of its own",
                Answer::Unsure => "unsure",
            };
            let range = effect.relative;
            format!(
                "{answer}: {} of a call at most ({} … {})",
                percent(range.value),
                percent(range.low),
                percent(range.high)
            )
        }
        StackTest::NotCrossed => "not tested: no two points differ in their stack alone".into(),
    }
}

/// The contract and variant of a point's label.
pub(super) fn variant(label: &str) -> &str {
    label.split_once(" touching ").map_or(label, |(variant, _)| variant)
}

/// Whether a point declares and touches these pages, under the usual conditions.
pub(super) fn is_whole(point: &Point, pages: Pages) -> bool {
    point.initial_pages() == pages && point.touched_pages() == pages && point.is_undisturbed()
}

/// The dearest point at a level of pages.
pub(super) fn dearest(fit: &StrategyFit, pages: Pages) -> Option<&PointFit> {
    let points = fit.points.iter().filter(|found| is_whole(&found.point, pages));
    points.max_by(|a, b| a.cost.value.total_cmp(&b.cost.value))
}

/// An estimate with half its interval in percent: `28.9 µs ± 2 %`.
pub(super) fn plus_minus(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(
        || "–".into(),
        |estimate| format!("{} ± {:.1} %", nanos(estimate.value), estimate.relative_half_width() * 100.0),
    )
}

pub(super) fn nanos(value: f64) -> String {
    Nanos(value).to_string()
}

pub(super) fn percent(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

pub(super) fn interval(estimate: &Estimate) -> String {
    format!("{} … {}", Nanos(estimate.low), Nanos(estimate.high))
}
