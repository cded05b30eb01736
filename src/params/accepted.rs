//! The folder of accepted changes, `params/history/NNNN.toml`, from which the table in force can be replayed.

use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut};

use super::change::Change;
use super::error::ParamsError;
use super::section::{FORMAT, is_time, root};
use super::table::ParamTable;
use crate::files::Staged;
use crate::text::read_found;
use crate::versioned::Source;

/// A change that somebody accepted.
#[derive(Debug, Clone, Default)]
pub struct Accepted {
    /// When, in RFC 3339.
    pub date: String,
    /// Who answers for it.
    pub by: String,
    /// Why, for readers; may be empty.
    pub reason: String,
    /// The objections that were known and overridden.
    pub told: Vec<String>,
    /// What changed.
    pub change: Change,
}

/// All accepted changes, from the first on.
#[derive(Debug, Clone)]
pub struct AcceptedChanges {
    folder: PathBuf,
    changes: Vec<Accepted>,
}

impl AcceptedChanges {
    /// Reads a folder; one that is not there has no changes yet.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Read`]; [`ParamsError::Numbering`] for a gap or a `.toml` file of another name; the errors of parsing,
    /// with file, line, column and key.
    pub fn load(folder: &Path) -> Result<Self, ParamsError> {
        let mut changes = Vec::new();
        for (index, name) in names(folder)?.into_iter().enumerate() {
            let expected = file_name(index + 1);
            if name != expected {
                return Err(ParamsError::Numbering { folder: folder.into(), found: name, expected });
            }
            let file = folder.join(&name);
            let text = read_found(&file).map_err(ParamsError::read(&file))?;
            changes.push(Accepted::parse(&text, &file)?);
        }
        Ok(Self { folder: folder.into(), changes })
    }

    /// The changes in their order.
    #[must_use]
    pub fn changes(&self) -> &[Accepted] {
        &self.changes
    }

    /// The table that all changes together make, `None` without any.
    ///
    /// # Errors
    ///
    /// The three errors of [`Change::apply`] for a change that does not fit those before it, with its file.
    pub fn replay(&self) -> Result<Option<ParamTable>, ParamsError> {
        self.made_by(self.changes.len())
    }

    /// The table that all changes but the last make: what is in force if that was recorded, and then not written.
    ///
    /// # Errors
    ///
    /// As for [`AcceptedChanges::replay`].
    pub fn before_last(&self) -> Result<Option<ParamTable>, ParamsError> {
        self.made_by(self.changes.len().saturating_sub(1))
    }

    /// Writes the next changes under the next numbers, then `table`, which they make, to `onto`. Returns their files.
    ///
    /// Everything is on the disk before anything appears, and what has appeared is taken back if something else cannot, so that
    /// a failure leaves all as it was. Of two who accept at once the second is told, and reads the table again. Whoever is killed
    /// between record and table has [`AcceptedChanges::before_last`] in force.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Write`], with nothing changed; [`ParamsError::Halfway`] if a record cannot be taken back; the errors of
    /// [`ParamTable::save`].
    pub fn commit(
        &mut self,
        records: Vec<Accepted>,
        table: &ParamTable,
        onto: &Path,
    ) -> Result<Vec<PathBuf>, ParamsError> {
        let staged_table = table.stage(onto)?;
        let first = self.changes.len() + 1;
        let files: Vec<PathBuf> = (first..first + records.len()).map(|number| self.file(number)).collect();
        let staged = files
            .iter()
            .zip(&records)
            .map(|(file, record)| Staged::new(file, record.to_toml().as_bytes()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(ParamsError::Write)?;
        let mut published = 0;
        let all = || {
            for record in staged {
                record.publish()?;
                published += 1;
            }
            staged_table.publish()
        };
        if let Err(error) = all() {
            // The folder may not have been synced, and the table be there all the same.
            let written = ParamTable::load(onto).is_ok_and(|found| found == *table);
            let back = if written { &[][..] } else { &files[..published] };
            return Err(match back.iter().rev().try_for_each(std::fs::remove_file) {
                Ok(()) => ParamsError::Write(error),
                Err(_) => ParamsError::Halfway { table: onto.into(), source: error },
            });
        }
        self.changes.extend(records);
        Ok(files)
    }

    fn made_by(&self, count: usize) -> Result<Option<ParamTable>, ParamsError> {
        let mut table = None;
        for (index, accepted) in self.changes.iter().take(count).enumerate() {
            table = Some(accepted.change.apply(table.as_ref(), &self.file(index + 1))?);
        }
        Ok(table)
    }

    fn file(&self, number: usize) -> PathBuf {
        self.folder.join(file_name(number))
    }
}

impl Accepted {
    /// The change as a file of its own.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut document = DocumentMut::new();
        document["format"] = toml_edit::value(FORMAT);
        for (key, text) in [("date", &self.date), ("accepted_by", &self.by), ("reason", &self.reason)] {
            document[key] = toml_edit::value(text);
        }
        let mut told: Array = self.told.iter().collect();
        if !told.is_empty() {
            told.iter_mut().for_each(|text| text.decor_mut().set_prefix("\n    "));
            told.set_trailing("\n");
            told.set_trailing_comma(true);
        }
        document["told"] = toml_edit::value(told);
        self.change.write(document.as_table_mut());
        format!(
            "# An accepted change. All of them in their order make the table in force: docs/params-format.md\n{document}"
        )
    }

    fn parse(text: &str, file: &Path) -> Result<Self, ParamsError> {
        let source = Source { file, text };
        let document = source.parse()?;
        let root = root(source, &document)?;
        root.only(&["format", "date", "accepted_by", "reason", "told", "params", "provenance"])?;
        let (date, by) = (root.text("date")?, root.text("accepted_by")?);
        if !is_time(&date) {
            return Err(root
                .fault("date", format!("{date:?} is no time of RFC 3339 such as 2026-01-02T03:04:05Z"))
                .into());
        }
        if by.trim().is_empty() {
            return Err(root.fault("accepted_by", "nobody answers for the change").into());
        }
        Ok(Self { date, by, reason: root.text("reason")?, told: root.texts("told")?, change: Change::read(&root)? })
    }
}

fn file_name(number: usize) -> String {
    format!("{number:04}.toml")
}

/// The `.toml` files of a folder by name.
fn names(folder: &Path) -> Result<Vec<String>, ParamsError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ParamsError::read(folder)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(ParamsError::read(folder))?.file_name();
        if Path::new(&name).extension().is_some_and(|extension| extension == "toml") {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    // By number: 10000 comes after 9999. What has none comes last.
    let number = |name: &str| name.strip_suffix(".toml").and_then(|stem| stem.parse().ok()).unwrap_or(u64::MAX);
    names.sort_by(|one, other| (number(one), one).cmp(&(number(other), other)));
    Ok(names)
}
