use std::collections::BTreeMap;

use crate::experiment::Experiment;
use crate::model::ClassFit;
use crate::report::Story;

/// How close to its bound a class is that the charge rests on: the programme's own precision.
const TIGHT: f64 = 1e-6;

/// For each parameter the class of points that decided it: of those that the charge rests on, the one of whose charge it is the largest part.
pub(super) fn deciding<'a>(story: &Story<'a>) -> Vec<(&'static str, &'a ClassFit)> {
    let Some(fit) = story.fit.strategy(&story.chain.strategy) else { return Vec::new() };
    let Some(covering) = fit.model.as_ref().map(|model| &model.covering) else { return Vec::new() };
    let margin = 1.0 + story.fit.settings.margin;
    let rests = |class: &&ClassFit| covering.charge(&class.point) / (class.cost.value * margin) - 1.0 < TIGHT;
    let tight: Vec<&ClassFit> = fit.classes.iter().filter(rests).collect();
    let terms = covering.terms.iter().map(|of| (of.term.parameter.name, Some(of.term), of.price.value));
    let Experiment { base, .. } = story.fit.experiment;
    std::iter::once((base.name, None, covering.base.value))
        .chain(terms)
        .filter_map(|(name, term, price)| {
            let share = |class: &ClassFit| {
                price * term.map_or(1.0, |term| term.level(&class.point)) / covering.charge(&class.point)
            };
            let decides = tight.iter().copied().max_by(|one, other| share(one).total_cmp(&share(other)))?;
            (share(decides) > 0.0).then_some((name, decides))
        })
        .collect()
}

/// The same in sentences, one for each class.
pub(super) fn sentences(story: &Story<'_>) -> Vec<String> {
    let mut by_class: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, class) in deciding(story) {
        by_class.entry(class.label()).or_default().push(name);
    }
    by_class.into_iter().map(|(class, names)| format!("{} is decided by {class}.", names.join(", "))).collect()
}
