//! What a node's calls are: how many pages they declare, and which share of them they touch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Knots;
use crate::units::Pages;

/// The columns of the file. Another version would have others.
const COLUMNS: [&str; 3] = ["pages", "touched_share", "weight"];

/// The largest weight, far beyond any count of calls; sums of all that a file can hold stay finite.
const MOST_WEIGHT: f64 = 1e18;

/// Wrong rows that are named; of more, their number is.
const NAMED: usize = 10;

/// A mix of calls, as read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    file: PathBuf,
    kinds: Vec<CallKind>,
}

/// Calls of one kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallKind {
    /// Its line in the file, counted from 1.
    pub line: usize,
    /// Pages that they declare.
    pub pages: Pages,
    /// The share of these that they touch, from 0 to 1.
    pub touched_share: f64,
    /// How many they are, in any unit.
    pub weight: f64,
}

/// Why a file is no workload, or none of a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkloadError {
    /// Rows break the format.
    #[error("{0}")]
    Rows(String),
    /// Rows lie beyond what the run measured.
    #[error("{0}")]
    Beyond(String),
}

impl Workload {
    /// The most pages that a call may declare: those of a 32-bit memory.
    pub const MOST_PAGES: u32 = 65_536;

    /// Reads the rows `pages,touched_share,weight`, one for each kind of call. Blanks around values, empty lines and lines from `#` on
    /// are no part of them.
    ///
    /// # Errors
    /// [`WorkloadError::Rows`] names each wrong row, by line and with what would be right.
    pub fn parse(text: &str, file: &Path) -> Result<Self, WorkloadError> {
        let lines = (1..).zip(text.lines()).map(|(line, text)| (line, text.trim()));
        let mut rows = lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#'));
        let columns = COLUMNS.join(",");
        let Some((line, header)) = rows.next() else {
            return Err(rows_error(
                file,
                &[(1, format!("it is empty: write the columns {columns}, then a row a kind of call"))],
            ));
        };
        if cells(header) != COLUMNS {
            return Err(rows_error(file, &[(line, format!("the columns must be {columns}"))]));
        }
        let (mut kinds, mut faults) = (Vec::new(), Vec::new());
        let mut known: BTreeMap<(Pages, u64), usize> = BTreeMap::new();
        for (line, row) in rows {
            match kind(line, row) {
                Err(fault) => faults.push((line, fault)),
                Ok(kind) => match known.insert((kind.pages, kind.touched_share.to_bits()), line) {
                    None => kinds.push(kind),
                    Some(first) => faults.push((
                        line,
                        format!(
                            "the same call as on line {first}: make one row of them, with the sum of their weights"
                        ),
                    )),
                },
            }
        }
        if kinds.is_empty() && faults.is_empty() {
            faults.push((line, "no call follows: write a row for each kind, such as 17,0.1,1".into()));
        }
        if faults.is_empty() { Ok(Self { file: file.into(), kinds }) } else { Err(rows_error(file, &faults)) }
    }

    /// The kinds of calls, in the order of the file.
    #[must_use]
    pub fn kinds(&self) -> &[CallKind] {
        &self.kinds
    }

    /// Makes sure that each call lies between points that are measured: nothing is said of those beyond.
    ///
    /// # Errors
    /// [`WorkloadError::Beyond`] names each row that does not.
    pub fn within(&self, knots: &Knots) -> Result<(), WorkloadError> {
        let sizes = knots.sizes();
        let (Some((least, _)), Some((most, _))) = (sizes.first(), sizes.last()) else {
            return Err(WorkloadError::Beyond(format!(
                "{}: the strategies have no point in common",
                self.file.display()
            )));
        };
        let beyond = self.kinds.iter().filter(|kind| knots.between(kind.pages, kind.touched_share).is_none());
        let fault = |kind: &CallKind| {
            let CallKind { pages, touched_share, .. } = kind;
            (
                kind.line,
                format!(
                    "{pages} of which {touched_share} is touched lie beyond what is measured, {} to {most}: take the row out, or measure contracts of that size",
                    least.0
                ),
            )
        };
        let faults: Vec<(usize, String)> = beyond.map(fault).collect();
        if faults.is_empty() { Ok(()) } else { Err(WorkloadError::Beyond(told(&self.file, &faults))) }
    }
}

fn cells(row: &str) -> Vec<&str> {
    row.split(',').map(str::trim).collect()
}

fn kind(line: usize, row: &str) -> Result<CallKind, String> {
    let cells = cells(row);
    let [pages, share, weight] = cells[..] else {
        return Err(format!("the row has {} fields, and the columns are {}", cells.len(), COLUMNS.join(",")));
    };
    let wrong = |column: usize, found: &str, right: &str| format!("`{}` is `{found}`: write {right}", COLUMNS[column]);
    let whole = pages.parse().ok().filter(|pages| (1..=Workload::MOST_PAGES).contains(pages));
    let pages = whole.ok_or_else(|| wrong(0, pages, "the declared pages, a whole number from 1 to 65536"))?;
    let part = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    let touched_share: f64 =
        part.ok_or_else(|| wrong(1, share, "the part of the pages that is touched, from 0 to 1"))?;
    let counts = weight.parse().ok().filter(|weight| *weight > 0.0 && *weight <= MOST_WEIGHT);
    let weight =
        counts.ok_or_else(|| wrong(2, weight, "a number above 0, up to 1e18; leave out calls that never come"))?;
    // A share of -0 is 0.
    Ok(CallKind { line, pages: Pages(pages), touched_share: touched_share.abs(), weight })
}

