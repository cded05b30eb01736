//! Strict reading of a TOML section: every fault is reported with its place and its key.

use std::fmt::Display;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_edit::{DocumentMut, Value};

use super::evidence::check;
use crate::model::Estimate;
use crate::versioned::{Faults, Formats, Source, VersionedError};

type Result<T> = std::result::Result<T, VersionedError>;

/// The version of the formats of settings, tables and accepted changes.
pub(super) const FORMAT: i64 = 2;

const FORMATS: Formats = Formats {
    oldest: FORMAT,
    newest: FORMAT,
    way_out: "its gas is by another method, and is not comparable: write it anew from a run, or use the version that wrote it",
};

/// Whether a text is a time as RFC 3339 writes it, with its offset.
pub(super) fn is_time(text: &str) -> bool {
    text.parse::<jiff::Timestamp>().is_ok()
}

/// Parses a text as TOML to be edited: comments and spelling stay.
pub(super) fn edit(source: Source<'_>) -> Result<DocumentMut> {
    let not_toml = |error: toml_edit::TomlError| source.not_toml(error.span(), error.message());
    source.text.parse().map_err(not_toml)
}

/// The whole document as a section, once its format number is one that this version reads.
pub(super) fn root<'a, 'd>(source: Source<'a>, document: &'d Spanned<DeTable<'a>>) -> Result<Section<'a, 'd>> {
    source.check(document.get_ref(), FORMATS)?;
    Ok(Section { source, name: String::new(), table: document.get_ref(), span: None })
}

/// Whether what is here was written as `[name]`, by itself or by a section within it.
fn is_header(source: Source<'_>, span: &Range<usize>) -> bool {
    let before = source.text.get(..=span.start).unwrap_or_default();
    before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('['))
}

/// A table of a document, with the way to it.
pub(super) struct Section<'a, 'd> {
    source: Source<'a>,
    name: String,
    table: &'d DeTable<'a>,
    span: Option<Range<usize>>,
}

type Item<'a> = Spanned<DeValue<'a>>;

impl<'a, 'd> Section<'a, 'd> {
    /// Refuses any key that is not in `known`.
    pub fn only(&self, known: &[&str]) -> Result<()> {
        self.unknown(known).into_iter().next().map_or(Ok(()), Err)
    }

