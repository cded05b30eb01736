//! `samples.csv` read back.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::str::{self, FromStr};

use csv::{ByteRecord, ReaderBuilder};
use rayon::prelude::*;

use super::samples_csv::{COLUMNS, column};
use super::{Conditions, DesignPoint, MeasureError, Sample, Samples, UnknownLevel};
use crate::units::{Bytes, Pages};

/// The longest span that a sample may claim, in nanoseconds: 11 days. Sums of several stay far within 64 bits.
const LONGEST_NS: u64 = 1_000_000_000_000_000;

/// Samples as read, with what had to be repaired.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadSamples {
    /// Name of the run, as the rows give it; absent without rows.
    pub run: Option<String>,
    /// The samples.
    pub samples: Samples,
    /// What was repaired, a sentence each.
    pub warnings: Vec<String>,
    /// What a whole run would have and these have not, or what is odd about them, a sentence each: a table that is made of them says it.
    pub lacks: Vec<String>,
}

/// Reads the samples of one or several runs from a file.
///
/// A byte order mark, the line ends of Windows and blanks around values are no part of them, as where a spreadsheet wrote the file.
/// A last line without its newline was cut off by a kill or a full disk: it is left out, with a warning.
///
/// # Errors
/// The file cannot be read, a column is missing, a value is not a number in range, or a row is there twice.
pub fn read_samples(path: &Path) -> Result<ReadSamples, MeasureError> {
    let bytes = fs::read(path).map_err(|source| MeasureError::File { action: "read", path: path.into(), source })?;
    parse_samples(&bytes, path)
}

/// The same from bytes; `path` is for messages.
///
/// # Errors
/// As [`read_samples`], reading apart.
pub fn parse_samples(bytes: &[u8], path: &Path) -> Result<ReadSamples, MeasureError> {
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
    let mut reader = ReaderBuilder::new().from_reader(bytes);
    if bytes.is_empty() {
        return Err(row_error(path, 1, "there is not even a line of column names".into()));
    }
    let headers = reader.byte_headers().map_err(|e| row_error(path, 1, e.to_string()))?.clone();
    let layout = Layout::new(path, &headers)?;
    let rows = usize::try_from(reader.position().byte()).unwrap_or(whole);
    let parts = parts(&bytes[rows..], reader.position().line())
        .into_par_iter()
        .map(|(bytes, line)| Part::parse(bytes, line, &layout))
        .collect::<Vec<_>>();
    let mut whole = Part::default();
    for part in parts {
        whole.append(part?, path)?;
    }
    whole.refuse_repeated(path)?;
    let run = whole.run.map(|run| String::from_utf8_lossy(&run).into_owned());
    Ok(ReadSamples { run, samples: whole.samples, warnings, lacks: Vec::new() })
}

/// Cuts rows into parts that are parsed side by side, each with the number of its first line.
///
/// Where a field is quoted a newline may be within it, and all is one part.
fn parts(rows: &[u8], mut line: u64) -> Vec<(&[u8], u64)> {
    const PART: usize = 1 << 20;
    if rows.contains(&b'"') {
        return vec![(rows, line)];
    }
    let mut parts = Vec::new();
    let mut rest = rows;
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

fn second_run(path: &Path, line: u64) -> MeasureError {
    let message = "a second run begins; keep each run in its own folder and give `fit` the folders";
    row_error(path, line, message.into())
}

fn row_error(path: &Path, line: u64, message: String) -> MeasureError {
    MeasureError::Row { path: path.into(), line, message }
}

/// Where the columns stand in this file.
struct Layout<'a> {
    path: &'a Path,
    columns: [Option<usize>; COLUMNS.len()],
    /// Fields of a row.
    fields: usize,
}

