//! Records in files: JSON, one a line, each closed by the hash of its own text. One without it, as a person may write, is taken as it is.

use std::path::Path;

use super::error::HistoryError;
use super::record::{RECORD_FORMAT, Record};
use crate::contract::sha256_hex;
use crate::files::write_whole;
use crate::versioned::Formats;

/// The records as text, one a line.
#[must_use]
pub fn write_records(records: &[Record]) -> String {
    records.iter().map(|record| sealed(&super::rows::json(record)) + "\n").collect()
}

/// The records of a text; `place` is named in errors, with the line.
///
/// # Errors
/// [`HistoryError::Record`] for a line that is no record, and [`HistoryError::Format`] for one of another format.
pub fn read_records(text: &str, place: &Path) -> Result<Vec<Record>, HistoryError> {
    let lines = text.lines().zip(1_u32..).filter(|(line, _)| !line.trim().is_empty());
    lines.map(|(line, number)| parse(line, place, Some(number))).collect()
}

/// One record. A newer format is told from a broken one before anything else of it is looked at.
pub(super) fn parse(text: &str, file: &Path, line: Option<u32>) -> Result<Record, HistoryError> {
    let place = line.map_or_else(|| file.display().to_string(), |line| format!("{}:{line}", file.display()));
    let broken = |error: serde_json::Error| HistoryError::Record { place: place.clone(), reason: error.to_string() };
    Formats::first(RECORD_FORMAT.into()).check_json(file, text).map_err(broken)??;
    let text = unsealed(text).map_err(|reason| HistoryError::Record { place: place.clone(), reason })?;
    let record: Record = serde_json::from_str(&text).map_err(broken)?;
    if let Some(bad) = record.estimates.iter().find(|recorded| !recorded.estimate.is_finite()) {
        return Err(HistoryError::Record { place, reason: format!("{} is not finite", bad.figure) });
    }
    Ok(record)
}

/// Closes an object with the hash of its text, in the layout that the text has.
fn sealed(text: &str) -> String {
    let Some(body) = text.strip_suffix('}').map(str::trim_end) else { return text.to_owned() };
    let hash = hash(body);
    let pretty = text.contains('\n');
    if pretty { format!("{body},\n  \"seal\": \"{hash}\"\n}}") } else { format!("{body},\"seal\":\"{hash}\"}}") }
}

/// The text without its hash, if it has one and is what was hashed.
fn unsealed(text: &str) -> Result<String, String> {
    let text = text.trim();
    let Some((body, end)) = text.rsplit_once(",\"seal\":").or_else(|| text.rsplit_once(",\n  \"seal\":")) else {
        return Ok(text.to_owned());
    };
    if end.trim_end_matches('}').trim() == format!("\"{}\"", hash(body)) {
        return Ok(format!("{body}}}"));
    }
    Err("the record is not what was written: its text does not have the hash `seal`. Export it again, or, if it was changed on \
         purpose, take `seal` out"
        .into())
}

fn hash(body: &str) -> String {
    sha256_hex(body.as_bytes())
}

/// Writes one record to a file, whole or not at all.
pub(super) fn write_one(record: &Record, file: &Path) -> Result<(), HistoryError> {
    let text = serde_json::to_string_pretty(record)
        .map_err(|error| HistoryError::Record { place: record.run.clone(), reason: error.to_string() })?;
    write_whole(file, (sealed(&text) + "\n").as_bytes()).map_err(|source| HistoryError::File {
        action: "write",
        file: file.into(),
        source,
    })
}
