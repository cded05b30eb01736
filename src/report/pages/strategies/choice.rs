use crate::model::{Estimate, Rank};
use crate::report::StrategiesStory;
use crate::units::Bytes;

/// What to run to keep one thing low.
#[derive(Debug, PartialEq)]
pub(super) struct Choice<'a> {
    pub(super) strategy: &'a str,
    /// What it costs over the cheapest of all.
    pub(super) ratio: Estimate,
    /// Those that it cannot be told apart from, which hold no less.
    pub(super) level: Vec<&'a str>,
}

/// A strategy, its cost over that of the cheapest, and what its idle slots hold.
pub(super) type Candidate<'a> = (&'a str, Estimate, Option<Bytes>);

/// Of those that none is cheaper than beyond doubt, by their intervals, the one that holds the least between calls; of several, the cheapest.
pub(super) fn cheapest<'a>(candidates: &[Candidate<'a>]) -> Option<Choice<'a>> {
    let bound = candidates.iter().map(|candidate| candidate.1.high).min_by(f64::total_cmp)?;
    let level: Vec<&Candidate<'a>> = candidates.iter().filter(|candidate| candidate.1.low <= bound).collect();
    let held = |candidate: &Candidate<'_>| candidate.2.map_or(u64::MAX, |held| held.0);
    let by_memory =
        |a: &&&Candidate<'a>, b: &&&Candidate<'a>| held(a).cmp(&held(b)).then(a.1.value.total_cmp(&b.1.value));
    let &&(strategy, ratio, _) = level.iter().min_by(by_memory)?;
    let others = level.iter().map(|candidate| candidate.0).filter(|other| *other != strategy);
    Some(Choice { strategy, ratio, level: others.collect() })
}

/// The same of those alone that hold the least.
pub(super) fn cheapest_of_least<'a>(candidates: &[Candidate<'a>]) -> Option<Choice<'a>> {
    let least = candidates.iter().filter_map(|candidate| candidate.2).min()?;
    let holders: Vec<Candidate<'a>> =
        candidates.iter().filter(|candidate| candidate.2 == Some(least)).copied().collect();
    cheapest(&holders)
}

/// The strategies with every page touched.
pub(super) fn at_worst<'a>(story: &StrategiesStory<'a>) -> Vec<Candidate<'a>> {
    story.ranking.iter().map(|Rank { strategy, ratio }| (&**strategy, *ratio, idle(story, strategy))).collect()
}

/// Bytes that idle slots hold under a strategy.
pub(super) fn idle(story: &StrategiesStory<'_>, strategy: &str) -> Option<Bytes> {
    story.fees.iter().find(|fee| fee.strategy == strategy).map(|fee| fee.idle)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidate(strategy: &str, value: f64, half: f64, held: u64) -> Candidate<'_> {
        (strategy, Estimate::around(value, half), Some(Bytes(held)))
    }

    #[test]
    fn of_those_that_are_level_the_one_that_holds_the_least_is_run() {
        let all = [
            candidate("best", 1.0, 0.0, 256),
            candidate("level", 1.02, 0.03, 128),
            candidate("dearer", 1.5, 0.1, 0),
            candidate("dear", 1.6, 0.1, 0),
            candidate("dearest", 2.0, 0.1, 0),
        ];
        let worst = cheapest(&all).unwrap();
        assert_eq!((worst.strategy, worst.level), ("level", vec!["best"]));
        let memory = cheapest_of_least(&all).unwrap();
        assert_eq!((memory.strategy, memory.level), ("dearer", vec!["dear"]));
        assert_eq!(cheapest(&[]), None);
    }

    proptest! {
        /// No strategy that the table shows to be cheaper beyond doubt is passed over.
        #[test]
        fn a_choice_never_contradicts_its_table(of in prop::collection::vec((1.0..3.0f64, 0.0..0.5f64, 0u64..3), 1..9)) {
            let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
            let all: Vec<Candidate<'_>> = names.iter().zip(&of).map(|(name, of)| candidate(name, of.0, of.1, of.2)).collect();
            let held = |name: &str| all.iter().find(|of| of.0 == name).unwrap().2;
            let least = all.iter().map(|of| of.2).min().unwrap();
            for (choice, among) in [(cheapest(&all), None), (cheapest_of_least(&all), Some(least))] {
                let choice = choice.unwrap();
                let rivals = || all.iter().filter(|of| among.is_none_or(|among| of.2 == among));
                prop_assert!(rivals().all(|of| of.1.high >= choice.ratio.low), "a cheaper one was passed over");
                prop_assert!(choice.level.iter().all(|name| held(name) >= held(choice.strategy)));
                let cheapest = rivals().min_by(|a, b| a.1.value.total_cmp(&b.1.value)).unwrap();
                prop_assert!(cheapest.0 == choice.strategy || choice.level.contains(&cheapest.0));
            }
        }
    }
}
