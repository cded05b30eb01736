use super::choice::{Candidate, Choice, candidates, cheapest, idle};
use crate::measure::{Setting, Share};
use crate::model::{Estimate, Expected, Mix, Rank, priced};
use crate::report::StrategiesStory;
use crate::report::document::Table;
use crate::report::passage::Passage;
use crate::report::settings;
use crate::report::words::{nanos, or_dash, or_empty, plus_minus, share, times};

/// What to run on the chain's nodes, by what is to be kept low, and the figures that this follows from.
pub(super) fn advice(story: &StrategiesStory<'_>) -> Vec<Passage> {
    let choices = choices(story);
    let row = |(low, choice): &(&str, Choice<'_>)| {
        let figures = [Some(known(choice.ratio)), idle(story, choice.strategy).map(|held| held.to_string())];
        let names = [(*low).to_owned(), marked(story, choice.strategy)];
        names.into_iter().chain(figures.map(or_dash)).collect::<Vec<_>>()
    };
    let headings = ["to keep low", "run", "over the cheapest", "idle slots hold"];
    let table = Table::of_words(headings, choices.iter().map(row));
    let mut sentences = reasons(story, &choices);
    if story.mix.is_none() {
        sentences.push("What a node's own calls cost is not known: --workload FILE names them.".into());
    }
    vec![Passage::new("recommendation", "What to run", table, sentences), figures(story)]
}

/// What to run for each thing that is to be kept low.
fn choices<'a>(story: &StrategiesStory<'a>) -> Vec<(&'static str, Choice<'a>)> {
    let own = &story.chain.strategy;
    let worst = |ranks: &'a [Rank]| cheapest(&candidates(story, ranks), own);
    let mix: Option<Vec<Candidate<'a>>> = story
        .mix
        .map(|mix| mix.expected.iter().map(|of| (&*of.strategy, of.ratio, idle(story, &of.strategy))).collect());
    let of_all = |choice: Choice<'a>| Some(Choice { ratio: ranked(story, choice.strategy)?, ..choice });
    let choices = [
        ("worst case (fee)", worst(&story.ranking.all)),
        ("own mix (throughput)", mix.as_deref().and_then(|mix| cheapest(mix, own))),
        ("memory held", worst(&story.ranking.least_held).and_then(of_all)),
    ];
    choices.into_iter().filter_map(|(low, choice)| Some((low, choice?))).collect()
}

/// The same in a sentence.
pub(super) fn in_a_sentence(story: &StrategiesStory<'_>) -> Option<String> {
    sentence(choices(story), story.ranking.all.len())
}

/// What to run. Where most strategies are not told apart from the cheapest, that is what was found.
fn sentence(choices: Vec<(&'static str, Choice<'_>)>, all: usize) -> Option<String> {
    let is_noise = |(_, choice): &(&str, Choice<'_>)| choice.level.len() > 2 && choice.level.len() * 2 > all;
    let (noisy, told): (Vec<_>, Vec<_>) = choices.into_iter().partition(is_noise);
    let said: Vec<String> = told
        .iter()
        .map(|(low, Choice { strategy, level, .. })| {
            let level = level.len().saturating_sub(1);
            let told = if level > 0 { format!(", not told apart from {level} more") } else { String::new() };
            format!("{strategy} to keep the {low} low{told}")
        })
        .collect();
    let run = (!said.is_empty()).then(|| format!("Run {}.", said.join("; ")));
    let unknown = noisy.iter().map(|(low, choice)| {
        format!(
            "Too noisy to say what keeps the {low} low: {} of {all} strategies are not told apart.",
            choice.level.len()
        )
    });
    let said: Vec<String> = run.into_iter().chain(unknown).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// Strategies that are named where they are not told apart; of more, their number is.
const NAMED: usize = 4;

fn reasons(story: &StrategiesStory<'_>, choices: &[(&str, Choice<'_>)]) -> Vec<String> {
    let own = &*story.chain.strategy;
    let mut said = Vec::new();
    for (low, Choice { strategy, level, .. }) in choices {
        if let [cheapest, others @ ..] = &level[..]
            && !others.is_empty()
        {
            let others = if others.len() > NAMED { format!("{} others", others.len()) } else { others.join(", ") };
            let held = |name: &&str| idle(story, name);
            let all = || level.iter().filter(|name| *name != strategy);
            let why = match held(strategy) {
                least if all().all(|other| held(other) > least) => format!("of these {strategy} holds the least"),
                least if all().all(|other| held(other) == least) => "all of these hold as much".to_owned(),
                _ => format!("none of these holds less than {strategy}"),
            };
            said.push(format!("{low}: {cheapest} is not told apart from {others}; {why}."));
        }
    }
    let chosen = choices.first().map(|(_, worst)| worst.strategy).filter(|chosen| *chosen != own);
    let Some(name) = chosen else { return said };
    said.push(format!("To run one: strategy = \"{name}\" in the chain file."));
    if let (Some(_), Some(there)) = (ranked(story, name).filter(|here| here.high <= 1.0), ranked(story, own)) {
        said.push(format!("{own} costs {} times as much, {}.", times(there), settings::words(&story.ranking.setting)));
    }
    let nothing = Setting { share: Share::None, ..priced() };
    let untouched = |strategy: &str| {
        let most = *story.fit.levels(&nothing).last()?;
        Some((most, story.fit.at(strategy, &nothing, most)?.cost.value))
    };
    if let (Some((pages, here)), Some((_, there))) = (untouched(name), untouched(own)) {
        let (here, there) = (nanos(here), nanos(there));
        said.push(format!(
            "A call that declares {pages} and touches none costs {here} under {name}, and {there} under {own}."
        ));
    }
    said
}

