//! A change of a table, key by key, as `{ old, new }`: what is accepted, kept and replayed.
//!
//! After the versioned parameter files of nearcore (`core/parameters/src/parameter_table.rs`): a change that does not find
//! the old value it expects is refused, so that nothing is accepted on top of what its reviewers did not see.

use std::collections::BTreeMap;
use std::path::Path;

use toml_edit::{DocumentMut, Item, Table, Value};

use super::error::ParamsError;
use super::provenance::PARTS;
use super::section::{Section, edit};
use super::table::ParamTable;
use crate::versioned::{Source, VersionedError};

/// Every key in which two tables differ, in the order of the file.
#[derive(Debug, Clone, Default)]
pub struct Change {
    keys: Vec<KeyChange>,
}

/// One key: `params.NAME.KEY`, `provenance.KEY`, `provenance.reference.KEY` or `provenance.chain.KEY`.
#[derive(Debug, Clone)]
struct KeyChange {
    path: Vec<String>,
    old: Option<Value>,
    new: Option<Value>,
}

/// The keys of a table with their values, in the order of the file.
type Leaves = Vec<(Vec<String>, Value)>;

impl Change {
    /// What turns `old` into `new`; without `old` every key is new.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Param`] for a table that cannot be written.
    pub fn between(old: Option<&ParamTable>, new: &ParamTable) -> Result<Self, ParamsError> {
        let mut olds: BTreeMap<_, _> = old.map_or_else(|| Ok(Vec::new()), leaves)?.into_iter().collect();
        let mut keys = Vec::new();
        for (path, new) in leaves(new)? {
            let old = olds.remove(&path);
            if !old.as_ref().is_some_and(|old| same(old, &new)) {
                keys.push(KeyChange { path, old, new: Some(new) });
            }
        }
        keys.extend(olds.into_iter().map(|(path, old)| KeyChange { path, old: Some(old), new: None }));
        Ok(Self { keys })
    }

    /// Whether the tables are the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The names of the keys, such as `params.memory_init_base.gas`.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        self.keys.iter().map(|key| key.path.join("."))
    }

    /// The change made to `table`, or from nothing; `file` is named in errors.
    ///
    /// # Errors
    ///
    /// [`ParamsError::OldMismatch`], [`ParamsError::OldMissing`] and [`ParamsError::OldUnexpected`] for a key that does not
    /// have the old value; [`ParamsError::Outcome`] if what comes out is not a table.
    pub fn apply(&self, table: Option<&ParamTable>, file: &Path) -> Result<ParamTable, ParamsError> {
        let mut leaves: BTreeMap<_, _> = table.map_or_else(|| Ok(Vec::new()), leaves)?.into_iter().collect();
        for key in &self.keys {
            key.check(leaves.get(&key.path), file)?;
            match &key.new {
                Some(new) => leaves.insert(key.path.clone(), new.clone()),
                None => leaves.remove(&key.path),
            };
        }
        let mut document = DocumentMut::new();
        document["format"] = toml_edit::value(super::section::FORMAT);
        for (path, value) in leaves {
            insert(document.as_table_mut(), &path, value);
        }
        for section in ["params", "provenance"] {
            document.entry(section).or_insert_with(|| Item::Table(Table::new()));
        }
        // The place in this text is that of no file.
        ParamTable::parse(&document.to_string(), file).map_err(|error| match error {
            ParamsError::Format(VersionedError::Several(mut all)) => Self::outcome(all.swap_remove(0)),
            ParamsError::Format(fault) => Self::outcome(fault),
            other => other,
        })
    }

    fn outcome(fault: VersionedError) -> ParamsError {
        match fault {
            VersionedError::Fault { file, key, reason, .. } => {
                ParamsError::Outcome { file, key: key.unwrap_or_default(), reason }
            }
            other => other.into(),
        }
    }

    /// Makes sure that a table is the expected one, as [`Change::apply`] would of every key; `file` is named in errors.
    ///
    /// # Errors
    ///
    /// [`ParamsError::OldMismatch`], [`ParamsError::OldMissing`] and [`ParamsError::OldUnexpected`] for the first key that
    /// differs.
    pub fn none(expected: &ParamTable, found: Option<&ParamTable>, file: &Path) -> Result<(), ParamsError> {
        match Self::between(found, expected)?.keys.into_iter().next() {
            Some(KeyChange { path, old, new }) => KeyChange { path, old: new, new: None }.check(old.as_ref(), file),
            None => Ok(()),
        }
    }

    /// Writes the keys into a document, each as `KEY.old` and `KEY.new`.
    pub(super) fn write(&self, document: &mut Table) {
        for key in &self.keys {
            for (side, value) in [("old", &key.old), ("new", &key.new)] {
                if let Some(value) = value {
                    let path: Vec<String> = key.path.iter().map(String::as_str).chain([side]).map(Into::into).collect();
                    insert_dotted(document, &path, value.clone());
                }
            }
        }
    }

    /// Reads what [`Change::write`] wrote.
    pub(super) fn read(root: &Section) -> Result<Self, ParamsError> {
        let mut keys = Vec::new();
        if root.has("params") {
            let params = root.section("params")?;
            for name in params.names() {
                read_keys(&params.section(name)?, &["params", name], &[], &mut keys)?;
            }
        }
        if root.has("provenance") {
            let provenance = root.section("provenance")?;
            read_keys(&provenance, &["provenance"], &PARTS, &mut keys)?;
            for part in PARTS.into_iter().filter(|part| provenance.has(part)) {
                let section = provenance.section(part)?;
                read_keys(&section, &["provenance", part], &[NODE], &mut keys)?;
                if section.has(NODE) {
                    read_keys(&section.section(NODE)?, &["provenance", part, NODE], &[], &mut keys)?;
                }
            }
        }
        Ok(Self { keys })
    }
}

