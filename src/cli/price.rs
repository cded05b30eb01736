use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{Exit, UsageError};
use super::init::{pair, preset};
use super::out::tell;
use super::rows::{Failures, Rows, TableFormat};
use super::session::in_session;
use crate::app::{PriceList, PriceRequest, TableSource};
use crate::params::{Preset, PriceRow};
use crate::report::pages;
use crate::report::pages::price::Asked;
use crate::text::counted;
use crate::units::{Bytes, Gas};

/// The table in force.
pub const CURRENT: &str = "params/current.toml";

/// Prices real contracts: the fee for their memory, the part due to the stack, what a smaller stack would save, and the bill by its parts
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator price --chain near contract.wasm
  estimator price --chain stylus --max-gas 40_000 --format markdown \\
      contract.wasm
  estimator price --params params/current.toml contracts/
  estimator price --params params/current.toml --params params/proposed.toml \\
      contracts/ --format csv
  estimator price --part params/current-load.toml \\
      --part params/current-load-kept.toml contracts/

No code of a contract runs. Exit code 3: a contract pays more than --max-gas, or it cannot be said that it does not. \
docs/real-contracts.md specifies the columns.")]
pub struct Price {
    /// Table of parameters; a second one shows the change from the first to it [default: params/current.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    params: Vec<PathBuf>,
    /// Price by the table that ships, in the gas of this chain, instead of by a file
    #[arg(long, value_name = "CHAIN", value_parser = preset(), conflicts_with = "params")]
    chain: Option<Preset>,
    /// Another value for a key of that chain's file (may be repeated); Soroban needs what a second is worth
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair, requires = "chain", conflicts_with = "params")]
    set: Vec<(String, String)>,
    /// Table of what else a call pays for, such as that of the load experiment; each of another experiment
    #[arg(long, value_name = "FILE")]
    part: Vec<PathBuf>,
    /// How large the payload of a call is, where a part prices it
    #[arg(long, value_name = "BYTES")]
    input: Option<u64>,
    /// How much a call returns, where a part prices it; nothing unless said
    #[arg(long, value_name = "BYTES")]
    output: Option<u64>,
    /// Also what each would pay with a stack of this size, such as 48KiB, and how to build it so
    #[arg(long, value_name = "SIZE")]
    stack: Option<Bytes>,
    /// End with exit code 3 if a call of a contract pays more than this, such as 2.5e12, with or without underscores
    #[arg(long, value_name = "GAS")]
    max_gas: Option<Gas>,
    /// Files (also gzip), folders of .wasm and .wasm.gz files, patterns, or - for a list on standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: TableFormat,
}

/// The table to price by, and the one to compare with.
fn tables(args: &Price) -> Result<(TableSource, Option<TableSource>), UsageError> {
    let file = |file: &PathBuf| TableSource::from(file);
    match (&args.params[..], args.chain) {
        ([], Some(chain)) => Ok((TableSource::Shipped(chain, args.set.clone()), None)),
        ([], None) if Path::new(CURRENT).exists() => Ok((TableSource::from(CURRENT), None)),
        ([], None) => Err(UsageError(format!(
            "by which table? There is no {CURRENT} here: name one by --params FILE, or take the one that ships by --chain near, \
             substrate, soroban, fvm, stylus or generic"
        ))),
        ([new], _) => Ok((file(new), None)),
        ([old, new], _) => Ok((file(new), Some(file(old)))),
        _ => Err(UsageError("--params is given once, or twice to compare: OLD, then NEW".into())),
    }
}

pub fn execute(args: &Price) -> anyhow::Result<Exit> {
    let (table, old) = tables(args)?;
    let asked = Asked { compared: old.is_some(), stack: args.stack, max_gas: args.max_gas, unit: None };
    let request = PriceRequest {
        old,
        parts: args.part.clone(),
        input: args.input.map(Bytes),
        output: args.output.map(Bytes),
        stack: asked.stack,
        max_gas: asked.max_gas,
        ..PriceRequest::new(table, args.paths.clone())
    };
    in_session(|session| {
        let mut prices = PriceList::new(&request, io::stdin().lock(), session)?;
        let unit = prices.gas_unit().cloned();
        let asked = Asked { unit: unit.as_ref(), ..asked };
        let mut rows = Rows::new(args.format);
        let columns = pages::price::columns(asked, &prices.parts());
        rows.write(&mut prices, &columns, |row: &PriceRow| pages::price::row(row, asked))?;
        if asked.max_gas.is_some() {
            // A gate judges all, whether or not somebody still reads.
            prices.by_ref().for_each(drop);
        }
        let totals = prices.totals();
        let json = pages::price::json(totals, asked, &prices.objections());
        let failures = Failures { broken: totals.broken, missing: totals.missing };
        let failed = failures.exit();
        let exit = rows.end(failures, &json, || pages::price::page(totals, asked))?;
        // What could not be read was not held to the limit, whether or not somebody reads that.
        let exit = if asked.max_gas.is_some() && exit == Exit::Fine { failed } else { exit };
        let Some(most) = asked.max_gas.filter(|_| totals.over > 0) else { return Ok(exit) };
        let over = counted(totals.over, "of the contracts pays", "of the contracts pay");
        tell!("error: {over} more than {most} gas a call, or cannot be said not to");
        Ok(Exit::Changed)
    })
}
