use crate::experiment::memory::DATA_BYTES;
use crate::experiment::{Column, Point, Term};
use crate::model::Alternative;
use crate::report::Story;
use crate::report::document::Table;
use crate::report::passage::Passage;
use crate::report::words::{nanos, percent};
use crate::units::{Bytes, Pages};

/// Sizes that are common among real contracts, with their data.
const COMMON: [(Pages, Bytes); 4] =
    [(Pages(1), Bytes(0)), (Pages(17), Bytes(0)), (Pages(17), Bytes(64 << 10)), (Pages(128), Bytes(0))];

/// A term in the few letters that a terminal of 80 columns has for it.
fn short(term: &Term) -> String {
    match term.column {
        Column::Beyond(_, number) => format!(">{number}"),
        Column::Any(_) => "any".into(),
        _ => term.name.into(),
    }
}

/// What other terms would charge common sizes.
pub(super) fn alternatives(story: &Story<'_>) -> Option<Passage> {
    let model = story.model().filter(|_| story.fit.experiment.proposes && story.fit.reference.is_some())?;
    let largest = story.largest()?;
    let common = COMMON.into_iter().filter(|(pages, _)| *pages < largest);
    let sizes: Vec<(Pages, Bytes)> = common.chain([(largest, Bytes(0))]).collect();
    let heading = |(pages, data): &(Pages, Bytes)| match data {
        Bytes(0) => pages.to_string(),
        data => format!("+ {data}"),
    };
    let headings = ["terms".to_owned()].into_iter().chain(sizes.iter().map(heading)).chain(["worst".into()]);
    let chain: Vec<&str> = story.chain.terms.iter().map(|term| term.name).collect();
    let row = |of: &Alternative| {
        let names: Vec<&str> = of.terms.iter().map(|term| term.name).collect();
        let own = if names == chain { " *" } else { "" };
        let short: Vec<String> = of.terms.iter().map(|term| short(term)).collect();
        let charge = |(pages, data): &(Pages, Bytes)| {
            nanos(of.charge(&Point::of_memory("", "", "", *pages).with(&DATA_BYTES, data.0)))
        };
        let charges = sizes.iter().map(charge);
        [format!("{}{own}", short.join(" "))].into_iter().chain(charges).chain([percent(of.worst)]).collect::<Vec<_>>()
    };
    let table = Table::of_figures(headings, model.alternatives.iter().map(row));
    let sentences = vec![
        "* the chain's. `terms` in chain.toml says what is charged for, `>16` standing for `page_beyond_16` and `any` for `data_base`; the worst is what a class of points pays above its cost, the \
         margin included."
            .into(),
    ];
    Some(Passage::new("alternatives", "What other terms would charge", table, sentences))
}