impl KeyChange {
    fn check(&self, found: Option<&Value>, file: &Path) -> Result<(), ParamsError> {
        let (file, key) = (file.to_path_buf(), self.path.join("."));
        match (&self.old, found) {
            (Some(old), Some(found)) if same(old, found) => Ok(()),
            (Some(old), Some(found)) => {
                Err(ParamsError::OldMismatch { file, key, expected: shown(old), found: shown(found) })
            }
            (Some(old), None) => Err(ParamsError::OldMissing { file, key, expected: shown(old) }),
            (None, Some(found)) => Err(ParamsError::OldUnexpected { file, key, found: shown(found) }),
            (None, None) => Ok(()),
        }
    }
}

fn leaves(table: &ParamTable) -> Result<Leaves, ParamsError> {
    let text = table.to_toml()?;
    let document = edit(Source { file: Path::new("table"), text: &text })?;
    let mut leaves = Vec::new();
    collect(document.as_table(), &mut Vec::new(), &mut leaves);
    leaves.retain(|(path, _)| path.len() > 1);
    Ok(leaves)
}

fn collect(table: &Table, path: &mut Vec<String>, leaves: &mut Leaves) {
    for (key, item) in table {
        path.push(key.to_owned());
        match item {
            Item::Table(table) => collect(table, path, leaves),
            Item::Value(value) => leaves.push((path.clone(), value.clone())),
            Item::None | Item::ArrayOfTables(_) => {}
        }
        path.pop();
    }
}

/// The section of the chain's settings within them.
const NODE: &str = "node";

fn read_keys(section: &Section, at: &[&str], but: &[&str], keys: &mut Vec<KeyChange>) -> Result<(), ParamsError> {
    for name in section.names().filter(|name| !but.contains(name)) {
        let (old, new) = section.sides(name)?;
        let path = at.iter().copied().chain([name]).map(Into::into).collect();
        keys.push(KeyChange { path, old, new });
    }
    Ok(())
}

fn insert(table: &mut Table, path: &[String], value: Value) {
    match path {
        [key] => _ = table.insert(key, Item::Value(value)),
        [key, rest @ ..] => {
            let inner = table.entry(key).or_insert_with(|| Item::Table(Table::new()));
            if let Some(inner) = inner.as_table_mut() {
                insert(inner, rest, value);
            }
        }
        [] => {}
    }
}

/// The same, with the last two names as one dotted key in its section.
fn insert_dotted(table: &mut Table, path: &[String], value: Value) {
    let [key, rest @ ..] = path else { return };
    let inner = table.entry(key).or_insert_with(|| {
        let mut inner = Table::new();
        inner.set_dotted(rest.len() == 1);
        inner.set_implicit(key == "params");
        inner.decor_mut().set_prefix("\n");
        Item::Table(inner)
    });
    match (inner.as_table_mut(), rest) {
        (Some(inner), [side]) => _ = inner.insert(side, Item::Value(value)),
        (Some(inner), rest) => insert_dotted(inner, rest, value),
        (None, _) => {}
    }
}

/// Whether two values mean the same, however they are written.
fn same(one: &Value, other: &Value) -> bool {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a number that is written without a point is read as the parser reads it"
    )]
    let number = |value: &Value| value.as_float().or_else(|| value.as_integer().map(|integer| integer as f64));
    match (one, other) {
        (Value::Integer(one), Value::Integer(other)) => one.value() == other.value(),
        (Value::String(one), Value::String(other)) => one.value() == other.value(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::InlineTable(one), Value::InlineTable(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        _ => number(one).zip(number(other)).is_some_and(|(one, other)| one.to_bits() == other.to_bits()),
    }
}

fn shown(value: &Value) -> String {
    value.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
