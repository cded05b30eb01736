//! A table in the format of a chain, rounded so that no charge is below the table's.
//!
//! The formats, their sources and what rounding costs are described in `docs/exports.md`. Each is a file of this folder.

mod charges;
mod countable;
mod exporter;
mod origin;
mod rate;

pub use exporter::{Export, Exporter, Worth};

listed! {
    /// Every format.
    pub static EXPORTERS: &Exporter =
        near::NEAR,
        substrate::SUBSTRATE,
        soroban::SOROBAN,
        fvm::FVM,
        stylus::STYLUS,
        json::JSON,
}

impl Exporter {
    /// The format of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        EXPORTERS.into_iter().find(|exporter| exporter.name == name)
    }
}
