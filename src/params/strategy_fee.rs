use super::table::ParamTable;
use crate::units::Bytes;

/// What the fee would be if the node ran a strategy, and what running it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyFee {
    /// Name of the strategy.
    pub strategy: String,
    /// The table, or why none follows from the samples.
    pub table: Result<ParamTable, String>,
    /// The most physical memory that idle slots of an engine hold between calls.
    pub idle: Bytes,
}
