//! Tables of costs: of the dearest calls, under each strategy, and the lines through all.

use crate::experiment::BASE;
use crate::experiment::Point;
use crate::experiment::memory::PAGE;
use crate::model::{ClassFit, Estimate, Line, Rejection, StrategyFit};
use crate::params::flat_charge;
use crate::report::Story;
use crate::report::document::Table;
use crate::report::passage::Passage;
use crate::report::story::is_whole;
use crate::report::words::{interval, nanos, percent, plus_minus};
use crate::units::Pages;

/// What calls cost in the dearest surroundings and would pay: by the line, or where there are too few sizes for one, each by itself.
pub(super) fn charges(story: &Story<'_>) -> Option<Passage> {
    let fit = story.own()?;
    let line = story.table.zip(story.model());
    let flat = story.fit.rejected.iter().any(|why| matches!(why, Rejection::TooFewPageLevels { .. }));
    if line.is_none() && !flat {
        return None;
    }
    let row = |pages: Pages| {
        let of_size = |found: &&ClassFit| {
            found.point.initial_pages() == pages && found.point.touched_pages() == found.point.initial_pages()
        };
        let whole = || fit.classes.iter().filter(of_size);
        let point = whole().max_by(|a, b| a.cost.value.total_cmp(&b.cost.value))?;
        let (charge, gas) = if let Some((table, model)) = line {
            (model.covering.charge(&point.point), table.charge_of(&point.point))
        } else {
            let upper = whole().map(|found| found.cost.high).fold(point.cost.high, f64::max);
            (upper, flat_charge(upper, story.chain))
        };
        let gas = gas.map_or_else(|| "beyond range".into(), |gas| story.gas(gas));
        Some([pages.to_string(), nanos(point.cost.value), interval(&point.cost), nanos(charge), gas])
    };
    let headings = ["call of", "costs", "95 % interval", "pays", "gas, with safety"];
    let table = Table::of_figures(headings, story.sizes().into_iter().filter_map(row));
    let flat = "There is no line: each size by itself would pay the upper end of the widest interval.";
    let sentences = line.is_none().then(|| flat.to_owned()).into_iter().collect();
    Some(Passage::new(
        "charges",
        "What the dearest call of a size costs where it costs most, and would pay",
        table,
        sentences,
    ))
}

/// The same sizes under each strategy. Only points that every strategy has, so that all are shown for the same work.
pub(super) fn by_strategy(story: &Story<'_>) -> Passage {
    let sizes = story.sizes();
    let heading = |&pages: &Pages| {
        if Story::is_common(pages) { pages.to_string() } else { format!("each of {}", pages.0) }
    };
    let row = |fit: &StrategyFit| {
        let own = if fit.strategy == story.chain.strategy { " *" } else { "" };
        let cell = |&pages: &Pages| {
            let share = if Story::is_common(pages) { 1.0 } else { 1.0 / f64::from(pages.0) };
            plus_minus(in_common(story, fit, pages).map(|cost| cost.scaled(share)))
        };
        std::iter::once(format!("{}{own}", fit.strategy)).chain(sizes.iter().map(cell)).collect::<Vec<_>>()
    };
    let headings = std::iter::once("strategy".to_owned()).chain(sizes.iter().map(heading));
    let table = Table::of_figures(headings, story.fit.strategies.iter().map(row));
    let sentences = vec!["* the chain's. The same contract and stack under each.".into()];
    Passage::new("strategies", "Cost by reset strategy, every page touched", table, sentences)
}

/// What the largest size costs under each strategy, in the order of [`by_strategy`].
pub(super) fn at_most(story: &Story<'_>) -> Vec<Option<f64>> {
    let largest = story.largest();
    let cost = |fit| in_common(story, fit, largest?).map(|cost| cost.value);
    story.fit.strategies.iter().map(cost).collect()
}

fn in_common(story: &Story<'_>, fit: &StrategyFit, pages: Pages) -> Option<Estimate> {
    let of_size = |point: &Point| point.initial_pages() == pages && is_whole(point);
    story.fit.dearest_in_common(fit, of_size).get(&pages).map(|found| found.cost)
}

/// The covering line and the two fits.
pub(super) fn lines(story: &Story<'_>) -> Option<Passage> {
    let model = story.model()?;
    let covering = &model.covering;
    let row = |name: &str, line: &Line| {
        let [base, page] = [&BASE, &PAGE].map(|regressor| plus_minus(line.coefficient(regressor)));
        [name.into(), base, page, percent(line.worst.relative)]
    };
    let [base, page] = [Some(covering.base), covering.leading()].map(plus_minus);
    let rows = [
        ["covering (the fee)".into(), base, page, "never below".into()],
        row("relative weights", &model.relative),
        row("plain least squares", &model.plain),
    ];
    let table = Table::of_figures(["line", "base", "a page", "worst error"], rows);
    let worst = |line: &Line| variant(&line.worst.point).to_owned();
    let sentences = vec![
        format!("Plain least squares errs most at {}.", worst(&model.plain)),
        format!("Relative weights err most at {}.", worst(&model.relative)),
    ];
    Some(Passage::new("lines", "Lines through the costs", table, sentences))
}

/// The contract and variant of a point's label.
fn variant(label: &str) -> &str {
    label.split_once(" touching ").map_or(label, |(variant, _)| variant)
}
