//! How many times cheaper this program's own strategy is.

use crate::experiment::conditions::PREVIOUS;
use crate::measure::Setting;
use crate::model::Fit;
use crate::report::document::Table;
use crate::report::passage::Passage;
use crate::report::settings::{short, words};
use crate::report::words::or_dash;
use crate::units::Pages;

const OWN: &str = "recycle-adaptive";
const FRESH: &str = "fresh-map";

/// Wasmtime's own strategies.
const STOCK: [&str; 4] = [FRESH, "pool-decommit", "pool-keep-resident", "pool-pagemap-scan"];

/// The one of this program's own that wipes what was written.
const TRACKED: &str = "recycle-tracked";

/// How many times dearer `fresh-map`, and the best of Wasmtime's own at each point, are than `recycle-adaptive`, and how many times dearer
/// `recycle-tracked` is than the cheapest of all others; none where that was not measured.
pub(super) fn ratios(fit: &Fit) -> Vec<Passage> {
    let all: Vec<&str> = fit.strategies.iter().map(|of| &*of.strategy).filter(|name| *name != TRACKED).collect();
    let best = "the cheapest of Wasmtime's own strategies at that point";
    let stock = format!("The best of Wasmtime's own against {OWN}");
    let mut said = Vec::new();
    if fit.strategy(OWN).is_some() {
        let cost = |what: &str| format!("Cost under {what} over cost under {OWN}.");
        let of =
            |others: &'static [&str]| move |setting: &Setting, pages| fit.times_dearer(others, OWN, setting, pages);
        said.push(passage(fit, format!("{FRESH} against {OWN}"), &cost(FRESH), of(&[FRESH])));
        said.push(passage(fit, stock, &cost(best), of(&STOCK)));
    }
    if fit.strategy(TRACKED).is_some() && !all.is_empty() {
        let times = |setting: &Setting, pages| fit.times_dearer(&all, TRACKED, setting, pages).map(f64::recip);
        let heading = format!("{TRACKED} against the cheapest of all others");
        let what = format!("Cost under {TRACKED} over that of the cheapest other strategy at that point.");
        said.push(passage(fit, heading, &what, times));
    }
    said
}

/// The settings in columns, but for what the tenant before did, and the levels of pages in rows.
fn passage(fit: &Fit, heading: String, what: &str, times: impl Fn(&Setting, Pages) -> Option<f64>) -> Passage {
    let mut settings = fit.settings();
    settings.retain(|setting| setting.conditions.get(&PREVIOUS) == PREVIOUS.usual);
    let mut levels: Vec<Pages> = settings.iter().flat_map(|setting| fit.levels(setting)).collect();
    levels.sort_unstable();
    levels.dedup();
    let mut most: Option<(f64, String)> = None;
    let rows: Vec<Vec<String>> = levels
        .iter()
        .map(|&pages| {
            let cells = settings.iter().map(|setting| {
                let found = times(setting, pages);
                if let Some(times) = found.filter(|&times| most.as_ref().is_none_or(|(most, _)| times > *most)) {
                    most = Some((times, format!("{pages}, {}", words(setting))));
                }
                or_dash(found.map(|times| format!("{times:.2}")))
            });
            std::iter::once(pages.0.to_string()).chain(cells.collect::<Vec<_>>()).collect()
        })
        .collect();
    let headings = std::iter::once("pages".to_owned()).chain(settings.iter().map(short));
    let table = Table::of_figures(headings, rows);
    let most = most.map(|(times, at)| format!("The most is {times:.2}, at {at}."));
    Passage::new("ratios", heading, table, std::iter::once(what.to_owned()).chain(most).collect())
}
