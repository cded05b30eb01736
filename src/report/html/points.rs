use crate::model::PointFit;
use crate::report::grid::Grid;
use crate::report::page::{Block, PageSection};
use crate::report::story::{Story, interval, nanos, percent};
use crate::units::Pages;

/// Every design point, a table for each strategy.
pub(super) fn points(story: &Story<'_>) -> PageSection {
    let mut blocks = vec![Block::Text(
        "Cost is instantiate + (first touch − warm touch) + reset; phases are medians, each by itself. What a point \
         pays is the time \
         that the covering line charges, before the safety factor."
            .into(),
    )];
    for fit in &story.fit.strategies {
        let mut found: Vec<&PointFit> = fit.points.iter().collect();
        let order = |found: &PointFit| {
            let point = &found.point;
            (
                point.initial_pages(),
                point.touched_pages(),
                point.contract.clone(),
                point.stack_bytes(),
                point.data_bytes(),
            )
        };
        found.sort_by_key(|found| order(found));
        let own = fit.strategy == story.chain.strategy;
        let usual = found.iter().all(|found| found.point.is_undisturbed());
        let mut headers = vec!["point", "pages", "touched", "stack", "data"];
        if !usual {
            headers.push("conditions");
        }
        headers.extend(["cost", "95 % interval"]);
        if own {
            headers.extend(["pays", "overcharge", "fit off by"]);
        }
        let mut headers: Vec<String> = headers.into_iter().map(str::to_owned).collect();
        headers.extend(story.fit.experiment.phases.iter().map(|phase| phase.name.replace('_', " ")));
        headers.extend(["cycles", "far out"].map(str::to_owned));
        let mut grid = Grid { headers, rows: Vec::new() };
        grid.rows = found.into_iter().map(|found| row(story, found, own, usual)).collect();
        let whose = if own { ", the chain's strategy" } else { "" };
        blocks.push(Block::Table { title: format!("Points under {}{whose}", fit.strategy), grid });
    }
    PageSection { id: "points", heading: "Points".into(), blocks }
}

fn row(story: &Story<'_>, found: &PointFit, own: bool, usual: bool) -> Vec<String> {
    let point = &found.point;
    let mut row = vec![
        format!("{}/{}", point.contract, point.variant),
        point.initial_pages().0.to_string(),
        point.touched_pages().0.to_string(),
        point.stack_bytes().to_string(),
        point.data_bytes().to_string(),
    ];
    if !usual {
        row.push(format!(
            "after {}, by {}, {} threads, {} caches, neighbour {}",
            point.previous(),
            point.write_width(),
            point.threads(),
            point.caches(),
            point.neighbour()
        ));
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
