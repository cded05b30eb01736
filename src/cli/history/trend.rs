use std::path::Path;

use clap::{Args, ValueEnum};

use crate::app::history::{TrendRequest, trend};
use crate::cli::exit::Exit;
use crate::cli::out;
use crate::history::LineKind;
use crate::model::Form;
use crate::report::{pages, render};

/// Draws figures over the runs of one machine, with the places where they changed
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator history trend
  estimator history trend --param memory_init_base --line charge --form measured --last 1000
  estimator history trend --format html > trend.html")]
pub struct Trend {
    /// Only this parameter
    #[arg(long, value_name = "NAME")]
    param: Option<String>,
    /// What memory costs (the line of least error), or the charge that covers it
    #[arg(long, value_enum)]
    line: Option<Line>,
    /// Time as measured, or on the reference machine
    #[arg(long, value_enum)]
    form: Option<FormName>,
    /// Machine class [default: that of the newest run]
    #[arg(long, value_name = "CLASS")]
    machine: Option<String>,
    /// How many runs
    #[arg(long, value_name = "N", default_value_t = 400)]
    last: u32,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: TrendFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Line {
    Cost,
    Charge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormName {
    Measured,
    Reference,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TrendFormat {
    Human,
    Html,
    Csv,
    Json,
}

impl From<FormName> for Form {
    fn from(form: FormName) -> Self {
        match form {
            FormName::Measured => Self::Measured,
            FormName::Reference => Self::Reference,
        }
    }
}

pub fn execute(file: &Path, args: &Trend) -> anyhow::Result<Exit> {
    // A terminal shows one form of each unless asked: the one that is judged.
    let steadier = matches!(args.format, TrendFormat::Human).then_some(Form::Reference);
    let found = trend(&TrendRequest {
        history: file.into(),
        param: args.param.clone(),
        line: args.line.map(|line| if line == Line::Cost { LineKind::Cost } else { LineKind::Charge }),
        form: args.form.map(Form::from).or(steadier),
        machine: args.machine.clone(),
        last: args.last,
    })?;
    match args.format {
        TrendFormat::Human => out::show(&render::terminal(&pages::trend::brief(&found.about(), &found.lines)))?,
        TrendFormat::Html => out::data(&found.page()?)?,
        TrendFormat::Csv => out::data(&render::csv(pages::trend::rows(&found.lines))?)?,
        TrendFormat::Json => {
            let json = serde_json::json!({ "format": 1, "machine": found.newest.machine, "trends": found.lines });
            out::json(&json)?;
        }
    }
    Ok(Exit::Fine)
}
