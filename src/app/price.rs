use std::io::BufRead;
use std::path::PathBuf;

use super::corpus::Contracts;
use super::error::Error;
use super::price_part::{Parted, Parts, Passed};
use super::session::Session;
use super::tables::TableSource;
use crate::params::{INIT_BASE, INIT_PER_PAGE, Objection, ParamTable, PriceRow, PriceTotals};
use crate::units::{Bytes, Gas, GasUnit, Pages};

/// To price contracts: what they pay for their memory, and for what else there is a table of.
///
/// ```
/// use estimator::app::{PriceList, PriceRequest, Session};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// let request = PriceRequest::new("tests/data/table.toml", vec!["tests/data".into()]);
/// let session = Session::new();
/// let mut prices = PriceList::new(&request, std::io::empty(), &session)?;
/// for row in &mut prices {
///     println!("{}: {:?} gas a call", row.file, row.fee);
/// }
/// println!("{} gas in all", prices.totals().fees);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceRequest {
    /// The table.
    pub table: TableSource,
    /// An older one, to compare with.
    pub old: Option<TableSource>,
    /// Tables of what else is paid for, each of another experiment than the memory's.
    pub parts: Vec<PathBuf>,
    /// How large the payload of a call is; only for a part that prices it.
    pub input: Option<Bytes>,
    /// How much it returns, none unless said; only for such a part.
    pub output: Option<Bytes>,
    /// A stack to price each contract with as well.
    pub stack: Option<Bytes>,
    /// The most that a call may pay, to hold each contract against.
    pub max_gas: Option<Gas>,
    /// Files, folders, patterns, or `-` for a list of them (see [`Walk`](crate::contract::corpus::Walk)).
    pub paths: Vec<PathBuf>,
}

impl PriceRequest {
    /// By this table alone.
    #[must_use]
    pub fn new(table: impl Into<TableSource>, paths: Vec<PathBuf>) -> Self {
        let (table, parts) = (table.into(), Vec::new());
        Self { table, old: None, parts, input: None, output: None, stack: None, max_gas: None, paths }
    }
}

/// The fee of each contract, a row for each as it is asked for. No code of a contract runs.
pub struct PriceList<'a> {
    contracts: Contracts<'a>,
    table: ParamTable,
    old: Option<ParamTable>,
    parts: Parts,
    stack: Option<Bytes>,
    max_gas: Option<Gas>,
    totals: PriceTotals,
}

impl<'a> PriceList<'a> {
    /// Reads the tables; `list` is what `-` reads.
    ///
    /// # Errors
    /// A table is not there, cannot be read, is of a run whose fit was rejected, or prices no initial memory, or as a part nothing else; or
    /// an input or output is given that no part prices, or no input where one does; or the stack is none, or larger than what a memory may begin with.
    pub fn new(request: &'a PriceRequest, list: impl BufRead + 'a, session: &'a Session<'a>) -> Result<Self, Error> {
        let told = |source: &TableSource| {
            let table = source.told(session)?;
            prices_memory(&source.name(), &table)?;
            Ok::<_, Error>(table)
        };
        let table = told(&request.table)?;
        request.stack.map_or(Ok(()), |stack| fits(stack, table.provenance.chain.initial_pages_max))?;
        let old = request.old.as_ref().map(told).transpose()?;
        let passed = Passed { input: request.input, output: request.output };
        let parts = Parts::read(&request.parts, passed, session)?;
        let contracts = Contracts::new(&request.paths, list, session);
        let PriceRequest { stack, max_gas, .. } = *request;
        Ok(Self { contracts, table, old, parts, stack, max_gas, totals: PriceTotals::default() })
    }

    /// The names of the further parts, in the order of their tables.
    #[must_use]
    pub fn parts(&self) -> Vec<&'static str> {
        self.parts.names()
    }

    /// Whether there is an older table.
    #[must_use]
    pub const fn is_compared(&self) -> bool {
        self.old.is_some()
    }

    /// The unit in which people read gas, by the table; `None` for all its digits.
    #[must_use]
    pub const fn gas_unit(&self) -> Option<&GasUnit> {
        self.table.provenance.chain.gas_unit.as_ref()
    }

    /// What speaks against the table.
    #[must_use]
    pub fn objections(&self) -> Vec<Objection> {
        self.table.objections()
    }

    /// The rows so far in figures.
    #[must_use]
    pub const fn totals(&self) -> &PriceTotals {
        &self.totals
    }
}

impl Iterator for PriceList<'_> {
    type Item = PriceRow;

    fn next(&mut self) -> Option<Self::Item> {
        let parts = &self.parts;
        Some(match self.contracts.next_with(|wasm| parts.of(wasm))? {
            Ok((contract, Parted { fees, refused, extrapolated })) => {
                let row = PriceRow::new(&contract, &self.table, self.old.as_ref(), fees);
                let mut row = PriceRow { refused, extrapolated, ..row };
                if let Some(stack) = self.stack {
                    row = row.at_stack(stack, &contract, &self.table);
                }
                if let Some(most) = self.max_gas {
                    row = row.held_to(most);
                }
                self.totals.add(&row);
                row
            }
            Err((name, error)) => {
                self.totals.add_failed(&error);
                PriceRow { file: name, error: Some(error.reason()), ..PriceRow::default() }
            }
        })
    }
}

/// Makes sure that a memory that the chain allows can have such a stack.
fn fits(stack: Bytes, most: Pages) -> Result<(), Error> {
    if (1..=most.bytes().0).contains(&stack.0) {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "no contract can have a stack of {stack}: by the table's chain a memory begins with at most {most}, {}; name a stack from 1 B to that, \
         such as 48KiB",
        most.bytes()
    )))
}

/// Makes sure that the table prices an initial memory at all.
pub(super) fn prices_memory(name: &str, table: &ParamTable) -> Result<(), Error> {
    if table.charge(Pages(0), Pages(0)).is_none() {
        let text = format!("{name} has no `{INIT_BASE}` and `{INIT_PER_PAGE}`: name another table");
        return Err(Error::Usage(text));
    }
    Ok(())
}
