use std::collections::BTreeMap;

use serde::Serialize;

use super::Surveyed;
use crate::contract::corpus::CorpusError;
use crate::contract::{DEFAULT_STACK, MemoryKind};
use crate::units::{HOST_PAGE, HOST_PAGES_PER_WASM_PAGE};

/// A corpus in figures. It holds counts alone, so it does not grow with the corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SurveyTotals {
    /// Files that are contracts.
    pub contracts: usize,
    /// Files that are not.
    pub broken: usize,
    /// Names that lead to no file.
    pub missing: usize,
    /// Contracts that define, import or have no memory, by [`MemoryKind::as_str`].
    pub memory: BTreeMap<&'static str, usize>,
    /// Contracts whose stack layout is not told.
    pub untold: usize,
    /// Contracts with a stack of [`DEFAULT_STACK`], whatever else they declare.
    pub default_stack: usize,
    /// Contracts whose memory is what linkers give when nobody asks for anything else.
    pub linker_default: usize,
    /// Those of them that declare 17 pages: a 1 MiB stack and less than a page of data.
    pub default_17: usize,
    pages: BTreeMap<u64, [usize; 4]>,
    calls: BTreeMap<(u64, u64), usize>,
}

/// How many contracts declare so many pages, and are taken to touch so many host pages of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallCount {
    /// Pages that they declare.
    pub pages: u64,
    /// Host pages that their data segments fill, and one of stack: a guess, as a call need not touch all of its data, and may touch more
    /// stack and heap.
    pub touched_host_pages: u64,
    /// How many they are.
    pub contracts: usize,
}

/// How many contracts have this many pages: as declared, and with each of [`STACKS`](super::STACKS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct PageCount {
    pub pages: u64,
    pub declared: usize,
    pub at_16_kib: usize,
    pub at_64_kib: usize,
    pub at_256_kib: usize,
}

impl SurveyTotals {
    /// Counts a contract.
    pub fn add(&mut self, contract: &Surveyed) {
        let facts = &contract.facts;
        self.contracts += 1;
        *self.memory.entry(facts.memory.as_str()).or_default() += 1;
        if facts.memory == MemoryKind::None {
            return;
        }
        self.pages.entry(facts.declared_pages).or_default()[0] += 1;
        let host_pages = facts.declared_pages.saturating_mul(HOST_PAGES_PER_WASM_PAGE);
        let touched = (facts.data_bytes.0.div_ceil(HOST_PAGE) + 1).min(host_pages);
        *self.calls.entry((facts.declared_pages, touched)).or_default() += 1;
        for (column, pages) in (1..).zip(contract.at_stacks()) {
            // One that does not tell stays where it is.
            let pages = pages.map_or(facts.declared_pages, |pages| u64::from(pages.0));
            self.pages.entry(pages).or_default()[column] += 1;
        }
        match contract.layout {
            None => self.untold += 1,
            Some(layout) => self.default_stack += usize::from(layout.stack == DEFAULT_STACK),
        }
        if contract.is_default() == Some(true) {
            self.linker_default += 1;
            self.default_17 += usize::from(facts.declared_pages == 17);
        }
    }

    /// Counts a name that gave no contract.
    pub const fn add_failed(&mut self, error: &CorpusError) {
        if error.is_usage() {
            self.missing += 1;
        } else {
            self.broken += 1;
        }
    }

    /// Contracts by what a call of them declares and touches. Those without a memory are in none.
    pub fn calls(&self) -> impl Iterator<Item = CallCount> {
        let call = |(&(pages, touched_host_pages), &contracts)| CallCount { pages, touched_host_pages, contracts };
        self.calls.iter().map(call)
    }

    /// Contracts by pages, from few to many. Those without a memory are in none.
    pub fn histogram(&self) -> impl Iterator<Item = PageCount> {
        self.pages.iter().map(|(&pages, &[declared, at_16_kib, at_64_kib, at_256_kib])| PageCount {
            pages,
            declared,
            at_16_kib,
            at_64_kib,
            at_256_kib,
        })
    }
}
