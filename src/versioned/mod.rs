//! Reading of files that have a format number: strictly, with the place and the key of every fault.
//!
//! The number comes first, since a newer format may have keys that are unknown here.

mod error;
mod faults;
mod json;

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use error::VersionedError;
pub use faults::Faults;
pub use json::json_fault;

/// The formats of a kind of file that this version reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formats {
    /// The oldest that is read.
    pub oldest: i64,
    /// The newest.
    pub newest: i64,
    /// What to do about one that is older.
    pub way_out: &'static str,
}

impl Formats {
    /// One format, which nothing came before.
    #[must_use]
    pub const fn first(format: i64) -> Self {
        Self { oldest: format, newest: format, way_out: "no version wrote another" }
    }

    /// Makes sure that a format is one of these.
    ///
    /// # Errors
    /// [`VersionedError::Newer`] and [`VersionedError::Older`].
    pub fn check(self, file: &Path, found: i64) -> Result<(), VersionedError> {
        if found > self.newest {
            return Err(VersionedError::Newer { file: file.into(), found, known: self.newest });
        }
        if found < self.oldest {
            let (known, way_out) = (self.oldest, self.way_out);
            return Err(VersionedError::Older { file: file.into(), found, known, way_out });
        }
        Ok(())
    }

    /// The same for a text in JSON, of which the rest is not looked at.
    ///
    /// # Errors
    /// As [`Formats::check`], or what is wrong with the JSON.
    pub fn check_json(self, file: &Path, text: &str) -> Result<Result<(), VersionedError>, serde_json::Error> {
        #[derive(Deserialize)]
        struct Head {
            format: i64,
        }
        serde_json::from_str(text).map(|Head { format }| self.check(file, format))
    }
}

/// A text in TOML with the name of the file that it came from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The file, for messages.
    pub file: &'a Path,
    /// Its text.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// Parses the text, without a look at what it says.
    ///
    /// Without what an editor needs it takes less time and memory, and files are read far more often than written.
    ///
    /// # Errors
    /// [`VersionedError::Fault`] where it is not TOML.
    pub fn parse(self) -> Result<Spanned<DeTable<'a>>, VersionedError> {
        DeTable::parse(self.text).map_err(|error| self.not_toml(error.span(), error.message()))
    }

    /// Makes sure that the format of a document is one of these.
    ///
    /// # Errors
    /// As [`Formats::check`], or [`VersionedError::Fault`] at a `format` that is no number.
    pub fn check(self, document: &DeTable<'_>, formats: Formats) -> Result<(), VersionedError> {
        let Some(value) = document.get("format") else {
            return Err(self.fault(None, Some("format".into()), "missing"));
        };
        // A number that no version counts to is a later one all the same.
        let number = value.get_ref().as_integer();
        let found = number.map(|n| i64::from_str_radix(n.as_str(), n.radix()).unwrap_or(i64::MAX));
        match found {
            Some(found) if found >= 1 => formats.check(self.file, found),
            _ => {
                let reason = format!("expected a whole number from 1 to {}", formats.newest);
                Err(self.fault(Some(value.span()), Some("format".into()), reason))
            }
        }
    }

    /// Reads the whole text as a value, keys that it does not know refused if its type says so.
    ///
    /// # Errors
    /// As [`Source::check`], and [`VersionedError::Fault`] at what the value cannot be made of, [`VersionedError::Several`] if there is more.
    pub fn read<T: DeserializeOwned>(self, formats: Formats) -> Result<T, VersionedError> {
        let (read, faults) = self.read_with_faults(formats)?;
        faults.or(Some(read))
    }

    /// A text that is not TOML.
    #[must_use]
    pub fn not_toml(self, span: Option<Range<usize>>, reason: &str) -> VersionedError {
        let key = span.as_ref().and_then(|span| self.key_before(span.start));
        self.fault(span, key, reason)
    }

    /// What stands before the `=` of a line: the key, as near as it can be told in a text that is not TOML.
    fn key_before(self, offset: usize) -> Option<String> {
        let start = self.text.get(..offset)?.rfind('\n').map_or(0, |newline| newline + 1);
        let (key, _) = self.text[start..].lines().next()?.split_once('=')?;
        let is_key = |c: char| c.is_ascii_alphanumeric() || "_-.\"".contains(c);
        Some(key.trim()).filter(|key| !key.is_empty() && key.chars().all(is_key)).map(str::to_owned)
    }

    /// A fault at a place of the text.
    #[must_use]
    pub fn fault(self, span: Option<Range<usize>>, key: Option<String>, reason: impl Display) -> VersionedError {
        let offset = span.map_or(0, |span| span.start).min(self.text.len());
        let before = self.text.get(..offset).unwrap_or(self.text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        VersionedError::Fault {
            file: self.file.into(),
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            key: key.map(|key| key.replace(['\n', '\r'], " ")),
            reason: reason.to_string().trim_end().replace('\n', ", "),
        }
    }
}

