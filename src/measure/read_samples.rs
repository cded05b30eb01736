//! `samples.csv` read back.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::str::{self, FromStr};

use csv::{ByteRecord, ReaderBuilder};

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
}

/// Reads the samples of one or several runs from a file.
///
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
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    if whole < bytes.len() && whole > 0 {
        let line = bytes[..whole].split_inclusive(|&byte| byte == b'\n').count() + 1;
        warnings.push(format!("{}:{line}: the last line is cut off and was left out", path.display()));
    }
    let mut reader = ReaderBuilder::new().from_reader(&bytes[..whole]);
    if whole == 0 {
        return Err(row_error(path, 1, "there is not even a line of column names".into()));
    }
    let headers = reader.byte_headers().map_err(|e| row_error(path, 1, e.to_string()))?.clone();
    let layout = Layout::new(path, &headers)?;
    let mut parser = Parser::default();
    let mut record = ByteRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_byte_record(&mut record) {
            Ok(true) => parser.add(&Row { layout: &layout, record: &record, line })?,
            Ok(false) => break,
            Err(e) => return Err(row_error(path, line, e.to_string())),
        }
    }
    let run = parser.run.map(|run| String::from_utf8_lossy(&run).into_owned());
    Ok(ReadSamples { run, samples: parser.samples, warnings })
}

fn row_error(path: &Path, line: u64, message: String) -> MeasureError {
    MeasureError::Row { path: path.into(), line, message }
}

/// Where the columns stand in this file.
struct Layout<'a> {
    path: &'a Path,
    columns: [Option<usize>; COLUMNS.len()],
}

impl<'a> Layout<'a> {
    fn new(path: &'a Path, headers: &ByteRecord) -> Result<Self, MeasureError> {
        let mut columns = [None; COLUMNS.len()];
        for (index, (column, name)) in columns.iter_mut().zip(COLUMNS).enumerate() {
            *column = headers.iter().position(|header| header == name.as_bytes());
            if column.is_none() && index < column::OPTIONAL {
                return Err(row_error(path, 1, format!("column `{name}` is missing")));
            }
        }
        Ok(Self { path, columns })
    }
}

#[derive(Default)]
struct Parser {
    run: Option<Vec<u8>>,
    /// Points by the text of the fields that name them: far cheaper than parsing those fields in every row.
    points: HashMap<Vec<u8>, u32>,
    key: Vec<u8>,
    seen: HashSet<(u32, u32, u32)>,
    samples: Samples,
}

impl Parser {
    fn add(&mut self, row: &Row<'_>) -> Result<(), MeasureError> {
        let run = row.bytes(column::RUN)?;
        match &self.run {
            None => self.run = Some(run.to_vec()),
            Some(first) if first == run => {}
            Some(_) => {
                return Err(
                    row.error("a second run begins; keep each run in its own folder and give `fit` the folders")
                );
            }
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
        if !self.seen.insert((sample.process, sample.round, sample.order)) {
            let Sample { process, round, order, .. } = sample;
            return Err(row.error(format!("process {process}, round {round}, order {order} is there twice")));
        }
        self.samples.samples.push(sample);
        Ok(())
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEADER: &str = "run,process,round,order,contract,variant,strategy,initial_pages,stack_bytes,touched_pages,data_bytes,\
                          instantiate_ns,first_touch_ns,warm_touch_ns,reset_ns,minor_faults,probe_ns\n";
    const ROW: &str = "r,0,0,0,touch-memory,v,fresh-map,17,65536,17,0,10,20,5,7,272,25\n";

    fn parse(text: &str) -> Result<ReadSamples, MeasureError> {
        parse_samples(text.as_bytes(), Path::new("samples.csv"))
    }

    fn message(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_row_is_read_by_column_name() {
        let read = parse(&format!("{HEADER}{ROW}")).unwrap();
        assert_eq!(read.samples.points[0].initial_pages, Pages(17));
        assert!((read.samples.samples[0].cost_ns() - 32.0).abs() < 1e-9);
        assert!(read.warnings.is_empty());
    }

    #[test]
    fn added_columns_are_passed_over() {
        let header = HEADER.replace('\n', ",new\n");
        let row = ROW.replace('\n', ",1\n");
        assert_eq!(parse(&format!("{header}{row}")).unwrap().samples.samples.len(), 1);
    }

    #[test]
    fn conditions_are_read_where_the_file_has_them() {
        assert_eq!(parse(&format!("{HEADER}{ROW}")).unwrap().samples.points[0].conditions, Conditions::default());
        let header = HEADER.replace('\n', ",threads,previous,write_width\n");
        let row = |end: &str| ROW.replace('\n', &format!(",{end}\n"));
        let read = parse(&format!("{header}{}", row("2,dirty,every-byte"))).unwrap();
        let label = read.samples.points[0].label();
        assert!(label.ends_with(", every byte after a dirty tenant on 2 threads"), "{label}");
        assert!(message(&format!("{header}{}", row("1,filthy,host-page"))).contains("none of same, clean, dirty"));
    }

    #[test]
    fn a_missing_column_is_named() {
        assert!(message(&HEADER.replace("reset_ns,", "")).contains("column `reset_ns` is missing"));
    }

    #[test]
    fn bad_values_are_named_with_their_line() {
        for bad in ["NaN", "-5", "1.5", "", "9999999999999999999"] {
            let text = format!("{HEADER}{}", ROW.replace(",20,", &format!(",{bad},")));
            let message = message(&text);
            assert!(message.starts_with("samples.csv:2: `first_touch_ns` is"), "{message}");
        }
    }

    #[test]
    fn a_repeated_row_is_refused() {
        assert!(message(&format!("{HEADER}{ROW}{ROW}")).contains("is there twice"));
    }

    #[test]
    fn a_second_run_is_refused() {
        let other = ROW.replacen("r,0,0,0", "s,0,0,1", 1);
        assert!(message(&format!("{HEADER}{ROW}{other}")).contains("a second run begins"));
    }

    #[test]
    fn a_cut_last_line_is_left_out_with_a_warning() {
        let read = parse(&format!("{HEADER}{ROW}{}", &ROW[..30])).unwrap();
        assert_eq!(read.samples.samples.len(), 1);
        assert!(read.warnings[0].contains("samples.csv:3"), "{:?}", read.warnings);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse_samples(&bytes, Path::new("x"));
            let _ = parse_samples(&[HEADER.as_bytes(), &bytes].concat(), Path::new("x"));
        }
    }
}
