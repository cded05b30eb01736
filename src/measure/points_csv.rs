//! `points.csv`: one row a point of the plan, its factors as columns.

use std::collections::BTreeSet;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord, WriterBuilder};

use super::{MeasureError, PlannedPoint};
use crate::experiment::{Experiment, Levels, Point};

/// The columns before the factors.
const NAMES: [&str; 4] = ["point", "contract", "variant", "strategy"];
/// The column after them.
const REPEATS: &str = "repeats";

fn columns(experiment: &Experiment) -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().chain(experiment.factors.iter().map(|factor| factor.name)).chain([REPEATS])
}

/// The text of the file.
///
/// # Errors
/// None that a plan could cause; the writer's are passed on.
pub(super) fn points_text(experiment: &Experiment, points: &[PlannedPoint]) -> Result<Vec<u8>, csv::Error> {
    let mut rows = WriterBuilder::new().from_writer(Vec::new());
    rows.write_record(columns(experiment))?;
    for (index, PlannedPoint { point, repeats }) in points.iter().enumerate() {
        let names = [index.to_string(), point.contract.clone(), point.variant.clone(), point.strategy.clone()];
        let levels = experiment.factors.iter().map(|factor| factor.text(point.level(factor)));
        rows.write_record(names.into_iter().chain(levels).chain([repeats.to_string()]))?;
    }
    rows.into_inner().map_err(|e| e.into_error().into())
}

/// Reads the points of an experiment; `path` is for messages.
///
/// # Errors
/// [`MeasureError::Row`] with the place of what is missing, there twice or no level of its factor.
pub(super) fn parse_points(
    bytes: &[u8],
    path: &Path,
    experiment: &'static Experiment,
) -> Result<Vec<PlannedPoint>, MeasureError> {
    let error = |line, message| MeasureError::Row { path: path.into(), line, message };
    let mut reader = ReaderBuilder::new().from_reader(bytes);
    let header = reader.headers().map_err(|e| error(1, e.to_string()))?;
    let expected: Vec<&str> = columns(experiment).collect();
    if header.iter().ne(expected.iter().copied()) {
        return Err(error(1, format!("the columns must be {}", expected.join(","))));
    }
    let mut points = Vec::new();
    let mut known = BTreeSet::new();
    let mut record = StringRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(points),
            Err(e) => return Err(error(line, e.to_string())),
        }
        let planned = parse(&record, experiment, points.len()).map_err(|message| error(line, message))?;
        if !known.insert(planned.point.clone()) {
            return Err(error(line, format!("the point {} is there twice", planned.point.label())));
        }
        points.push(planned);
    }
}

fn parse(record: &StringRecord, experiment: &'static Experiment, number: usize) -> Result<PlannedPoint, String> {
    let text = |column: usize| record.get(column).unwrap_or_default();
    if text(0) != number.to_string() {
        return Err(format!("`point` is `{}`, where {number} follows", text(0)));
    }
    let mut levels = Levels::default();
    for (&factor, text) in experiment.factors.iter().zip(record.iter().skip(NAMES.len())) {
        levels.set(factor, factor.parse(text).map_err(|e| format!("`{}`: {e}", factor.name))?);
    }
    let point = Point { contract: text(1).into(), variant: text(2).into(), strategy: text(3).into(), levels };
    let repeats = text(NAMES.len() + experiment.factors.len());
    let repeats = repeats.parse().map_err(|_| format!("`{REPEATS}` is `{repeats}`, not a whole number"))?;
    Ok(PlannedPoint { point, repeats })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::experiment::{EXPERIMENTS, MEMORY};
    use crate::units::Pages;

    fn planned(contract: &str, pages: u32) -> PlannedPoint {
        PlannedPoint { point: Point::of_memory(contract, "v", "fresh-map", Pages(pages)), repeats: 3 }
    }

    fn message(text: &str) -> String {
        parse_points(text.as_bytes(), Path::new("points.csv"), &MEMORY).unwrap_err().to_string()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(names in prop::collection::btree_set(".{0,8}", 0..5), level in 0u64..2000) {
            for experiment in EXPERIMENTS {
                let points: Vec<_> = names.iter().map(|name| {
                    let mut planned = planned(name, 17);
                    planned.point.levels = Levels::default();
                    for &factor in experiment.factors {
                        planned.point.levels.set(factor, level.min(factor.most()));
                    }
                    planned
                }).collect();
                let text = points_text(experiment, &points).unwrap();
                prop_assert_eq!(parse_points(&text, Path::new("points.csv"), experiment).unwrap(), points);
            }
        }
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let text = String::from_utf8(points_text(&MEMORY, &[planned("a", 1), planned("b", 2)]).unwrap()).unwrap();
        assert!(message(&text.replace("\n1,", "\n2,")).starts_with("points.csv:3: `point` is `2`"));
        assert!(message(&text.replace(",b,", ",a,").replace(",2,0,2", ",1,0,1")).contains("is there twice"));
        assert!(message(&text.replace("stack_bytes", "stack")).contains("the columns must be point,contract"));
        assert!(message(&text.replace(",2,0,2,", ",-2,0,2,")).contains("points.csv:3: `initial_pages`: `-2`"));
    }
}