/// The dotted key that is at `offset`, or whose value is. Entries of a list have its name.
fn key_at(table: &DeTable<'_>, offset: usize) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let name: &str = key.get_ref();
        let own = || key.span().contains(&offset).then(|| name.to_owned());
        within(name, value, offset).or_else(own)
    })
}

/// The same in the value of a key.
fn within(name: &str, value: &Spanned<DeValue<'_>>, offset: usize) -> Option<String> {
    let inner = match value.get_ref() {
        DeValue::Table(table) => key_at(table, offset).map(|inner| format!("{name}.{inner}")),
        DeValue::Array(entries) => entries.iter().find_map(|entry| within(name, entry, offset)),
        _ => None,
    };
    inner.or_else(|| value.span().contains(&offset).then(|| name.to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "read for its faults")]
    struct Sample {
        format: i64,
        part: Part,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "read for its faults")]
    struct Part {
        number: u8,
        #[serde(default)]
        parts: Vec<Self>,
        #[serde(default)]
        names: Vec<String>,
    }

    const FORMATS: Formats = Formats { oldest: 2, newest: 3, way_out: "measure again" };

    fn message(text: &str) -> String {
        let source = Source { file: Path::new("some.toml"), text };
        source.read::<Sample>(FORMATS).map_or_else(|error| error.to_string(), |_| "read".into())
    }

    #[test]
    fn a_fault_has_its_file_line_column_and_key() {
        assert_eq!(message("format = 2\n[part]\nnumber = 1\n"), "read");
        assert!(message("format = 2\n[part]\nnumber = 256\n").starts_with("some.toml:3:10: `part.number`: "));
        assert!(message("format = 2\n[part]\nnumber = 1\nother = 1\n").starts_with("some.toml:4:1: `part.other`: "));
        assert!(message("format = 2\n[part]\nnumber = \n").starts_with("some.toml:3:10: `number`: "));
        assert!(message("format = 2\n").starts_with("some.toml:1:1: missing field `part`"));
        assert!(
            !message("format = 2\n[part]\nnumber = 1\n\"a\\nb\" = 1\n").split("`: ").next().unwrap().contains('\n')
        );
        assert!(message("format = 99999999999999999999\n").contains("use a newer estimator"));
        assert!(message("[part]\n").starts_with("some.toml:1:1: `format`: missing"));
        assert!(message("format = \"2\"\n").starts_with("some.toml:1:10: `format`: expected a whole number"));
        assert!(!message("format = 2\n[part]\nnumber = {}\n").contains('\n'));
    }

    #[test]
    fn an_entry_of_a_list_has_its_key() {
        let part = "format = 2\n[part]\nnumber = 1\n";
        let said = |rest: &str| message(&format!("{part}{rest}"));
        assert!(said("names = [\"a\", 1]\n").starts_with("some.toml:4:15: `part.names`: "));
        let lists = "[[part.parts]]\nnumber = 1\n[[part.parts]]\nnumber = 256\n";
        assert!(said(lists).starts_with("some.toml:7:10: `part.parts.number`: "), "{}", said(lists));
        let lacking = "[[part.parts]]\nnumber = 1\n[[part.parts]]\nnames = []\n";
        assert!(said(lacking).starts_with("some.toml:6:1: `part.parts`: missing field"), "{}", said(lacking));
        assert!(said("parts = [{ number = 1, other = 1 }]\n").starts_with("some.toml:4:24: `part.parts.other`: "));
    }

    #[test]
    fn another_format_is_told_before_anything_else() {
        assert_eq!(
            message("format = 4\nnew = 1\n"),
            "some.toml has format 4, this version reads format 3: use a newer estimator"
        );
        let older = "some.toml has format 1, this version reads formats from 2 on: measure again";
        assert_eq!(message("format = 1\nold = 1\n"), older);
    }

    proptest! {
        #[test]
        fn no_text_is_too_much(text in "\\PC*|(format = [0-9]{1,20}\n)?(\\[part\\]\n)?number = .{0,9}\n") {
            message(&text);
        }
    }
}
