use std::fmt::Write;

use anstyle::Style;

use super::grid::{Grid, LINE, escaped, wrapped};
use super::ladder::{at, costs, levels, settings, words};
use super::ratios;
use crate::experiment::Levels;
use crate::measure::{RunFile, Setting, Share};
use crate::model::{Carry, Estimate, Fit, Outcome, Pair, Rank, priced};
use crate::params::{ChainSettings, INIT_BASE, INIT_PER_PAGE, StrategyFee};
use crate::units::{Nanos, Pages};

/// Everything that the report of a strategies run tells.
#[derive(Debug, Clone, Copy)]
pub struct StrategiesStory<'a> {
    /// The run.
    pub run: &'a RunFile,
    /// What gas is worth and what the node runs.
    pub chain: &'a ChainSettings,
    /// The costs of all points.
    pub fit: &'a Fit,
    /// Every two strategies compared.
    pub pairs: &'a [Pair],
    /// What costs inherit from the tenant before.
    pub carries: &'a [Carry],
    /// The strategies by ascending cost.
    pub ranking: &'a [Rank],
    /// What the fee would be under each.
    pub fees: &'a [StrategyFee],
}

/// A heading, a table, and sentences below it.
pub(super) struct Part {
    pub(super) heading: String,
    pub(super) grid: Grid,
    pub(super) sentences: Vec<String>,
}

