use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::compare::percent;
use super::exit::{Exit, RefusedError, UsageError};
use super::format::ShortFormat;
use super::out::{self, Kind, tell};
use super::{git, objected, tables};
use crate::measure::now;
use crate::params::{
    Accepted, AcceptedChanges, Change, Objection, ObjectionKind, ParamTable, ParamsError, is_in_force, objections,
    promote,
};
use crate::text::quoted;

/// Accepts a proposal: writes its values into the table in force and keeps the change
///
/// Every changed value must have its old value in the table in force; a wrong, a missing and an unexpected one are errors of
/// their own. The table that would come out is held against its own rules, and each objection must be accepted by its name. Each accepted change is kept as NNNN.toml in the folder `history` beside the table, which can be replayed from
/// there.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator promote params/proposed.toml --onto params/current.toml --reason 'measured on the new fleet'
  estimator promote reports/latest --onto params/current.toml --dry-run
  estimator promote params/proposed.toml --onto params/current.toml --base origin/main:params/current.toml
  estimator promote params/proposed.toml --onto params/current.toml --accept unsure
  estimator promote params/current.toml --onto params/current.toml --accept inconsistent --reason 'rounded by hand'
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
    let folder = args.kept.clone().unwrap_or_else(|| args.onto.with_file_name("history"));
    let mut kept = AcceptedChanges::load(&folder)?;
    let last = kept.replay()?;
    if args.replay {
        return replay(args, &kept, last);
    }
    let current = match args.onto.exists().then(|| ParamTable::load(&args.onto)).transpose() {
        Err(error @ ParamsError::Format { .. }) if last.is_some() => {
            return Err(error).with_context(|| format!("to write it from its accepted changes: {}", replayed(args)));
        }
        current => current?,
    };
    match &args.proposed {
        Some(proposed) => accept(args, proposed, &mut kept, last, current),
        None => check(args, &kept, last.as_ref(), current.as_ref()),
    }
}

/// The command that writes the table in force from its accepted changes.
fn replayed(args: &Promote) -> String {
    let kept = args.kept.as_ref().map_or_else(String::new, |kept| format!(" --kept {}", quoted(kept)));
    format!("estimator promote --replay --onto {}{kept}", quoted(&args.onto))
}

/// The ways out where the table in force is not what its accepted changes make.
fn ways_out(args: &Promote) -> String {
    let kept = args.kept.as_ref().map_or_else(String::new, |kept| format!(" --kept {}", quoted(kept)));
    format!(
        "the table in force is not what its accepted changes make; to write it from them: {}; to accept it as it is: estimator \
         promote {onto} --onto {onto}{kept}",
        replayed(args),
        onto = quoted(&args.onto)
    )
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
            if let Err(error) = Change::none(&last, current.as_ref(), &args.onto) {
                if kept.before_last()? != current {
                    return Err(error).with_context(|| ways_out(args));
                }
                finish(args, &last)?;
            }
            Some(last)
        }
        None => current,
    };
    let base = args.base.as_deref().map(tables::load).transpose()?.map(|base| base.table);
    let base = base.as_ref().or(current.as_ref());
    if found.is_none() && current.as_ref().is_some_and(|current| is_in_force(&proposal.table, current)) {
        return say(args, "nothing to accept: the tables are the same", &json!({ "format": 1, "accepted": null }));
    }
    let outcome = |told: &[String]| promote(base, &proposal.table, current.as_ref(), told, &args.onto);
    let (table, change) = outcome(&[])?;
    if change.is_empty() && found.is_none() {
        return say(args, "nothing to accept: the tables are the same", &json!({ "format": 1, "accepted": null }));
    }
    let told = told(args, current.as_ref(), &proposal, &table)?;
    let (table, change) = outcome(&told)?;
    let record = |reason: &str, told, change| -> anyhow::Result<Accepted> {
        Ok(Accepted { date: now().strftime("%FT%TZ").to_string(), by: by(args)?, reason: reason.into(), told, change })
    };
    let mut records = Vec::new();
    if let Some(found) = &found {
        let told = if change.is_empty() { told.clone() } else { Vec::new() };
        records.push(record("the table as it was found", told, Change::between(None, found)?)?);
    }
    if !change.is_empty() {
        records.push(record(&args.reason, told.clone(), change)?);
    }
    if args.dry_run {
        let text = records.iter().map(Accepted::to_toml).collect::<Vec<_>>().join("\n");
        return out::put(Kind::Strings, &text).map(|_| Exit::Fine);
    }
    let files: Vec<String> =
        kept.commit(records, &table, &args.onto)?.iter().map(|file| file.display().to_string()).collect();
    let text = format!("accepted into {}, kept as {}", args.onto.display(), files.join(" and "));
    say(args, &text, &json!({ "format": 1, "accepted": files, "onto": args.onto.to_string_lossy(), "told": told }))
}

