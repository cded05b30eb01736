//! Tables that are written row by row, so that a corpus of any size needs no more memory than one contract.

use std::io;
use std::path::PathBuf;

use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;

use super::exit::Exit;
use super::out::{Kind, put, tell};
use crate::contract::corpus::{CorpusError, Walk};
use crate::contract::survey::Surveyed;
use crate::text::shown;

/// How a table is shown on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    Human,
    Csv,
    Json,
}

impl TableFormat {
    /// How control characters in it are made visible.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Human => Kind::People,
            Self::Csv => Kind::Data,
            Self::Json => Kind::Strings,
        }
    }
}

/// What there was of the files that were named and gave no contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Failures {
    /// Files that are no contracts.
    pub broken: usize,
    /// Names that lead to no file.
    pub missing: usize,
}

impl Failures {
    /// Counts one. A name that leads nowhere is said at once, since it is whoever called that must mend it.
    pub fn count(&mut self, error: &CorpusError) {
        if error.is_usage() {
            tell!("error: {}", shown(&error.to_string()));
            self.missing += 1;
        } else {
            self.broken += 1;
        }
    }

    /// Says how many there were.
    pub fn say(self, rows: usize) {
        if self.broken > 0 {
            tell!("error: {} of {rows} files are no contracts; their rows say why", self.broken);
        }
        if self.missing > 0 {
            tell!("error: {} of {rows} names lead to no file", self.missing);
        }
    }

    /// What a command ends with that found these.
    pub const fn exit(self) -> Exit {
        match (self.missing, self.broken) {
            (0, 0) => Exit::Fine,
            (0, _) => Exit::Failed,
            _ => Exit::Usage,
        }
    }
}

/// Says how many links to folders a walk passed by.
pub fn say_passed_by(walk: &Walk<'_>) {
    let links = walk.passed_by();
    if links > 0 {
        tell!("note: {links} links to folders were not followed: name the folders to have them read");
    }
}

/// A table that is being written.
pub struct Rows {
    format: TableFormat,
    written: usize,
    failures: Failures,
    /// Whether somebody still reads.
    heard: bool,
}

impl Rows {
    /// Nothing is written before the first row.
    pub fn new(format: TableFormat) -> Self {
        Self { format, written: 0, failures: Failures::default(), heard: true }
    }

    /// Writes a row for every contract that the paths name, and for every name that leads to none, until the reader leaves.
    pub fn contracts<T: Serialize>(
        &mut self,
        paths: &[PathBuf],
        headings: &str,
        mut row_of: impl FnMut(Result<Surveyed, (String, CorpusError)>) -> T,
        human: impl Fn(&T) -> String,
    ) -> anyhow::Result<()> {
        let mut walk = Walk::new(paths, io::stdin().lock());
        while self.heard {
            let Some(found) = walk.next() else { break };
            let name = found.as_ref().map_or_else(CorpusError::place, |found| found.name.clone());
            let read = found.and_then(|found| Surveyed::read(&found));
            if let Err(error) = &read {
                self.failures.count(error);
            }
            let row = row_of(read.map_err(|error| (name, error)));
            self.row(&row, headings, || human(&row))?;
        }
        if self.heard {
            say_passed_by(&walk);
        }
        Ok(())
    }

    /// Writes a row, under its headings if it is the first.
    fn row<T: Serialize>(&mut self, row: &T, headings: &str, human: impl FnOnce() -> String) -> anyhow::Result<()> {
        let first = self.written == 0;
        self.written += 1;
        let text = match self.format {
            TableFormat::Human if first => format!("{headings}{}", human()),
            TableFormat::Human => human(),
            TableFormat::Csv => {
                let mut writer = csv::WriterBuilder::new().has_headers(first).from_writer(Vec::new());
                writer.serialize(row).context("a row cannot be written as CSV")?;
                String::from_utf8(writer.into_inner().context("a row cannot be written as CSV")?)?
            }
            TableFormat::Json => {
                let start = if first { "{\n\"format\": 1,\n\"contracts\": [\n" } else { ",\n" };
                format!("{start}{}", serde_json::to_string(row)?)
            }
        };
        self.heard = put(self.format.kind(), &text)?;
        Ok(())
    }

    /// Writes what follows the rows, and turns what was wrong into an exit code. What nobody reads to its end is not judged.
    pub fn end(&self, totals: &Value, human: impl FnOnce() -> String) -> anyhow::Result<Exit> {
        if !self.heard {
            return Ok(Exit::Fine);
        }
        if self.written == 0 {
            tell!("error: the list names no file");
            return Ok(Exit::Usage);
        }
        let end = match self.format {
            TableFormat::Human => human(),
            TableFormat::Csv => String::new(),
            TableFormat::Json => format!("\n],\n\"totals\": {}\n}}\n", serde_json::to_string_pretty(totals)?),
        };
        put(self.format.kind(), &end)?;
        self.failures.say(self.written);
        Ok(self.failures.exit())
    }
}
