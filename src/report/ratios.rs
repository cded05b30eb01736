//! How many times cheaper this program's own strategy is.

use std::fmt::Write;

use super::grid::Grid;
use super::ladder::{at, levels, settings};
use crate::experiment::strategies::PREVIOUS;
use crate::experiment::{Caches, Neighbour, Point, WriteWidth};
use crate::measure::{Setting, Share};
use crate::model::Fit;
use crate::units::Pages;

const OWN: &str = "recycle-adaptive";
const FRESH: &str = "fresh-map";

/// Wasmtime's own strategies.
const STOCK: [&str; 4] = [FRESH, "pool-decommit", "pool-keep-resident", "pool-pagemap-scan"];

/// Tables of how many times dearer `fresh-map`, and the best of Wasmtime's own at each point, are than `recycle-adaptive`; none
/// where that was not measured. Heading, table, sentences.
pub(super) fn parts(fit: &Fit) -> Vec<(String, Grid, Vec<String>)> {
    if fit.strategy(OWN).is_none() {
        return Vec::new();
    }
    let mut columns: Vec<Setting> = settings(fit);
    columns.retain(|setting| setting.conditions.get(&PREVIOUS) == PREVIOUS.usual);
    let mut rows: Vec<Pages> = columns.iter().flat_map(|setting| levels(fit, setting)).collect();
    rows.sort_unstable();
    rows.dedup();
    let table = |against: &[&str]| {
        let headers = std::iter::once("pages".to_owned()).chain(columns.iter().map(short)).collect();
        let cell = |setting: &Setting, pages: Pages| {
            let cost = |name: &str| at(fit, name, setting, pages).map(|found| found.cost.value);
            let best = against.iter().filter_map(|name| cost(name)).min_by(f64::total_cmp);
            cost(OWN).zip(best).map_or_else(|| "–".into(), |(own, best)| format!("{:.2}", best / own))
        };
        let row = |&pages: &Pages| {
            std::iter::once(pages.0.to_string()).chain(columns.iter().map(|setting| cell(setting, pages))).collect()
        };
        Grid { headers, rows: rows.iter().map(row).collect() }
    };
    let sentence = |what: &str| vec![format!("Cost under {what} over cost under {OWN}.")];
    vec![
        (format!("{FRESH} against {OWN}"), table(&[FRESH]), sentence(FRESH)),
        (
            format!("The best of Wasmtime's own against {OWN}"),
            table(&STOCK),
            sentence("the cheapest of Wasmtime's own strategies at that point"),
        ),
    ]
}

fn short(setting: &Setting) -> String {
    let surrounded = Point { levels: setting.conditions.clone(), ..Point::default() };
    let mut text = match setting.share {
        Share::All => "all".to_owned(),
        Share::OneIn(part) => format!("1/{part}"),
        Share::None => "none".to_owned(),
    };
    if surrounded.write_width() == WriteWidth::EveryByte {
        text.push_str(", bytes");
    }
    if surrounded.caches() == Caches::Warm {
        text.push_str(", warm");
    }
    let threads = surrounded.threads();
    if threads > 1 {
        // Writing to a `String` cannot fail.
        let _ = write!(text, ", {threads} threads");
    }
    if surrounded.neighbour() == Neighbour::Spinning {
        text.push_str(", spinning");
    }
    text
}
