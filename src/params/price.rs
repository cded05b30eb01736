//! What real contracts pay for their memory, and what they would pay with a smaller stack.

use std::collections::BTreeMap;

use serde::Serialize;

use super::ParamTable;
use super::part_fees::PartFees;
use crate::contract::StackLayout;
use crate::contract::corpus::CorpusError;
use crate::contract::survey::{STACKS, Surveyed};
use crate::experiment::Point;
use crate::experiment::memory::DATA_BYTES;
use crate::units::{Bytes, Gas, Pages};

/// The fee of one contract by a table. Gas is `None` where the chain forbids so many pages, beyond [`Gas::MAX`], or where the table
/// lacks a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Pages that it declares, all memories together; `None` beyond 32 bits.
    pub pages: Option<Pages>,
    /// The memory-initialization fee, paid by every call.
    pub fee: Option<Gas>,
    /// The part of it that a contract without any stack would save; `None` also where the stack is not told.
    pub of_stack: Option<Gas>,
    /// The fee with each of [`STACKS`], at least; `None` also where the stack is not told.
    pub at_stacks: [Option<Gas>; 3],
}

/// Prices a contract. A contract without a memory pays the base alone.
#[must_use]
pub fn price(contract: &Surveyed, table: &ParamTable) -> Price {
    let data = contract.facts.data_bytes.0;
    let fee = |pages: Pages| table.charge_of(&Point::of_memory("", "", "", pages).with(&DATA_BYTES, data));
    let pages = contract.declared();
    let at = |stack: Bytes| contract.with_stack(stack).and_then(fee);
    let total = pages.and_then(fee);
    let of_stack = total.zip(at(Bytes(0))).and_then(|(total, rest)| total.0.checked_sub(rest.0).map(Gas));
    Price { pages, fee: total, of_stack, at_stacks: STACKS.map(at) }
}

/// A row of a price list. Fees are in gas; columns are only added, and an empty cell says that it cannot be known.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the columns are specified in docs/real-contracts.md")]
pub struct PriceRow {
    pub file: String,
    pub declared_pages: Option<u64>,
    pub stack_bytes: Option<u64>,
    pub fee: Option<Gas>,
    pub fee_of_stack: Option<Gas>,
    pub fee_at_16_kib: Option<Gas>,
    pub fee_at_64_kib: Option<Gas>,
    pub fee_at_256_kib: Option<Gas>,
    /// The fee by the older table, if two were given.
    pub old_fee: Option<Gas>,
    /// (fee − old fee) / old fee.
    pub change: Option<f64>,
    /// Whether it declares more pages than the chain of the table allows.
    pub beyond_limit: Option<bool>,
    /// What the fees at other stacks leave open.
    pub remark: Option<&'static str>,
    pub language: Option<String>,
    /// What else it pays than the fee of its memory, part by part.
    pub parts: PartFees,
    /// The fee and all parts together.
    pub bill: Option<Gas>,
    /// Why the file is no contract; all else is then empty.
    pub error: Option<String>,
}

impl PriceRow {
    /// Prices a contract by the table and, to compare with, an older one.
    #[must_use]
    pub fn new(contract: &Surveyed, table: &ParamTable, old: Option<&ParamTable>, parts: PartFees) -> Self {
        let now = price(contract, table);
        let old_fee = old.and_then(|old| price(contract, old).fee);
        let [fee_at_16_kib, fee_at_64_kib, fee_at_256_kib] = now.at_stacks;
        let limit = u64::from(table.provenance.chain.initial_pages_max.0);
        Self {
            file: contract.name.clone(),
            declared_pages: Some(contract.facts.declared_pages),
            stack_bytes: contract.layout.map(|layout| layout.stack.0),
            fee: now.fee,
            fee_of_stack: now.of_stack,
            fee_at_16_kib,
            fee_at_64_kib,
            fee_at_256_kib,
            old_fee,
            change: now.fee.zip(old_fee).and_then(|(new, old)| change(old, new)),
            beyond_limit: Some(contract.facts.declared_pages > limit),
            remark: remark(contract),
            language: contract.facts.language.clone(),
            bill: now.fee.and_then(|fee| parts.0.iter().try_fold(fee, |sum, (_, part)| sum.checked_add((*part)?))),
            parts,
            error: None,
        }
    }
}

