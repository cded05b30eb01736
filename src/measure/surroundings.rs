//! What is in the process that cycles and probes run in, beside them.

use super::Plan;

/// It in a line, by which references and runs are told to go together: the cost of a fault depends on what else the process does.
#[must_use]
pub fn process_line(_plan: &Plan) -> String {
    "nothing else".into()
}