impl<'a> Layout<'a> {
    fn new(path: &'a Path, headers: &ByteRecord) -> Result<Self, MeasureError> {
        let mut columns = [None; COLUMNS.len()];
        for (index, (column, name)) in columns.iter_mut().zip(COLUMNS).enumerate() {
            let mut places =
                (0..headers.len()).filter(|&place| headers.get(place).map(<[u8]>::trim_ascii) == Some(name.as_bytes()));
            *column = places.next();
            if places.next().is_some() {
                return Err(row_error(path, 1, format!("column `{name}` is there twice")));
            }
            if column.is_none() && index < column::OPTIONAL {
                return Err(row_error(path, 1, format!("column `{name}` is missing")));
            }
        }
        Ok(Self { path, columns, fields: headers.len() })
    }
}

/// What some rows hold.
#[derive(Default)]
struct Part {
    run: Option<Vec<u8>>,
    /// Points by the text of the fields that name them: far cheaper than parsing those fields in every row.
    points: HashMap<Vec<u8>, u32>,
    key: Vec<u8>,
    samples: Samples,
    /// The line of each sample.
    lines: Vec<u64>,
}

impl Part {
    /// Parses rows of which the first is on this line.
    fn parse(rows: &[u8], line: u64, layout: &Layout<'_>) -> Result<Self, MeasureError> {
        let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(rows);
        let mut part = Self::default();
        let mut record = ByteRecord::new();
        loop {
            let line = line + reader.position().line() - 1;
            match reader.read_byte_record(&mut record) {
                Ok(true) => part.add(&Row { layout, record: &record, line })?,
                Ok(false) => return Ok(part),
                Err(e) => return Err(row_error(layout.path, line, e.to_string())),
            }
        }
    }

    fn add(&mut self, row: &Row<'_>) -> Result<(), MeasureError> {
        if row.record.len() == 1 && row.record[0].trim_ascii().is_empty() {
            return Ok(());
        }
        if row.record.len() != row.layout.fields {
            let (found, named) = (row.record.len(), row.layout.fields);
            return Err(row.error(format!("the row has {found} fields, and the first line names {named}")));
        }
        let run = row.bytes(column::RUN)?;
        match &self.run {
            None => self.run = Some(run.to_vec()),
            Some(first) if first == run => {}
            Some(_) => return Err(second_run(row.layout.path, row.line)),
        }
        let sample = Sample {
            point: self.point(row)?,
            process: row.number(column::PROCESS)?,
            round: row.number(column::ROUND)?,
            order: row.number(column::ORDER)?,
            instantiate_ns: row.span(column::INSTANTIATE_NS)?,
            first_touch_ns: row.span(column::FIRST_TOUCH_NS)?,
            warm_touch_ns: row.span(column::WARM_TOUCH_NS)?,
            reset_ns: row.span(column::RESET_NS)?,
            minor_faults: row.number(column::MINOR_FAULTS)?,
            probe_ns: row.span(column::PROBE_NS)?,
        };
        self.samples.samples.push(sample);
        self.lines.push(row.line);
        Ok(())
    }

    /// Adds the rows that follow.
    fn append(&mut self, next: Self, path: &Path) -> Result<(), MeasureError> {
        match (&self.run, &next.run) {
            (Some(first), Some(run)) if first != run => {
                return Err(second_run(path, next.lines.first().copied().unwrap_or_default()));
            }
            (None, _) => self.run = next.run,
            _ => {}
        }
        let mut texts: Vec<_> = next.points.into_iter().collect();
        texts.sort_unstable_by_key(|&(_, point)| point);
        let known = |(text, point): (Vec<u8>, DesignPoint)| {
            let points = &mut self.samples.points;
            *self.points.entry(text).or_insert_with(|| {
                points.push(point);
                u32::try_from(points.len() - 1).unwrap_or(u32::MAX)
            })
        };
        let renumbered: Vec<u32> =
            texts.into_iter().map(|(text, _)| text).zip(next.samples.points).map(known).collect();
        let samples = next.samples.samples.into_iter();
        self.samples
            .samples
            .extend(samples.map(|sample| Sample { point: renumbered[sample.point as usize], ..sample }));
        self.lines.extend(next.lines);
        Ok(())
    }

