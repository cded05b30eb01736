//! The page of a run.

mod fee;
mod machine;
mod pair;
mod points;

pub use pair::{Pair, pair_html, pair_json, pair_markdown};

use super::ReportError;
use super::charts::charts;
use super::page::{Block, Figure, Page, PageSection};
use super::plot::Chart;
use super::story::{Section, Story};
use super::strategies::StrategiesStory;

/// The page of a run: one file that needs neither network nor script.
///
/// # Errors
/// A picture or the page cannot be made; no input is known with which that happens.
pub fn report_html(story: &Story<'_>) -> Result<String, ReportError> {
    let charts = charts(story);
    let picture = |name: &str, caption: &str| picture(&charts, name, caption);
    let mut sections = vec![fee::fee(story), fee::verdict(story)];
    let mut section = |id, heading: &str, blocks: Vec<Option<Block>>| {
        let blocks: Vec<Block> = blocks.into_iter().flatten().collect();
        if !blocks.is_empty() {
            sections.push(PageSection { id, heading: heading.into(), blocks });
        }
    };
    section(
        "cost",
        "Cost against pages",
        vec![
            picture(
                "cost-by-pages",
                "Both axes are logarithmic. Each mark is the statistic of a point with its 95 % interval; points \
                 that grow at run time are in the table of points. The line of plain least squares is not drawn \
                 where it lies below the picture or below zero.",
            )?,
            table(story.charges()),
            table(story.lines()),
            text(story.lines().map(|lines| lines.sentences.join(" "))),
        ],
    );
    section(
        "phases",
        "Phases of a call",
        vec![picture(
            "phases",
            "For each size the point with the least data and the least stack. Heights are medians of each phase by \
             itself, so that they need not add up to the cost. The warm touch repeats the writes on resident pages, \
             which instructions already pay for: it is no part of the cost.",
        )?],
    );
    section("strategies", "Reset strategies", strategies(story, &charts)?);
    section(
        "residuals",
        "What the lines miss",
        vec![
            picture(
                "residuals",
                "0 % is the measured cost. A charge below it would be too low; how far it is above is what \
                 straightness costs.",
            )?,
            findings(story, &["a page costs", "line of two pieces", "one line overcharges"]),
        ],
    );
    section(
        "run",
        "Time over the run",
        vec![
            picture(
                "over-the-run",
                "Every cycle under the chain's strategy, in the order measured, over the median of its own point, \
                 so that all points share an axis. Far out is more than three interquartile ranges beyond the \
                 quartiles of the point; such cycles are kept.",
            )?,
            findings(story, &["drift over the run", "points that move", "far-out cycles, kept", "between processes"]),
        ],
    );
    section(
        "stack",
        "Stack size, given pages",
        vec![
            picture(
                "stack",
                "Points side by side differ in their stack alone. If stack cost anything beyond its pages, larger \
                 stacks would lie higher.",
            )?,
            findings(story, &["stack, given pages"]),
        ],
    );
    section(
        "held-out",
        "Held-out points",
        vec![
            picture(
                "held-out",
                "Whole sizes are left out of a fit, which then predicts them. Above 0 % the point costs more than \
                 predicted.",
            )?,
            findings(story, &["held-out points", "held-out undercharged"]),
        ],
    );
    sections.push(points::points(story));
    sections.push(machine::machine(story));
    sections.push(machine::repeat(story));
    let what = story.run.plan.experiment.title;
    let page = Page {
        title: format!("{what}: run {}", story.run.run),
        about: vec![story.measured(), format!("{}; {}", story.run.machine.summary(), story.run.created)],
        sections,
        footer: format!("estimator {}, Wasmtime {}", story.run.estimator, story.run.wasmtime),
    };
    page.html()
}

/// A picture by its name, if the run has it.
fn picture(charts: &[Chart], name: &str, caption: &str) -> Result<Option<Block>, ReportError> {
    let chart = charts.iter().find(|chart| chart.name == name);
    Ok(chart.map(|chart| Figure::new(chart, caption)).transpose()?.map(Block::Figure))
}

fn strategies(story: &Story<'_>, charts: &[Chart]) -> Result<Vec<Option<Block>>, ReportError> {
    let mut blocks = Vec::new();
    for chart in charts.iter().filter(|chart| chart.name.starts_with("strategies")) {
        let caption = chart.alternative.split(": ").next().unwrap_or_default().to_owned();
        blocks.push(Some(Block::Figure(Figure::new(chart, format!("{caption}. Both axes are logarithmic."))?)));
    }
    blocks.extend(crossovers(story));
    if story.run.plan.experiment.proposes {
        let section = story.strategies();
        blocks.push(text(Some(section.sentences.join(" "))));
        blocks.push(table(Some(section)));
    }
    for part in story.strategies.iter().flat_map(StrategiesStory::parts) {
        blocks.push(Some(Block::Table { title: part.heading, grid: part.grid }));
        blocks.push((!part.sentences.is_empty()).then_some(Block::List(part.sentences)));
    }
    Ok(blocks)
}

/// Where one strategy becomes cheaper than another.
fn crossovers(story: &Story<'_>) -> Vec<Option<Block>> {
    let cheapest = super::ladder::cheapest(story.fit);
    vec![(!cheapest.is_empty()).then_some(Block::List(cheapest))]
}

fn table(section: Option<Section>) -> Option<Block> {
    section.map(|section| Block::Table { title: section.heading.into(), grid: section.grid })
}

fn text(text: Option<String>) -> Option<Block> {
    text.map(Block::Text)
}

/// What the checks found under these names.
fn findings(story: &Story<'_>, names: &[&str]) -> Option<Block> {
    let mut grid = super::grid::Grid::default();
    for name in names {
        grid.rows.extend(story.finding(name).map(|finding| vec![(*name).to_owned(), finding]));
    }
    (!grid.rows.is_empty()).then(|| Block::Table { title: "Found, with 95 % intervals".into(), grid })
}