/// What a strategy costs over the cheapest of all, in the worst case.
fn ranked(story: &StrategiesStory<'_>, name: &str) -> Option<Estimate> {
    story.ranking.all.iter().find(|rank| rank.strategy == name).map(|rank| rank.ratio)
}

/// What each strategy costs and holds.
fn figures(story: &StrategiesStory<'_>) -> Passage {
    let expected = |name: &str| story.mix?.expected.iter().find(|of| of.strategy == name);
    let row = |Rank { strategy, ratio }: &Rank| {
        let found: Option<&Expected> = expected(strategy);
        let mix = story.mix.map(|_| [plus_minus(found.map(|of| of.cost)), or_dash(found.map(|of| told(of.ratio)))]);
        let names = [marked(story, strategy), told(*ratio)];
        let held = or_empty(idle(story, strategy));
        names.into_iter().chain(mix.into_iter().flatten()).chain([held]).collect::<Vec<_>>()
    };
    let mix = story.mix.map(|_| ["call of the mix", "mix"]);
    let headings = ["strategy", "worst case"].into_iter().chain(mix.into_iter().flatten()).chain(["held idle"]);
    let table = Table::of_figures(headings, story.ranking.all.iter().map(row));
    let worst = format!(
        "Worst case: cost over that of the cheapest, as the geometric mean over the levels of pages, {}; ~ is not told apart from it.",
        settings::words(&story.ranking.setting)
    );
    let own = "Held idle: by the slots of one engine, at most, between calls. * the chain's.";
    let mix = story.mix.map(of_mix);
    let sentences = [Some(worst), mix, Some(own.to_owned())].into_iter().flatten().collect();
    Passage::new("figures", "What each costs and holds", table, sentences)
}

/// A cost over that of the cheapest, with a mark if the two are not told apart.
fn told(ratio: Estimate) -> String {
    format!("{}{}", known(ratio), if ratio.low <= 1.0 { " ~" } else { "" })
}

/// A cost over that of the cheapest; half of an interval that reaches down to 0 says nothing.
fn known(ratio: Estimate) -> String {
    if ratio.low > 0.0 { times(ratio) } else { format!("{:.1} ± ?", ratio.value) }
}

/// What a mean over a mix is, and how much of it was measured.
fn of_mix(Mix { kinds, measured, between, .. }: &Mix) -> String {
    /// Sizes that are named; of more, their number is.
    const SIZES: usize = 12;
    let mean = format!(
        "Mix: the mean cost of its {kinds} kinds of calls by their weights, and the same over that of the cheapest."
    );
    let sizes: Vec<String> = match between.len() {
        0 => return format!("{mean} All of them lie at measured points."),
        1..=SIZES => between.iter().map(|pages| pages.0.to_string()).collect(),
        more => vec![format!("of {more} sizes")],
    };
    let (measured, sizes) = (share(*measured), sizes.join(", "));
    format!(
        "{mean} {measured} of the weight lies at measured points. The rest (pages: {sizes}) is interpolated: on straight lines between points, in the \
         touched share and in the pages."
    )
}

/// The strategy, with a mark if it is the chain's.
pub(super) fn marked(story: &StrategiesStory<'_>, strategy: &str) -> String {
    format!("{strategy}{}", if strategy == story.chain.strategy { " *" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_most_strategies_are_not_told_apart_none_is_recommended() {
        let choice =
            |level: &[&'static str]| Choice { strategy: "a", ratio: Estimate::around(1.0, 0.1), level: level.to_vec() };
        let said = sentence(vec![("fee", choice(&["a", "b", "c"])), ("memory", choice(&["a", "b"]))], 5).unwrap();
        let (run, noisy) = said.split_once(". ").unwrap();
        assert_eq!(run, "Run a to keep the memory low, not told apart from 1 more");
        assert_eq!(noisy, "Too noisy to say what keeps the fee low: 3 of 5 strategies are not told apart.");
        assert_eq!(sentence(Vec::new(), 5), None);
        assert_eq!(known(Estimate::around(20.6, 30.0)), "20.6 ± ?", "half of what reaches down to 0 says nothing");
    }
}
