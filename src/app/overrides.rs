use super::filter::Filter;
use super::in_force::TableInForce;
use super::workload::NamedWorkload;
use crate::params::{ChainSettings, ReferenceMachine};

/// What is used in the place of what a run keeps; `None` for that.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The chain settings.
    pub chain: Option<ChainSettings>,
    /// The reference machine.
    pub reference: Option<ReferenceMachine>,
    /// The table in force that the proposal is held against.
    pub current: Option<TableInForce>,
    /// The mix of calls that strategies are compared for.
    pub workload: Option<NamedWorkload>,
    /// The points that are fitted; `None` for all.
    pub filter: Option<Filter>,
}
