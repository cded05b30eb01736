//! What a chain charges: its settings, the parameter table, and how a table is proposed, compared, accepted and exported.
//!
//! The file formats are specified in `docs/params-format.md`.

mod accepted;
mod beyond;
mod chain;
mod change;
mod charges;
mod decimal;
mod diff;
mod document;
mod envelope;
mod error;
mod evidence;
mod export;
mod node;
mod objection;
mod part_fees;
mod preset;
mod price;
mod price_totals;
mod pricing;
mod promote;
mod propose;
mod provenance;
mod reference;
mod reference_facts;
mod rules;
mod section;
mod shipped;
mod strategy_fee;
mod table;

pub use accepted::{Accepted, AcceptedChanges};
pub use beyond::Beyond;
pub use chain::ChainSettings;
pub use change::Change;
pub use charges::charges_before_safety;
pub use diff::{
    CHARGED_PAGES, ChargeChange, Counts, ParamChange, ParamDiff, ParamRow, ProbeChange, ProvenanceChange, Verdict, diff,
};
pub use envelope::envelope;
pub use error::ParamsError;
pub use export::{EXPORTERS, Export, Exporter, Worth};
pub use objection::{Objection, ObjectionKind};
pub use part_fees::PartFees;
pub use preset::Preset;
pub use price::{Price, PriceRow, price};
pub use price_totals::{AtStack, PriceLevel, PriceTotals};
pub use promote::{LEFT_OUT, ONLY, OVERRIDDEN, is_in_force, objections, promote};
pub use propose::{ParamInput, ProposalInput, flat_charge, propose};
pub use provenance::{Provenance, RunFacts, UNKNOWN_MACHINE};
pub use reference::{Measured, ReferenceMachine};
pub use reference_facts::ReferenceFacts;
pub use strategy_fee::StrategyFee;
pub use table::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, Param, ParamTable};

#[cfg(test)]
mod tests;
