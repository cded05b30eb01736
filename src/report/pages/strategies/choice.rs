use crate::model::{Estimate, Rank};
use crate::report::StrategiesStory;
use crate::units::Bytes;

/// What to run to keep one thing low.
#[derive(Debug, PartialEq)]
pub(super) struct Choice<'a> {
    pub(super) strategy: &'a str,
    /// What it costs over the cheapest of those given.
    pub(super) ratio: Estimate,
    /// The cheapest, and all that cannot be told apart from it, which hold no less than the strategy.
    pub(super) level: Vec<&'a str>,
}

/// A strategy, its cost over that of the cheapest, and what its idle slots hold.
pub(super) type Candidate<'a> = (&'a str, Estimate, Option<Bytes>);

/// Of those that cannot be told apart from the cheapest the one that holds the least between calls; of several, the chain's `own`, which nothing
/// speaks for leaving, or the cheapest. They are given by ascending cost.
pub(super) fn cheapest<'a>(candidates: &[Candidate<'a>], own: &str) -> Option<Choice<'a>> {
    let level = || candidates.iter().filter(|candidate| candidate.1.low <= 1.0);
    let held = |candidate: &Candidate<'_>| candidate.2.map_or(u64::MAX, |held| held.0);
    // Of several that are alike, the first.
    let &(strategy, ratio, _) = level().min_by_key(|candidate| (held(candidate), candidate.0 != own))?;
    Some(Choice { strategy, ratio, level: level().map(|candidate| candidate.0).collect() })
}

/// Ranked strategies.
pub(super) fn candidates<'a>(story: &StrategiesStory<'_>, ranks: &'a [Rank]) -> Vec<Candidate<'a>> {
    ranks.iter().map(|Rank { strategy, ratio }| (&**strategy, *ratio, idle(story, strategy))).collect()
}

/// Bytes that idle slots hold under a strategy.
pub(super) fn idle(story: &StrategiesStory<'_>, strategy: &str) -> Option<Bytes> {
    story.fees.iter().find(|fee| fee.strategy == strategy).map(|fee| fee.idle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(strategy: &str, value: f64, half: f64, held: u64) -> Candidate<'_> {
        (strategy, Estimate::around(value, half), Some(Bytes(held)))
    }

    #[test]
    fn of_those_that_are_level_the_one_that_holds_the_least_is_run() {
        let all = [
            candidate("best", 1.0, 0.0, 256),
            candidate("level", 1.02, 0.03, 128),
            candidate("as level", 1.03, 0.05, 128),
            candidate("dear", 1.5, 0.1, 0),
        ];
        let choice = cheapest(&all, "dear").unwrap();
        assert_eq!((choice.strategy, choice.level), ("level", vec!["best", "level", "as level"]));
        assert_eq!(cheapest(&all, "as level").unwrap().strategy, "as level", "nothing speaks for leaving it");
        assert_eq!(cheapest(&all, "best").unwrap().strategy, "level", "it holds less");
        assert_eq!(cheapest(&all[3..], ""), None, "without the cheapest nothing is known");
        assert_eq!(cheapest(&[], ""), None);
    }
}
