use std::path::Path;

use clap::Args;

use crate::app::history::{ListRequest, Listed, list};
use crate::cli::exit::Exit;
use crate::cli::out;
use crate::cli::rows::TableFormat;
use crate::report::{pages, render};

/// Lists the last runs with their verdicts, oldest first
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator history list --last 100 --machine 8b4c6356ae54
  estimator history list --node node-7")]
pub struct List {
    /// How many
    #[arg(long, value_name = "N", default_value_t = 20)]
    last: u32,
    /// Only those of this machine class
    #[arg(long, value_name = "CLASS")]
    machine: Option<String>,
    /// Only those of the machine of this name
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// How to show them
    #[arg(long, value_enum, default_value = "human")]
    format: TableFormat,
}

pub fn execute(file: &Path, args: &List) -> anyhow::Result<Exit> {
    let (machine, node) = (args.machine.clone(), args.node.clone());
    let request = ListRequest { history: file.into(), last: args.last, machine, node };
    let Listed { records, count } = list(&request)?;
    match args.format {
        TableFormat::Human | TableFormat::Markdown => {
            let page = args.format.document(&pages::history::page(&records, count));
            _ = out::put(args.format.kind(), &page)?;
        }
        TableFormat::Csv => out::data(&render::csv(pages::history::rows(&records))?)?,
        TableFormat::Json => out::json(&serde_json::json!({ "format": 1, "runs": records }))?,
    }
    Ok(Exit::Fine)
}
