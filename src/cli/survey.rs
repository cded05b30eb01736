use std::io;
use std::path::PathBuf;

use clap::Args;

use super::exit::Exit;
use super::rows::{Rows, TableFormat};
use crate::contract::corpus::Walk;
use crate::contract::survey::{SurveyRow, SurveyTotals, Surveyed};
use crate::report::{survey_headings, survey_json, survey_line, survey_terminal};

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
    for found in Walk::new(&args.paths, io::stdin().lock()) {
        let name = found.as_ref().map(|found| found.name.clone()).unwrap_or_default();
        let row = match found.and_then(|found| Surveyed::read(&found)) {
            Ok(contract) => {
                totals.add(&contract);
                SurveyRow::from(&contract)
            }
            Err(error) => {
                if !rows.broken(&error) {
                    continue;
                }
                totals.add_broken();
                SurveyRow::of_error(if name.is_empty() { error.place() } else { name }, &error)
            }
        };
        rows.row(&row, &survey_headings(), || survey_line(&row))?;
    }
    rows.end(&survey_json(&totals), || survey_terminal(&totals))
}