/// The story for a terminal, with styles that the caller strips where they are not wanted.
#[must_use]
pub fn strategies_terminal(story: &StrategiesStory<'_>) -> String {
    let heading = Style::new().bold();
    let run = story.run;
    let mut text = format!("{heading}Run {}{heading:#}\n  {}\n", run.run, run.machine.summary());
    for part in story.parts() {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n{heading}{}{heading:#}\n{}", part.heading, part.grid.text());
        for sentence in &part.sentences {
            for (index, line) in wrapped(sentence, LINE - 4).into_iter().enumerate() {
                let _ = writeln!(text, "  {}{line}", if index == 0 { "" } else { "  " });
            }
        }
    }
    text
}

/// The story as Markdown.
#[must_use]
pub fn strategies_markdown(story: &StrategiesStory<'_>) -> String {
    let mut text = format!("# Run {}\n\n{}\n", escaped(&story.run.run), escaped(&story.run.machine.summary()));
    for part in story.parts() {
        let _ = write!(text, "\n## {}\n\n{}", part.heading, part.grid.markdown());
        for sentence in &part.sentences {
            let _ = write!(text, "\n{}\n", escaped(sentence));
        }
    }
    text
}

impl StrategiesStory<'_> {
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut parts = vec![self.recommendation(), self.fee(), self.crossovers()];
        parts.extend(ratios::parts(self.fit).into_iter().map(|(heading, grid, sentences)| Part {
            heading,
            grid,
            sentences,
        }));
        parts.extend(self.inherited());
        parts.extend(settings(self.fit).iter().map(|setting| Part {
            heading: format!("Cost by reset strategy, {}", words(setting)),
            grid: costs(self.fit, setting),
            sentences: Vec::new(),
        }));
        parts
    }

    /// What to run on the chain's nodes: the cheapest, or of those that are level with it the one that holds the least memory.
    fn recommendation(&self) -> Part {
        let level: Vec<&Rank> = self.ranking.iter().filter(|rank| rank.is_level()).collect();
        let chosen = level.iter().min_by_key(|rank| self.idle(&rank.strategy));
        let mut sentences = Vec::new();
        if let Some(chosen) = chosen {
            let name = &chosen.strategy;
            let own = self.ranking.iter().find(|rank| rank.strategy == self.chain.strategy);
            sentences.push(if *name == self.chain.strategy {
                format!("Keep {name}, which the node runs: none is cheaper, every page touched.")
            } else {
                let gain = own.map_or_else(String::new, |own| {
                    let range = own.ratio.scaled(1.0 / chosen.ratio.value);
                    format!(" {} costs {} times as much, every page touched.", own.strategy, times(range))
                });
                format!("Run {name}: strategy = \"{name}\" in the chain file.{gain}")
            });
            if let Some(fee) = self.fees.iter().find(|fee| fee.strategy == *name) {
                let price = "Its price: idle slots of one engine hold up to";
                sentences.push(format!("{price} {}, between calls.", fee.idle));
            }
            let nothing = Setting { share: Share::None, ..priced() };
            let untouched = |strategy: &str| {
                let most = *levels(self.fit, &nothing).last()?;
                Some((most, at(self.fit, strategy, &nothing, most)?.cost.value))
            };
            if let (Some((pages, here)), Some((_, there))) = (untouched(name), untouched(&self.chain.strategy))
                && *name != self.chain.strategy
            {
                sentences.push(format!(
                    "A call that declares {} and touches none costs {} under it, and {} under {}.",
                    pages,
                    Nanos(here),
                    Nanos(there),
                    self.chain.strategy
                ));
            }
            let others: Vec<&str> =
                level.iter().map(|rank| rank.strategy.as_str()).filter(|other| other != name).collect();
            if !others.is_empty() {
                sentences.push(format!("Not told apart from it in cost, but holding no less: {}.", others.join(", ")));
            }
        }
        let mut grid = Grid::new(["strategy", "cost over the cheapest", "idle slots hold"]);
        for rank in self.ranking {
            let idle = self.fees.iter().find(|fee| fee.strategy == rank.strategy).map(|fee| fee.idle.to_string());
            grid.push([self.marked(&rank.strategy), times(rank.ratio), idle.unwrap_or_default()]);
        }
        sentences.push("Cost: geometric mean over the levels of pages, every page touched. * the chain's.".into());
        Part { heading: "Recommendation".into(), grid, sentences }
    }

    fn idle(&self, strategy: &str) -> u64 {
        self.fees.iter().find(|fee| fee.strategy == strategy).map_or(u64::MAX, |fee| fee.idle.0)
    }

    fn marked(&self, strategy: &str) -> String {
        format!("{strategy}{}", if strategy == self.chain.strategy { " *" } else { "" })
    }

    fn fee(&self) -> Part {
        let sizes = self.chain.sizes(&[Pages(17)]);
        let most = self.chain.initial_pages_max;
        let mut headers = vec!["strategy".to_owned(), "gas a call".into(), "gas a page".into()];
        headers.extend(sizes.iter().map(Pages::to_string));
        headers.push(format!("saves at {}", most.0));
        let mut grid = Grid { headers, rows: Vec::new() };
        let mut sentences = Vec::new();
        let charge = |fee: &StrategyFee, pages| fee.table.as_ref().ok()?.charge(pages, Pages(0));
        let own = self.fees.iter().find(|fee| fee.strategy == self.chain.strategy);
        for fee in self.fees {
            let table = match &fee.table {
                Ok(table) => table,
                Err(reason) => {
                    sentences.push(format!("{}: no fee follows, since {reason}.", fee.strategy));
                    continue;
                }
            };
            let gas = |name| table.params.get(name).map_or_else(|| "–".into(), |param| param.gas.to_string());
            let charged = |pages| charge(fee, pages).map_or_else(|| "beyond range".into(), |gas| gas.to_string());
            #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
            let saved = own
                .and_then(|own| Some((charge(own, most)?.0 as f64, charge(fee, most)?.0 as f64)))
                .map_or_else(|| "–".into(), |(own, here)| format!("{:+.1} %", (own - here) / own * 100.0));
            let mut row = vec![self.marked(&fee.strategy), gas(INIT_BASE), gas(INIT_PER_PAGE)];
            row.extend(sizes.iter().map(|&pages| charged(pages)));
            row.push(saved);
            grid.rows.push(row);
        }
        sentences.push(format!(
            "From touch-memory alone, without data segments or growth, with safety {}; the fee to charge is that of the memory \
             experiment. The tables lie beside the samples, in tables/.",
            self.chain.safety_factor
        ));
        Part { heading: "What the fee would be under each strategy".into(), grid, sentences }
    }

    /// The shares of the usual conditions side by side.
    fn crossovers(&self) -> Part {
        let mut shares: Vec<Share> = self
            .pairs
            .iter()
            .filter(|pair| pair.setting.conditions == Levels::default())
            .map(|pair| pair.setting.share)
            .collect();
        shares.sort_unstable();
        shares.dedup();
        let mut names: Vec<(&str, &str)> =
            self.pairs.iter().map(|pair| (pair.one.as_str(), pair.other.as_str())).collect();
        names.sort_unstable();
        names.dedup();
        let name = |share: &Share| match share {
            Share::All => "all touched".to_owned(),
            Share::OneIn(part) => format!("1/{part}"),
            Share::None => "none".to_owned(),
        };
        let headers = ["A", "B"].map(str::to_owned).into_iter().chain(shares.iter().map(name)).collect();
        let row = |&(one, other): &(&str, &str)| {
            let cell = |&share: &Share| {
                let setting = Setting { share, ..Setting::default() };
                let pair =
                    self.pairs.iter().find(|pair| pair.setting == setting && pair.one == one && pair.other == other);
                pair.map_or_else(|| "–".into(), |pair| outcome(&pair.outcome))
            };
            [one.to_owned(), other.to_owned()].into_iter().chain(shares.iter().map(cell)).collect()
        };
        let rows = names.iter().map(row).collect();
        let sentences = vec![
            "A or B: the cheaper at every level at which they can be told apart. `A 17 (12 … 24) B`: A is cheaper up to some 17 \
             pages, B beyond, with the range in which the 95 % interval of their ratio holds 1."
                .into(),
        ];
        Part { heading: "Crossovers, in pages, by touched share".into(), grid: Grid { headers, rows }, sentences }
    }

    fn inherited(&self) -> Option<Part> {
        let mut columns: Vec<(Share, Pages)> =
            self.carries.iter().map(|carry| (Setting::of(&carry.point).share, carry.point.initial_pages())).collect();
        columns.sort_unstable();
        columns.dedup();
        if columns.is_empty() {
            return None;
        }
        let mut grid = Grid { headers: vec!["pages".into(), "touched".into()], rows: Vec::new() };
        let names: Vec<&str> = self.fit.strategies.iter().map(|fit| fit.strategy.as_str()).collect();
        grid.headers.extend(names.iter().map(ToString::to_string));
        for (share, pages) in columns {
            let touched = if share == Share::None { "none" } else { "all" };
            let cell = |&name: &&str| {
                let here = |carry: &&Carry| {
                    let point = &carry.point;
                    point.strategy == name && point.initial_pages() == pages && Setting::of(point).share == share
                };
                self.carries.iter().find(here).map_or_else(|| "–".into(), |carry| times(carry.ratio))
            };
            let row = [pages.0.to_string(), touched.into()].into_iter().chain(names.iter().map(cell)).collect();
            grid.rows.push(row);
        }
        let sentence = "How many times a call costs after a large tenant that dirtied all its memory what it costs after one that wrote nothing.";
        Some(Part {
            heading: "What a call inherits from the tenant before".into(),
            grid,
            sentences: vec![sentence.into()],
        })
    }
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::One => "A".into(),
        Outcome::Other => "B".into(),
        Outcome::Unsure => "unsure".into(),
        Outcome::Changes(changes) => {
            let mut text = String::new();
            for change in changes {
                let (before, beyond) = if change.other_beyond { ("A", "B") } else { ("B", "A") };
                if text.is_empty() {
                    text.push_str(before);
                }
                let Estimate { value, low, high } = change.pages;
                let _ = write!(text, " {} ({} … {}) {beyond}", pages(value), pages(low), pages(high));
            }
            text
        }
    }
}

/// A number of pages between two levels.
fn pages(pages: f64) -> String {
    if pages < 10.0 { format!("{pages:.1}") } else { format!("{pages:.0}") }
}

/// A ratio with half of its interval.
pub(super) fn times(ratio: Estimate) -> String {
    let decimals = if ratio.value < 9.995 { 2 } else { 1 };
    format!("{:.decimals$} ± {:.decimals$}", ratio.value, (ratio.high - ratio.low) / 2.0)
}
