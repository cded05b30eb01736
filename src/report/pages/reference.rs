//! The reference machine, and a machine held against it.

use serde_json::{Value, json};

use crate::model::Estimate;
use crate::model::{Speed, SpeedVerdict, Surcharge};
use crate::params::ReferenceMachine;
use crate::report::document::{Block, Document, Facts, Section, Table};
use crate::report::words::{interval, nanos, percent, percent_range, size};

/// A reference.
#[must_use]
pub fn page(reference: &ReferenceMachine) -> Document {
    let facts = [
        ("machine", format!("{}: {}", reference.machine, reference.cpu)),
        ("kernel line", format!("{} on {}", reference.kernel, reference.architecture)),
        ("probe", format!("{}, {} evicted before each", reference.probe, size(reference.evict_bytes))),
        ("runs", reference.runs.join("; ")),
    ];
    let row = |at: usize| {
        let [pages, data] = probed(reference, at);
        let time = reference.probes[at].nanos;
        [pages, data, nanos(time.value), interval(&time)]
    };
    let table = Table::of_figures(["probe of", "data", "time", "95 % interval"], (0..reference.probes.len()).map(row));
    Document {
        title: format!("Reference machine {}", reference.name),
        sections: vec![
            Section::unheaded("facts", vec![Block::Facts(Facts::new("Machine", facts))]),
            Section::unheaded("probes", std::iter::once(Block::Table(table)).chain(surcharges(reference)).collect()),
        ],
        ..Document::default()
    }
}

/// What surroundings add to small calls there.
fn surcharges(reference: &ReferenceMachine) -> Option<Block> {
    let fact = |of: &Surcharge| {
        let prices =
            [(of.call, "a call"), (of.page, "a page"), (of.data, "with data"), (of.data_page, "a page of data")];
        let prices = prices.into_iter().filter(|(price, _)| *price != 0.0);
        let prices: Vec<String> = prices.map(|(price, what)| format!("{} {what}", nanos(price))).collect();
        let prices = prices.join(", ");
        (
            of.strategy.clone(),
            format!("small calls ({}) pay {prices} more; known to ±{:.0} %", of.met.process(), of.half_width * 100.0),
        )
    };
    (!reference.surcharges.is_empty())
        .then(|| Block::Facts(Facts::new("Surcharges", reference.surcharges.iter().map(fact))))
}

/// A machine held against a reference, with what is tolerated: 0.05 for 5 %.
#[must_use]
pub fn check(reference: &ReferenceMachine, speed: &Speed, unlike: &[String], tolerance: f64) -> Document {
    let row = |at: usize| {
        let [pages, data] = probed(reference, at);
        [pages, data, nanos(reference.probes[at].nanos.value), percent(speed.by_size[at] - 1.0)]
    };
    let table = Table::of_figures(["probe of", "data", "reference", "here"], (0..reference.probes.len()).map(row));
    let notes = unlike.iter().map(|what| format!("the reference is unlike this machine: {what}"));
    let blocks = std::iter::once(Block::Table(table)).chain(Block::some(Block::Notes, notes));
    Document {
        title: format!("This machine against {}", reference.name),
        about: vec![sentence(speed, tolerance)],
        sections: vec![Section::unheaded("probes", blocks.collect())],
        ..Document::default()
    }
}

fn sentence(speed: &Speed, tolerance: f64) -> String {
    let beyond = |end: f64| end - 1.0;
    let Estimate { value, low, high } = speed.ratio;
    let by = percent_range(Estimate { value: beyond(value), low: beyond(low), high: beyond(high) });
    let tolerated = tolerance * 100.0;
    match speed.verdict(tolerance) {
        SpeedVerdict::Fast => format!("pass: {by} against the reference, up to +{tolerated} % is tolerated"),
        SpeedVerdict::Slower => format!("slower: {by} against the reference, and +{tolerated} % is tolerated"),
        SpeedVerdict::Unsure => format!("unsure: {by} against the reference; try again when nothing else runs"),
    }
}

fn probed(reference: &ReferenceMachine, at: usize) -> [String; 2] {
    let time = &reference.probes[at];
    [time.touched_pages.to_string(), size(time.data_bytes)]
}

/// The same for programs.
#[must_use]
pub fn check_json(reference: &ReferenceMachine, speed: &Speed, unlike: &[String], tolerance: f64) -> Value {
    json!({
        "format": 1,
        "reference": reference.name,
        "verdict": speed.verdict(tolerance),
        "tolerance": tolerance,
        "ratio": speed.ratio,
        "by_size": speed.by_size,
        "unlike": unlike,
    })
}
