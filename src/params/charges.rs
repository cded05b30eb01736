//! What a table charges in time, to hold measured times against.

use super::{INIT_BASE, INIT_PER_PAGE, ParamTable, ParamsError};
use crate::experiment::Point;
use crate::model::{Charges, Estimate};

/// What a call of each point pays for its declared pages, in nanoseconds before the safety factor and before rounding.
///
/// # Errors
/// [`ParamsError::Param`] if the table does not price an initial memory.
pub fn charges_before_safety(table: &ParamTable, points: &[Point]) -> Result<Charges, ParamsError> {
    let param = |name: &str| {
        let missing = || ParamsError::Param { param: name.into(), reason: "the table does not have it".into() };
        table.params.get(name).ok_or_else(missing)
    };
    let (base, per_page) = (param(INIT_BASE)?, param(INIT_PER_PAGE)?);
    let line = |base: Estimate, per_page: Estimate| {
        let charge = |point: &Point| base.value + per_page.value * f64::from(point.initial_pages().0);
        points.iter().map(charge).collect()
    };
    Ok(Charges {
        absolute: line(base.nanos, per_page.nanos),
        normalised: base.normalised.zip(per_page.normalised).map(|(base, per_page)| line(base, per_page)),
    })
}
