use serde_json::{Value, json};

use super::{Chart, picture};
use crate::model::{Comparison, Spread};
use crate::params::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, Param};
use crate::report::charts::overlaid;
use crate::report::comparison::{notes, overall, verdict};
use crate::report::grid::Grid;
use crate::report::page::{Block, Page, PageSection};
use crate::report::story::{Story, interval, nanos};
use crate::report::{ReportError, host};

/// Two runs side by side, A and B, with the comparison of their samples: for [`pair_html`] and its like.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// What is compared with.
    pub a: Story<'a>,
    /// What is held against it.
    pub b: Story<'a>,
    /// B against A.
    pub comparison: &'a Comparison,
}

/// The page of two runs side by side.
///
/// # Errors
/// A picture or the page cannot be made; no input is known with which that happens.
pub fn pair_html(pair: &Pair<'_>) -> Result<String, ReportError> {
    pair.page()?.html()
}

/// The same for a comment under a pull request, without the picture.
///
/// # Errors
/// As for [`pair_html`].
pub fn pair_markdown(pair: &Pair<'_>) -> Result<String, ReportError> {
    Ok(pair.page()?.markdown())
}

/// The same for machines: both runs and the comparison.
#[must_use]
pub fn pair_json(pair: &Pair<'_>) -> Value {
    let [a, b] = [&pair.a, &pair.b].map(crate::report::report_json);
    json!({ "format": 1, "a": a, "b": b, "comparison": pair.comparison })
}

impl Pair<'_> {
    fn page(&self) -> Result<Page, ReportError> {
        let (a, b) = (&self.a, &self.b);
        let charts: Vec<Chart> = overlaid(a, b).into_iter().collect();
        let caption =
            "Both axes are logarithmic. Marks are points with their 95 % intervals, lines what each run would charge.";
        let mut cost: Vec<Block> = picture(&charts, "cost-of-both", caption)?.into_iter().collect();
        cost.push(Block::Table { title: "B against A, point by point".into(), grid: self.points() });
        let section = |id, heading: &str, blocks| PageSection { id, heading: heading.into(), blocks };
        let comparison = std::iter::once(Block::Lead(format!("B against A: {}.", overall(self.comparison))))
            .chain(notes(self.comparison).into_iter().map(Block::Text));
        Ok(Page {
            title: format!("{} and {}", a.run.run, b.run.run),
            about: vec![
                format!("A is {}: {}", a.run.run, a.measured()),
                format!("B is {}: {}", b.run.run, b.measured()),
            ],
            sections: vec![
                section("comparison", "Comparison", comparison.collect()),
                section("fee", "Proposed fees", vec![Block::Table { title: "Parameters".into(), grid: self.fees() }]),
                section("cost", "Cost against pages", cost),
                section(
                    "checks",
                    "Checks",
                    vec![Block::Prose { title: "Found, with 95 % intervals".into(), grid: self.checks() }],
                ),
                section("machines", "Machines", vec![Block::Prose { title: "Machines".into(), grid: self.machines() }]),
                section(
                    "repeat",
                    "Repeat them",
                    vec![
                        Block::Text("A:".into()),
                        Block::Code(a.run.command.clone()),
                        Block::Text("B:".into()),
                        Block::Code(b.run.command.clone()),
                    ],
                ),
            ],
            footer: format!("estimator {}", b.run.estimator),
        })
    }

    fn fees(&self) -> Grid {
        let mut grid = Grid::new([
            "parameter",
            "gas by A",
            "gas by B",
            "B/A",
            "time by A",
            "95 % interval",
            "time by B",
            "95 % interval",
        ]);
        for name in [INIT_BASE, INIT_PER_PAGE, GROW_PER_PAGE] {
            let [a, b] = [&self.a, &self.b].map(|story| story.table.and_then(|table| table.params.get(name)));
            let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".into());
            let gas = |param: Option<&Param>| or_dash(param.map(|param| param.gas.to_string()));
            let time = |param: Option<&Param>| or_dash(param.map(|param| nanos(param.nanos.value)));
            let range = |param: Option<&Param>| or_dash(param.map(|param| interval(&param.nanos)));
            let ratio = a.zip(b).map(|(a, b)| format!("{:.3}", b.nanos.value / a.nanos.value));
            grid.push([name.into(), gas(a), gas(b), or_dash(ratio), time(a), range(a), time(b), range(b)]);
        }
        grid
    }

    fn points(&self) -> Grid {
        let mut grid =
            Grid::new(["point", "strategy", "mean ± σ in A", "mean ± σ in B", "B/A", "95 % interval", "verdict"]);
        for found in &self.comparison.points {
            let (point, ratio) = (&found.point, found.ratio.ratio);
            let mean = |spread: &Spread| format!("{} ± {}", spread.mean, spread.deviation);
            grid.push([
                format!("{}/{} touching {}", point.contract, point.variant, point.touched_pages()),
                point.strategy.clone(),
                mean(&found.a),
                mean(&found.b),
                format!("{:.3}", ratio.value),
                format!("{:.3} … {:.3}", ratio.low, ratio.high),
                verdict(found.ratio.verdict).into(),
            ]);
        }
        grid
    }

    fn checks(&self) -> Grid {
        let rows = |story: &Story<'_>| story.checks().map(|checks| checks.grid.rows).unwrap_or_default();
        beside(&rows(&self.a), &rows(&self.b))
    }

    fn machines(&self) -> Grid {
        beside(&host::facts(&self.a.run.machine).rows, &host::facts(&self.b.run.machine).rows)
    }
}

/// Names with the values of both sides; a side that lacks a name has a dash.
fn beside(a: &[Vec<String>], b: &[Vec<String>]) -> Grid {
    let mut grid = Grid::new(["what", "A", "B"]);
    let value = |rows: &[Vec<String>], name: &str| {
        rows.iter().find(|row| row[0] == name).map_or_else(|| "–".into(), |row| row[1..].join(" "))
    };
    let only_b = b.iter().filter(|row| !a.iter().any(|other| other[0] == row[0])).map(|row| row[0].clone());
    let names: Vec<String> = a.iter().map(|row| row[0].clone()).chain(only_b).collect();
    for name in names {
        grid.push([name.clone(), value(a, &name), value(b, &name)]);
    }
    grid
}
