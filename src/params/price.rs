//! What real contracts pay for their memory, and what they would pay with a smaller stack.

use serde::Serialize;

use super::ParamTable;
use super::part_fees::PartFees;
use crate::contract::survey::{STACKS, Surveyed};
use crate::contract::{Compiler, StackLayout};
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
    let pages = contract.declared();
    let at = |stack: Bytes| fee_at(stack, contract, table);
    let total = pages.and_then(|pages| fee_of(pages, contract, table));
    let of_stack = total.zip(at(Bytes(0))).and_then(|(total, rest)| total.0.checked_sub(rest.0).map(Gas));
    Price { pages, fee: total, of_stack, at_stacks: STACKS.map(at) }
}

fn fee_of(pages: Pages, contract: &Surveyed, table: &ParamTable) -> Option<Gas> {
    table.charge_of(&Point::of_memory("", "", "", pages).with(&DATA_BYTES, contract.facts.data_bytes.0))
}

fn fee_at(stack: Bytes, contract: &Surveyed, table: &ParamTable) -> Option<Gas> {
    fee_of(contract.with_stack(stack)?, contract, table)
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
    /// What compiled it, as far as it tells.
    pub compiler: Option<Compiler>,
    /// The largest stack with which it pays no more than with one of 16 KiB, or than with its own if that is smaller.
    pub stack_at_lowest_fee: Option<u64>,
    /// The fee at the stack that was asked about.
    pub fee_at_stack: Option<Gas>,
    /// Whether it pays more than what it was held against, or cannot be said not to.
    pub over_max_gas: Option<bool>,
    /// Why a part refuses it, so that it has no bill.
    pub refused: Option<String>,
    /// What of it the table of a part was not measured up to, so that its bill is extrapolated.
    pub extrapolated: Option<String>,
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
            compiler: contract.facts.compiler,
            stack_at_lowest_fee: contract.largest_stack().map(|stack| stack.0),
            fee_at_stack: None,
            over_max_gas: None,
            refused: None,
            extrapolated: None,
        }
    }

    /// The same with the fee by the same table at another stack.
    #[must_use]
    pub fn at_stack(self, stack: Bytes, contract: &Surveyed, table: &ParamTable) -> Self {
        Self { fee_at_stack: fee_at(stack, contract, table), ..self }
    }

    /// The same held against the most that a call may pay. What has no bill cannot be said to be within.
    #[must_use]
    pub fn held_to(self, most: Gas) -> Self {
        Self { over_max_gas: Some(self.bill.is_none_or(|bill| bill > most)), ..self }
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

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::proposed;
    use super::super::{INIT_BASE, INIT_PER_PAGE};
    use super::*;
    use crate::contract::ModuleFacts;

    pub fn table(base: u64, per_page: u64) -> ParamTable {
        let mut table = proposed();
        table.params.get_mut(INIT_BASE).unwrap().gas = Gas(base);
        table.params.get_mut(INIT_PER_PAGE).unwrap().gas = Gas(per_page);
        table
    }

    pub fn contract(wat: &str) -> Surveyed {
        let wasm = wat::parse_str(wat).unwrap();
        Surveyed::new("a.wasm".into(), &wasm, ModuleFacts::read(&wasm).unwrap())
    }

    pub const DEFAULT: &str = "(module (memory 17) (global (mut i32) (i32.const 1048576))
        (global (export \"__heap_base\") i32 (i32.const 1048592)) (data (i32.const 1048576) \"abcd\"))";

    #[test]
    fn a_fee_and_what_smaller_stacks_would_save() {
        let found = price(&contract(DEFAULT), &table(1000, 10));
        assert_eq!((found.fee, found.of_stack), (Some(Gas(1170)), Some(Gas(160))));
        assert_eq!(found.at_stacks, [Some(Gas(1010)), Some(Gas(1020)), Some(Gas(1050))]);
    }

    #[test]
    fn a_fee_at_another_stack_and_whether_a_bill_is_within_a_limit() {
        let (contract, table) = (contract(DEFAULT), table(1000, 10));
        let row = PriceRow::new(&contract, &table, None, PartFees::default());
        assert_eq!(row.stack_at_lowest_fee, Some(65_536 - 16));
        let at = |bytes: u64| row.clone().at_stack(Bytes(bytes), &contract, &table).fee_at_stack;
        assert_eq!((at(65_536 - 16), at(65_536)), (Some(Gas(1010)), Some(Gas(1020))));
        let over = |row: &PriceRow, most: u64| row.clone().held_to(Gas(most)).over_max_gas;
        assert_eq!((over(&row, 1170), over(&row, 1169)), (Some(false), Some(true)));
        let open = PriceRow { bill: None, ..row };
        assert_eq!(over(&open, u64::MAX), Some(true), "what cannot be told is no reason to pass");
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
}
