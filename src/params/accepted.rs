//! The folder of accepted changes, `params/history/NNNN.toml`, from which the table in force can be replayed.

use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut};

use super::change::Change;
use super::error::ParamsError;
use super::section::{FORMAT, Source};
use super::table::ParamTable;
use crate::files::write_new;
use crate::text::read_text;

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
            let text = read_text(&file).map_err(|source| ParamsError::Read { file: file.clone(), source })?;
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
        let mut table = None;
        for (index, accepted) in self.changes.iter().enumerate() {
            table = Some(accepted.change.apply(table.as_ref(), &self.folder.join(file_name(index + 1)))?);
        }
        Ok(table)
    }

    /// Writes the next change under the next number, and returns its file. The file appears whole or not at all.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Write`].
    pub fn append(&mut self, accepted: Accepted) -> Result<PathBuf, ParamsError> {
        let file = self.folder.join(file_name(self.changes.len() + 1));
        // Of two who accept at once the second is told, and reads the table again.
        write_new(&file, accepted.to_toml().as_bytes()).map_err(ParamsError::Write)?;
        self.changes.push(accepted);
        Ok(file)
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
        let root = source.root(&document)?;
        root.only(&["format", "date", "accepted_by", "reason", "told", "params", "provenance"])?;
        Ok(Self {
            date: root.text("date")?,
            by: root.text("accepted_by")?,
            reason: root.text("reason")?,
            told: root.texts("told")?,
            change: Change::read(&root)?,
        })
    }
}

fn file_name(number: usize) -> String {
    format!("{number:04}.toml")
}

/// The `.toml` files of a folder by name.
fn names(folder: &Path) -> Result<Vec<String>, ParamsError> {
    let read = |source| ParamsError::Read { file: folder.into(), source };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(read(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(read)?.file_name();
        if Path::new(&name).extension().is_some_and(|extension| extension == "toml") {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    // By number: 10000 comes after 9999. What has none comes last.
    let number = |name: &str| name.strip_suffix(".toml").and_then(|stem| stem.parse().ok()).unwrap_or(u64::MAX);
    names.sort_by(|one, other| (number(one), one).cmp(&(number(other), other)));
    Ok(names)
}
