use std::io;
use std::path::PathBuf;

use clap::Args;

use super::exit::Exit;
use super::rows::{Failures, Rows, TableFormat};
use super::session::in_session;
use crate::app;
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
    in_session(|session| {
        let mut survey = app::Survey::new(&args.paths, io::stdin().lock(), session);
        let mut rows = Rows::new(args.format);
        let columns = pages::survey::columns();
        rows.write(&mut survey, &render::heading(&columns), |row| render::row(&columns, &pages::survey::row(row)))?;
        let totals = survey.totals();
        let failures = Failures { broken: totals.broken, missing: totals.missing };
        rows.end(failures, &pages::survey::json(totals), || {
            format!("\n{}", render::terminal(&pages::survey::page(totals)))
        })
    })
}
