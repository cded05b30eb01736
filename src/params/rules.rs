//! A table held against its own rules, those of `docs/params-format.md`: the one list that every command says.

use std::collections::BTreeMap;

use super::chain::ChainSettings;
use super::decimal::show;
use super::objection::{Objection, ObjectionKind};
use super::pricing::{DERIVED, derivation, priced};
use super::provenance::Provenance;
use super::section::is_time;
use super::table::{GROW_PER_PAGE, Param, ParamTable, known_unit};
use crate::experiment::{EXPERIMENTS, Experiment, MEMORY};
use crate::model::Estimate;
use crate::runtime::Known;
use crate::units::{Gas, Nanos, Pages};

/// Less than this is no time in which a memory is made, or a page of 64 KiB written.
const SHORTEST: f64 = 1.0;
/// Less than this is no time that anything takes, such as a local that a validator counts.
const SHORTEST_OF_ANY: f64 = 0.01;
/// More than this, a second, is no time that a call or a page takes.
const LONGEST: f64 = 1e9;
/// How many times faster or slower than the reference a machine can be.
const MACHINE_RANGE: f64 = 100.0;

/// The reasons found, by what they are called.
#[derive(Default)]
struct Reasons(BTreeMap<ObjectionKind, Vec<String>>);

impl Reasons {
    fn add(&mut self, kind: ObjectionKind, reason: String) {
        self.0.entry(kind).or_default().push(reason);
    }

    fn add_if(&mut self, applies: bool, kind: ObjectionKind, reason: impl FnOnce() -> String) {
        if applies {
            self.add(kind, reason());
        }
    }
}

impl ParamTable {
    /// What the table says against itself: one objection for each kind, the gravest first, and none for a table that was proposed
    /// from a sound fit.
    #[must_use]
    pub fn objections(&self) -> Vec<Objection> {
        let mut found = Reasons::default();
        let chain = &self.provenance.chain;
        let of_memory = self.prices(&MEMORY) || !EXPERIMENTS.into_iter().any(|experiment| self.prices(experiment));
        let charged = chain.terms.iter().map(|term| term.parameter.name).filter(|name| of_memory && !is_needed(name));
        let priced = |experiment: &&&Experiment| self.prices(experiment) || (of_memory && ***experiment == MEMORY);
        for name in EXPERIMENTS.iter().filter(priced).flat_map(|of| needed(of)).chain(charged) {
            found.add_if(!self.params.contains_key(name), ObjectionKind::Incomplete, || format!("there is no {name}"));
        }
        for (name, param) in &self.params {
            hold_intervals(name, param, &mut found);
            if known_unit(name).is_some() {
                hold_price(name, param, &self.provenance.chain, &mut found);
            }
        }
        self.provenance.run.unsigned.iter().for_each(|reason| found.add(ObjectionKind::Wide, reason.clone()));
        hold_provenance(&self.provenance, &mut found);
        hold_largest_call(self, &mut found);
        found.0.iter().filter_map(|(kind, reasons)| Objection::of(*kind, reasons)).collect()
    }
}

