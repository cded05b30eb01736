use std::io;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::exit::Exit;
use super::out::{self, tell};
use super::rows::{Failures, Rows, TableFormat};
use super::session::in_session;
use crate::app;
use crate::report::pages;

/// Shows what real contracts declare: pages, stack, data, imports; and how much of it is linker default
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator survey contracts/
  estimator survey 'near/*.wasm' cosmwasm/burner.wasm.gz --format csv
  find . -name '*.wasm' | estimator survey - --format json
  estimator survey contracts/ --format workload > workload.csv

No code of a contract runs. docs/real-contracts.md specifies the columns.")]
pub struct Survey {
    /// Files (also gzip), folders of .wasm and .wasm.gz files, patterns, or - for a list on standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How to show it; `workload` is a mix of calls, each contract's once, for `run --workload`
    #[arg(long, value_enum, default_value = "human")]
    format: SurveyFormat,
}

/// How a survey is shown.
#[derive(Debug, Clone, Copy)]
enum SurveyFormat {
    Table(TableFormat),
    Workload,
}

impl ValueEnum for SurveyFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Table(TableFormat::Human),
            Self::Table(TableFormat::Markdown),
            Self::Table(TableFormat::Csv),
            Self::Table(TableFormat::Json),
            Self::Workload,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Table(format) => format.to_possible_value(),
            Self::Workload => Some(PossibleValue::new("workload")),
        }
    }
}

pub fn execute(args: &Survey) -> anyhow::Result<Exit> {
    in_session(|session| {
        let mut survey = app::Survey::new(&args.paths, io::stdin().lock(), session);
        let SurveyFormat::Table(format) = args.format else { return workload(survey) };
        let mut rows = Rows::new(format);
        let columns = pages::survey::columns();
        rows.write(&mut survey, &columns, pages::survey::row)?;
        let totals = survey.totals();
        let failures = Failures { broken: totals.broken, missing: totals.missing };
        rows.end(failures, &pages::survey::json(totals), || pages::survey::page(totals))
    })
}

fn workload(mut survey: app::Survey<'_>) -> anyhow::Result<Exit> {
    for row in survey.by_ref() {
        if let Some(error) = row.error {
            tell!("error: {}: {error}", row.file);
        }
    }
    let totals = survey.totals();
    let failures = Failures { broken: totals.broken, missing: totals.missing };
    failures.say(totals.contracts + totals.broken + totals.missing);
    let Some(text) = pages::survey::workload(totals) else {
        tell!(
            "error: no contract that was found declares memory that a workload may have, so there is no mix of calls"
        );
        return Ok(if failures == Failures::default() { Exit::Usage } else { failures.exit() });
    };
    out::data(&text)?;
    Ok(failures.exit())
}
