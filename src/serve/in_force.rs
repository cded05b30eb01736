//! The table in force, as it is now.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::problem::Problem;
use super::watched::Stamp;
use crate::contract::sha256_hex;
use crate::params::{Accepted, AcceptedChanges, Exporter, ParamTable, ParamsError};
use crate::text::with_causes;

/// The table in force with all that is told of it.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) table: ParamTable,
    /// The table and its accepted changes as JSON.
    pub(super) body: String,
    /// What tells this answer from any other, in quotes.
    pub(super) etag: String,
}

/// Reads the table in force again when it changes.
pub(super) struct InForce {
    file: PathBuf,
    changes: PathBuf,
    last: Mutex<Option<Read>>,
}

/// What was read last, and of what.
type Read = (Stamps, Result<Arc<Current>, Problem>);

/// Of the table and of the folder of its changes.
type Stamps = [Option<Stamp>; 2];

impl InForce {
    /// The table in this file, with its accepted changes in `history` beside it.
    pub(super) fn new(file: &Path) -> Self {
        Self { file: file.into(), changes: file.with_file_name("history"), last: Mutex::new(None) }
    }

    /// The table; a problem if there is none, or none that can be read.
    pub(super) fn current(&self) -> Result<Arc<Current>, Problem> {
        let stamps = [Stamp::of(&self.file), Stamp::of(&self.changes)];
        let mut read = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*read {
            Some((known, table)) if *known == stamps => table.clone(),
            _ => read.insert((stamps, self.load().map(Arc::new))).1.clone(),
        }
    }

    /// The same, but that there is none is no problem.
    pub(super) fn if_any(&self) -> Result<Option<Arc<Current>>, Problem> {
        if Stamp::of(&self.file).is_none() { Ok(None) } else { self.current().map(Some) }
    }

    fn load(&self) -> Result<Current, Problem> {
        let none = |message: &str| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-table", message);
        if Stamp::of(&self.file).is_none() {
            return Err(none("no table is in force here: `estimator promote` puts one in force"));
        }
        let read = || -> Result<Current, ParamsError> {
            let table = ParamTable::load(&self.file)?;
            let changes = AcceptedChanges::load(&self.changes)?;
            let body = json!({ "format": 1, "table": document(&table)?, "changes": listed(&changes) });
            let body = format!("{body}\n");
            Ok(Current { etag: format!("\"{}\"", &sha256_hex(body.as_bytes())[..32]), table, body })
        };
        read().map_err(|error| {
            let cause = Some(with_causes(&error));
            Problem { cause, ..none("the table in force cannot be read; the log of the service says why") }
        })
    }
}

/// The table as the export for programs has it.
fn document(table: &ParamTable) -> Result<Value, ParamsError> {
    let format = Exporter::find("json").ok_or_else(|| ParamsError::Export("there is no format `json`".into()))?;
    let text = format.export(table, None)?.text;
    serde_json::from_str(&text).map_err(|error| ParamsError::Export(error.to_string()))
}

/// The accepted changes, the oldest first.
fn listed(changes: &AcceptedChanges) -> Vec<Value> {
    let one = |(number, change): (usize, &Accepted)| {
        json!({
            "number": number,
            "date": change.date,
            "accepted_by": change.by,
            "reason": change.reason,
            "told": change.told,
            "toml": change.to_toml(),
        })
    };
    (1..).zip(changes.changes()).map(one).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_table_is_read_again_when_it_changes_and_its_tag_with_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("current.toml");
        let in_force = InForce::new(&file);
        assert_eq!(in_force.current().unwrap_err().code, "no-table");
        assert!(in_force.if_any().unwrap().is_none());
        let text = fs::read_to_string(root.join("tests/data/table.toml")).unwrap();
        fs::write(&file, &text).unwrap();
        let first = in_force.current().unwrap();
        assert!(Arc::ptr_eq(&first, &in_force.current().unwrap()));
        fs::write(folder.path().join("new"), text.replace("memory_grow_per_page", "another_name")).unwrap();
        fs::rename(folder.path().join("new"), &file).unwrap();
        let second = in_force.current().unwrap();
        assert!(second.etag != first.etag && second.body.contains("another_name"));
        fs::write(folder.path().join("new"), "no table").unwrap();
        fs::rename(folder.path().join("new"), &file).unwrap();
        let broken = in_force.current().unwrap_err();
        assert!(broken.cause.unwrap().contains("current.toml") && !broken.message.contains("current.toml"));
    }
}
