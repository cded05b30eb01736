use std::path::PathBuf;

use clap::Args;

use super::exit::Exit;
use super::rows::{Rows, TableFormat};
use crate::contract::corpus::CorpusError;
use crate::contract::survey::{SurveyRow, SurveyTotals, Surveyed};
use crate::report::{pages, render};

/// Shows what real contracts declare: pages, stack, data, imports; and how much of it is linker default
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator survey contracts/
  estimator survey 'near/*.wasm' cosmwasm/burner.wasm.gz --format csv
  find . -name '*.wasm' | estimator survey - --format json

No code of a contract runs. docs/real-contracts.md specifies the columns.")]
pub struct Survey {
    /// Files (also gzip), folders of .wasm and .wasm.gz files, patterns, or - for a list on standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: TableFormat,
}

pub fn execute(args: &Survey) -> anyhow::Result<Exit> {
    let mut rows = Rows::new(args.format);
    let mut totals = SurveyTotals::default();
    let row = |read: Result<Surveyed, (String, CorpusError)>| match read {
        Ok(contract) => {
            totals.add(&contract);
            SurveyRow::from(&contract)
        }
        Err((file, error)) => {
            totals.add_failed(&error);
            SurveyRow::of_error(file, &error)
        }
    };
    let columns = pages::survey::columns();
    rows.contracts(&args.paths, &render::heading(&columns), row, |row| {
        render::row(&columns, &pages::survey::row(row))
    })?;
    rows.end(&pages::survey::json(&totals), || format!("\n{}", render::terminal(&pages::survey::page(&totals))))
}
