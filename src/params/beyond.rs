use std::fmt;

use serde::Serialize;

use super::table::ParamTable;
use crate::experiment::Levels;

/// A level up to which a table was not measured: what is charged for it is extrapolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Beyond {
    /// The name of the factor.
    pub factor: &'static str,
    /// The level.
    pub level: u64,
    /// The largest that was measured.
    pub measured_up_to: u64,
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { factor, level, measured_up_to } = self;
        write!(f, "{level} {} (measured up to {measured_up_to})", factor.replace('_', " "))
    }
}

impl ParamTable {
    /// Which of these levels are beyond the largest that the table was measured with (`[provenance.measured_up_to]`).
    #[must_use]
    pub fn beyond(&self, levels: &Levels) -> Vec<Beyond> {
        let limits = &self.provenance.run.measured_up_to;
        let beyond = levels.unusual().filter_map(|(factor, level)| {
            let &measured_up_to = limits.get(factor.name).filter(|most| level > **most)?;
            Some(Beyond { factor: factor.name, level, measured_up_to })
        });
        beyond.collect()
    }
}
