//! What a chain charges: its settings, the parameter table, and how a table is proposed and compared.
//!
//! Both file formats are specified in `docs/params-format.md`.

mod chain;
mod decimal;
mod diff;
mod document;
mod envelope;
mod error;
mod propose;
mod provenance;
mod section;
mod strategy_fee;
mod table;

pub use chain::ChainSettings;
pub use diff::{
    CHARGED_PAGES, ChargeChange, Counts, ParamChange, ParamDiff, ParamRow, ProvenanceChange, Verdict, diff,
};
pub use envelope::envelope;
pub use error::ParamsError;
pub use propose::{ParamInput, ProposalInput, propose};
pub use provenance::{Provenance, RunFacts, UNKNOWN_MACHINE};
pub use strategy_fee::StrategyFee;
pub use table::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, Param, ParamTable};

#[cfg(test)]
mod tests;
