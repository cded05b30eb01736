use super::{framed, machine, name};
use crate::history::{Fleet, Record};
use crate::params::{Objection, ParamTable};
use crate::report::document::{Block, Document, Section, Table, Text};
use crate::report::pages::history::{node, verdict};
use crate::report::words::{nanos, or_dash, percent, ratio};

/// The table in force, and what the last night made of it on each machine.
#[must_use]
pub fn overview(table: Option<&ParamTable>, last: &[Record], fleet: &Fleet) -> Document {
    let fee = match table {
        Some(table) => in_force(table, fleet),
        None => vec![Block::Warning("No table is in force here: `estimator promote` puts one in force.".into())],
    };
    let row = |record: &Record| {
        let cpu = record.cpu.clone().into();
        [
            machine(record),
            node(record).into(),
            cpu,
            name(&record.run),
            record.created.clone().into(),
            verdict(record).into(),
        ]
    };
    let machines =
        Table::of_words(["machine", "node", "processor", "run", "planned", "verdict"], last.iter().rev().map(row));
    let nothing = Block::Text("No run is recorded yet: `estimator nightly` and `estimator push` record them.".into());
    let sections = vec![
        Section::new("fee", "The fee in force", fee),
        Section::new("machines", "The last run of each machine", vec![machines.block().unwrap_or(nothing)]),
    ];
    let about = vec!["What a call pays for its memory, and whether it still covers what that costs.".into()];
    framed("Memory fee", about, sections)
}

/// Each parameter beside the dearest machine of now.
fn in_force(table: &ParamTable, fleet: &Fleet) -> Vec<Block> {
    let run = &table.provenance.run;
    let mut blocks = vec![Block::Lead(format!("Run {} of {} on machine {}.", run.run, run.date, run.machine).into())];
    blocks.extend(table.objections().iter().map(|objection: &Objection| Block::Warning(objection.to_string().into())));
    let row = |(parameter, param): (&String, &crate::params::Param)| {
        let dearest = fleet.envelope.get(parameter);
        let beyond = dearest.map(|dearest| percent(ratio(dearest.gas.0.into(), param.gas.0.into()) - 1.0));
        let cells = [
            parameter.clone(),
            param.gas.to_string(),
            nanos(param.nanos.value),
            or_dash(dearest.map(|dearest| dearest.gas)),
            or_dash(beyond),
            or_dash(dearest.map(|dearest| dearest.machine.clone())),
        ];
        cells.map(Text::from)
    };
    let headings =
        ["parameter", "gas in force", "time", "dearest now", "against that in force", "machine that decides"];
    blocks.push(Block::Table(Table::of_figures(headings, table.in_order().map(row))));
    blocks
}
