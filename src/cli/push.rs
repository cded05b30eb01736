use std::path::PathBuf;

use clap::Args;

use super::exit::{Exit, UsageError};
use super::format::ShortFormat;
use super::out;
use super::session::in_session;
use crate::app::{PushRequest, PushSettings, push};

/// Sends a run to a service, which fits and records it
///
/// Sent twice, it is there once. While the service is out of reach or busy it is tried five times.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator push reports/latest --to https://fees.example.org \\
      --token-file push.token
  ESTIMATOR_PUSH_TOKEN=... estimator push reports/latest \\
      --to http://127.0.0.1:8321

Exit codes: 0 it is there, 1 the service cannot be reached or cannot use the run, 2 wrong usage or no token that it takes, \
6 another run of this name is there.")]
pub struct Push {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The service
    #[arg(long, value_name = "URL")]
    to: String,
    /// File that holds the token [default: what the environment says in `ESTIMATOR_PUSH_TOKEN`]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// How to show the result
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

pub fn execute(args: &Push) -> anyhow::Result<Exit> {
    let settings = PushSettings::to(&args.to).map_err(UsageError)?;
    let settings = PushSettings { token_file: args.token_file.clone(), ..settings };
    let pushed = in_session(|session| push(&PushRequest { run: args.run.clone(), settings }, session))?;
    match args.format {
        ShortFormat::Json => out::versioned_json(1, &pushed)?,
        ShortFormat::Human => {
            let there = if pushed.new { "is there now" } else { "was there already" };
            out::show(&format!("Run {} {there}: {}\n", pushed.run, pushed.outcome))?;
        }
    }
    Ok(Exit::Fine)
}
