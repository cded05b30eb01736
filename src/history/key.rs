//! What a finding is told by, once and never again.

use super::figure::Figure;
use super::judgement::FindingKind;
use super::rows::json;

/// The key of a finding: its kind, what it is of, which way it went, and since when. It is kept in the database over years, so its
/// names are those that the records have.
pub(super) fn key(kind: FindingKind, figure: &Figure, ratio: f64, since: &str) -> String {
    let way = if ratio > 1.0 { "dearer" } else { "cheaper" };
    format!("{}/{}/{}/{way}/{since}", json(&kind), figure.param, json(&figure.form))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::LineKind;
    use crate::model::Form;
    use crate::params::INIT_BASE;

    #[test]
    fn keys_are_those_that_histories_hold_already() {
        let of = |kind, form, ratio| key(kind, &Figure::new(INIT_BASE, LineKind::Cost, form), ratio, "run7");
        let keys = [
            of(FindingKind::Step, Form::Measured, 1.1),
            of(FindingKind::Drift, Form::Reference, 0.9),
            of(FindingKind::Table, Form::Measured, 0.9),
        ];
        let held = [
            "step/memory_init_base/measured/dearer/run7",
            "drift/memory_init_base/reference/cheaper/run7",
            "table/memory_init_base/measured/cheaper/run7",
        ];
        assert_eq!(keys, held);
    }
}
