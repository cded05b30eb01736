use crate::model::{PointFit, StrategyFit};
use crate::report::Story;
use crate::report::document::{Block, Table};
use crate::report::words::{interval, nanos, percent, size};
use crate::units::Pages;

/// Every design point, a table for each strategy.
pub(super) fn blocks(story: &Story<'_>) -> Vec<Block> {
    let text = "Cost is instantiate + (first touch − warm touch) + reset; phases are medians, each by itself. What a point pays is the \
                time that the covering line charges, before the safety factor.";
    let tables = story.fit.strategies.iter().map(|fit| Block::Table(table(story, fit)));
    std::iter::once(Block::Text(text.into())).chain(tables).collect()
}

fn table(story: &Story<'_>, fit: &StrategyFit) -> Table {
    let mut points: Vec<&PointFit> = fit.points.iter().collect();
    points.sort_by_key(|found| {
        let point = &found.point;
        let pages = (point.initial_pages(), point.touched_pages());
        (pages, point.contract.clone(), point.stack_bytes(), point.data_bytes())
    });
    let own = fit.strategy == story.chain.strategy;
    let usual = points.iter().all(|found| found.point.is_undisturbed());
    let mut headings: Vec<String> = ["point", "pages", "touched", "stack", "data"].map(str::to_owned).into();
    headings.extend((!usual).then(|| "conditions".into()));
    headings.extend(["cost", "95 % interval"].map(str::to_owned));
    if own {
        headings.extend(["pays", "overcharge", "fit off by"].map(str::to_owned));
    }
    headings.extend(story.fit.experiment.phases.iter().map(|phase| phase.name.replace('_', " ")));
    headings.extend(["cycles", "far out"].map(str::to_owned));
    let table = Table::of_figures(headings, points.into_iter().map(|found| row(story, found, own, usual)));
    let whose = if own { ", the chain's strategy" } else { "" };
    table.titled(format!("Points under {}{whose}", fit.strategy))
}

fn row(story: &Story<'_>, found: &PointFit, own: bool, usual: bool) -> Vec<String> {
    let point = &found.point;
    let mut row = vec![
        format!("{}/{}", point.contract, point.variant),
        point.initial_pages().0.to_string(),
        point.touched_pages().0.to_string(),
        point.stack_bytes().to_string(),
        size(point.data_bytes()),
    ];
    if !usual {
        let phrases: Vec<String> = point.levels.phrases(true).collect();
        row.push(if phrases.is_empty() { "usual".into() } else { phrases.join(", ") });
    }
    row.extend([nanos(found.cost.value), interval(&found.cost)]);
    if own {
        let cells = story.model().map(|model| {
            let charge = model.covering.charge(point);
            let off = model.relative.predict(point) / found.cost.value - 1.0;
            // A fit of calls that do not grow says nothing about those that do.
            let off = if point.grown_pages() == Pages(0) { percent(off) } else { "–".into() };
            [nanos(charge), percent(charge / found.cost.value - 1.0), off]
        });
        row.extend(cells.unwrap_or_else(|| std::array::from_fn(|_| "–".into())));
    }
    row.extend(found.phases.iter().map(|phase| phase.median.to_string()));
    row.extend([found.cycles.to_string(), found.outliers.to_string()]);
    row
}
