//! A proposal becomes the table in force.

use std::path::{Path, PathBuf};

use super::error::Error;
use super::git;
use super::in_force::THRESHOLD;
use super::ledger::Ledger;
use super::session::Session;
use super::tables::{Sourced, TableSource};
use crate::experiment::EXPERIMENTS;
use crate::measure::now;
use crate::params::{self, Accepted, Change, Objection, ObjectionKind, ParamTable, is_in_force, objections};
use crate::text::with_causes;

/// To accept a proposal.
///
/// ```
/// use estimator::app::{Ledger, PromoteRequest, Promotion, Session, promote};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let onto = folder.path().join("current.toml");
/// let request = PromoteRequest {
///     by: Some("somebody".into()),
///     dry_run: true,
///     ..PromoteRequest::new("tests/data/table.toml", Ledger::of(onto))
/// };
/// let Promotion::Planned(changes) = promote(&request, &Session::new())? else { unreachable!("it is a new table") };
/// assert_eq!(changes[0].by, "somebody");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PromoteRequest {
    /// The proposed table.
    pub proposed: TableSource,
    /// The table in force, with its accepted changes.
    pub ledger: Ledger,
    /// The table that the proposal was reviewed against; `None` for the last accepted one.
    pub base: Option<TableSource>,
    /// What to accept in spite of it; the record says so.
    pub accept: Vec<ObjectionKind>,
    /// Who accepts it; `None` for git's user.
    pub by: Option<String>,
    /// Why, for the record.
    pub reason: String,
    /// A change of more than this that could be noise is unsure, in percent.
    pub threshold: f64,
    /// Only find out what would be kept, and write nothing.
    pub dry_run: bool,
}

impl PromoteRequest {
    /// By git's user, without a reason, and in spite of nothing.
    pub fn new(proposed: impl Into<TableSource>, ledger: Ledger) -> Self {
        Self {
            proposed: proposed.into(),
            ledger,
            base: None,
            accept: Vec::new(),
            by: None,
            reason: String::new(),
            threshold: THRESHOLD,
            dry_run: false,
        }
    }
}

/// What came of a [`PromoteRequest`].
#[derive(Debug, Clone)]
pub enum Promotion {
    /// The tables are the same.
    Nothing,
    /// What would be kept.
    Planned(Vec<Accepted>),
    /// The change is in force and kept.
    Accepted {
        /// The records.
        files: Vec<PathBuf>,
        /// The objections that were overridden.
        told: Vec<String>,
        /// The table that was in force, if any, and the one that is now.
        tables: Box<(Option<ParamTable>, ParamTable)>,
    },
}

/// Writes the values of a proposal into the table in force and keeps the change.
///
/// # Errors
/// What must be accepted by its name and is not, by the gravest of it; the table in force is not what is expected; nobody answers for the
/// change; a file cannot be read or written.
pub fn promote(request: &PromoteRequest, session: &Session<'_>) -> Result<Promotion, Error> {
    let ledger = &request.ledger;
    let (mut kept, last) = ledger.replayed()?;
    let current = ledger.current(last.is_some())?;
    let proposal = request.proposed.load(session)?;
    // A table that was there before anything was kept is the first thing to keep.
    let found = if last.is_none() { current.clone() } else { None };
    let current = match last {
        // Somebody changed the table in force itself and now accepts that.
        Some(last) if matches!(&request.proposed, TableSource::Named(path) if ledger.is_onto(path)) => Some(last),
        Some(last) => {
            if let Err(error) = Change::none(&last, current.as_ref(), &ledger.onto) {
                if kept.before_last()? != current {
                    return Err(Error::from(error).context(ledger.ways_out()));
                }
                // Otherwise a new file beside the same history would get the fees of another experiment.
                same_experiment(&ledger.onto, &last, &proposal.table)?;
                finish(request, &last, session)?;
            }
            Some(last)
        }
        None => current,
    };
    if let Some(current) = &current {
        same_experiment(&ledger.onto, current, &proposal.table)?;
    }
    let base = request.base.as_ref().map(|base| base.load(session)).transpose()?.map(|base| base.table);
    let base = base.as_ref().or(current.as_ref());
    if found.is_none() && current.as_ref().is_some_and(|current| is_in_force(&proposal.table, current)) {
        return Ok(Promotion::Nothing);
    }
    let outcome = |told: &[String]| params::promote(base, &proposal.table, current.as_ref(), told, &ledger.onto);
    let (table, change) = outcome(&[])?;
    if change.is_empty() && found.is_none() {
        return Ok(Promotion::Nothing);
    }
    let told = overridden(request, current.as_ref(), &proposal, &table)?;
    let (table, change) = outcome(&told)?;
    let record = |reason: &str, told, change| -> Result<Accepted, Error> {
        Ok(Accepted {
            date: now().strftime("%FT%TZ").to_string(),
            by: by(request)?,
            reason: reason.into(),
            told,
            change,
        })
    };
    let mut records = Vec::new();
    if let Some(found) = &found {
        let told = if change.is_empty() { told.clone() } else { Vec::new() };
        records.push(record("the table as it was found", told, Change::between(None, found)?)?);
    }
    if !change.is_empty() {
        records.push(record(&request.reason, told.clone(), change)?);
    }
    if request.dry_run {
        return Ok(Promotion::Planned(records));
    }
    let files = kept.commit(records, &table, &ledger.onto)?;
    Ok(Promotion::Accepted { files, told, tables: Box::new((current, table)) })
}