    /// A fault for each key that is not in `known`, in the order of the file.
    pub fn unknown(&self, known: &[&str]) -> Vec<VersionedError> {
        let mut unknown: Vec<_> = self.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())).collect();
        unknown.sort_by_key(|key| key.span().start);
        let reason = format!("unknown key; known here are {}", known.join(", "));
        let fault = |key: &Spanned<std::borrow::Cow<'_, str>>| {
            self.source.fault(Some(key.span()), Some(self.path(key.get_ref())), &reason)
        };
        unknown.into_iter().map(fault).collect()
    }

    /// The names of the sections in this one, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &'d str> + use<'a, 'd> {
        let mut keys: Vec<_> = self.table.keys().collect();
        keys.sort_by_key(|key| key.span().start);
        keys.into_iter().map(|key| key.get_ref().as_ref())
    }

    /// A section with a header of its own: `[name]`.
    pub fn section(&self, key: &str) -> Result<Section<'a, 'd>> {
        let item = self.item(key)?;
        match item.get_ref() {
            DeValue::Table(table) if is_header(self.source, &item.span()) => Ok(self.inner(key, table, item.span())),
            _ => Err(self.wrong(key, item, &format!("write it as a section, `[{}]`", self.path(key)))),
        }
    }

    /// An integer in a range.
    pub fn integer<T: TryFrom<i64> + PartialOrd + Display>(
        &self,
        key: &str,
        range: std::ops::RangeInclusive<T>,
    ) -> Result<T> {
        let item = self.item(key)?;
        let expected = || format!("expected a whole number from {} to {}", range.start(), range.end());
        let DeValue::Integer(digits) = item.get_ref() else { return Err(self.wrong(key, item, &expected())) };
        i64::from_str_radix(digits.as_str(), digits.radix())
            .ok()
            .and_then(|number| T::try_from(number).ok())
            .filter(|number| range.contains(number))
            .ok_or_else(|| self.fault(key, format!("{digits} is out of range, {}", expected())))
    }

    /// A finite number, with a fraction or without.
    pub fn number(&self, key: &str) -> Result<f64> {
        let item = self.item(key)?;
        #[expect(
            clippy::cast_precision_loss,
            reason = "an estimate above 2^53 ns, 104 days, is compared as a float anyway"
        )]
        let number = match item.get_ref() {
            DeValue::Float(digits) => digits.as_str().parse().ok(),
            DeValue::Integer(digits) => {
                i64::from_str_radix(digits.as_str(), digits.radix()).ok().map(|integer| integer as f64)
            }
            _ => return Err(self.wrong(key, item, "expected a number")),
        };
        let digits = &self.source.text[item.span()];
        match number {
            Some(number) if f64::is_finite(number) => Ok(number),
            None if item.get_ref().is_integer() => {
                Err(self.fault(key, format!("{digits} is beyond 2^63 − 1: write it with a point")))
            }
            _ => Err(self.fault(key, format!("{digits} is not a finite number"))),
        }
    }

    /// A text.
    pub fn text(&self, key: &str) -> Result<String> {
        let item = self.item(key)?;
        let text = item.get_ref().as_str().map(str::to_owned);
        text.ok_or_else(|| self.wrong(key, item, "expected a text in quotes"))
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Result<Vec<String>> {
        let item = self.item(key)?;
        let wrong = || self.wrong(key, item, "expected a list of texts");
        let text = |value: &Item<'a>| {
            let expected = || format!("expected a text in quotes, found {}", self.kind(value));
            let fault = || self.source.fault(Some(value.span()), Some(self.path(key)), expected());
            value.get_ref().as_str().map(str::to_owned).ok_or_else(fault)
        };
        item.get_ref().as_array().ok_or_else(wrong)?.iter().map(text).collect()
    }

    /// The keys within `{ … }`.
    pub fn braces(&self, key: &str, expected: &str) -> Result<Section<'a, 'd>> {
        let item = self.item(key)?;
        let table = self.inline(item).ok_or_else(|| self.wrong(key, item, expected))?;
        Ok(self.inner(key, table, item.span()))
    }

    /// An estimate with its interval, `{ value = 2.0, low = 1.0, high = 3.0 }`.
    pub fn evidence(&self, key: &str) -> Result<Estimate> {
        let section = self.braces(key, "expected `{ value = …, low = …, high = … }`")?;
        let mut faults = Faults::of(section.unknown(&["value", "low", "high"]));
        let [value, low, high] =
            ["value", "low", "high"].map(|key| faults.without(section.number(key)).unwrap_or_default());
        let evidence = faults.or(Some(Estimate { value, low, high }))?;
        check(&evidence).map_err(|reason| self.fault(key, reason))?;
        Ok(evidence)
    }

    /// The same, or `None` if the key is missing.
    pub fn optional_evidence(&self, key: &str) -> Result<Option<Estimate>> {
        self.has(key).then(|| self.evidence(key)).transpose()
    }

    /// The two sides of a change, `{ old = …, new = … }` or `KEY.old = …` and `KEY.new = …`, of which one may be missing.
    pub fn sides(&self, key: &str) -> Result<(Option<Value>, Option<Value>)> {
        let item = self.item(key)?;
        let expected = "expected `old`, `new` or both";
        let table = item.get_ref().as_table().ok_or_else(|| self.wrong(key, item, expected))?;
        let section = self.inner(key, table, item.span());
        section.only(&["old", "new"])?;
        let side = |side: &str| match table.get(side) {
            None => Ok(None),
            // A dotted key has no text of its own as a value.
            Some(item) if item.get_ref().is_table() && self.inline(item).is_none() => {
                Err(section.wrong(side, item, "expected a value"))
            }
            // The text of the value, whose spelling stays.
            Some(item) => {
                let text = &self.source.text[item.span()];
                text.parse().map(Some).map_err(|_| section.fault(side, format!("{text} is out of range")))
            }
        };
        match (side("old")?, side("new")?) {
            (None, None) => Err(self.fault(key, expected)),
            sides => Ok(sides),
        }
    }

    /// A fault in the value of `key`, for rules that the types above do not know.
    pub fn fault(&self, key: &str, reason: impl Display) -> VersionedError {
        let span = self.table.get(key).map(Spanned::span);
        self.source.fault(span.or(self.span.clone()), Some(self.path(key)), reason)
    }

    /// Whether the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Whether the key is there and holds an integer.
    pub fn is_integer(&self, key: &str) -> bool {
        self.table.get(key).is_some_and(|item| item.get_ref().is_integer())
    }

    fn item(&self, key: &str) -> Result<&'d Item<'a>> {
        self.table.get(key).ok_or_else(|| self.fault(key, "missing"))
    }

    /// The table of `{ … }`.
    fn inline<'i>(&self, item: &'i Item<'a>) -> Option<&'i DeTable<'a>> {
        let braces = self.source.text[item.span()].starts_with('{');
        item.get_ref().as_table().filter(|_| braces)
    }

    fn wrong(&self, key: &str, found: &Item<'a>, expected: &str) -> VersionedError {
        self.fault(key, format!("{expected}, found {}", self.kind(found)))
    }

    /// What a person would call it.
    fn kind(&self, item: &Item<'a>) -> &'static str {
        match item.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) if is_header(self.source, &item.span()) => "a list of sections",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) if self.inline(item).is_some() => "an inline table",
            DeValue::Table(_) if is_header(self.source, &item.span()) => "a section",
            DeValue::Table(_) => "a dotted key",
        }
    }

    fn inner(&self, key: &str, table: &'d DeTable<'a>, span: Range<usize>) -> Section<'a, 'd> {
        Section { source: self.source, name: self.path(key), table, span: Some(span) }
    }

    fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }
}
