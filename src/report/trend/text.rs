use std::fmt::Write;

use anstyle::Style;

use super::TrendLine;
use crate::history::METHOD;
use crate::report::ReportError;
use crate::units::Nanos;

/// Columns and rows of the picture.
const WIDTH: usize = 64;
const HEIGHT: usize = 9;

/// Trends for a terminal: a picture for each, its changes below.
#[must_use]
pub fn trend_terminal(about: &str, lines: &[TrendLine]) -> String {
    let heading = Style::new().bold();
    let mut text = format!("{heading}{about}{heading:#}\n");
    for line in lines {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n{heading}{}{heading:#}\n{}", line.figure, picture(line));
        let (first, last) = (&line.runs[0], &line.runs[line.runs.len() - 1]);
        let _ =
            writeln!(text, "            {} runs, {} … {}", line.runs.len(), day(&first.created), day(&last.created));
        let changes = line.changes();
        for (run, change) in &changes {
            let _ = writeln!(text, "  changed {:+.1} % with {}", change * 100.0, run.run);
        }
        if changes.is_empty() {
            text.push_str("  one level\n");
        }
        if let Some(sentence) = line.slope_sentence() {
            let _ = writeln!(text, "  {sentence}");
        }
        for told in line.runs.iter().flat_map(|run| &run.told) {
            let _ = writeln!(text, "  told: {told}");
        }
    }
    let _ = writeln!(text, "\nChanges of level by {METHOD}.");
    text
}

/// The day of a time.
fn day(created: &str) -> &str {
    created.get(..10).unwrap_or(created)
}

/// Runs from left to right as ●, levels as ─, changes of level as ┊.
fn picture(line: &TrendLine) -> String {
    let count = line.runs.len();
    let columns = count.min(WIDTH);
    let column = |run: usize| if count == 1 { 0 } else { run * (columns - 1) / (count - 1) };
    let values: Vec<f64> = line.runs.iter().map(|run| run.nanos.value).collect();
    let (low, high) = values.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &v| (low.min(v), high.max(v)));
    // At least 2 % from foot to head, so that noise of a permille does not look like a storm.
    let room = ((low + high) * 0.01 - (high - low)).max(0.0) / 2.0;
    let (low, high) = (low - room, high + room);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a small height"
    )]
    let row = |value: f64| (((high - value) / (high - low) * (HEIGHT - 1) as f64).round() as usize).min(HEIGHT - 1);
    let mut cells = vec![[' '; WIDTH]; HEIGHT];
    for level in &line.levels {
        if level.start > 0 {
            for line in &mut cells {
                line[column(level.start)] = '┊';
            }
        }
    }
    for level in &line.levels {
        cells[row(level.nanos)][column(level.start)..=column(level.end - 1)].fill('─');
    }
    for (run, &value) in values.iter().enumerate() {
        cells[row(value)][column(run)] = '●';
    }
    let mut text = String::new();
    for (at, cells) in cells.iter().enumerate() {
        let label = match at {
            0 => Nanos(high).to_string(),
            at if at == HEIGHT - 1 => Nanos(low).to_string(),
            _ => String::new(),
        };
        let row: String = cells[..columns].iter().collect();
        let _ = writeln!(text, "{}", format!("  {label:>9} {row}").trim_end());
    }
    text
}

/// Trends as CSV, a row for each figure of each run.
///
/// # Errors
/// Only if memory runs out.
pub fn trend_csv(lines: &[TrendLine]) -> Result<String, ReportError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["run", "created", "param", "line", "form", "nanos", "low", "high", "level"])?;
    for line in lines {
        let name = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
        for (at, run) in line.runs.iter().enumerate() {
            let level = line.levels.iter().find(|level| (level.start..level.end).contains(&at));
            writer.write_record([
                &run.run,
                &run.created,
                &line.figure.param,
                &name(&line.figure.line),
                &name(&line.figure.form),
                &run.nanos.value.to_string(),
                &run.nanos.low.to_string(),
                &run.nanos.high.to_string(),
                &level.map_or_else(String::new, |level| level.nanos.to_string()),
            ])?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