/// Makes sure that a table of one experiment does not take the place of another's, whose fees would be gone.
fn same_experiment(onto: &Path, current: &ParamTable, proposed: &ParamTable) -> Result<(), Error> {
    let priced = |table: &ParamTable| -> Vec<&str> {
        EXPERIMENTS.into_iter().filter(|of| table.prices(of)).map(|of| of.name).collect()
    };
    let (old, new) = (priced(current), priced(proposed));
    if old.is_empty() || new.is_empty() || old == new {
        return Ok(());
    }
    Err(Error::Incompatible(format!(
        "{onto} or its history has the fees of {}, and the proposal those of {}: give it a file and a history of its own, --onto FILE --kept FOLDER",
        old.join(" and "),
        new.join(" and "),
        onto = onto.display(),
    )))
}

/// Writes what an earlier promotion recorded and was then killed before it wrote it.
fn finish(request: &PromoteRequest, last: &ParamTable, session: &Session<'_>) -> Result<(), Error> {
    let onto = request.ledger.onto.display();
    if request.dry_run {
        let text = format!("the last accepted change is recorded and not in {onto}; it would be written first");
        session.note(&text);
        return Ok(());
    }
    last.save(&request.ledger.onto)?;
    session.note(&format!(
        "the last accepted change was recorded and not in {onto}: the promotion did not end; it is written now"
    ));
    Ok(())
}

/// The objections that were overridden, unless there is one that was not. `outcome` is the table that would be in force.
fn overridden(
    request: &PromoteRequest,
    current: Option<&ParamTable>,
    proposal: &Sourced,
    outcome: &ParamTable,
) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    if !proposal.rejected.is_empty() {
        found.push(Objection { kind: ObjectionKind::Rejected, reason: proposal.rejected.join("; ") });
    }
    found.extend(outcome.objections());
    if let Some(current) = current {
        found.extend(objections(current, &proposal.table, request.threshold / 100.0)?);
    }
    let refused: Vec<&Objection> = found.iter().filter(|of| !request.accept.contains(&of.kind)).collect();
    let Some(first) = refused.first() else { return Ok(found.iter().map(ToString::to_string).collect()) };
    let reasons: Vec<String> = refused.iter().map(ToString::to_string).collect();
    let names: Vec<&str> = refused.iter().map(|objection| objection.kind.name()).collect();
    let message = format!("not accepted: {}; if that is meant, give --accept {}", reasons.join("; "), names.join(","));
    Err(match first.kind {
        ObjectionKind::Rejected => Error::Rejected(message),
        ObjectionKind::Unsure | ObjectionKind::Wide => Error::Unsure(message),
        _ => Error::Incompatible(message),
    })
}

/// Who answers for the change.
fn by(request: &PromoteRequest) -> Result<String, Error> {
    if let Some(by) = request.by.clone().filter(|by| !by.trim().is_empty()) {
        return Ok(by);
    }
    let nobody = "nobody answers for the change: give --by NAME, or set git's user.name";
    let author = git::author(&request.ledger.onto);
    let author = author.map_err(|error| Error::Usage(format!("{nobody} ({})", with_causes(&error))))?;
    author.ok_or_else(|| Error::Usage(nobody.to_owned()))
}
