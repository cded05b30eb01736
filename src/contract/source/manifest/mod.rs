//! `contract.toml`: what a contract is and which factors it is crossed over.

use std::fmt::Display;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::edition::Edition;
use crate::contract::error::ContractError;
use crate::contract::factors::{DataLevel, Factors, Limits};
use crate::units::{Bytes, Pages};
use crate::versioned::{Faults, Formats, Source, VersionedError};

/// The newest format of manifests that is read.
pub(super) const FORMAT: i64 = 1;

/// More combinations than this are taken for a slip of the pen: at 0.1 s each they would compile for minutes.
const COMBINATIONS_MAX: usize = 4096;

/// A manifest, checked against the limits.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) description: String,
    /// A file name beside the manifest.
    pub(super) source: String,
    pub(super) language: Language,
    /// Of a Rust source.
    pub(super) edition: Edition,
    pub(super) entry: String,
    pub(super) stands_in_for: Option<String>,
    /// For a ready module, only the pages to touch: it fixes the rest itself.
    pub(super) factors: Factors,
    /// Levels that the manifest lists and the chain does not allow, a sentence for each factor.
    pub(super) left_out: Vec<String>,
}

/// What a source is written in, by its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Wat,
    Wasm,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[expect(dead_code, reason = "read before everything else; listed so that it is no unknown key")]
    format: i64,
    description: String,
    source: Spanned<String>,
    edition: Option<Spanned<Edition>>,
    entry: Spanned<String>,
    stands_in_for: Option<Spanned<String>>,
    #[serde(default)]
    cap_levels: bool,
    factors: Option<Spanned<RawFactors>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct RawFactors {
    initial_pages: Option<Levels<Pages>>,
    stack_bytes: Option<Levels<Bytes>>,
    data_bytes: Option<Levels<DataLevel>>,
    touched_pages: Option<Levels<Pages>>,
}

type Levels<T> = Spanned<Vec<Spanned<T>>>;

impl Manifest {
    /// Reads `text`, the manifest of the contract `name`; `file` is for messages.
    pub(super) fn parse(text: &str, file: &Path, name: &str, limits: Limits) -> Result<Self, ContractError> {
        let reader = Reader(Source { file, text });
        let (raw, mut faults): (Raw, _) = reader.0.read_with_faults(Formats::first(FORMAT))?;
        let language = faults.without(reader.language(&raw.source));
        if let Some(edition) = raw.edition.as_ref().filter(|_| language.is_some_and(|of| of != Language::Rust)) {
            let reason = "is of a Rust source: leave the key out";
            faults.without::<()>(Err(reader.wrong("edition", edition, reason)));
        }
        if raw.entry.get_ref().is_empty() {
            let reason = "name the exported function that touches memory";
            faults.without::<()>(Err(reader.wrong("entry", &raw.entry, reason)));
        }
        if let Some(other) = raw.stands_in_for.as_ref().filter(|other| other.get_ref() == name) {
            faults.without::<()>(Err(reader.wrong("stands_in_for", other, "a contract cannot stand in for itself")));
        }
        // The levels as they are written must make sense, whatever the chain takes from them.
        let written = if raw.cap_levels { Limits::REACHABLE } else { limits };
        let factors = raw.factors.unwrap_or_else(|| Spanned::new(0..0, RawFactors::default()));
        let factors = faults.without(reader.factors(factors, language, written));
        let (language, mut factors) = faults.or(language.zip(factors))?;
        let left_out = if raw.cap_levels { factors.cap(limits) } else { Vec::new() };
        Ok(Self {
            description: raw.description,
            source: raw.source.into_inner(),
            language,
            edition: raw.edition.map(Spanned::into_inner).unwrap_or_default(),
            entry: raw.entry.into_inner(),
            stands_in_for: raw.stands_in_for.map(Spanned::into_inner),
            factors,
            left_out,
        })
    }
}

struct Reader<'a>(Source<'a>);

