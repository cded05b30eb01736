use std::collections::BTreeMap;

use super::costs;
use super::part::{Content, Part, figure};
use crate::measure::Setting;
use crate::model::PointFit;
use crate::report::Story;
use crate::report::document::Block;
use crate::report::marks::{self, by_cost, by_pages};
use crate::report::pages::strategies::passages;
use crate::report::passage::Passage;
use crate::report::plot::{Axis, Chart, Series, Shape};
use crate::report::settings::{cost_by_strategy, words};
use crate::units::Pages;

pub(super) const PART: Part = Part { id: "strategies", heading: "Reset strategies", content: Content::Blocks(blocks) };

fn blocks(story: &Story<'_>) -> Vec<Block> {
    let settings = story.fit.settings();
    let charts = settings.iter().filter_map(|setting| Some((setting, chart(story, setting)?)));
    let figures = charts.enumerate().map(|(at, (setting, chart))| {
        let name = if at == 0 { chart.name } else { format!("{}-{}", chart.name, at + 1) };
        figure(Chart { name, ..chart }, &format!("{}. Both axes are logarithmic.", cost_by_strategy(setting)))
    });
    let mut blocks: Vec<Block> = figures.collect();
    blocks.extend(Block::some(Block::List, settings.iter().filter_map(|setting| cheapest(story, setting))));
    if story.run.plan.experiment.proposes {
        let costs = costs::by_strategy(story);
        blocks.extend([costs.text(), costs.titled()]);
    }
    blocks.extend(story.strategies.iter().flat_map(passages).flat_map(Passage::blocks));
    blocks
}

/// Which strategy is the cheapest at which sizes.
fn cheapest(story: &Story<'_>, setting: &Setting) -> Option<String> {
    let ranges: Vec<String> = (story.fit.cheapest(setting).into_iter())
        .map(|range| {
            let (name, from, to) = (range.strategy, range.from, range.to);
            if from == to { format!("{name} at {from}") } else { format!("{name} from {} to {to}", from.0) }
        })
        .collect();
    let ranges = ranges.join(", then ");
    let told = "what is told apart stands in the tables";
    (!ranges.is_empty()).then(|| format!("Lowest {}, {}: {ranges}; {told}.", story.chain.statistic, words(setting)))
}

/// Cost against pages for each strategy in a setting, if there is something to compare.
fn chart(story: &Story<'_>, setting: &Setting) -> Option<Chart> {
    let fits = &story.fit.strategies;
    let in_setting = |fit| story.fit.dearest_in_common(fit, |point| Setting::of(point) == *setting);
    let ladders: Vec<BTreeMap<Pages, &PointFit>> = fits.iter().map(in_setting).collect();
    if fits.len() < 2 || ladders.iter().any(|ladder| ladder.len() < 2) {
        return None;
    }
    let points = || ladders.iter().flat_map(BTreeMap::values).copied();
    let (x, y) = (by_pages(points()), by_cost(points(), []));
    let mut series = Vec::new();
    for (at, (fit, ladder)) in fits.iter().zip(&ladders).enumerate() {
        let place = |found: &&PointFit| (Axis::place_of(found.point.initial_pages().0), found.cost.value);
        let own = if fit.strategy == story.chain.strategy { ", the chain's" } else { "" };
        series.push(Series::new(at, "", Shape::Line(ladder.values().map(place).collect())));
        series.push(Series::new(at, format!("{}{own}", fit.strategy), marks::costs(ladder.values().copied())));
    }
    let alternative =
        format!("{}: {} strategies against initial pages, on logarithmic axes.", cost_by_strategy(setting), fits.len());
    let right = y.in_gas("gas, with safety", story.gas_per_nano());
    Some(Chart::new("strategies", alternative, x, y, series).with_right(right))
}
