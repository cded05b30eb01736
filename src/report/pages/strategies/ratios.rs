//! How many times cheaper this program's own strategy is.

use crate::experiment::conditions::PREVIOUS;
use crate::measure::Setting;
use crate::model::Fit;
use crate::report::document::Table;
use crate::report::passage::Passage;
use crate::report::settings::short;
use crate::report::words::or_dash;
use crate::units::Pages;

const OWN: &str = "recycle-adaptive";
const FRESH: &str = "fresh-map";

/// Wasmtime's own strategies.
const STOCK: [&str; 4] = [FRESH, "pool-decommit", "pool-keep-resident", "pool-pagemap-scan"];

/// How many times dearer `fresh-map`, and the best of Wasmtime's own at each point, are than `recycle-adaptive`; none where that was
/// not measured.
pub(super) fn ratios(fit: &Fit) -> Vec<Passage> {
    if fit.strategy(OWN).is_none() {
        return Vec::new();
    }
    let mut settings = fit.settings();
    settings.retain(|setting| setting.conditions.get(&PREVIOUS) == PREVIOUS.usual);
    let mut levels: Vec<Pages> = settings.iter().flat_map(|setting| fit.levels(setting)).collect();
    levels.sort_unstable();
    levels.dedup();
    let passage = |heading: String, others: &[&str], what: &str| {
        let row = |&pages: &Pages| {
            let times = |setting: &Setting| fit.times_dearer(others, OWN, setting, pages);
            let cell = |setting| or_dash(times(setting).map(|times| format!("{times:.2}")));
            std::iter::once(pages.0.to_string()).chain(settings.iter().map(cell)).collect::<Vec<_>>()
        };
        let headings = std::iter::once("pages".to_owned()).chain(settings.iter().map(short));
        let table = Table::of_figures(headings, levels.iter().map(row));
        let sentences = vec![format!("Cost under {what} over cost under {OWN}.")];
        Passage::new("ratios", heading, table, sentences)
    };
    let best = "the cheapest of Wasmtime's own strategies at that point";
    vec![
        passage(format!("{FRESH} against {OWN}"), &[FRESH], FRESH),
        passage(format!("The best of Wasmtime's own against {OWN}"), &STOCK, best),
    ]
}
