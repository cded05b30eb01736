//! From the usual mix to the worst: what a charge by factors is that covers what takes longest, beside one that does not.

use crate::model::{ClassFit, Model, StrategyFit};
use crate::report::Story;
use crate::report::document::Table;
use crate::report::passage::Passage;
use crate::report::words::{interval, nanos, times_more};

/// The modules that are made of what takes longest, with both charges; `None` where there are none.
pub(super) fn range(story: &Story<'_>, own: &StrategyFit, model: &Model) -> Option<Passage> {
    let usual = model.alternatives.iter().find(|of| of.of_line)?;
    let beyond = story.fit.experiment.beyond_line?;
    let row = |class: &ClassFit| {
        let [usual, worst] = [usual.charge(&class.point), model.covering.charge(&class.point)];
        let over = |charge: f64| times_more(charge / class.cost.value);
        let (name, cost) = (class.point.variant.clone(), class.cost);
        [name, nanos(cost.value), interval(&cost), nanos(usual), over(usual), nanos(worst), over(worst)]
    };
    let headings = ["module", "costs", "95 % interval", "usual mix", "/costs", "worst mix", "/costs"];
    let rows = own.classes.iter().filter(|class| beyond.at(&class.point) > 0).map(row);
    let price = |name: &str| model.covering.price(name).map(|price| price.value);
    let prices = usual.terms.iter().zip(usual.prices.iter().skip(1)).filter_map(|(term, usual)| {
        let worst = price(term.name)?;
        let moved = worst > usual * MOVED || worst * MOVED < *usual;
        moved.then(|| format!("{} {} … {}", term.parameter.name, nanos(*usual), nanos(worst)))
    });
    let prices: Vec<String> = prices.collect();
    let mut sentences = vec![
        "The proposed charge is that of the worst mix of instructions: it covers these modules too. That of the usual mix covers all others, \
         with the same margin."
            .into(),
    ];
    if !prices.is_empty() {
        sentences.push(format!("From the usual mix to the worst: {}.", prices.join(", ")));
    }
    Some(Passage::new("range", "From the usual mix to the worst", Table::of_figures(headings, rows), sentences))
}

/// How many times another price is, at least, that is told.
const MOVED: f64 = 1.1;