/// What a reader of the fees at other stacks must know.
fn remark(contract: &Surveyed) -> Option<&'static str> {
    let initial = contract.facts.initial_pages?;
    match &contract.layout {
        None => Some("does not tell where its stack ends"),
        Some(layout) if !layout.used => Some("never uses its stack"),
        Some(layout) if asks_for_more(layout, initial) => {
            Some("declares more than stack and data need: lower that too")
        }
        Some(_) if contract.facts.heap_base.is_none() => Some("zero-filled data, if any, comes on top"),
        Some(_) => None,
    }
}

fn asks_for_more(layout: &StackLayout, initial: Pages) -> bool {
    layout.needs(layout.stack).is_some_and(|needed| needed < initial)
}

#[expect(clippy::cast_precision_loss, reason = "a ratio is shown to some digits")]
fn change(old: Gas, new: Gas) -> Option<f64> {
    (old.0 > 0).then(|| (new.0 as f64 - old.0 as f64) / old.0 as f64)
}

/// The price list of a corpus in figures. It holds counts by pages, so it does not grow with the corpus.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PriceTotals {
    /// Contracts that have a fee.
    pub contracts: usize,
    /// Files that are no contracts.
    pub broken: usize,
    /// Names that lead to no file.
    pub missing: usize,
    /// Contracts whose fee cannot be told: more pages than gas can count, or a parameter is missing.
    pub unpriced: usize,
    /// Contracts whose stack is not told; they count as they are in the sums at other stacks.
    pub untold: usize,
    /// Contracts beyond the chain's limit of initial pages, which no call can pay for: they are in none of the sums.
    pub beyond_limit: usize,
    /// Sum of the fees of one call of each contract, in gas.
    pub fees: u128,
    /// Sum of the parts due to the stack.
    pub of_stack: u128,
    /// Sums at each of [`STACKS`].
    pub at_stacks: [u128; 3],
    /// Sum by the older table, over the contracts that both price.
    pub old_fees: u128,
    /// Sums of the parts, by their names.
    pub parts: BTreeMap<&'static str, u128>,
    /// Sum of the bills.
    pub bills: u128,
    /// Contracts with a fee and no bill, since a part cannot be told: they are in none of the sums of parts and bills.
    pub unbilled: usize,
    /// Contracts that pay more than by the older table, less, and the same.
    pub changes: [usize; 3],
    levels: BTreeMap<u64, PriceLevel>,
}

/// Contracts of one size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct PriceLevel {
    /// Pages declared.
    pub pages: u64,
    /// How many contracts declare them.
    pub contracts: usize,
    /// What each pays.
    pub fee: Option<Gas>,
    /// What each paid by the older table.
    pub old_fee: Option<Gas>,
    /// (fee − old fee) / old fee.
    pub change: Option<f64>,
}

