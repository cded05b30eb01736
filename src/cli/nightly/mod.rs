mod dry_run;
mod outcome;

use std::path::PathBuf;

use clap::Args;
use jiff::SignedDuration;

use super::compare::percent;
use super::exit::Exit;
use super::format::ShortFormat;
use super::measuring::{profiles, strategy};
use super::session::in_session;
use crate::app::nightly::{NightSettings, foresee, nightly};
use crate::measure::{Plan, Profile};

/// Measures unattended: runs, judges the night against the table in force and the recent past, records, alerts
///
/// An apparent change is confirmed by a second, fresh run before it counts, and is told once.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator nightly --settings nightly.toml
  estimator nightly --budget 2m --dry-run
  ESTIMATOR_WEBHOOK_URL=https://... estimator nightly

Secrets come from the environment alone: ESTIMATOR_WEBHOOK_URL, where alerts are posted to, and \
ESTIMATOR_WEBHOOK_AUTHORIZATION, the value of the header of that name.

Exit codes: 0 nothing changed, 1 the night failed, an alert that nobody took, or runs that a damaged history lost, 2 wrong usage, 3 a change was \
confirmed, 4 a change that is not certain, or a hazard that the settings refuse, 5 the fit was rejected, 6 a history \
or settings of a newer format.")]
pub struct Nightly {
    /// Settings [default: nightly.toml if it is there]; flags override them
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// Folder of contracts
    #[arg(long, value_name = "DIR")]
    contracts: Option<PathBuf>,
    /// Chain settings
    #[arg(long, value_name = "FILE")]
    chain: Option<PathBuf>,
    /// The name of this machine in records, alerts and trends [default: what it calls itself]
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Folder in which the folders of the runs are made [default: reports]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The history [default: history.sqlite in the folder of the runs]
    #[arg(long, value_name = "FILE", env = "ESTIMATOR_HISTORY")]
    history: Option<PathBuf>,
    /// The table in force [default: params/current.toml if it is there]
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Where the proposed table is written [default: params/proposed.toml]
    #[arg(long, value_name = "FILE")]
    proposed: Option<PathBuf>,
    /// How long to measure: quick 20 s, standard 2 min, nightly 10 min [default: nightly]
    #[arg(long, value_name = "PROFILE", value_parser = profiles(), hide_possible_values = true)]
    profile: Option<Profile>,
    /// Another time for measuring, such as 45s or 5m
    #[arg(long, value_name = "TIME", value_parser = Plan::budget_of, conflicts_with = "profile")]
    budget: Option<SignedDuration>,
    /// Reset strategies to measure
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = strategy)]
    strategy: Vec<String>,
    /// Fail where Rust contracts cannot be compiled, instead of measuring another contract set without them
    #[arg(long)]
    require_toolchain: bool,
    /// Smallest change of practical interest, in percent [default: 2]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    threshold: Option<f64>,
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// How to show the result
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

impl Nightly {
    /// What the flags say.
    fn given(&self) -> NightSettings {
        NightSettings {
            contracts: self.contracts.clone(),
            chain: self.chain.clone(),
            node: self.node.clone(),
            out: self.out.clone(),
            history: self.history.clone(),
            params: self.params.clone(),
            proposed: self.proposed.clone(),
            profile: self.profile,
            budget: self.budget,
            strategy: self.strategy.clone(),
            require_toolchain: self.require_toolchain,
            threshold: self.threshold,
            ..NightSettings::default()
        }
    }
}

pub fn execute(args: &Nightly) -> anyhow::Result<Exit> {
    let settings = args.given().or(NightSettings::load(args.settings.as_deref())?);
    let (budget, request) = (settings.budget, settings.request()?);
    if args.dry_run {
        return dry_run::show(&request, budget, &in_session(|session| foresee(&request, session))?, args.format);
    }
    outcome::show(&request, in_session(|session| nightly(&request, session)), args.format)
}
