use std::path::Path;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use serde::de::DeserializeOwned;

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
  estimator history trend --param memory_init_base --line charge \\
      --form measured --last 1000
  estimator history trend --format html > trend.html")]
pub struct Trend {
    /// Only this parameter
    #[arg(long, value_name = "NAME")]
    param: Option<String>,
    /// What memory costs (the line of least error), or the charge that covers it
    #[arg(long, value_parser = named::<LineKind>(["cost", "charge"]))]
    line: Option<LineKind>,
    /// Time as measured, or on the reference machine
    #[arg(long, value_parser = named::<Form>(["measured", "reference"]))]
    form: Option<Form>,
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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TrendFormat {
    Human,
    Html,
    Csv,
    Json,
}

/// By the names that files have for them.
fn named<T: DeserializeOwned + Clone + Send + Sync + 'static>(
    names: [&'static str; 2],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(|name| serde_json::from_value(name.into()))
}

pub fn execute(file: &Path, args: &Trend) -> anyhow::Result<Exit> {
    // A terminal shows one form of each unless asked: the one that is judged.
    let steadier = matches!(args.format, TrendFormat::Human).then_some(Form::Reference);
    let found = trend(&TrendRequest {
        history: file.into(),
        param: args.param.clone(),
        line: args.line,
        form: args.form.or(steadier),
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
