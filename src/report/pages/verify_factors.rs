//! Real contracts held against charges by factors other than pages.

use serde_json::{Value, json};

use crate::experiment::Factor;
use crate::model::{Alternative, ChargeVerdict, ChargedPoint, Statistic};
use crate::report::Verification;
use crate::report::document::{Block, Column, Document, Section, Table, Text, Tone};
use crate::report::words::{nanos, times_more};

/// The contracts, from the one that pays least for what it costs to the one that pays most; then what other charges would take from them.
pub(super) fn page(found: &Verification) -> Document {
    let mut points: Vec<&ChargedPoint> = found.points().iter().collect();
    points.sort_by(|one, other| over(one).total_cmp(&over(other)));
    let phases: Vec<&str> = found.experiment.phases.iter().map(|phase| phase.name).collect();
    let mut columns: Vec<Column> = phases.iter().map(|name| Column::right(*name, 8)).collect();
    columns.extend(["cost", "charge"].map(|heading| Column::right(heading, 7)));
    columns.extend([Column::right("charge/cost", 6), Column::right("95 % interval", 13), Column::left("", 7)]);
    columns.push(Column::left("contract", 0));
    let table = Table { columns, rows: points.iter().map(|point| row(point, &phases)).collect(), ..Table::default() };
    let others = found.unmeasured.iter().map(|contract| format!("{}: {}", contract.name, contract.reason));
    let others: Vec<String> = others.collect();
    let (alternatives, beyond) = (alternatives(found), found.beyond_lines());
    let sections = [
        table.block().map(|table| Section::unheaded("contracts", vec![table])),
        alternatives.map(|table| Section::new("alternatives", "What other charges would take", vec![table])),
        (!others.is_empty()).then(|| Section::new("not-measured", "Not measured", vec![Block::Lines(others)])),
        (!beyond.is_empty())
            .then(|| Section::new("beyond", "Beyond what the table was measured with", vec![Block::Lines(beyond)])),
        Some(Section::unheaded("totals", sentences(found))),
    ];
    Document { sections: sections.into_iter().flatten().collect(), ..Document::default() }
}

/// Charge over cost.
fn over(point: &ChargedPoint) -> f64 {
    1.0 / point.used.value
}

fn row(point: &ChargedPoint, phases: &[&str]) -> Vec<Text> {
    let verdict = match point.verdict {
        ChargeVerdict::Over => Text::toned("OVER", Tone::Alarm),
        ChargeVerdict::Unsure => "unsure".into(),
        ChargeVerdict::Covered => "covered".into(),
    };
    let ends = format!("{} … {}", times_more(1.0 / point.used.high), times_more(1.0 / point.used.low));
    let cells = [nanos(point.fit.cost.value), nanos(point.charge), times_more(over(point)), ends];
    let cells = phases.iter().map(|name| point.fit.phase(name).to_string()).chain(cells).map(Text::from);
    cells.chain([verdict, point.fit.point.contract.as_str().into()]).collect()
}

/// What each charge of a fit takes from the contract that it takes least from, from the one in the middle, and from the one that it takes
/// most from, each as a multiple of its cost.
fn alternatives(found: &Verification) -> Option<Block> {
    let row = |of: &Alternative| {
        let multiple = |point: &ChargedPoint| of.charge(&point.fit.point) / point.fit.cost.value;
        let middle = Statistic::Median.of(found.points().iter().map(multiple).collect())?;
        let by_multiple = |one: &&ChargedPoint, other: &&ChargedPoint| multiple(one).total_cmp(&multiple(other));
        let least = found.points().iter().min_by(by_multiple)?;
        let most = found.points().iter().max_by(by_multiple)?;
        let name = most.fit.point.contract.clone();
        let multiples = [multiple(least), middle, multiple(most)].map(times_more);
        Some([of.words(found.experiment)].into_iter().chain(multiples).chain([name]).collect::<Vec<_>>())
    };
    let rows = found.alternatives.iter().filter_map(row);
    let headings = ["charge", "the least pays", "the contract in the middle pays", "the dearest pays", "which is"];
    Table::of_words(headings, rows).block()
}

/// The least of the multiples, their median, and the most; `None` if nothing was measured.
fn range(found: &Verification) -> Option<[f64; 3]> {
    let mut multiples: Vec<f64> = found.points().iter().map(over).collect();
    multiples.sort_by(f64::total_cmp);
    Some([*multiples.first()?, Statistic::Median.of_sorted(&multiples)?, *multiples.last()?])
}

fn sentences(found: &Verification) -> Vec<Block> {
    let Some([least, middle, most]) = range(found) else {
        return vec![Block::Text("No contract could be measured.".into())];
    };
    let under = found.points().iter().filter(|point| over(point) < 1.0).count();
    let said = [
        found.verdicts(found.points().len(), found.experiment.worst_case),
        format!(
            "Charge over cost, before the safety factor of {}: {} in the middle, from {} to {}; {under} below 1.",
            found.safety_factor,
            times_more(middle),
            times_more(least),
            times_more(most),
        ),
    ];
    said.into_iter().chain(found.longer()).map(|sentence| Block::Text(sentence.into())).collect()
}

/// Charge over cost of all contracts, for machines; null if none was measured.
pub(super) fn summary(found: &Verification) -> Value {
    json!(range(found).map(|[least, median, most]| json!({ "least": least, "median": median, "most": most })))
}

/// What is known of a contract. Times are in nanoseconds.
pub(super) fn known(
    found: &Verification,
    file: &str,
    point: Option<&ChargedPoint>,
    reason: Option<&str>,
) -> Vec<(String, Value)> {
    let of = |value: fn(&ChargedPoint) -> f64| json!(point.map(value));
    let mut known = vec![("file".to_owned(), json!(file))];
    let phase = |name: &str| (format!("{name}_ns"), json!(point.map(|point| point.fit.phase(name).0)));
    known.extend(found.experiment.phases.iter().map(|of| phase(of.name)));
    let level =
        |factor: &'static Factor| (factor.name.to_owned(), json!(point.map(|point| point.fit.point.level(factor))));
    known.extend(found.experiment.factors.iter().map(|factor| level(factor)));
    let beyond = found.beyond.iter().find(|(contract, _)| contract == file);
    let beyond = beyond.map(|(_, levels)| levels.iter().map(|one| one.factor).collect::<Vec<_>>().join(" "));
    let further = [
        ("cost_ns", of(|point| point.fit.cost.value)),
        ("cost_low_ns", of(|point| point.fit.cost.low)),
        ("cost_high_ns", of(|point| point.fit.cost.high)),
        ("charge_ns", of(|point| point.charge)),
        ("charge_over_cost", of(over)),
        ("verdict", json!(point.map(|point| point.verdict))),
        ("cycles", json!(point.map(|point| point.fit.cycles))),
        ("reason", json!(reason)),
        ("times_longer", json!(point.and_then(|point| point.times_longer))),
        ("beyond", json!(beyond)),
    ];
    known.extend(further.map(|(name, value)| (name.to_owned(), value)));
    known
}
