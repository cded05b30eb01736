use super::grid::Grid;
use crate::measure::{DesignPoint, RunFile, Stop};
use crate::model::{Estimate, Factor, Fit, PointFit, StrategyFit};
use crate::params::{ChainSettings, GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, ParamTable};
use crate::units::{Nanos, Pages};

/// Levels at which costs and charges are shown: the smallest memory, the linker's default of a 1 MiB stack and some data,
/// and 64 MiB, the most that NEAR gives.
const SHOWN_PAGES: [Pages; 3] = [Pages(1), Pages(17), Pages(1024)];

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
}

/// A section of a report: a heading, a table, and sentences below it.
#[derive(Debug, Clone, Default)]
pub(super) struct Section {
    pub(super) heading: String,
    pub(super) grid: Grid,
    pub(super) sentences: Vec<String>,
}

impl<'a> Story<'a> {
    pub(super) fn sections(&self) -> Vec<Section> {
        [self.fee(), self.charges(), self.strategies(), self.fits()].into_iter().flatten().collect()
    }

    /// One sentence that says what was measured and how long.
    pub(super) fn measured(&self) -> String {
        let run = self.run;
        let processes = self.chain_fit().map_or(0, |fit| fit.processes);
        let rounds = self.chain_fit().map_or(0, |fit| fit.rounds);
        let stopped = run.stopped.map_or("measuring has not ended", Stop::sentence);
        format!("{processes} processes, {rounds} rounds over {} points; {stopped}.", run.plan.points.len())
    }

    fn chain_fit(&self) -> Option<&'a StrategyFit> {
        self.fit.strategy(&self.chain.strategy)
    }

    fn fee(&self) -> Option<Section> {
        let table = self.table?;
        let mut grid = Grid::new(["parameter", "time", "95 % interval", "gas", ""]);
        for name in [INIT_BASE, INIT_PER_PAGE, GROW_PER_PAGE] {
            if let Some(param) = table.params.get(name) {
                grid.push([
                    name.to_owned(),
                    Nanos(param.nanos.value).to_string(),
                    interval(&param.nanos),
                    param.gas.to_string(),
                    param.unit.trim_start_matches("gas ").to_owned(),
                ]);
            }
        }
        let chain = self.chain;
        let sentence = format!(
            "The {} cost under {}, covered at every measured point; gas is time × {} for safety, rounded up to {} digits.",
            chain.statistic, chain.strategy, chain.safety_factor, chain.significant_digits
        );
        Some(Section { heading: "Proposed fee".into(), grid, sentences: vec![sentence] })
    }

    fn charges(&self) -> Option<Section> {
        let (table, fit) = (self.table?, self.chain_fit()?);
        let covering = fit.absolute.as_ref()?.covering;
        let mut grid = Grid::new(["pages", "dearest cost", "95 % interval", "charge before safety", "charge in gas"]);
        for pages in SHOWN_PAGES {
            let Some(point) = dearest(fit, pages) else { continue };
            let gas = table.charge(pages, Pages(0)).map_or_else(|| "beyond the range".into(), |gas| gas.to_string());
            let charge = Nanos(covering.charge(&point.point));
            grid.push([
                pages.0.to_string(),
                Nanos(point.cost.value).to_string(),
                interval(&point.cost),
                charge.to_string(),
                gas,
            ]);
        }
        Some(Section { heading: "What a call costs and would be charged".into(), grid, sentences: Vec::new() })
    }

    fn strategies(&self) -> Option<Section> {
        let mut grid = Grid::new(["strategy", "1 page", "17 pages", "1024 pages", "per page of 1024"]);
        for fit in &self.fit.strategies {
            let cost = |pages| dearest(fit, pages).map(|point| point.cost);
            let shown = |pages| cost(pages).map_or_else(|| "–".into(), |cost| Nanos(cost.value).to_string());
            let each = cost(Pages(1024)).map_or_else(|| "–".into(), |cost| Nanos(cost.value / 1024.0).to_string());
            let own = if fit.strategy == self.chain.strategy { " (the chain's)" } else { "" };
            grid.push([format!("{}{own}", fit.strategy), shown(Pages(1)), shown(Pages(17)), shown(Pages(1024)), each]);
        }
        Some(Section { heading: "Cost by reset strategy, every page touched".into(), grid, sentences: Vec::new() })
    }

    fn fits(&self) -> Option<Section> {
        let model = self.chain_fit()?.absolute.as_ref()?;
        let mut grid = Grid::new(["line", "base", "per page", "worst error", "at"]);
        for (name, line) in [("relative weights", &model.relative), ("plain least squares", &model.plain)] {
            let coefficient =
                |factor| line.coefficient(factor).map_or_else(|| "–".into(), |c| Nanos(c.value).to_string());
            let worst = format!("{:+.1} %", line.worst.relative * 100.0);
            grid.push([
                name.into(),
                coefficient(Factor::Base),
                coefficient(Factor::Page),
                worst,
                line.worst.point.clone(),
            ]);
        }
        Some(Section { heading: "Lines through the costs".into(), grid, sentences: Vec::new() })
    }
}

/// The dearest point without growth at a level of pages.
fn dearest(fit: &StrategyFit, pages: Pages) -> Option<&PointFit> {
    let at_level = |point: &DesignPoint| point.initial_pages == pages && point.touched_pages == pages;
    fit.points.iter().filter(|found| at_level(&found.point)).max_by(|a, b| a.cost.value.total_cmp(&b.cost.value))
}

fn interval(estimate: &Estimate) -> String {
    format!("{} … {}", Nanos(estimate.low), Nanos(estimate.high))
}
