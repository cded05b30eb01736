//! `samples.csv` read back.

use std::path::Path;
use std::str::{self, FromStr};

use csv::{ByteRecord, ReaderBuilder};
use rayon::prelude::*;

use super::run_file::read;
use super::{MeasureError, Place, Samples};
use crate::experiment::{Experiment, Point};

/// The longest span that a sample may claim, in nanoseconds: 11 days. Sums of several stay far within 64 bits.
const LONGEST_NS: u64 = 1_000_000_000_000_000;

/// The columns that say where a cycle was measured; those of the experiment's values follow.
pub(super) const PLACE_COLUMNS: [&str; 3] = ["process", "round", "point"];

/// The line of column names of an experiment's samples.
#[must_use]
pub(super) fn header(experiment: &Experiment) -> String {
    let columns = PLACE_COLUMNS.into_iter().map(str::to_owned).chain(experiment.columns());
    columns.collect::<Vec<_>>().join(",")
}

/// Samples as read, with what had to be repaired.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadSamples {
    /// The samples.
    pub samples: Samples,
    /// What was repaired, a sentence each.
    pub warnings: Vec<String>,
    /// What a whole run would have and these have not, or what is odd about them, a sentence each: a table that is made of them says it.
    pub lacks: Vec<String>,
}

/// Reads the samples of these points.
///
/// A byte order mark, the line ends of Windows and blanks around values are no part of them, as where a spreadsheet wrote the file.
/// A last line without its newline was cut off by a kill or a full disk: it is left out, with a warning.
///
/// # Errors
/// The file cannot be read, its columns are not those of the experiment, or a value is not a number in range.
pub fn read_samples(
    path: &Path,
    experiment: &'static Experiment,
    points: Vec<Point>,
) -> Result<ReadSamples, MeasureError> {
    parse_samples(&read(path)?, path, experiment, points)
}

/// The same from bytes; `path` is for messages.
///
/// # Errors
/// As [`read_samples`], reading apart.
pub fn parse_samples(
    bytes: &[u8],
    path: &Path,
    experiment: &'static Experiment,
    points: Vec<Point>,
) -> Result<ReadSamples, MeasureError> {
    let mut warnings = Vec::new();
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(row_error(path, 1, "it is UTF-16: save it as UTF-8".into()));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    if whole < bytes.len() && whole > 0 {
        let line = bytes[..whole].split_inclusive(|&byte| byte == b'\n').count() + 1;
        warnings.push(format!("{}:{line}: the last line is cut off and was left out", path.display()));
    }
    let bytes = &bytes[..whole];
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let expected = header(experiment);
    if !first.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).eq(expected.split(',').map(str::as_bytes)) {
        return Err(row_error(path, 1, format!("the columns must be {expected}")));
    }
    let rows = &bytes[(first.len() + 1).min(bytes.len())..];
    let reader = Reader { path, experiment, points: points.len() };
    let parts: Vec<_> = parts(rows).into_par_iter().map(|(rows, line)| reader.parse(rows, line)).collect();
    let mut samples = Samples::of(experiment, points);
    for part in parts {
        samples.append(part?, |place| place);
    }
    number_rounds(&mut samples);
    Ok(ReadSamples { samples, warnings, lacks: Vec::new() })
}

/// Gives each cycle its place within its round: that of its row among the rows of the round, which stand together.
fn number_rounds(samples: &mut Samples) {
    let mut last = None;
    let mut order = 0;
    for place in samples.places_mut() {
        let round = (place.process, place.round);
        order = if last == Some(round) { order + 1 } else { 0 };
        last = Some(round);
        place.order = order;
    }
}

/// Cuts rows into parts that are parsed side by side, each with the number of its first line.
fn parts(rows: &[u8]) -> Vec<(&[u8], u64)> {
    const PART: usize = 1 << 20;
    let mut parts = Vec::new();
    let (mut rest, mut line) = (rows, 2);
    while !rest.is_empty() {
        let end =
            rest.iter().skip(PART).position(|&byte| byte == b'\n').map_or(rest.len(), |newline| PART + newline + 1);
        let (part, after) = rest.split_at(end);
        parts.push((part, line));
        line += part.iter().map(|&byte| u64::from(byte == b'\n')).sum::<u64>();
        rest = after;
    }
    parts
}

fn row_error(path: &Path, line: u64, message: String) -> MeasureError {
    MeasureError::Row { path: path.into(), line, message }
}

struct Reader<'a> {
    path: &'a Path,
    experiment: &'static Experiment,
    points: usize,
}

impl Reader<'_> {
    /// Parses rows of which the first is on this line.
    fn parse(&self, rows: &[u8], line: u64) -> Result<Samples, MeasureError> {
        let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).quoting(false).from_reader(rows);
        let mut samples = Samples::of(self.experiment, Vec::new());
        let mut record = ByteRecord::new();
        let mut values = vec![0; self.experiment.values()];
        loop {
            let line = line + reader.position().line() - 1;
            match reader.read_byte_record(&mut record) {
                Ok(true) if record.len() == 1 && record[0].trim_ascii().is_empty() => {}
                Ok(true) => {
                    let place =
                        self.row(&record, &mut values).map_err(|message| row_error(self.path, line, message))?;
                    samples.push(place, &values);
                }
                Ok(false) => return Ok(samples),
                Err(e) => return Err(row_error(self.path, line, e.to_string())),
            }
        }
    }

    fn row(&self, record: &ByteRecord, values: &mut [u64]) -> Result<Place, String> {
        let columns = PLACE_COLUMNS.len() + values.len();
        if record.len() != columns {
            return Err(format!("the row has {} fields, and the first line names {columns}", record.len()));
        }
        let place = |column: usize| number(&record[column], || PLACE_COLUMNS[column].to_owned());
        let (process, round, point) = (place(0)?, place(1)?, place(2)?);
        if point as usize >= self.points {
            return Err(format!("`point` is {point}, and the plan has {} points", self.points));
        }
        for (index, (value, bytes)) in values.iter_mut().zip(record.iter().skip(PLACE_COLUMNS.len())).enumerate() {
            let name = || self.experiment.columns().nth(index).unwrap_or_default();
            *value = number(bytes, name)?;
            if self.experiment.is_time(index) && *value > LONGEST_NS {
                return Err(format!("`{}` is {value}, which is longer than 11 days", name()));
            }
        }
        Ok(Place { process, round, order: 0, point })
    }
}

fn number<N: FromStr>(bytes: &[u8], name: impl Fn() -> String) -> Result<N, String> {
    str::from_utf8(bytes.trim_ascii()).ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        let found = String::from_utf8_lossy(bytes);
        format!("`{}` is `{found}`, where a whole number at or above 0 is expected", name())
    })
}

#[cfg(test)]
mod tests;
