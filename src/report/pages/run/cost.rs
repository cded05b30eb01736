use super::alternatives::alternatives;
use super::costs::{charges, lines};
use super::part::{Content, Part, figure};
use crate::model::Line;
use crate::report::Story;
use crate::report::document::Block;
use crate::report::marks::{by_cost, by_declared, by_pages, costs, covering, still};
use crate::report::passage::Passage;
use crate::report::plot::{Chart, Series};
use crate::report::words::nanos;

pub(super) const PART: Part = Part { id: "cost", heading: "Cost against pages", content: Content::Blocks(blocks) };

const CAPTION: &str = "Both axes are logarithmic. Each mark is the statistic of a point with its 95 % interval; points that grow at \
                       run time are in the table of points. The line of plain least squares is not drawn where it lies below the \
                       picture or below zero.";

fn blocks(story: &Story<'_>) -> Vec<Block> {
    let chart = chart(story).map(|chart| figure(chart, CAPTION));
    let (text, lines) = lines(story).map(|lines| (lines.text(), lines.titled())).unzip();
    let (others, said) = alternatives(story).map(|others| (others.text(), others.titled())).unzip();
    [chart, charges(story).map(Passage::titled), said, others, lines, text].into_iter().flatten().collect()
}

/// Cost against pages, with the lines through it, each for a call without data.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let own = story.own()?;
    let x = by_pages(still(own));
    let model = story.model();
    let charges = model.iter().flat_map(|model| still(own).map(|found| model.covering.charge(&found.point)));
    let y = by_cost(still(own), charges);
    let mut series = Vec::new();
    if let Some(model) = model {
        let line = |line: &Line| {
            let shown = |cost| if cost < y.low { f64::NAN } else { cost };
            (line.base().map_or(0.0, |base| base.value), by_declared(&x, |point| shown(line.predict(point))))
        };
        let (base, plain) = line(&model.plain);
        series.push(Series::new(0, "covering line: the fee", covering(model, &x)));
        series.push(Series::new(1, "fit by relative error", line(&model.relative).1));
        series.push(Series::new(2, format!("plain least squares, base {}", nanos(base)), plain));
    }
    let (with_data, plain): (Vec<_>, Vec<_>) =
        still(own).partition(|found| found.point.data_bytes().pages_up().is_some_and(|pages| pages.0 > 0));
    let is_with_data = !with_data.is_empty();
    series.push(Series::new(3, "a design point, with its interval", costs(plain)));
    series.extend(is_with_data.then(|| Series::new(4, "the same with data segments", costs(with_data))));
    let alternative = format!(
        "Cost against initial pages on logarithmic axes: {} design points under {}, each at or below the covering line. The table of \
         points has the numbers.",
        still(own).count(),
        own.strategy
    );
    let right = y.in_gas("gas, with safety", story.gas_per_nano());
    Some(Chart::new("cost-by-pages", alternative, x, y, series).with_right(right))
}
