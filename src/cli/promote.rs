use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::compare::percent;
use super::exit::{Exit, RefusedError, UsageError};
use super::format::ShortFormat;
use super::out::{self, Kind, tell};
use super::{git, tables};
use crate::measure::now;
use crate::params::{Accepted, AcceptedChanges, Change, Objection, ParamTable, objections, promote};

/// Accepts a proposal: writes its values into the table in force and keeps the change
///
/// Every changed value must have its old value in the table in force; a wrong, a missing and an unexpected one are errors of
/// their own. Each accepted change is kept as NNNN.toml in the folder `history` beside the table, which can be replayed from
/// there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator promote params/proposed.toml --onto params/current.toml --reason 'measured on the new fleet'
  estimator promote reports/latest --onto params/current.toml --dry-run
  estimator promote params/proposed.toml --onto params/current.toml --base origin/main:params/current.toml
  estimator promote params/proposed.toml --onto params/current.toml --accept unsure
  estimator promote --check --onto params/current.toml")]
pub struct Promote {
    /// The proposed table: a file, a run folder, or REV:FILE
    #[arg(value_name = "PROPOSED", required_unless_present_any = ["check", "replay"])]
    proposed: Option<String>,
    /// The table in force
    #[arg(long, value_name = "CURRENT")]
    onto: PathBuf,
    /// The table that the proposal was reviewed against [default: the last accepted one]
    #[arg(long, value_name = "TABLE")]
    base: Option<String>,
    /// What to accept in spite of it; the record says so
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    accept: Vec<Accept>,
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

/// What is refused unless it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Accept {
    /// A fit that was rejected
    Rejected,
    /// A value that may not have changed
    Unsure,
    /// A machine of another class
    Machine,
}

pub fn execute(args: &Promote) -> anyhow::Result<Exit> {
    let folder = args.kept.clone().unwrap_or_else(|| args.onto.with_file_name("history"));
    let mut kept = AcceptedChanges::load(&folder)?;
    let last = kept.replay()?;
    let current = args.onto.exists().then(|| ParamTable::load(&args.onto)).transpose()?;
    match &args.proposed {
        Some(proposed) => accept(args, proposed, &mut kept, last, current),
        None if args.check => check(args, &kept, last.as_ref(), current.as_ref()),
        None => replay(args, &kept, last),
    }
}

fn accept(
    args: &Promote,
    proposed: &str,
    kept: &mut AcceptedChanges,
    last: Option<ParamTable>,
    current: Option<ParamTable>,
) -> anyhow::Result<Exit> {
    let proposal = tables::load(proposed)?;
    // A table that was there before anything was kept is the first thing to keep.
    let found = if last.is_none() { current.clone() } else { None };
    let current = match last {
        // Somebody changed the table in force itself and now accepts that.
        Some(last) if same_file(Path::new(proposed), &args.onto) => Some(last),
        Some(last) => {
            Change::none(&last, current.as_ref(), &args.onto)?;
            Some(last)
        }
        None => current,
    };
    let base = args.base.as_deref().map(tables::load).transpose()?.map(|base| base.table);
    let base = base.as_ref().or(current.as_ref());
    let told = told(args, current.as_ref(), &proposal)?;
    let (table, change) = promote(base, &proposal.table, current.as_ref(), &told, &args.onto)?;
    if change.is_empty() && found.is_none() {
        return say(args, "nothing to accept: the tables are the same", &json!({ "format": 1, "accepted": null }));
    }
    let record = |reason: &str, told, change| -> anyhow::Result<Accepted> {
        Ok(Accepted { date: now().strftime("%FT%TZ").to_string(), by: by(args)?, reason: reason.into(), told, change })
    };
    let mut records = Vec::new();
    if let Some(found) = &found {
        records.push(record("the table as it was found", Vec::new(), Change::between(None, found)?)?);
    }
    if !change.is_empty() {
        records.push(record(&args.reason, told.clone(), change)?);
    }
    if args.dry_run {
        let text = records.iter().map(Accepted::to_toml).collect::<Vec<_>>().join("\n");
        return out::put(Kind::Strings, &text).map(|_| Exit::Fine);
    }
    // First the record: a table without one is seen by --check, and a record without its table by the next promotion.
    let mut files = Vec::new();
    for record in records {
        files.push(kept.append(record)?.display().to_string());
    }
    table.save(&args.onto)?;
    let text = format!("accepted into {}, kept as {}", args.onto.display(), files.join(" and "));
    say(args, &text, &json!({ "format": 1, "accepted": files, "onto": args.onto.to_string_lossy(), "told": told }))
}

