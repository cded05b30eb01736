use super::{framed, machine, name};
use crate::history::{Fleet, Record};
use crate::params::{INIT_BASE, INIT_PER_PAGE};
use crate::report::document::{Block, Document, Section, Table, Text};
use crate::report::pages::history::{cost, node};
use crate::report::words::{or_dash, plus_minus};

/// Machine classes side by side, and the fee that covers them all.
#[must_use]
pub fn fleet(fleet: &Fleet) -> Document {
    let about = vec![
        "The last run of each machine class that was measured to its end and may be used.".to_owned(),
        "A fee must hold on every machine: each parameter is that of the dearest.".to_owned(),
    ];
    if fleet.machines.is_empty() {
        let nothing = "No run that may be used is recorded yet: `estimator push RUN --to URL` sends one.";
        return framed("Fleet", about, vec![Section::new("machines", "Machines", vec![Block::Text(nothing.into())])]);
    }
    let parameters: Vec<&String> = fleet.envelope.keys().collect();
    let dearest = fleet.envelope.iter().map(|(parameter, dearest)| {
        let (gas, machine) = (dearest.gas.to_string().into(), dearest.machine.clone().into());
        [Text::from(parameter), gas, machine, name(&dearest.run)]
    });
    let envelope = Table::of_figures(["parameter", "gas", "machine that decides", "run"], dearest);
    let headings = ["machine".to_owned()].into_iter().chain(parameters.iter().map(|name| (*name).clone()));
    let gas = |record: &Record| {
        let gas = |parameter: &&String| Text::from(or_dash(record.gas.get(*parameter)));
        [machine(record)].into_iter().chain(parameters.iter().map(gas)).collect::<Vec<_>>()
    };
    let proposals = Table::of_figures(headings, fleet.machines.iter().map(gas)).titled("Gas that each proposes");
    let costs = |record: &Record| {
        let cost = |parameter| Text::from(plus_minus(cost(record, parameter)));
        [machine(record), cost(INIT_PER_PAGE), cost(INIT_BASE), name(&record.run)]
    };
    let costs = Table::of_figures(["machine", "a page", "base", "run"], fleet.machines.iter().map(costs))
        .titled("What memory costs, by the line of least error");
    let kinds = |record: &Record| {
        let Record { cpu, contract_set, reference, wasmtime, created, .. } = record;
        let words = [&node(record), cpu, reference, contract_set, wasmtime, created].map(Text::from);
        [machine(record)].into_iter().chain(words).collect::<Vec<_>>()
    };
    let headings = ["machine", "node", "processor", "stated on", "contract set", "Wasmtime", "planned"];
    let kinds = Table::of_words(headings, fleet.machines.iter().map(kinds)).titled("What was measured");
    let sections = vec![
        Section::new("envelope", "What covers them all", vec![Block::Table(envelope)]),
        Section::new("machines", "Machines", [proposals, costs, kinds].map(Block::Table).into()),
    ];
    framed("Fleet", about, sections)
}
