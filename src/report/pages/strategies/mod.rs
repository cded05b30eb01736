//! A comparison of reset strategies.

mod advice;
mod break_even;
mod choice;
mod ratios;

use std::fmt::Write as _;

use advice::marked;
#[cfg(test)]
pub(in crate::report) use break_even::Side;
pub use break_even::rows;
pub(in crate::report) use break_even::{Kept, compared, percent, sides, sizes};

use crate::experiment::Levels;
use crate::measure::{Setting, Share};
use crate::model::{Estimate, Inherited, Outcome};
use crate::params::{INIT_BASE, INIT_PER_PAGE, StrategyFee};
use crate::report::StrategiesStory;
use crate::report::document::{Align, Block, Document, Section, Table};
use crate::report::passage::Passage;
use crate::report::settings::{cost_by_strategy, share};
use crate::report::words::{change, counted, gas, gas_of, nanos, or_dash, ratio, times};
use crate::units::Pages;

/// What a strategies run found: what to run first, and in Markdown all else folded away.
#[must_use]
pub fn page(story: &StrategiesStory<'_>) -> Document {
    let sections = passages(story).into_iter().enumerate();
    let sections = sections.map(|(at, passage)| Section { is_folded: at > 0, ..passage.section() });
    Document { sections: sections.collect(), ..head(story) }
}

/// The same in at most 45 lines of 80 columns.
#[must_use]
pub fn brief(story: &StrategiesStory<'_>) -> Document {
    let mut sections: Vec<Section> = advice::advice(story).into_iter().map(Passage::section).collect();
    let rest = "--verbose shows fees, break-even, crossovers and costs.".into();
    sections.push(Section::unheaded("rest", vec![Block::Notes(vec![rest])]));
    Document { sections, ..head(story) }
}

fn head(story: &StrategiesStory<'_>) -> Document {
    let rounds = story.run.rounds.map(|rounds| format!("{}, ", counted(rounds, "round", "rounds")));
    let measured = format!(
        "{}{} under Wasmtime {}",
        rounds.unwrap_or_default(),
        counted(story.run.plan.points.len(), "point", "points"),
        story.run.wasmtime
    );
    let about = advice::in_a_sentence(story).into_iter().chain([measured, story.run.machine.summary()]).collect();
    Document { title: format!("Run {}", story.run.run), about, ..Document::default() }
}

/// The same for a section of the run's page.
pub(in crate::report) fn passages(story: &StrategiesStory<'_>) -> Vec<Passage> {
    let mut passages = advice::advice(story);
    passages.push(fee(story));
    passages.extend(break_even::tables(story));
    passages.push(crossovers(story));
    passages.extend(ratios::ratios(story.fit));
    passages.extend(inherited(story));
    passages.extend(story.fit.settings().iter().map(|setting| costs(story, setting)));
    passages
}

/// The cost under every strategy at every level of pages in a setting, each with half of its 95 % interval.
fn costs(story: &StrategiesStory<'_>, setting: &Setting) -> Passage {
    let fit = story.fit;
    let names = || fit.strategies.iter().map(|of| of.strategy.as_str());
    let row = |pages: Pages| {
        let cell = |strategy: &str| {
            let cost = fit.at(strategy, setting, pages).map(|found| found.cost);
            or_dash(cost.map(|cost| format!("{} ± {}", nanos(cost.value), nanos((cost.high - cost.low) / 2.0))))
        };
        std::iter::once(pages.0.to_string()).chain(names().map(cell)).collect::<Vec<_>>()
    };
    let table = Table::of_figures(std::iter::once("pages").chain(names()), fit.levels(setting).into_iter().map(row));
    Passage::new("costs", cost_by_strategy(setting), table, Vec::new())
}

fn fee(story: &StrategiesStory<'_>) -> Passage {
    let sizes = story.chain.sizes(&[Pages(17)]);
    let most = story.chain.initial_pages_max;
    let headings = ["strategy", "gas a call", "gas a page"].map(str::to_owned).into_iter();
    let headings = headings.chain(sizes.iter().map(Pages::to_string)).chain([format!("saves at {}", most.0)]);
    let mut sentences = Vec::new();
    let mut rows = Vec::new();
    let charge = |fee: &StrategyFee, pages| fee.table.as_ref().ok()?.charge(pages, Pages(0));
    let own = story.fees.iter().find(|fee| fee.strategy == story.chain.strategy);
    for fee in story.fees {
        let params = match &fee.table {
            Ok(table) => &table.params,
            Err(reason) => {
                sentences.push(format!("{}: no fee follows, since {reason}.", fee.strategy));
                continue;
            }
        };
        let unit = story.chain.gas_unit.as_ref();
        let shown = |amount| gas(unit, amount);
        let charged = |&pages: &Pages| charge(fee, pages).map_or_else(|| "beyond range".into(), shown);
        let saved = own.and_then(|own| Some(1.0 - ratio(charge(fee, most)?.0.into(), charge(own, most)?.0.into())));
        let gas = [INIT_BASE, INIT_PER_PAGE].map(|name| gas_of(unit, params.get(name)));
        let row = [marked(story, &fee.strategy)].into_iter().chain(gas).chain(sizes.iter().map(charged));
        rows.push(row.chain([change(saved)]).collect::<Vec<_>>());
    }
    sentences.push(format!(
        "From touch-memory alone, a byte a host page, without data segments or growth, with safety {}; the fee to charge is that of the \
         memory experiment, where every byte is written. The tables lie beside the samples, in tables/.",
        story.chain.safety_factor
    ));
    let table = Table::of_figures(headings, rows);
    Passage::new("fee", "What the fee would be under each strategy", table, sentences)
}