/// The objections that were overridden, unless there is one that was not.
fn told(args: &Promote, current: Option<&ParamTable>, proposal: &tables::Sourced) -> anyhow::Result<Vec<String>> {
    let mut found = match current {
        Some(current) => objections(current, &proposal.table, args.threshold / 100.0)?,
        None => Vec::new(),
    };
    if !proposal.rejected.is_empty() {
        found.insert(0, Objection::Rejected(proposal.rejected.clone()));
    }
    let kind = |objection: &Objection| match objection {
        Objection::Rejected(_) => (Accept::Rejected, Exit::Rejected, "rejected"),
        Objection::Machine { .. } => (Accept::Machine, Exit::Incompatible, "machine"),
        Objection::Unsure(_) => (Accept::Unsure, Exit::Noisy, "unsure"),
    };
    let refused: Vec<&Objection> = found.iter().filter(|objection| !args.accept.contains(&kind(objection).0)).collect();
    let Some(first) = refused.first() else { return Ok(found.iter().map(ToString::to_string).collect()) };
    let reasons: Vec<String> = refused.iter().map(ToString::to_string).collect();
    let names: Vec<&str> = refused.iter().map(|objection| kind(objection).2).collect();
    let message = format!("not accepted: {}; if that is meant, give --accept {}", reasons.join("; "), names.join(","));
    Err(RefusedError { message, exit: kind(first).1 }.into())
}

fn by(args: &Promote) -> anyhow::Result<String> {
    args.by.clone().filter(|by| !by.trim().is_empty()).or_else(git::author).ok_or_else(|| {
        UsageError("nobody answers for the change: give --by NAME, or set git's user.name".to_owned()).into()
    })
}

fn check(
    args: &Promote,
    kept: &AcceptedChanges,
    last: Option<&ParamTable>,
    current: Option<&ParamTable>,
) -> anyhow::Result<Exit> {
    let Some(last) = last else {
        return Err(UsageError(format!("nothing was accepted yet into {}", args.onto.display())).into());
    };
    if let Err(error) = Change::none(last, current, &args.onto) {
        tell!("error: {error}");
        tell!("  to accept a change of the table itself: estimator promote {0} --onto {0}", args.onto.display());
        tell!("  to take it back: estimator promote --replay --onto {}", args.onto.display());
        return Ok(Exit::Changed);
    }
    let text = format!("{} is what its {} accepted changes make", args.onto.display(), kept.changes().len());
    say(args, &text, &json!({ "format": 1, "same": true, "changes": kept.changes().len() }))
}

fn replay(args: &Promote, kept: &AcceptedChanges, last: Option<ParamTable>) -> anyhow::Result<Exit> {
    let Some(last) = last else {
        return Err(UsageError(format!("nothing was accepted yet into {}", args.onto.display())).into());
    };
    last.save(&args.onto)?;
    let text = format!("{} replayed from {} accepted changes", args.onto.display(), kept.changes().len());
    say(args, &text, &json!({ "format": 1, "replayed": kept.changes().len(), "onto": args.onto.to_string_lossy() }))
}

fn say(args: &Promote, text: &str, json: &serde_json::Value) -> anyhow::Result<Exit> {
    match args.format {
        ShortFormat::Human => out::show(&format!("{text}\n"))?,
        ShortFormat::Json => out::json(json)?,
    }
    Ok(Exit::Fine)
}

fn same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}
