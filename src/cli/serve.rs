use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::exit::{Exit, UsageError};
use super::out;
use crate::serve::{Nights, ServeSettings, TimeOfDay, serve};

/// Answers over HTTP: fee quotes, the runs of a fleet, a dashboard, metrics
///
/// Writing always takes a token. Reading takes one beyond loopback, unless --public-read lets all in. TLS is for a reverse proxy.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator serve
  estimator serve --listen 0.0.0.0:8321 --tokens tokens.toml
  curl --data-binary @contract.wasm http://127.0.0.1:8321/api/v1/price

docs/service.md says what there is, and how tokens are written. The log goes to standard error, a line of JSON for each request.")]
pub struct Serve {
    /// Where to listen; port 0 takes a free one, which the log names
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8321")]
    listen: SocketAddr,
    /// Tokens of those who may read or push; read again when the file changes and at SIGHUP
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// Let everybody read who reaches the address
    #[arg(long)]
    public_read: bool,
    /// The history
    #[arg(long, value_name = "FILE", env = "ESTIMATOR_HISTORY", default_value = "reports/history.sqlite")]
    history: PathBuf,
    /// Folder with the folders of the runs
    #[arg(long, value_name = "DIR", default_value = "reports")]
    reports: PathBuf,
    /// The table in force
    #[arg(long, value_name = "FILE", default_value = super::price::CURRENT)]
    params: PathBuf,
    /// Chain settings that pushed runs are fitted for [default: those of each run]
    #[arg(long, value_name = "FILE")]
    chain: Option<PathBuf>,
    /// Start `estimator nightly` with these settings each day, in a process of its own
    #[arg(long, value_name = "FILE")]
    nightly: Option<PathBuf>,
    /// When, in UTC
    #[arg(long, value_name = "HH:MM", default_value = "02:30", requires = "nightly")]
    nightly_at: TimeOfDay,
}

pub fn execute(args: &Serve) -> anyhow::Result<Exit> {
    if args.nightly.is_some() && !cfg!(feature = "measure") {
        return Err(UsageError("this build cannot measure at night: it lacks the feature `measure`".into()).into());
    }
    let settings = ServeSettings {
        listen: args.listen,
        tokens: args.tokens.clone(),
        public_read: args.public_read,
        history: args.history.clone(),
        reports: args.reports.clone(),
        params: args.params.clone(),
        chain: args.chain.clone(),
        nights: args.nightly.clone().map(|settings| Nights { settings, at: args.nightly_at }),
    };
    serve(&settings, Arc::new(out::log))?;
    Ok(Exit::Fine)
}
