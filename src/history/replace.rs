//! A history made again takes the place of one that cannot be used, which stays beside it.
//!
//! The new one is made whole under another name first, so that neither a kill nor a full disk leaves less than there was: until it
//! is whole the old one keeps its place, and from then on whoever records next puts it there.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::HistoryError;
use super::reach::{Access, MADE, Tried as _, half_made, has_log, sibling};
use super::record::Record;
use super::salvage::Salvage;
use super::store::History;
use super::write::{insert_all, put_text};
use crate::files;

/// The history that is being made.
const DRAFT: &str = ".rebuilding";

/// Makes a history of these records and of what else was read of the old one, and puts it in its place. Returns the name that the
/// old one has now; `None` if there was none. Everything that the records told counts as told.
///
/// # Errors
/// What SQLite or the file system says; a history that was there then still is.
pub fn replace(file: &Path, records: &[Record], salvage: &Salvage) -> Result<Option<PathBuf>, HistoryError> {
    let draft = sibling(file, DRAFT);
    for suffix in ["-wal", "-shm", ""] {
        remove(&sibling(&draft, suffix))?;
    }
    make(&draft, records, salvage)?;
    if has_log(&draft) {
        let source = ErrorKind::StorageFull.into();
        return Err(HistoryError::File { action: "write all of", file: draft, source });
    }
    rename(&draft, &sibling(file, MADE))?;
    put_in_place(file)
}

fn make(draft: &Path, records: &[Record], salvage: &Salvage) -> Result<(), HistoryError> {
    let mut history = History::open(draft, Access::Write)?;
    let write = |history: &mut History| -> Result<(), rusqlite::Error> {
        let transaction = history.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for run in &salvage.pruned {
            put_text(&transaction, "pruned", run)?;
        }
        for key in &salvage.told {
            put_text(&transaction, "told", key)?;
        }
        for (name, body, done) in &salvage.events {
            super::outbox::put_raw(&transaction, name, body, *done)?;
        }
        insert_all(&transaction, records, true)?;
        transaction.commit()
    };
    write(&mut history).tried(draft, "the runs cannot be recorded again")?;
    history.connection.close().map_err(|(_, error)| error).tried(draft, "cannot be written")
}

/// Puts a history that was made again in its place, if there is one. Only the holder of the lock may.
///
/// # Errors
/// The file system refuses.
pub fn put_in_place(file: &Path) -> Result<Option<PathBuf>, HistoryError> {
    let Some(made) = half_made(file) else { return Ok(None) };
    let moved = set_aside(file)?;
    rename(&made, file)?;
    Ok(moved)
}

/// Moves a history with its log out of the way, to a name that nothing has. Returns that name; `None` if there was nothing.
fn set_aside(file: &Path) -> Result<Option<PathBuf>, HistoryError> {
    if !file.exists() {
        return Ok(None);
    }
    let moved = (1..=u32::MAX).map(|number| sibling(file, &format!(".old-{number}"))).find(|name| !name.exists());
    let Some(moved) = moved else { return Ok(None) };
    // The log goes first: without its database nobody takes it for one.
    for suffix in ["-wal", "-shm", ""] {
        let from = sibling(file, suffix);
        if from.exists() {
            rename(&from, &sibling(&moved, suffix))?;
        }
    }
    Ok(Some(moved))
}

fn rename(from: &Path, to: &Path) -> Result<(), HistoryError> {
    let folder = from.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let renamed = fs::rename(from, to).and_then(|()| files::sync_folder(folder));
    renamed.map_err(|source| HistoryError::File { action: "rename", file: from.into(), source })
}

fn remove(file: &Path) -> Result<(), HistoryError> {
    match fs::remove_file(file) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(HistoryError::File { action: "remove", file: file.into(), source })
        }
        _ => Ok(()),
    }
}