fn rows_error(file: &Path, faults: &[(usize, String)]) -> WorkloadError {
    WorkloadError::Rows(told(file, faults))
}

/// The first faults, each with its place, in a sentence.
fn told(file: &Path, faults: &[(usize, String)]) -> String {
    let named = faults.iter().take(NAMED).map(|(line, reason)| format!("{}:{line}: {reason}", file.display()));
    let rest = faults.len().saturating_sub(NAMED);
    let rest = (rest > 0).then(|| format!("and {rest} more rows"));
    named.chain(rest).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Workload, WorkloadError> {
        Workload::parse(text, Path::new("mix.csv"))
    }

    fn message(rows: &str) -> String {
        parse(&format!("pages,touched_share,weight\n{rows}")).unwrap_err().to_string()
    }

    #[test]
    fn every_wrong_row_is_named_with_its_line_and_the_way_out() {
        let said = message("17,0.5,1\n0,0.5,1\n\n17,1.5,1\n# 1\n17,0.1,0\n17,0.5,2\n1,2\n");
        let parts: Vec<&str> = said.split("; mix.csv").collect();
        assert_eq!(parts.len(), 5, "{said}");
        assert!(parts[0].starts_with("mix.csv:3: `pages` is `0`: write the declared pages"), "{said}");
        assert!(parts[1].starts_with(":5: `touched_share` is `1.5`: write the part"), "{said}");
        assert!(parts[2].starts_with(":7: `weight` is `0`: write a number above 0"), "{said}");
        assert!(parts[3].starts_with(":8: the same call as on line 2"), "{said}");
        assert!(parts[4].starts_with(":9: the row has 2 fields"), "{said}");
        assert!(message(&"x,0,1\n".repeat(25)).ends_with("; and 15 more rows"));
        assert!(
            ["inf", "NaN", "-1", "1e19", ""]
                .iter()
                .all(|weight| message(&format!("1,0,{weight}\n")).contains("`weight`"))
        );
    }

    #[test]
    fn the_shipped_example_is_one() {
        let example = parse(include_str!("../../params/workload.csv")).unwrap();
        let contracts: f64 = example.kinds().iter().map(|kind| kind.weight).sum();
        assert!((contracts - 60.0).abs() < 1e-9);
        // Whole host pages, one of stack at least.
        for CallKind { line, pages, touched_share, .. } in example.kinds() {
            let host_pages = touched_share * f64::from(pages.0 * 16);
            assert!(host_pages > 0.5 && (host_pages - host_pages.round()).abs() < 1e-9, "{line}: {host_pages}");
        }
    }

    #[test]
    fn columns_are_told() {
        for text in
            ["pages,weight\n1,1\n", "17,0.5,1\n", "pages;touched_share;weight\n", "pages,touched_share,weight,x\n"]
        {
            let said = parse(text).unwrap_err().to_string();
            assert_eq!(said, "mix.csv:1: the columns must be pages,touched_share,weight");
        }
        assert!(parse("").unwrap_err().to_string().starts_with("mix.csv:1: it is empty"));
        assert!(message("").starts_with("mix.csv:1: no call follows"));
    }

    proptest! {
        #[test]
        fn no_text_is_too_much(text in "\\PC*|(pages,touched_share,weight\r?\n)?([0-9]{0,6},[-0-9.e]{0,8},[-0-9.einf]{0,8}\n){0,4}") {
            if let Ok(workload) = parse(&text) {
                prop_assert!(!workload.kinds().is_empty());
                for kind in workload.kinds() {
                    prop_assert!(kind.weight > 0.0 && kind.weight.is_finite() && (0.0..=1.0).contains(&kind.touched_share));
                }
            }
        }

        #[test]
        fn what_is_written_is_read(
            rows in prop::collection::btree_map(1u32..=65_536, (0.0..=1.0f64, 1e-9..=1e18f64), 1..20), ends in "\r?\n", blank in " ?",
        ) {
            let row = |(pages, (share, weight)): (&u32, &(f64, f64))| format!("{pages}{blank},{share},{blank}{weight}{ends}");
            let text = format!("# calls{ends}pages,touched_share,weight{ends}{}", rows.iter().map(row).collect::<String>());
            let read = parse(&text).unwrap();
            let back = read.kinds().iter().map(|kind| (kind.pages.0, (kind.touched_share, kind.weight))).collect();
            prop_assert_eq!(rows, back);
        }
    }
}
