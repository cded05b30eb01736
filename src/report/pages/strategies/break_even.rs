//! From which touched share on a strategy that keeps memory is cheaper than one that gives it back.

use super::choice::idle;
use crate::model::{BreakEven, Crossover, Estimate, Outcome};
use crate::report::StrategiesStory;
use crate::report::document::Table;
use crate::report::passage::Passage;
use crate::report::words::or_dash;
use crate::units::{Bytes, Pages};

/// Where a strategy that keeps memory is cheaper than one that gives it back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::report) enum Kept<'a> {
    Always,
    Never,
    Unsure,
    /// From or up to each of these shares.
    Changes(&'a [Crossover], Side),
}

/// On which side of a comparison the kept one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Side {
    One,
    Other,
}

impl Side {
    /// Whether the kept one is the cheaper beyond a change.
    pub(in crate::report) fn is_beyond(self, change: Crossover) -> bool {
        change.other_beyond == (self == Self::Other)
    }
}

/// The strategies by whether their idle slots hold memory: those that do, and those that do not.
pub(in crate::report) fn sides<'a>(story: &StrategiesStory<'a>) -> (Vec<&'a str>, Vec<&'a str>) {
    let names = story.fit.strategies.iter().map(|of| &*of.strategy);
    names.partition(|name| idle(story, name).is_some_and(|held| held > Bytes(0)))
}

/// How the two compare at a size, if both were measured there.
pub(in crate::report) fn compared<'a>(
    story: &StrategiesStory<'a>,
    pages: Pages,
    kept: &str,
    back: &str,
) -> Option<Kept<'a>> {
    let of_both = |found: &&BreakEven| {
        found.pages == pages && [(kept, back), (back, kept)].contains(&(&*found.one, &*found.other))
    };
    let found = story.break_even.iter().find(of_both)?;
    let side = if found.one == kept { Side::One } else { Side::Other };
    Some(match (&found.outcome, side) {
        (Outcome::Unsure, _) => Kept::Unsure,
        (Outcome::One, Side::One) | (Outcome::Other, Side::Other) => Kept::Always,
        (Outcome::One | Outcome::Other, _) => Kept::Never,
        (Outcome::Changes(changes), side) => Kept::Changes(changes, side),
    })
}

/// The sizes that were compared.
pub(in crate::report) fn sizes(story: &StrategiesStory<'_>) -> Vec<Pages> {
    let mut sizes: Vec<Pages> = story.break_even.iter().map(|found| found.pages).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// A table for each strategy that gives memory back.
pub(super) fn tables(story: &StrategiesStory<'_>) -> Vec<Passage> {
    let (kept, back) = sides(story);
    let sizes = sizes(story);
    let table = |back: &&str| {
        let row = |&pages: &Pages| {
            let cell = |kept: &&str| or_dash(compared(story, pages, kept, back).map(words));
            std::iter::once(pages.0.to_string()).chain(kept.iter().map(cell)).collect::<Vec<_>>()
        };
        let table = Table::of_figures(std::iter::once("pages").chain(kept.iter().copied()), sizes.iter().map(row));
        let heading = format!("Touched share, in percent, from which strategies that keep memory beat {back}");
        let sentence = "The range is where the 95 % interval of the difference holds 0. `always` and `never`: at every share at which the \
                        two are told apart; `unsure`: at none; `to`: cheaper below.";
        Passage::new("break-even", heading, table, vec![sentence.into()])
    };
    if kept.is_empty() || sizes.is_empty() { Vec::new() } else { back.iter().map(table).collect() }
}

fn words(kept: Kept<'_>) -> String {
    let (changes, side) = match kept {
        Kept::Always => return "always".into(),
        Kept::Never => return "never".into(),
        Kept::Unsure => return "unsure".into(),
        Kept::Changes(changes, side) => (changes, side),
    };
    let one = |&change: &Crossover| {
        let Estimate { value, low, high } = change.at;
        let to = if side.is_beyond(change) { "" } else { "to " };
        format!("{to}{} ({} … {})", percent(value), percent(low), percent(high))
    };
    changes.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A share in percent, to two or three digits.
pub(in crate::report) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let decimals = if percent >= 9.95 {
        0
    } else if percent >= 0.995 {
        1
    } else {
        2
    };
    format!("{percent:.decimals$}")
}

/// The same for machines, under the names of the columns: `cheaper` is `always`, `never`, `unsure`, `from` or `to` a share, which has its
/// interval beside it; a row for each change.
#[must_use]
pub fn rows(story: &StrategiesStory<'_>) -> Vec<[String; 7]> {
    let (kept, back) = sides(story);
    let mut rows =
        vec![["pages", "kept", "gives_back", "cheaper", "share", "share_low", "share_high"].map(str::to_owned)];
    for pages in sizes(story) {
        for (kept, back) in kept.iter().flat_map(|&kept| back.iter().map(move |&back| (kept, back))) {
            let Some(found) = compared(story, pages, kept, back) else { continue };
            let row = |cheaper: &str, at: [String; 3]| {
                let [share, low, high] = at;
                [pages.0.to_string(), kept.into(), back.into(), cheaper.into(), share, low, high]
            };
            match found {
                Kept::Always | Kept::Never | Kept::Unsure => rows.push(row(&words(found), <[String; 3]>::default())),
                Kept::Changes(changes, side) => rows.extend(changes.iter().map(|&change| {
                    let at = [change.at.value, change.at.low, change.at.high].map(|share| share.to_string());
                    row(if side.is_beyond(change) { "from" } else { "to" }, at)
                })),
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_tell_on_which_side_keeping_memory_is_cheaper() {
        let at = |value: f64| Estimate { value, low: value * 0.8, high: value * 1.25 };
        let changes = [Crossover { at: at(0.004), other_beyond: true }, Crossover { at: at(0.4), other_beyond: false }];
        assert_eq!(words(Kept::Changes(&changes, Side::Other)), "0.40 (0.32 … 0.50), to 40 (32 … 50)");
        assert_eq!(words(Kept::Changes(&changes[1..], Side::One)), "40 (32 … 50)");
        assert_eq!([0.099_4, 0.099_6, 0.009_96, 1.0].map(percent), ["9.9", "10", "1.0", "100"]);
    }
}