/// The parameters of an experiment without which nothing has a charge: its base and its leading term.
fn needed(experiment: &'static Experiment) -> impl Iterator<Item = &'static str> {
    experiment.parameters().map(|parameter| parameter.name).take(2)
}

/// Whether nothing has a charge without the parameter of this name.
fn is_needed(name: &str) -> bool {
    EXPERIMENTS.into_iter().flat_map(needed).any(|needed| needed == name)
}

/// Whether a parameter may cost nothing, where the others cover all: what is charged for on top of a page.
pub(super) fn may_be_free(name: &str) -> bool {
    !is_needed(name) && name != GROW_PER_PAGE
}

fn hold_intervals(name: &str, param: &Param, found: &mut Reasons) {
    let name = name.escape_debug();
    for (key, time) in [("nanos", Some(&param.nanos)), ("measured", param.measured.as_ref())] {
        let Some(Estimate { value, low, high }) = time.copied() else { continue };
        let [value_shown, low_shown, high_shown] = [value, low, high].map(show);
        found.add_if(value < low || value > high, ObjectionKind::Inconsistent, || {
            format!("{name}.{key}: the value {value_shown} is outside of its interval {low_shown} … {high_shown}")
        });
        found.add_if(low < 0.0, ObjectionKind::Implausible, || {
            format!("{name}.{key}: its interval begins at {low_shown}, below zero")
        });
    }
}

/// The rules for a parameter that a charge is made of.
fn hold_price(name: &str, param: &Param, chain: &ChainSettings, found: &mut Reasons) {
    let may_be_free = may_be_free(name);
    found.add_if(param.gas == Gas(0) && !may_be_free, ObjectionKind::Free, || format!("{name} costs no gas"));
    match priced(param.nanos.value, chain) {
        None => found.add(
            ObjectionKind::Saturating,
            format!("{name}.nanos: {} cost more than {} gas", Nanos(param.nanos.value), Gas::MAX),
        ),
        Some(price) => {
            let words = derivation(param.nanos.value, chain, price.exact);
            let follows = (price.exact..=price.gas.0).contains(&param.gas.0);
            found.add_if(!follows, ObjectionKind::Inconsistent, || {
                format!("{name}.gas is {} and does not follow: {words}", param.gas)
            });
            // In other words than these the derivation is for people alone.
            let other = param.derivation.contains(DERIVED) && param.derivation != words;
            found.add_if(other, ObjectionKind::Inconsistent, || {
                format!("{name}.derivation is not that of its figures, {words}")
            });
        }
    }
    for (key, time) in [("nanos", Some(&param.nanos)), ("measured", param.measured.as_ref())] {
        let Some(time) = time else { continue };
        let shortest = if is_of_memory(name) { SHORTEST } else { SHORTEST_OF_ANY };
        let too_short = time.value < shortest && !(may_be_free && time.value == 0.0);
        found.add_if(too_short || time.high > LONGEST, ObjectionKind::Implausible, || {
            let (value, high) = (Nanos(time.value), Nanos(time.high));
            format!("{name}.{key}: {value}, up to {high}, is no time from {} to {}", Nanos(shortest), Nanos(LONGEST))
        });
    }
    // The base is what is left of a line and may part from the charge per page differently.
    if let Some(measured) = param.measured.filter(|_| is_needed(name) && !is_base(name)) {
        let speed = measured.value / param.nanos.value;
        let real = (1.0 / MACHINE_RANGE..=MACHINE_RANGE).contains(&speed);
        found.add_if(!real, ObjectionKind::Implausible, || {
            format!("{name}: measured is {speed:.3} times nanos, and no machine is so far from the reference")
        });
    }
}

/// Whether it is of a memory, and of no other experiment.
fn is_of_memory(name: &str) -> bool {
    let sets = |experiment: &Experiment| experiment.parameters().any(|parameter| parameter.name == name);
    !EXPERIMENTS.into_iter().any(|experiment| *experiment != MEMORY && experiment.proposes && sets(experiment))
}

fn is_base(name: &str) -> bool {
    EXPERIMENTS.iter().any(|experiment| experiment.base.name == name)
}

fn hold_provenance(provenance: &Provenance, found: &mut Reasons) {
    let Provenance { run, chain, .. } = provenance;
    let texts = [
        ("run", &run.run),
        ("machine", &run.machine),
        ("contract_set", &run.contract_set),
        ("wasmtime", &run.wasmtime),
    ];
    for (key, text) in texts {
        found.add_if(text.trim().is_empty(), ObjectionKind::Incomplete, || format!("provenance.{key} is empty"));
    }
    found.add_if(!is_time(&run.date), ObjectionKind::Inconsistent, || {
        format!("provenance.date {:?} is no time of RFC 3339 such as 2026-01-02T03:04:05Z", run.date)
    });
    found.add_if(Known::named(&chain.strategy).is_none(), ObjectionKind::Inconsistent, || {
        let known = Known::names();
        format!("provenance.chain.strategy `{}` is none of this version, which has {known}", chain.strategy)
    });
}

/// A call of as many pages as the chain allows, declared as far as it may and by growing as far as it may.
fn hold_largest_call(table: &ParamTable, found: &mut Reasons) {
    let chain = &table.provenance.chain;
    let charged = chain.terms.iter().map(|term| term.parameter.name);
    if !needed(&MEMORY).chain(charged).all(|name| table.params.contains_key(name)) {
        return;
    }
    let (initial, most) = (chain.initial_pages_max, chain.pages_max);
    let calls = if table.params.contains_key(GROW_PER_PAGE) {
        vec![(initial, most.beyond(initial)), (Pages(0), most)]
    } else {
        vec![(initial, Pages(0))]
    };
    let dearest = calls.into_iter().find(|&(declared, grown)| table.charge(declared, grown).is_none());
    if let Some((declared, grown)) = dearest {
        let pages = Pages(declared.0.saturating_add(grown.0));
        found.add(ObjectionKind::Saturating, format!("a call of {pages} costs more than {} gas", Gas::MAX));
    }
}
