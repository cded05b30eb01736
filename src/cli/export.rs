use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::exit::Exit;
use super::out::{self, Kind, tell};
use super::session::in_session;
use crate::app::{self, ExportRequest};
use crate::files::write_whole;
use crate::params::{EXPORTERS, Exporter};

/// Writes a table in a chain's own format, rounded so that no charge is below the table's
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator export --params params/current.toml --format near
  estimator export --params params/proposed.toml --format near \\
      --old params/current.toml --out 84.yaml
  estimator export --format substrate --out weights.rs
  estimator export --format stylus --gas-per-second 7000000")]
pub struct Export {
    /// The table: a file, a run folder, or REV:FILE
    #[arg(long, value_name = "TABLE", default_value = "params/current.toml")]
    params: PathBuf,
    /// Whose format
    #[arg(long, value_parser = formats())]
    format: &'static Exporter,
    /// Write the change from this table to the other, as nearcore's versioned files do (near only)
    #[arg(long, value_name = "TABLE")]
    old: Option<PathBuf>,
    /// What a second of execution is worth on that chain [default: the table's for near and json, 10^12 for substrate, 10^10 for fvm]
    #[arg(long, value_name = "GAS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000_000_000), conflicts_with = "old")]
    gas_per_second: Option<u64>,
    /// The file to write instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn formats() -> impl TypedValueParser<Value = &'static Exporter> {
    let named = EXPORTERS.map(|exporter| PossibleValue::new(exporter.name).help(exporter.about));
    PossibleValuesParser::new(named).try_map(|name| Exporter::find(&name).ok_or("no such format"))
}

pub fn execute(args: &Export) -> anyhow::Result<Exit> {
    let request = ExportRequest {
        table: (&args.params).into(),
        format: args.format,
        old: args.old.as_ref().map(Into::into),
        gas_per_second: args.gas_per_second,
    };
    let exported = in_session(|session| app::export(&request, session))?;
    for note in &exported.notes {
        tell!("note: {note}");
    }
    let kind = if args.format.is_json { Kind::Strings } else { Kind::Data };
    match &args.out {
        Some(file) => write_whole(file, out::safe(kind, &exported.text).as_bytes())?,
        None => _ = out::put(kind, &exported.text)?,
    }
    Ok(Exit::Fine)
}
