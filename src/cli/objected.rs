//! What speaks against a table, on standard error.

use std::fmt::Display;

use super::out::tell;
use crate::params::ParamTable;

/// Says it, a line for each objection; `source` is where the table is.
pub fn warn(source: impl Display, table: &ParamTable) {
    for objection in table.objections() {
        tell!("warning: {source}: {objection}");
    }
}