impl Reader<'_> {
    fn language(&self, source: &Spanned<String>) -> Result<Language, VersionedError> {
        let path = Path::new(source.get_ref());
        if path.file_name() != Some(path.as_os_str()) {
            return Err(self.wrong("source", source, "only the name of a file beside this manifest, without folders"));
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => Ok(Language::Rust),
            Some("wat") => Ok(Language::Wat),
            Some("wasm") => Ok(Language::Wasm),
            _ => Err(self.wrong("source", source, "must end in .rs, .wat or .wasm")),
        }
    }

    /// Of a source in a language that is not known, the levels alone are looked at.
    fn factors(
        &self,
        raw: Spanned<RawFactors>,
        language: Option<Language>,
        limits: Limits,
    ) -> Result<Factors, VersionedError> {
        let table = raw.span().start;
        let RawFactors { initial_pages, stack_bytes, data_bytes, touched_pages } = raw.into_inner();
        let pages_max = limits.pages_max.min(Limits::REACHABLE.pages_max);
        let initial_max = limits.initial_pages_max.min(pages_max);
        let offsets = [
            ("factors.initial_pages", initial_pages.as_ref().map(|levels| levels.span().start)),
            ("factors.stack_bytes", stack_bytes.as_ref().map(|levels| levels.span().start)),
            ("factors.data_bytes", data_bytes.as_ref().map(|levels| levels.span().start)),
        ];
        let mut faults = Faults::default();
        // A text module may be one without a stack, a compiled one never is.
        let needed = match language {
            Some(Language::Rust) => 2,
            Some(Language::Wat) => 1,
            Some(Language::Wasm) | None => 0,
        };
        for (at, (key, offset)) in offsets.into_iter().enumerate() {
            let fault = match offset {
                Some(offset) if language == Some(Language::Wasm) => {
                    self.at(offset, Some(key), "is fixed in a ready .wasm: leave the key out")
                }
                None if at < needed => self.at(table, Some(key), "missing: a source is compiled for each level of it"),
                _ => continue,
            };
            faults.without::<()>(Err(fault));
        }
        let initial = self.levels("initial_pages", initial_pages.as_ref(), |pages| page_fault(pages, initial_max));
        let touched = self.levels("touched_pages", touched_pages.as_ref(), |pages| page_fault(pages, pages_max));
        let stack = match &stack_bytes {
            Some(levels) => self.levels("stack_bytes", Some(levels), stack_fault),
            None if language == Some(Language::Wasm) => Ok(Vec::new()),
            None => Ok(vec![Bytes(0)]),
        };
        let data = self.levels("data_bytes", data_bytes.as_ref(), data_fault);
        let factors = Factors {
            initial_pages: faults.without(initial).unwrap_or_default(),
            stack_bytes: faults.without(stack).unwrap_or_default(),
            data_bytes: faults.without(data).unwrap_or_default(),
            touched_pages: faults.without(touched).unwrap_or_default(),
        };
        let factors = faults.or(Some(factors))?;
        if language.is_none_or(|of| of == Language::Wasm) {
            return Ok(factors);
        }
        let combinations = factors.combinations();
        if combinations > COMBINATIONS_MAX {
            let message = format!("{combinations} combinations of levels; at most {COMBINATIONS_MAX} are taken");
            return Err(self.at(table, Some("factors"), message));
        }
        let variants = factors.cross();
        if variants.is_empty() {
            let message =
                "stack and data fit in the initial pages in no combination: add larger pages or a smaller stack";
            return Err(self.at(table, Some("factors"), message));
        }
        if let Some(never) = factors.never_fits(&variants) {
            let offset = offsets.into_iter().find_map(|(key, offset)| offset.filter(|_| key.ends_with(never.key)));
            let message = format!(
                "{} fits with no level of the other factors: stack and data must fit in the initial pages",
                never.level
            );
            return Err(self.at(offset.unwrap_or(table), Some(&format!("factors.{}", never.key)), message));
        }
        Ok(factors)
    }

    /// The levels of one factor; none if the key is absent.
    fn levels<T: Copy + PartialEq + Display>(
        &self,
        key: &'static str,
        levels: Option<&Levels<T>>,
        fault: impl Fn(T) -> Option<String>,
    ) -> Result<Vec<T>, VersionedError> {
        let Some(levels) = levels else { return Ok(Vec::new()) };
        let key = format!("factors.{key}");
        if levels.get_ref().is_empty() {
            return Err(self.wrong(&key, levels, "needs at least one level"));
        }
        let mut checked = Vec::with_capacity(levels.get_ref().len());
        for level in levels.get_ref() {
            let value = *level.get_ref();
            if checked.contains(&value) {
                return Err(self.wrong(&key, level, format!("{value} is listed twice")));
            }
            if let Some(fault) = fault(value) {
                return Err(self.wrong(&key, level, format!("{value} {fault}")));
            }
            checked.push(value);
        }
        Ok(checked)
    }

    fn wrong<T>(&self, key: &str, value: &Spanned<T>, message: impl Into<String>) -> VersionedError {
        self.at(value.span().start, Some(key), message)
    }

    fn at(&self, offset: usize, key: Option<&str>, message: impl Into<String>) -> VersionedError {
        self.0.fault(Some(offset..offset), key.map(Into::into), message.into())
    }
}

fn page_fault(pages: Pages, max: Pages) -> Option<String> {
    match pages {
        Pages(0) => Some("is no memory: levels begin at 1".into()),
        pages if pages > max => Some(format!(
            "is above the chain's limit of {max}: lower it, or add `cap_levels = true` to measure the limit in its place"
        )),
        _ => None,
    }
}

/// The stack pointer is kept aligned to 16 bytes
/// ([tool conventions](https://github.com/WebAssembly/tool-conventions/blob/main/BasicCABI.md)).
fn stack_fault(bytes: Bytes) -> Option<String> {
    match bytes.0 {
        0 => Some("is no stack: levels begin at 16, and a text module without one leaves the key out".into()),
        size if !size.is_multiple_of(16) => Some("is not a multiple of 16, which the stack's alignment needs".into()),
        _ => None,
    }
}

fn data_fault(level: DataLevel) -> Option<String> {
    (level == DataLevel::Bytes(Bytes(0))).then(|| "is no data: leave the key out for none".into())
}

#[cfg(test)]
mod tests;
