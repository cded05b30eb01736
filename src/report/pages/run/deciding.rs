use std::collections::BTreeMap;

use crate::experiment::{BASE, Term};
use crate::model::{ClassFit, Coefficient};
use crate::report::Story;

/// How close to its bound a class is that the charge rests on: the programme's own precision.
const TIGHT: f64 = 1e-6;

/// What a parameter's price rests on.
enum Rests<'a> {
    /// On a class of points that pays just its cost with the margin: of those that do, the one of whose charge it is the largest part.
    Class(&'a ClassFit),
    /// On the line of least error, below which no factor goes.
    Line,
}

/// For each parameter what its price rests on.
fn deciding<'a>(story: &Story<'a>) -> Vec<(&'static str, Rests<'a>)> {
    let Some(fit) = story.fit.strategy(&story.chain.strategy) else { return Vec::new() };
    let Some(model) = fit.model.as_ref() else { return Vec::new() };
    let covering = &model.covering;
    let margin = 1.0 + story.fit.settings.margin;
    let rests = |class: &&ClassFit| covering.charge(&class.point) / (class.cost.value * margin) - 1.0 < TIGHT;
    let tight: Vec<&ClassFit> = fit.classes.iter().filter(rests).collect();
    let experiment = story.fit.experiment;
    let of_line = |term: Option<&Term>, price: f64| {
        let is_it = |found: &&Coefficient| term.map_or(*found.factor == BASE, |term| term.counts(found.factor));
        let found = model.relative.coefficients.iter().find(is_it).filter(|_| !story.is_of_memory());
        found.is_some_and(|found| price > 0.0 && (found.nanos.value * margin / price - 1.0).abs() < TIGHT)
    };
    let terms = covering.terms.iter().map(|of| (of.term.parameter.name, Some(of.term), of.price.value));
    std::iter::once((experiment.base.name, None, covering.base.value))
        .chain(terms)
        .filter_map(|(name, term, price)| {
            if of_line(term, price) {
                return Some((name, Rests::Line));
            }
            let share = |class: &ClassFit| {
                price * term.map_or(1.0, |term| term.level(&class.point)) / covering.charge(&class.point)
            };
            let decides = tight.iter().copied().max_by(|one, other| share(one).total_cmp(&share(other)))?;
            (share(decides) > 0.0).then_some((name, Rests::Class(decides)))
        })
        .collect()
}

/// The same in sentences, one for each class.
pub(super) fn sentences(story: &Story<'_>) -> Vec<String> {
    let mut by_class: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut by_line = Vec::new();
    for (name, rests) in deciding(story) {
        match rests {
            Rests::Class(class) => by_class.entry(class.label()).or_default().push(name),
            Rests::Line => by_line.push(name),
        }
    }
    let are = |names: &[&str]| if names.len() == 1 { "is" } else { "are" };
    let by_line = (!by_line.is_empty()).then(|| {
        let names = by_line.join(", ");
        let it = if by_line.len() == 1 { "it" } else { "them" };
        format!("{names} {} what the line makes of {it} with the margin: no factor goes for less.", are(&by_line))
    });
    let decided =
        |(class, names): (String, Vec<&str>)| format!("{} {} decided by {class}.", names.join(", "), are(&names));
    by_class.into_iter().map(decided).chain(by_line).collect()
}