/// Writes what an earlier promotion recorded and was then killed before it wrote it.
fn finish(args: &Promote, last: &ParamTable) -> anyhow::Result<()> {
    let onto = args.onto.display();
    if args.dry_run {
        tell!("note: the last accepted change is recorded and not in {onto}; it would be written first");
        return Ok(());
    }
    last.save(&args.onto)?;
    tell!(
        "note: the last accepted change was recorded and not in {onto}: the promotion did not end; it is written now"
    );
    Ok(())
}

/// The objections that were overridden, unless there is one that was not. `outcome` is the table that would be in force.
fn told(
    args: &Promote,
    current: Option<&ParamTable>,
    proposal: &tables::Sourced,
    outcome: &ParamTable,
) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    if !proposal.rejected.is_empty() {
        found.push(Objection { kind: ObjectionKind::Rejected, reason: proposal.rejected.join("; ") });
    }
    found.extend(outcome.objections());
    if let Some(current) = current {
        found.extend(objections(current, &proposal.table, args.threshold / 100.0)?);
    }
    let refused: Vec<&Objection> = found.iter().filter(|objection| !args.accept.contains(&objection.kind)).collect();
    let Some(first) = refused.first() else { return Ok(found.iter().map(ToString::to_string).collect()) };
    let exit = match first.kind {
        ObjectionKind::Rejected => Exit::Rejected,
        ObjectionKind::Unsure => Exit::Noisy,
        _ => Exit::Incompatible,
    };
    let reasons: Vec<String> = refused.iter().map(ToString::to_string).collect();
    let names: Vec<&str> = refused.iter().map(|objection| objection.kind.name()).collect();
    let message = format!("not accepted: {}; if that is meant, give --accept {}", reasons.join("; "), names.join(","));
    Err(RefusedError { message, exit }.into())
}

fn by(args: &Promote) -> anyhow::Result<String> {
    if let Some(by) = args.by.clone().filter(|by| !by.trim().is_empty()) {
        return Ok(by);
    }
    let nobody = "nobody answers for the change: give --by NAME, or set git's user.name";
    let author = git::author(&args.onto).map_err(|error| UsageError(format!("{nobody} ({error:#})")))?;
    author.ok_or_else(|| UsageError(nobody.to_owned()).into())
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
        tell!("  {}", ways_out(args));
        return Ok(Exit::Changed);
    }
    objected::warn(args.onto.display(), last);
    let objections = last.objections();
    let text = format!("{} is what its {} accepted changes make", args.onto.display(), kept.changes().len());
    say(args, &text, &json!({ "format": 1, "same": true, "changes": kept.changes().len(), "objections": objections }))
}

fn replay(args: &Promote, kept: &AcceptedChanges, last: Option<ParamTable>) -> anyhow::Result<Exit> {
    let Some(last) = last else {
        return Err(UsageError(format!("nothing was accepted yet into {}", args.onto.display())).into());
    };
    match last.save(&args.onto) {
        // What was written into a file that cannot be replaced, when the machine went down.
        Err(ParamsError::Format { reason, .. }) => {
            tell!("note: {} was no table ({reason}) and is written anew", args.onto.display());
            last.replace(&args.onto)?;
        }
        saved => saved?,
    }
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