    fn refuse_repeated(&self, path: &Path) -> Result<(), MeasureError> {
        let key = |sample: &Sample| (sample.process, sample.round, sample.order);
        // As a run writes them.
        if self.samples.samples.is_sorted_by(|one, other| key(one) < key(other)) {
            return Ok(());
        }
        let mut keys: Vec<_> = self.samples.samples.par_iter().map(key).zip(&self.lines).collect();
        keys.par_sort_unstable();
        let again = keys.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1]);
        match again.min_by_key(|&(_, line)| line) {
            Some(((process, round, order), &line)) => {
                Err(row_error(path, line, format!("process {process}, round {round}, order {order} is there twice")))
            }
            None => Ok(()),
        }
    }

    fn point(&mut self, row: &Row<'_>) -> Result<u32, MeasureError> {
        self.key.clear();
        for named in column::OF_POINT {
            if row.has(named) {
                self.key.extend_from_slice(row.bytes(named)?);
            }
            self.key.push(0);
        }
        if let Some(&point) = self.points.get(&self.key) {
            return Ok(point);
        }
        let point = DesignPoint {
            contract: row.text(column::CONTRACT)?,
            variant: row.text(column::VARIANT)?,
            strategy: row.text(column::STRATEGY)?,
            initial_pages: Pages(row.number(column::INITIAL_PAGES)?),
            stack_bytes: Bytes(row.number(column::STACK_BYTES)?),
            touched_pages: Pages(row.number(column::TOUCHED_PAGES)?),
            data_bytes: Bytes(row.number(column::DATA_BYTES)?),
            conditions: row.conditions()?,
        };
        let index = u32::try_from(self.samples.points.len()).map_err(|_| row.error("too many design points"))?;
        self.samples.points.push(point);
        self.points.insert(self.key.clone(), index);
        Ok(index)
    }
}

struct Row<'a> {
    layout: &'a Layout<'a>,
    record: &'a ByteRecord,
    line: u64,
}

impl<'a> Row<'a> {
    fn error(&self, message: impl Into<String>) -> MeasureError {
        row_error(self.layout.path, self.line, message.into())
    }

    fn bytes(&self, column: usize) -> Result<&'a [u8], MeasureError> {
        self.layout.columns[column]
            .and_then(|place| self.record.get(place))
            .map(<[u8]>::trim_ascii)
            .ok_or_else(|| self.error(format!("`{}` is missing", COLUMNS[column])))
    }

    /// Whether the file has this column.
    fn has(&self, column: usize) -> bool {
        self.layout.columns[column].is_some()
    }

    fn level<T: FromStr<Err = UnknownLevel> + Default>(&self, column: usize) -> Result<T, MeasureError> {
        if !self.has(column) {
            return Ok(T::default());
        }
        self.text(column)?.parse().map_err(|e| self.error(format!("`{}`: {e}", COLUMNS[column])))
    }

    fn conditions(&self) -> Result<Conditions, MeasureError> {
        Ok(Conditions {
            previous: self.level(column::PREVIOUS)?,
            write_width: self.level(column::WRITE_WIDTH)?,
            threads: if self.has(column::THREADS) { self.number(column::THREADS)? } else { 1 },
            caches: self.level(column::CACHES)?,
            beside: self.level(column::BESIDE)?,
        })
    }

    fn text(&self, column: usize) -> Result<String, MeasureError> {
        str::from_utf8(self.bytes(column)?)
            .map(str::to_owned)
            .map_err(|_| self.error(format!("`{}` is not UTF-8", COLUMNS[column])))
    }

    fn number<N: FromStr>(&self, column: usize) -> Result<N, MeasureError> {
        let bytes = self.bytes(column)?;
        str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
            let found = String::from_utf8_lossy(bytes);
            self.error(format!("`{}` is `{found}`, where a whole number at or above 0 is expected", COLUMNS[column]))
        })
    }

    fn span(&self, column: usize) -> Result<u64, MeasureError> {
        let span = self.number(column)?;
        if span > LONGEST_NS {
            return Err(self.error(format!("`{}` is {span}, which is longer than 11 days", COLUMNS[column])));
        }
        Ok(span)
    }
}

#[cfg(test)]
mod tests;
