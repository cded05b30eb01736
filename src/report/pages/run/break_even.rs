use super::part::{Content, Part};
use crate::model::{Crossover, Estimate};
use crate::report::pages::strategies::{Kept, compared, percent, sides, sizes};
use crate::report::plot::{Axis, Chart, Mark, Series, Shape};
use crate::report::{Story, StrategiesStory};
use crate::units::Pages;

pub(super) const PART: Part = Part {
    id: "break-even",
    heading: "Touched share from which keeping memory is cheaper",
    content: Content::Picture(
        chart,
        "Above its line a strategy that keeps memory between calls is cheaper than one that gives it back, below it dearer; but where the name \
         of a mark says `up to`, it is cheaper below and dearer above. Where that changes more than once along the shares, the first change is \
         marked. Both axes are logarithmic. Where the two are not told apart there is no mark.",
        &[],
    ),
};

/// The break-even share of every strategy that keeps memory, against one that does not.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let strategies = story.strategies.as_ref()?;
    let (kept, back) = sides(strategies);
    let back = against(strategies, &back)?;
    let sizes = sizes(strategies);
    let least = f64::from(sizes.last()?.0.max(1)).recip();
    let y = Axis::shares(&format!("touched share from which it is cheaper than {back}"), least);
    let mut series = Vec::new();
    for (at, kept) in kept.iter().enumerate() {
        let found = |&pages: &Pages| mark(compared(strategies, pages, kept, back)?, pages, &format!("{kept}, {pages}"));
        let marks: Vec<Option<Mark>> = sizes.iter().map(found).collect();
        let place = |mark: &Option<Mark>| mark.as_ref().map_or((f64::NAN, f64::NAN), |mark| (mark.x, mark.y));
        series.push(Series::new(at, "", Shape::Line(marks.iter().map(place).collect())));
        series.push(Series::new(at, *kept, Shape::Marks(marks.into_iter().flatten().collect())));
    }
    let x = Axis::pages("initial pages of 64 KiB", sizes.iter().map(|pages| pages.0));
    let alternative = format!(
        "Touched share from which each of {} strategies that keep memory is cheaper than {back}, at {} sizes.",
        kept.len(),
        sizes.len()
    );
    (!kept.is_empty()).then(|| Chart::new("break-even", alternative, x, y, series))
}

/// The chain's own strategy if it gives memory back, otherwise the cheapest that does.
fn against<'a>(story: &StrategiesStory<'a>, back: &[&'a str]) -> Option<&'a str> {
    let own = back.iter().find(|name| **name == story.chain.strategy);
    own.or_else(|| story.ranking.all.iter().find_map(|rank| back.iter().find(|name| **name == rank.strategy))).copied()
}

fn mark(found: Kept<'_>, pages: Pages, what: &str) -> Option<Mark> {
    let x = Axis::place_of(pages.0);
    let settled = |y, word: &str| Some(Mark { x, y, interval: None, title: format!("{what}: {word}") });
    match found {
        Kept::Always => settled(Axis::ALWAYS, "always cheaper"),
        Kept::Never => settled(Axis::NEVER, "never cheaper"),
        Kept::Unsure => None,
        Kept::Changes(changes, side) => {
            let change: Crossover = *changes.first()?;
            let way = if side.is_beyond(change) { "from" } else { "up to" };
            let Estimate { value, low, high } = change.at;
            let title = format!("{what}: {way} {} % ({} … {})", percent(value), percent(low), percent(high));
            Some(Mark { x, y: value, interval: Some((low, high)), title })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::pages::strategies::Side;

    /// The legend says that keeping memory is cheaper above a mark, unless its name says otherwise.
    #[test]
    fn the_first_change_is_marked_with_its_direction() {
        let change = |value: f64, other_beyond| Crossover { at: Estimate::around(value, value / 4.0), other_beyond };
        let changes = [change(0.04, false), change(0.4, true)];
        let mark = |side| mark(Kept::Changes(&changes, side), Pages(64), "kept").unwrap();
        let (up_to, from) = (mark(Side::Other), mark(Side::One));
        assert_eq!(up_to.title, "kept: up to 4.0 % (3.0 … 5.0)");
        assert_eq!(from.title, "kept: from 4.0 % (3.0 … 5.0)");
        assert!((up_to.y - 0.04).abs() < 1e-12 && (from.y - 0.04).abs() < 1e-12);
    }
}
