//! Tables that are written row by row, so that a corpus of any size needs no more memory than one contract.

use std::io;
use std::path::PathBuf;

use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;

use super::exit::Exit;
use super::out::{show, tell};
use crate::contract::corpus::{CorpusError, Walk};
use crate::contract::survey::Surveyed;

/// How a table is shown on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    Human,
    Csv,
    Json,
}

/// A table that is being written.
pub struct Rows {
    format: TableFormat,
    written: usize,
    broken: usize,
    misnamed: usize,
}

impl Rows {
    /// Nothing is written before the first row.
    pub const fn new(format: TableFormat) -> Self {
        Self { format, written: 0, broken: 0, misnamed: 0 }
    }

    /// Writes a row for every contract that the paths name, and for every file that is none, with its name.
    pub fn contracts<T: Serialize>(
        &mut self,
        paths: &[PathBuf],
        headings: &str,
        mut row_of: impl FnMut(Result<Surveyed, (String, CorpusError)>) -> T,
        human: impl Fn(&T) -> String,
    ) -> anyhow::Result<()> {
        for found in Walk::new(paths, io::stdin().lock()) {
            let name = found.as_ref().map(|found| found.name.clone()).unwrap_or_default();
            let row = match found.and_then(|found| Surveyed::read(&found)) {
                Ok(contract) => row_of(Ok(contract)),
                Err(error) if self.broken(&error) => {
                    let file = if name.is_empty() { error.place() } else { name };
                    row_of(Err((file, error)))
                }
                Err(_) => continue,
            };
            self.row(&row, headings, || human(&row))?;
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
        show(&text)
    }

    /// Counts a file that is no contract; `false` if it is not even a file, which is said at once and gets no row.
    fn broken(&mut self, error: &CorpusError) -> bool {
        if error.is_usage() {
            tell!("error: {error}");
            self.misnamed += 1;
        } else {
            self.broken += 1;
        }
        !error.is_usage()
    }

    /// Writes what follows the rows, and turns what was wrong into an exit code.
    pub fn end(&self, totals: &Value, human: impl FnOnce() -> String) -> anyhow::Result<Exit> {
        match self.format {
            _ if self.written == 0 => {}
            TableFormat::Human => show(&human())?,
            TableFormat::Csv => {}
            TableFormat::Json => show(&format!("\n],\n\"totals\": {}\n}}\n", serde_json::to_string_pretty(totals)?))?,
        }
        if self.broken > 0 {
            tell!("error: {} of {} files are no contracts; their rows say why", self.broken, self.written);
        }
        Ok(match (self.misnamed, self.broken) {
            (0, 0) if self.written == 0 => {
                tell!("error: the list names no file");
                Exit::Usage
            }
            (0, 0) => Exit::Fine,
            (0, _) => Exit::Failed,
            _ => Exit::Usage,
        })
    }
}
