//! The table in force with the changes that made it.

use std::path::{Path, PathBuf};

use super::error::Error;
use super::session::Session;
use super::tables::object;
use crate::params::{AcceptedChanges, Change, Objection, ParamTable, ParamsError};
use crate::text::quoted;

/// Where the table in force is, and where the accepted changes are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    /// The table in force.
    pub onto: PathBuf,
    /// Folder of the accepted changes; `None` for `history` beside the table.
    pub kept: Option<PathBuf>,
}

/// Whether the table in force is what its accepted changes make.
#[derive(Debug)]
pub enum Check {
    /// It is.
    Same {
        /// How many they are.
        changes: usize,
        /// What speaks against the table.
        objections: Vec<Objection>,
    },
    /// It is not.
    Different {
        /// In what.
        reason: ParamsError,
        /// What to do about it.
        ways_out: String,
    },
}

impl Ledger {
    /// Of this table in force, with its changes in `history` beside it.
    pub fn of(onto: impl Into<PathBuf>) -> Self {
        Self { onto: onto.into(), kept: None }
    }

    /// Makes sure that the table in force is what its accepted changes make.
    ///
    /// # Errors
    /// Nothing was accepted yet, or a file cannot be read.
    pub fn check(&self, session: &Session<'_>) -> Result<Check, Error> {
        let (kept, last) = self.replayed()?;
        let current = self.current(last.is_some())?;
        let last = last.ok_or_else(|| self.nothing())?;
        if let Err(reason) = Change::none(&last, current.as_ref(), &self.onto) {
            return Ok(Check::Different { reason, ways_out: self.ways_out() });
        }
        object(&self.onto.display().to_string(), &last, session);
        Ok(Check::Same { changes: kept.changes().len(), objections: last.objections() })
    }

    /// Writes the table in force again from its accepted changes, and returns how many they are.
    ///
    /// # Errors
    /// Nothing was accepted yet, a change cannot be read, or the table cannot be written.
    pub fn replay(&self, session: &Session<'_>) -> Result<usize, Error> {
        let (kept, last) = self.replayed()?;
        let last = last.ok_or_else(|| self.nothing())?;
        match last.save(&self.onto) {
            // What was written into a file that cannot be replaced, when the machine went down.
            Err(ParamsError::Format(error)) if error.reason().is_some() => {
                let reason = error.reason().unwrap_or_default();
                session.note(&format!("{} was no table ({reason}) and is written anew", self.onto.display()));
                last.replace(&self.onto)?;
            }
            saved => saved?,
        }
        Ok(kept.changes().len())
    }

    /// The accepted changes, and the table that they make.
    pub(super) fn replayed(&self) -> Result<(AcceptedChanges, Option<ParamTable>), Error> {
        let folder = self.kept.clone().unwrap_or_else(|| self.onto.with_file_name("history"));
        let kept = AcceptedChanges::load(&folder)?;
        let last = kept.replay()?;
        Ok((kept, last))
    }

    /// The table in force, if there is one. Of one that is no table `replayable` says whether it can be written again.
    pub(super) fn current(&self, replayable: bool) -> Result<Option<ParamTable>, Error> {
        match self.onto.exists().then(|| ParamTable::load(&self.onto)).transpose() {
            Err(ParamsError::Format(error)) if replayable && error.reason().is_some() => {
                Err(Error::Params(error.into())
                    .context(format!("to write it from its accepted changes: {}", self.replay_command())))
            }
            current => Ok(current?),
        }
    }

    /// The ways out where the table in force is not what its accepted changes make.
    pub(super) fn ways_out(&self) -> String {
        format!(
            "the table in force is not what its accepted changes make; to write it from them: {}; to accept it as it is: estimator \
             promote {onto} --onto {onto}{kept}",
            self.replay_command(),
            onto = quoted(&self.onto),
            kept = self.kept_flag(),
        )
    }

    /// Whether a path leads to the table in force.
    pub(super) fn is_onto(&self, path: &Path) -> bool {
        let (one, other) = (path.canonicalize().ok(), self.onto.canonicalize().ok());
        one.zip(other).is_some_and(|(one, other)| one == other)
    }

    fn replay_command(&self) -> String {
        format!("estimator promote --replay --onto {}{}", quoted(&self.onto), self.kept_flag())
    }

    fn kept_flag(&self) -> String {
        self.kept.as_ref().map_or_else(String::new, |kept| format!(" --kept {}", quoted(kept)))
    }

    fn nothing(&self) -> Error {
        Error::Usage(format!("nothing was accepted yet into {}", self.onto.display()))
    }
}
