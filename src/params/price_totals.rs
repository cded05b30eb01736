//! What a corpus of contracts pays, in figures.

use std::collections::BTreeMap;

use serde::Serialize;

use super::price::PriceRow;
use crate::contract::Compiler;
use crate::contract::corpus::CorpusError;
use crate::units::{Bytes, Gas};

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
    /// Sums at each of [`STACKS`](crate::contract::survey::STACKS).
    pub at_stacks: [AtStack; 3],
    /// Sum by the older table, over the contracts that both price.
    pub old_fees: u128,
    /// Sums of the parts, by their names.
    pub parts: BTreeMap<&'static str, u128>,
    /// Sum of the bills.
    pub bills: u128,
    /// Contracts with a fee and no bill, since a part cannot be told: they are in none of the sums of parts and bills.
    pub unbilled: usize,
    /// Contracts with a bill that is extrapolated, beyond what the table of a part was measured up to.
    pub extrapolated: usize,
    /// Contracts that pay more than by the older table, less, and the same.
    pub changes: [usize; 3],
    /// Contracts that pay more than what they were held against, or of which that cannot be told.
    pub over: usize,
    /// Contracts by what compiled them, as far as they tell.
    pub compilers: BTreeMap<Compiler, usize>,
    /// The largest stack at which each contract that tells its stack pays least; `None` without any.
    pub largest_stack: Option<Bytes>,
    /// Sums at a stack that was asked about.
    pub at_stack: AtStack,
    levels: BTreeMap<u64, PriceLevel>,
}

/// What contracts pay at another stack. Those that do not tell theirs count as they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AtStack {
    /// Sum of the fees, in gas.
    pub fees: u128,
    /// Sum of what the same contracts pay as they are.
    pub now: u128,
    /// Contracts without a fee at this stack, since it takes more pages than the chain allows: they are in neither sum.
    pub beyond: usize,
}

impl AtStack {
    fn add(&mut self, fee: Gas, at: Option<Gas>, is_told: bool) {
        match at.or((!is_told).then_some(fee)) {
            None => self.beyond += 1,
            Some(at) => {
                self.fees += u128::from(at.0);
                self.now += u128::from(fee.0);
            }
        }
    }
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
        self.over += usize::from(row.over_max_gas == Some(true));
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
            sum.add(fee, at, row.stack_bytes.is_some());
        }
        self.at_stack.add(fee, row.fee_at_stack, row.stack_bytes.is_some());
        if let Some(compiler) = row.compiler {
            *self.compilers.entry(compiler).or_default() += 1;
        }
        let largest = row.stack_at_lowest_fee.map(Bytes).into_iter().chain(self.largest_stack);
        self.largest_stack = largest.min();
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
                self.extrapolated += usize::from(row.extrapolated.is_some());
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
    use super::super::part_fees::PartFees;
    use super::super::price::tests::{DEFAULT, contract, table};
    use super::*;

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
    fn a_stack_beyond_what_the_chain_allows_has_no_fee_and_no_other_in_its_place() {
        let (table, mut totals) = (table(1000, 10), PriceTotals::default());
        let limit = table.provenance.chain.initial_pages_max;
        for wat in [DEFAULT, "(module (memory 3))"] {
            let contract = contract(wat);
            let row = PriceRow::new(&contract, &table, None, PartFees::default());
            totals.add(&row.at_stack(limit.bytes(), &contract, &table));
        }
        assert_eq!(totals.at_stack, AtStack { fees: 1030, now: 1030, beyond: 1 });
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
        assert_eq!(totals.at_stacks[0], AtStack { fees: 1010 * 2 + 1030, now: totals.fees, beyond: 0 });
        let levels: Vec<_> = totals.levels().map(|level| (level.pages, level.contracts)).collect();
        assert_eq!(levels, [(3, 1), (17, 2)]);
    }
}
