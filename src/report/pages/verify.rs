//! Real contracts held against their charges.

use crate::model::{ChargeVerdict, ChargedPoint, Estimate};
use crate::report::Verification;
use crate::report::document::Align::{Left, Right};
use crate::report::document::{Block, Column, Document, Section, Table, Text, Tone};
use crate::report::words::{nanos, share};
use crate::units::Nanos;

/// Real contracts, from the one that uses most of its charge to the one that uses least.
#[must_use]
pub fn page(found: &Verification) -> Document {
    let mut points: Vec<&ChargedPoint> = found.points().iter().collect();
    points.sort_by(|a, b| b.used.value.total_cmp(&a.used.value));
    let table = Table { columns: columns(), rows: points.into_iter().map(row).collect(), ..Table::default() };
    let others = found.unmeasured.iter().map(|contract| format!("{}: {}", contract.name, contract.reason));
    let others: Vec<String> = others.collect();
    let said = sentences(found).into_iter().map(|sentence| Block::Text(sentence.into())).collect();
    let sections = [
        table.block().map(|table| Section::unheaded("contracts", vec![table])),
        (!others.is_empty()).then(|| Section::new("not-measured", "Not measured", vec![Block::Lines(others)])),
        Some(Section::unheaded("totals", said)),
    ];
    Document { sections: sections.into_iter().flatten().collect(), ..Document::default() }
}

fn columns() -> Vec<Column> {
    let columns = [
        ("pages", Right, 5),
        ("make", Right, 7),
        ("touch", Right, 7),
        ("reset", Right, 7),
        ("cost", Right, 7),
        ("charge", Right, 7),
        ("used", Right, 5),
        ("95 % interval", Right, 13),
        ("", Left, 7),
        ("contract", Left, 0),
    ];
    columns.map(|(heading, align, width)| Column::new(heading.into(), align, width)).into()
}

fn row(point: &ChargedPoint) -> Vec<Text> {
    let phase = |name| point.fit.phase(name);
    let cells = [
        point.fit.point.initial_pages().0.to_string(),
        phase("instantiate").to_string(),
        Nanos(phase("first_touch").0 - phase("warm_touch").0).to_string(),
        phase("reset").to_string(),
        nanos(point.fit.cost.value),
        nanos(point.charge),
        share(point.used.value),
        format!("{} … {}", share(point.used.low), share(point.used.high)),
    ];
    let verdict = match point.verdict {
        ChargeVerdict::Over => Text::toned("OVER", Tone::Alarm),
        ChargeVerdict::Unsure => "unsure".into(),
        ChargeVerdict::Covered => "covered".into(),
    };
    cells.map(Text::from).into_iter().chain([verdict, point.fit.point.contract.as_str().into()]).collect()
}

fn sentences(found: &Verification) -> Vec<String> {
    let Some(charged) = &found.charged else {
        return vec!["No contract could be measured.".into()];
    };
    let most = charged.points.iter().max_by(|a, b| a.used.value.total_cmp(&b.used.value));
    let mut said = vec![format!(
        "{} contracts under {}, every host page touched, {} processes, seed {}: {} over their charge, {} unsure, {} covered; {} \
         could not be measured.",
        charged.points.len(),
        found.strategy,
        found.processes,
        found.seed,
        found.count(ChargeVerdict::Over),
        found.count(ChargeVerdict::Unsure),
        found.count(ChargeVerdict::Covered),
        found.unmeasured.len(),
    )];
    if let Some(most) = most {
        said.push(format!(
            "The charge is that before the safety factor of {}: with it, the dearest contract uses {} of what it pays.",
            found.safety_factor,
            share(most.used.value / found.safety_factor),
        ));
    }
    let slope = |slope: &Estimate| format!("{:.3} (95 %: {:.3} … {:.3})", slope.value, slope.low, slope.high);
    said.push(format!("Slope of measured on predicted: {}.", slope(&charged.slope)));
    if let Some(normalised) = &charged.normalised {
        said.push(format!(
            "In normalised form, which the speed of the machine as a whole does not move: {}.",
            slope(normalised)
        ));
    }
    said
}
