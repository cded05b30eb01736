//! What a corpus declares.

use serde_json::{Value, json};

use crate::contract::survey::SurveyTotals;

/// What a corpus of contracts declares.
#[must_use]
pub fn json(totals: &SurveyTotals) -> Value {
    json!({
        "contracts": totals.contracts,
        "broken": totals.broken,
        "missing": totals.missing,
        "memory": totals.memory,
        "stack_unknown": totals.untold,
        "default_stack": totals.default_stack,
        "linker_default": totals.linker_default,
        "linker_default_17_pages": totals.default_17,
        "histogram": totals.histogram().collect::<Vec<_>>(),
    })
}
