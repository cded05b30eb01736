use crate::report::TrendLine;
use crate::report::words::{counted, nanos};

/// Columns and rows of the picture.
const WIDTH: usize = 64;
const HEIGHT: usize = 9;

/// Runs from left to right as ●, levels as ─, changes of level as ┊.
pub(super) fn drawing(line: &TrendLine) -> Vec<String> {
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
    let label = |at: usize| match at {
        0 => nanos(high),
        at if at + 1 == HEIGHT => nanos(low),
        _ => String::new(),
    };
    let row = |(at, cells): (usize, &[char; WIDTH])| {
        let row: String = cells[..columns].iter().collect();
        format!("{:>9} {row}", label(at)).trim_end().to_owned()
    };
    let (first, last) = (&line.runs[0], &line.runs[count - 1]);
    let days = format!("          {}, {} … {}", counted(count, "run", "runs"), day(&first.created), day(&last.created));
    cells.iter().enumerate().map(row).chain([days]).collect()
}

/// The day of a time.
fn day(created: &str) -> &str {
    created.get(..10).unwrap_or(created)
}
