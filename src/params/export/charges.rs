use crate::params::error::ParamsError;
use crate::params::table::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, ParamTable};
use crate::units::Gas;

/// The charges of a table, as far as exports need them.
#[derive(Clone, Copy)]
pub(super) struct Charges {
    pub(super) base: Gas,
    pub(super) page: Gas,
    pub(super) grow: Option<Gas>,
}

impl Charges {
    pub(super) fn of(table: &ParamTable) -> Result<Self, ParamsError> {
        let gas = |name| table.params.get(name).map(|param| param.gas);
        let needed = |name| gas(name).ok_or_else(|| ParamsError::Export(format!("the table has no {name}")));
        Ok(Self { base: needed(INIT_BASE)?, page: needed(INIT_PER_PAGE)?, grow: gas(GROW_PER_PAGE) })
    }
}
