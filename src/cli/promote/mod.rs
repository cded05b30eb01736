mod shown;

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::compare::percent;
use super::exit::Exit;
use super::format::ShortFormat;
use super::session::in_session;
use crate::app::{self, Ledger, PromoteRequest, TableSource};
use crate::params::ObjectionKind;

/// Accepts a proposal: writes its values into the table in force and keeps the change
///
/// Every changed value must have its old value in the table in force; a wrong, a missing and an unexpected one are errors of
/// their own. The table that would come out is held against its own rules, and each objection must be accepted by its name. Each accepted
/// change is kept as NNNN.toml in the folder `history` beside the table, which can be replayed from there. A proposal is accepted whole:
/// its base and prices are one charge that covers all calls together, and one of them alone covers nothing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator promote params/proposed.toml --onto params/current.toml \\
      --by Ada --reason 'measured on the new fleet'
  estimator promote reports/latest --onto params/current.toml --dry-run
  estimator promote params/proposed.toml --onto params/current.toml \\
      --base origin/main:params/current.toml
  estimator promote params/proposed.toml --onto params/current.toml \\
      --accept unsure
  estimator promote params/current.toml --onto params/current.toml \\
      --accept inconsistent --reason 'rounded by hand'
  estimator promote --check --onto params/current.toml")]
pub struct Promote {
    /// The proposed table: a file, a run folder, or REV:FILE
    #[arg(value_name = "PROPOSED", required_unless_present_any = ["check", "replay"])]
    proposed: Option<PathBuf>,
    /// The table in force
    #[arg(long, value_name = "CURRENT")]
    onto: PathBuf,
    /// The table that the proposal was reviewed against [default: the last accepted one]
    #[arg(long, value_name = "TABLE")]
    base: Option<PathBuf>,
    /// What to accept in spite of it; the record says so
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    accept: Vec<ObjectionKind>,
    /// Who accepts it [default: git's user.name and user.email]
    #[arg(long, value_name = "NAME", env = "ESTIMATOR_ACCEPTED_BY")]
    by: Option<String>,
    /// Why, for the record
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// A change of more than this that could be noise is unsure, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0, value_parser = percent)]
    threshold: f64,
    /// Folder of the accepted changes [default: history beside CURRENT]
    #[arg(long, value_name = "DIR")]
    kept: Option<PathBuf>,
    /// Show what would be kept, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Only make sure that CURRENT is what its accepted changes make; exit with 3 if it is not
    #[arg(long, conflicts_with_all = ["proposed", "base", "accept", "dry_run", "replay"])]
    check: bool,
    /// Only write CURRENT again from its accepted changes
    #[arg(long, conflicts_with_all = ["proposed", "base", "accept", "dry_run"])]
    replay: bool,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

impl ValueEnum for ObjectionKind {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.about()))
    }
}

pub fn execute(args: &Promote) -> anyhow::Result<Exit> {
    let ledger = Ledger { onto: args.onto.clone(), kept: args.kept.clone() };
    in_session(|session| match &args.proposed {
        _ if args.replay => shown::replayed(args, ledger.replay(session)?),
        Some(proposed) => shown::promoted(args, app::promote(&args.request(proposed.into(), ledger), session)?),
        None => shown::checked(args, ledger.check(session)?),
    })
}

impl Promote {
    fn request(&self, proposed: TableSource, ledger: Ledger) -> PromoteRequest {
        PromoteRequest {
            proposed,
            ledger,
            base: self.base.as_ref().map(Into::into),
            accept: self.accept.clone(),
            by: self.by.clone(),
            reason: self.reason.clone(),
            threshold: self.threshold,
            dry_run: self.dry_run,
        }
    }
}
