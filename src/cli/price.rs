use std::io;
use std::path::PathBuf;

use clap::Args;

use super::exit::{Exit, UsageError};
use super::rows::{Failures, Rows, TableFormat};
use super::session::in_session;
use crate::app::{PriceList, PriceRequest};
use crate::params::PriceRow;
use crate::report::{pages, render};
use crate::units::Bytes;

/// The table in force.
pub const CURRENT: &str = "params/current.toml";

/// Prices real contracts: the fee for their memory, the part due to the stack, what a smaller stack would save, and the bill by its parts
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator price --params params/current.toml contracts/
  estimator price --params params/current.toml --params params/proposed.toml contracts/ --format csv
  estimator price --part params/current-load.toml --part params/current-load-kept.toml contracts/

No code of a contract runs. docs/real-contracts.md specifies the columns.")]
pub struct Price {
    /// Table of parameters; a second one shows the change from the first to it
    #[arg(long, value_name = "FILE", default_value = CURRENT)]
    params: Vec<PathBuf>,
    /// Table of what else a call pays for, such as that of the load experiment; each of another experiment
    #[arg(long, value_name = "FILE")]
    part: Vec<PathBuf>,
    /// How large the payload of a call is, where a part prices it
    #[arg(long, value_name = "BYTES")]
    input: Option<u64>,
    /// Files (also gzip), folders of .wasm and .wasm.gz files, patterns, or - for a list on standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: TableFormat,
}

pub fn execute(args: &Price) -> anyhow::Result<Exit> {
    let (table, old) = match &args.params[..] {
        [new] => (new.clone(), None),
        [old, new] => (new.clone(), Some(old.clone())),
        _ => return Err(UsageError("--params is given once, or twice to compare: OLD, then NEW".into()).into()),
    };
    let compared = old.is_some();
    let input = args.input.map(Bytes);
    let request = PriceRequest { table, old, parts: args.part.clone(), input, paths: args.paths.clone() };
    in_session(|session| {
        let mut prices = PriceList::new(&request, io::stdin().lock(), session)?;
        let mut rows = Rows::new(args.format);
        let parts = prices.parts();
        let columns = pages::price::columns(compared, &parts);
        let human = |row: &PriceRow| render::row(&columns, &pages::price::row(row, compared));
        rows.write(&mut prices, &render::heading(&columns), human)?;
        let totals = prices.totals();
        let json = pages::price::json(totals, compared, &prices.objections());
        let failures = Failures { broken: totals.broken, missing: totals.missing };
        rows.end(failures, &json, || format!("\n{}", render::terminal(&pages::price::page(totals, compared))))
    })
}
