use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{Exit, UsageError};
use super::rows::{Rows, TableFormat};
use super::tables::table;
use crate::contract::corpus::CorpusError;
use crate::contract::survey::Surveyed;
use crate::params::{PriceRow, PriceTotals};
use crate::report::{pages, render};

/// The table in force.
pub const CURRENT: &str = "params/current.toml";

/// Prices real contracts: the fee for their memory, the part due to the stack, and what a smaller stack would save
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator price --params params/current.toml contracts/
  estimator price --params params/current.toml --params params/proposed.toml contracts/ --format csv

No code of a contract runs. docs/real-contracts.md specifies the columns.")]
pub struct Price {
    /// Table of parameters; a second one shows the change from the first to it
    #[arg(long, value_name = "FILE", default_value = CURRENT)]
    params: Vec<PathBuf>,
    /// Files (also gzip), folders of .wasm and .wasm.gz files, patterns, or - for a list on standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: TableFormat,
}

pub fn execute(args: &Price) -> anyhow::Result<Exit> {
    let (new, old) = match &args.params[..] {
        [new] => (table(new)?, None),
        [old, new] => (table(new)?, Some(table(old)?)),
        _ => return Err(UsageError("--params is given once, or twice to compare: OLD, then NEW".into()).into()),
    };
    for (file, table) in args.params.iter().rev().zip([Some(&new), old.as_ref()].into_iter().flatten()) {
        priced(file, table)?;
    }
    let mut rows = Rows::new(args.format);
    let mut totals = PriceTotals::default();
    let row = |read: Result<Surveyed, (String, CorpusError)>| match read {
        Ok(contract) => {
            let row = PriceRow::new(&contract, &new, old.as_ref());
            totals.add(&row);
            row
        }
        Err((file, error)) => {
            totals.add_failed(&error);
            PriceRow { file, error: Some(error.reason()), ..PriceRow::default() }
        }
    };
    let compared = old.is_some();
    let columns = pages::price::columns(compared);
    let human = |row: &PriceRow| render::row(&columns, &pages::price::row(row, compared));
    rows.contracts(&args.paths, &render::heading(&columns), row, human)?;
    let end = || format!("\n{}", render::terminal(&pages::price::page(&totals, compared)));
    rows.end(&pages::price::json(&totals, compared, &new.objections()), end)
}

/// Makes sure that the table prices an initial memory at all.
pub fn priced(file: &Path, table: &crate::params::ParamTable) -> anyhow::Result<()> {
    use crate::units::Pages;
    if table.charge(Pages(0), Pages(0)).is_none() {
        let (base, page) = (crate::params::INIT_BASE, crate::params::INIT_PER_PAGE);
        return Err(UsageError(format!("{} has no `{base}` and `{page}`: name another table", file.display())).into());
    }
    Ok(())
}