impl PriceTotals {
    /// Counts a contract.
    pub fn add(&mut self, row: &PriceRow) {
        if row.beyond_limit == Some(true) {
            self.beyond_limit += 1;
            return;
        }
        let (Some(fee), Some(pages)) = (row.fee, row.declared_pages) else {
            self.unpriced += 1;
            return;
        };
        self.contracts += 1;
        self.untold += usize::from(pages > 0 && row.fee_of_stack.is_none());
        self.fees += u128::from(fee.0);
        self.of_stack += u128::from(row.fee_of_stack.unwrap_or_default().0);
        let at = [row.fee_at_16_kib, row.fee_at_64_kib, row.fee_at_256_kib];
        for (sum, at) in self.at_stacks.iter_mut().zip(at) {
            *sum += u128::from(at.unwrap_or(fee).0);
        }
        if let Some(old) = row.old_fee {
            self.old_fees += u128::from(old.0);
            self.changes[match fee.cmp(&old) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Equal => 2,
            }] += 1;
        }
        match row.bill {
            None => self.unbilled += 1,
            Some(bill) => {
                self.bills += u128::from(bill.0);
                for (name, part) in &row.parts.0 {
                    *self.parts.entry(name).or_default() += u128::from(part.unwrap_or_default().0);
                }
            }
        }
        let level = self.levels.entry(pages).or_insert_with(|| PriceLevel {
            pages,
            contracts: 0,
            fee: row.fee,
            old_fee: row.old_fee,
            change: row.change,
        });
        level.contracts += 1;
    }

    /// Counts a name that gave no contract.
    pub const fn add_failed(&mut self, error: &CorpusError) {
        if error.is_usage() {
            self.missing += 1;
        } else {
            self.broken += 1;
        }
    }

    /// The fees by size, from small to large.
    pub fn levels(&self) -> impl Iterator<Item = &PriceLevel> {
        self.levels.values()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;
    use super::super::{INIT_BASE, INIT_PER_PAGE};
    use super::*;
    use crate::contract::ModuleFacts;

    fn table(base: u64, per_page: u64) -> ParamTable {
        let mut table = proposed();
        table.params.get_mut(INIT_BASE).unwrap().gas = Gas(base);
        table.params.get_mut(INIT_PER_PAGE).unwrap().gas = Gas(per_page);
        table
    }

    fn contract(wat: &str) -> Surveyed {
        let wasm = wat::parse_str(wat).unwrap();
        Surveyed::new("a.wasm".into(), &wasm, ModuleFacts::read(&wasm).unwrap())
    }

    const DEFAULT: &str = "(module (memory 17) (global (mut i32) (i32.const 1048576))
        (global (export \"__heap_base\") i32 (i32.const 1048592)) (data (i32.const 1048576) \"abcd\"))";

    #[test]
    fn a_fee_and_what_smaller_stacks_would_save() {
        let found = price(&contract(DEFAULT), &table(1000, 10));
        assert_eq!((found.fee, found.of_stack), (Some(Gas(1170)), Some(Gas(160))));
        assert_eq!(found.at_stacks, [Some(Gas(1010)), Some(Gas(1020)), Some(Gas(1050))]);
    }

    #[test]
    fn what_cannot_be_known_is_left_open() {
        let untold = price(&contract("(module (memory 3))"), &table(1000, 10));
        assert_eq!((untold.fee, untold.of_stack, untold.at_stacks), (Some(Gas(1030)), None, [None; 3]));
        let none = price(&contract("(module)"), &table(1000, 10));
        assert_eq!((none.pages, none.fee), (Some(Pages(0)), Some(Gas(1000))));
        let several = price(&contract("(module (memory 3) (memory i64 4))"), &table(1000, 10));
        assert_eq!(several.fee, Some(Gas(1070)));
    }

    #[test]
    fn a_bill_is_the_fee_and_its_parts_and_none_where_a_part_cannot_be_told() {
        let (table, mut totals) = (table(1000, 10), PriceTotals::default());
        let mut row = |parts: Vec<_>| {
            let row = PriceRow::new(&contract("(module (memory 3))"), &table, None, PartFees(parts));
            totals.add(&row);
            row
        };
        let known = row(vec![("load", Some(Gas(500))), ("load-kept", Some(Gas(20)))]);
        assert_eq!(known.bill, Some(Gas(1550)));
        assert_eq!(serde_json::to_value(&known).unwrap()["parts"], "load=500 load-kept=20");
        assert_eq!(row(vec![("load", Some(Gas(500))), ("load-kept", None)]).bill, None);
        assert_eq!((totals.bills, totals.unbilled, totals.fees), (1550, 1, 2060));
        assert_eq!(totals.parts, BTreeMap::from([("load", 500), ("load-kept", 20)]));
    }

    #[test]
    fn totals_say_who_pays_more() {
        let mut totals = PriceTotals::default();
        for wat in [DEFAULT, DEFAULT, "(module (memory 3))", "(module (memory 1025))"] {
            totals.add(&PriceRow::new(&contract(wat), &table(1000, 10), Some(&table(1030, 8)), PartFees::default()));
        }
        assert_eq!((totals.contracts, totals.untold, totals.beyond_limit), (3, 1, 1));
        assert_eq!(totals.changes, [2, 1, 0]);
        assert_eq!(totals.fees, 1170 * 2 + 1030);
        assert_eq!(totals.at_stacks[0], 1010 * 2 + 1030);
        let levels: Vec<_> = totals.levels().map(|level| (level.pages, level.contracts)).collect();
        assert_eq!(levels, [(3, 1), (17, 2)]);
    }
}
