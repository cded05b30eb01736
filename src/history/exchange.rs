//! Records in files: JSON, one a line, each closed by the hash of its own text. One without it, as a person may write, is taken as it is.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::HistoryError;
use super::figure::Recorded;
use super::record::{RECORD_FORMAT, Record};
use crate::contract::sha256_hex;
use crate::files::write_whole;
use crate::model::Estimate;
use crate::versioned::{Formats, json_fault};

/// The records as text, one a line.
#[must_use]
pub fn write_records(records: &[Record]) -> String {
    records.iter().map(|record| sealed(&super::rows::json(record)) + "\n").collect()
}

/// The records of a text; `place` is named in errors, with the line.
///
/// # Errors
/// [`HistoryError::Format`] for a line that is no record or of another format, and [`HistoryError::Record`] for one that cannot be.
pub fn read_records(text: &str, place: &Path) -> Result<Vec<Record>, HistoryError> {
    let lines = text.lines().zip(1_u32..).filter(|(line, _)| !line.trim().is_empty());
    lines.map(|(line, number)| parse(line, place, Some(number))).collect()
}

/// One record. A newer format is told from a broken one before anything else of it is looked at.
pub(super) fn parse(text: &str, file: &Path, line: Option<u32>) -> Result<Record, HistoryError> {
    let place = line.map_or_else(|| file.display().to_string(), |line| format!("{}:{line}", file.display()));
    let first = line.map_or(1, |line| line as usize);
    let broken = |error: serde_json::Error| json_fault(file, first, text, &error);
    Formats::first(RECORD_FORMAT.into()).check_json(file, text).map_err(broken)??;
    let whole = unsealed(text).map_err(|reason| HistoryError::Record { place: place.clone(), reason })?;
    let record: Record = serde_json::from_str(&whole).map_err(broken)?;
    match impossible(&record) {
        Some(reason) => Err(HistoryError::Record { place, reason }),
        None => Ok(record),
    }
}

/// Why a record cannot be one, though its keys are those of one.
fn impossible(record: &Record) -> Option<String> {
    let plain = |text: &str| !text.is_empty() && !text.chars().any(char::is_control);
    if !plain(&record.run) || !plain(&record.night) {
        return Some(format!("`run` {:?} and `night` {:?} must be names", record.run, record.night));
    }
    if record.node.chars().any(char::is_control) {
        return Some(format!("`node` {:?} must be a name", record.node));
    }
    if record.created.parse::<jiff::Timestamp>().is_err() {
        return Some(format!("`created` {:?} is no time such as 2026-01-02T03:04:05Z", record.created));
    }
    let most = u64::try_from(i64::MAX).unwrap_or(u64::MAX);
    if record.sequence > most || record.budget_seconds > most {
        return Some(format!("`sequence` and `budget_seconds` are at most {most}"));
    }
    let mut seen = BTreeSet::new();
    record.estimates.iter().find_map(|Recorded { figure, estimate }| {
        let Estimate { value, low, high } = *estimate;
        if !estimate.is_finite() {
            Some(format!("{figure} is not finite"))
        } else if !(low <= value && value <= high) {
            Some(format!("{figure}: the value {value} is outside of its interval {low} … {high}"))
        } else {
            (!seen.insert(figure)).then(|| format!("{figure} is there twice"))
        }
    })
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
        // Another program has laid it out anew: what was hashed is not to be told any more.
        return if text.contains("\"seal\"") { Err(CHANGED.into()) } else { Ok(text.to_owned()) };
    };
    if end.trim_end_matches('}').trim() == format!("\"{}\"", hash(body)) {
        return Ok(format!("{body}}}"));
    }
    Err(CHANGED.into())
}

const CHANGED: &str = "the record is not what was written: its text does not have the hash `seal`. Export it again, or, if it was \
                       changed on purpose, take `seal` out";

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::simulated::Machine;

    fn refusal(change: impl Fn(&mut Record)) -> String {
        let mut record = Machine::new(1).run(None, 1.0);
        change(&mut record);
        let text = serde_json::to_string(&record).unwrap();
        read_records(&text, Path::new("a.jsonl")).unwrap_err().to_string()
    }

    #[test]
    fn a_record_that_cannot_be_one_is_refused_with_its_line() {
        type Change = fn(&mut Record);
        let cases: [(Change, &str); 5] = [
            (|record| record.created = "yesterday".into(), "`created`"),
            (|record| record.run = String::new(), "`run`"),
            (|record| record.run = "a\u{1b}[31m".into(), "`run`"),
            (|record| record.estimates[0].estimate.low = 1e300, "outside of its interval"),
            (|record| record.estimates.push(record.estimates[0].clone()), "is there twice"),
        ];
        for (change, said) in cases {
            let text = refusal(change);
            assert!(text.starts_with("a.jsonl:1") && text.contains(said), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_in_a_record_is_named_with_its_place_and_key() {
        let text = write_records(&[Machine::new(1).run(None, 1.0)]).replace("\"sequence\":", "\"sequence\":-");
        let text = format!("\n{}", text.split(",\"seal\"").next().unwrap().to_owned() + "}");
        let said = read_records(&text, Path::new("a.jsonl")).unwrap_err().to_string();
        assert!(said.starts_with("a.jsonl:2:") && said.contains(": `sequence`: "), "{said}");
    }

    #[test]
    fn a_record_that_another_program_laid_out_anew_is_told_so() {
        let record = Machine::new(1).run(None, 1.0);
        let value: serde_json::Value = serde_json::from_str(&write_records(&[record])).unwrap();
        let spaced = value.to_string().replace(",\"", ", \"").replace("\":", "\": ");
        let said = read_records(&spaced, Path::new("a.jsonl")).unwrap_err().to_string();
        assert!(said.contains("take `seal` out"), "{said}");
    }
}
