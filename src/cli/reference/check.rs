use std::path::PathBuf;

use clap::Args;

use crate::app::{self, CheckRequest};
use crate::cli::compare::percent;
use crate::cli::exit::Exit;
use crate::cli::format::ShortFormat;
use crate::cli::out::{self, tell};
use crate::cli::session::in_session;
use crate::model::SpeedVerdict;
use crate::report::{pages, render};

/// Holds this machine against the reference for some ten seconds: is it fast enough for the fee?
///
/// Exits with 3 if it is slower by more than is tolerated, and with 4 if that cannot be told.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator reference check
  estimator reference check --tolerance 10 --reference params/reference.toml \\
      --format json")]
pub struct Check {
    /// The reference [default: params/reference.toml if it is there, otherwise the shipped one]
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// How much slower it may be, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = percent)]
    tolerance: f64,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

pub fn execute(args: &Check) -> anyhow::Result<Exit> {
    let request = CheckRequest { reference: args.reference.clone() };
    let Some(checked) = in_session(|session| app::check_reference(&request, session))? else {
        tell!("interrupted before anything could be said");
        return Ok(Exit::Failed);
    };
    let (reference, speed, unlike) = (&checked.reference, &checked.speed, &checked.unlike);
    let tolerance = args.tolerance / 100.0;
    match args.format {
        ShortFormat::Human => {
            out::show(&render::terminal(&pages::reference::check(reference, speed, unlike, tolerance)))?;
        }
        ShortFormat::Json => out::json(&pages::reference::check_json(reference, speed, unlike, tolerance))?,
    }
    Ok(match speed.verdict(tolerance) {
        SpeedVerdict::Fast => Exit::Fine,
        SpeedVerdict::Slower => Exit::Changed,
        SpeedVerdict::Unsure => Exit::Noisy,
    })
}
