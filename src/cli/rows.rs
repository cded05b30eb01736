//! Tables that are written row by row, so that a corpus of any size needs no more memory than one contract.

use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;

use super::exit::Exit;
use super::out::{Kind, put, tell};
use crate::report::document::{Column, Document, Text};
use crate::report::render;
use crate::text::counted;

/// How a table is shown on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    Human,
    Markdown,
    Csv,
    Json,
}

impl TableFormat {
    /// How control characters in it are made visible.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Human => Kind::People,
            Self::Markdown | Self::Csv => Kind::Data,
            Self::Json => Kind::Strings,
        }
    }

    /// A document for people.
    pub fn document(self, document: &Document) -> String {
        if self == Self::Markdown { render::markdown(document) } else { render::terminal(document) }
    }

    fn heading(self, columns: &[Column]) -> String {
        if self == Self::Markdown { render::markdown_heading(columns) } else { render::heading(columns) }
    }

    fn row(self, columns: &[Column], cells: &[Text]) -> String {
        if self == Self::Markdown { render::markdown_row(cells) } else { render::row(columns, cells) }
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
    /// Says how many there were.
    pub fn say(self, rows: usize) {
        if self.broken > 0 {
            let one = format!("of {rows} files is no contract, for the reason given");
            let many = format!("of {rows} files are no contracts, for the reasons given");
            tell!("error: {}", counted(self.broken, &one, &many));
        }
        if self.missing > 0 {
            let (one, many) = (format!("of {rows} names leads to no file"), format!("of {rows} names lead to no file"));
            tell!("error: {}", counted(self.missing, &one, &many));
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

/// A table that is being written.
pub struct Rows {
    format: TableFormat,
    written: usize,
    /// Whether somebody still reads.
    heard: bool,
}

impl Rows {
    /// Nothing is written before the first row.
    pub fn new(format: TableFormat) -> Self {
        Self { format, written: 0, heard: true }
    }

    /// Writes a row for every contract and for every name that leads to none, until the reader leaves.
    pub fn write<T: Serialize>(
        &mut self,
        rows: &mut impl Iterator<Item = T>,
        columns: &[Column],
        cells: impl Fn(&T) -> Vec<Text>,
    ) -> anyhow::Result<()> {
        while self.heard {
            let Some(row) = rows.next() else { break };
            self.row(&row, columns, || cells(&row))?;
        }
        Ok(())
    }

    /// Writes a row, under the headings of its columns if it is the first.
    fn row<T: Serialize>(
        &mut self,
        row: &T,
        columns: &[Column],
        cells: impl FnOnce() -> Vec<Text>,
    ) -> anyhow::Result<()> {
        let first = self.written == 0;
        self.written += 1;
        let text = match self.format {
            TableFormat::Human | TableFormat::Markdown => {
                let headings = if first { self.format.heading(columns) } else { String::new() };
                headings + &self.format.row(columns, &cells())
            }
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
    pub fn end(&self, failures: Failures, totals: &Value, page: impl FnOnce() -> Document) -> anyhow::Result<Exit> {
        if !self.heard {
            return Ok(Exit::Fine);
        }
        if self.written == 0 {
            tell!("error: the list names no file");
            return Ok(Exit::Usage);
        }
        let end = match self.format {
            TableFormat::Human | TableFormat::Markdown => format!("\n{}", self.format.document(&page())),
            TableFormat::Csv => String::new(),
            TableFormat::Json => format!("\n],\n\"totals\": {}\n}}\n", serde_json::to_string_pretty(totals)?),
        };
        put(self.format.kind(), &end)?;
        failures.say(self.written);
        Ok(failures.exit())
    }
}
