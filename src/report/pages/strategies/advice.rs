use crate::measure::{Setting, Share};
use crate::model::{Rank, priced};
use crate::report::StrategiesStory;
use crate::report::document::Table;
use crate::report::passage::Passage;
use crate::report::words::{nanos, or_empty, times};
use crate::units::Bytes;

/// What to run on the chain's nodes: the cheapest, or of those that are level with it the one that holds the least memory.
pub(super) fn advice(story: &StrategiesStory<'_>) -> Passage {
    let level: Vec<&Rank> = story.ranking.iter().filter(|rank| rank.is_level()).collect();
    let least = |rank: &&&Rank| idle(story, &rank.strategy).map_or(u64::MAX, |idle| idle.0);
    let mut sentences = level.iter().min_by_key(least).map_or_else(Vec::new, |chosen| reasons(story, chosen, &level));
    sentences.push("Cost: geometric mean over the levels of pages, every page touched. * the chain's.".into());
    let row = |rank: &Rank| [marked(story, &rank.strategy), times(rank.ratio), or_empty(idle(story, &rank.strategy))];
    let headings = ["strategy", "cost over the cheapest", "idle slots hold"];
    let table = Table::of_figures(headings, story.ranking.iter().map(row));
    Passage::new("recommendation", "Recommendation", table, sentences)
}

/// Bytes that idle slots hold under a strategy.
fn idle(story: &StrategiesStory<'_>, strategy: &str) -> Option<Bytes> {
    story.fees.iter().find(|fee| fee.strategy == strategy).map(|fee| fee.idle)
}

fn reasons(story: &StrategiesStory<'_>, chosen: &Rank, level: &[&Rank]) -> Vec<String> {
    let (name, own) = (&chosen.strategy, &story.chain.strategy);
    let mut said = Vec::new();
    said.push(if name == own {
        format!("Keep {name}, which the node runs: none is cheaper, every page touched.")
    } else {
        let rank = story.ranking.iter().find(|rank| rank.strategy == *own);
        let gain = rank.map_or_else(String::new, |rank| {
            let gain = times(rank.ratio.scaled(1.0 / chosen.ratio.value));
            format!(" {own} costs {gain} times as much, every page touched.")
        });
        format!("Run {name}: strategy = \"{name}\" in the chain file.{gain}")
    });
    let price = "Its price: idle slots of one engine hold up to";
    said.extend(idle(story, name).map(|idle| format!("{price} {idle}, between calls.")));
    let nothing = Setting { share: Share::None, ..priced() };
    let untouched = |strategy: &str| {
        let most = *story.fit.levels(&nothing).last()?;
        Some((most, story.fit.at(strategy, &nothing, most)?.cost.value))
    };
    if let (Some((pages, here)), Some((_, there))) = (untouched(name), untouched(own))
        && name != own
    {
        let (here, there) = (nanos(here), nanos(there));
        said.push(format!(
            "A call that declares {pages} and touches none costs {here} under it, and {there} under {own}."
        ));
    }
    let others: Vec<&str> = level.iter().map(|rank| rank.strategy.as_str()).filter(|other| other != name).collect();
    if !others.is_empty() {
        said.push(format!("Not told apart from it in cost, but holding no less: {}.", others.join(", ")));
    }
    said
}

/// The strategy, with a mark if it is the chain's.
pub(super) fn marked(story: &StrategiesStory<'_>, strategy: &str) -> String {
    format!("{strategy}{}", if strategy == story.chain.strategy { " *" } else { "" })
}