/// The shares of the usual conditions side by side.
fn crossovers(story: &StrategiesStory<'_>) -> Passage {
    let pairs = story.pairs;
    let usual = pairs.iter().filter(|pair| pair.setting.conditions == Levels::default());
    let mut shares: Vec<Share> = usual.map(|pair| pair.setting.share).collect();
    shares.sort_unstable();
    shares.dedup();
    let mut names: Vec<(&str, &str)> = pairs.iter().map(|pair| (pair.one.as_str(), pair.other.as_str())).collect();
    names.sort_unstable();
    names.dedup();
    let headings = shares.iter().map(|&of| share(of, "all touched"));
    let row = |(one, other): (&str, &str)| {
        let cell = |&share: &Share| {
            let setting = Setting { share, ..Setting::default() };
            let pair = pairs.iter().find(|pair| pair.setting == setting && pair.one == one && pair.other == other);
            or_dash(pair.map(|pair| outcome(&pair.outcome)))
        };
        [one.to_owned(), other.to_owned()].into_iter().chain(shares.iter().map(cell)).collect::<Vec<_>>()
    };
    let headings = ["A", "B"].map(str::to_owned).into_iter().chain(headings);
    let mut table = Table::of_figures(headings, names.into_iter().map(row));
    table.columns[1].align = Align::Left;
    let sentence = "A or B: the cheaper at every level at which they can be told apart. `A 17 (12 … 24) B`: A is cheaper up to some 17 \
                    pages, B beyond, with the range in which the 95 % interval of their ratio holds 1.";
    Passage::new("crossovers", "Crossovers, in pages, by touched share", table, vec![sentence.into()])
}

fn outcome(outcome: &Outcome) -> String {
    let changes = match outcome {
        Outcome::One => return "A".into(),
        Outcome::Other => return "B".into(),
        Outcome::Unsure => return "unsure".into(),
        Outcome::Changes(changes) => changes,
    };
    let mut text = String::new();
    for change in changes {
        let (before, beyond) = if change.other_beyond { ("A", "B") } else { ("B", "A") };
        if text.is_empty() {
            text.push_str(before);
        }
        let Estimate { value, low, high } = change.at;
        // Writing to a `String` cannot fail.
        let _ = write!(text, " {} ({} … {}) {beyond}", pages(value), pages(low), pages(high));
    }
    text
}

/// A number of pages between two levels.
fn pages(pages: f64) -> String {
    if pages < 10.0 { format!("{pages:.1}") } else { format!("{pages:.0}") }
}

fn inherited(story: &StrategiesStory<'_>) -> Option<Passage> {
    let place = |inherited: &Inherited| (Setting::of(&inherited.point).share, inherited.point.initial_pages());
    let mut places: Vec<(Share, Pages)> = story.inherited.iter().map(place).collect();
    places.sort_unstable();
    places.dedup();
    let names = || story.fit.strategies.iter().map(|fit| fit.strategy.as_str());
    let row = |&here: &(Share, Pages)| {
        let (share, pages) = here;
        let touched = if share == Share::None { "none" } else { "all" };
        let cell = |name: &str| {
            let found =
                story.inherited.iter().find(|inherited| inherited.point.strategy == name && place(inherited) == here);
            or_dash(found.map(|inherited| times(inherited.ratio)))
        };
        [pages.0.to_string(), touched.into()].into_iter().chain(names().map(cell)).collect::<Vec<_>>()
    };
    let table = Table::of_figures(["pages", "touched"].into_iter().chain(names()), places.iter().map(row));
    let sentence = "How many times a call costs after a large tenant that dirtied all its memory what it costs after one that wrote nothing.";
    let heading = "What a call inherits from the tenant before";
    (!places.is_empty()).then(|| Passage::new("inherited", heading, table, vec![sentence.into()]))
}
