//! What a corpus pays.

use serde_json::{Value, json};

use crate::params::{Objection, PriceTotals};
use crate::report::pages::price::STACK_FLAGS;

/// What a corpus of contracts pays, with what speaks against the table. Sums are texts, since they can exceed what a JSON number holds exactly.
#[must_use]
pub fn json(totals: &PriceTotals, compared: bool, objections: &[Objection]) -> Value {
    let [at_16_kib, at_64_kib, at_256_kib] = totals.at_stacks.map(|sum| sum.to_string());
    let [more, less, same] = totals.changes;
    json!({
        "contracts": totals.contracts,
        "broken": totals.broken,
        "missing": totals.missing,
        "unpriced": totals.unpriced,
        "stack_unknown": totals.untold,
        "beyond_limit": totals.beyond_limit,
        "fees": totals.fees.to_string(),
        "fees_of_stack": totals.of_stack.to_string(),
        "fees_at_16_kib": at_16_kib,
        "fees_at_64_kib": at_64_kib,
        "fees_at_256_kib": at_256_kib,
        "compared": compared.then(|| json!({
            "old_fees": totals.old_fees.to_string(), "pay_more": more, "pay_less": less, "pay_the_same": same,
        })),
        "objections": objections,
        "levels": totals.levels().collect::<Vec<_>>(),
        "flags_for_16_kib": STACK_FLAGS.iter().map(|(language, flag)| json!({ "language": language, "flag": flag })).collect::<Vec<_>>(),
    })
}
