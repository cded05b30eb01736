use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::Story;
use super::grid::{Grid, LINE, wrapped};
use super::spark::{bar, sparkline};
use super::story::percent;

/// The story for a terminal, in about 30 lines of 80 columns, with styles that the caller strips where they are not wanted.
///
/// `files` are named at its end.
#[must_use]
pub fn terminal(story: &Story<'_>, files: &[(&str, String)]) -> String {
    let heading = Style::new().bold();
    let alarm = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let mut text = format!("{heading}Run {}{heading:#}\n", story.run.run);
    // Writing to a `String` cannot fail.
    for line in [story.measured(), story.run.machine.summary()].iter().flat_map(|line| hanging(line)) {
        let _ = writeln!(text, "  {line}");
    }
    if let Some(fee) = story.fee() {
        let _ = write!(text, "\n{}", headed("Proposed fee", fee.grid));
        for line in hanging(&story.verdict()) {
            let _ = writeln!(text, "  {line}");
        }
    }
    if let Some(charges) = story.charges() {
        let _ = write!(text, "\n{}", headed("A call of", charges.grid));
    }
    let _ = write!(text, "\n{}", headed("Strategy", strategies(story)));
    let mut last = checks(story).unwrap_or_default();
    last.rows.extend(files.iter().map(|(name, file)| vec![(*name).to_owned(), file.clone()]));
    let _ = write!(text, "\n{}", last.text());
    if !story.fit.rejected.is_empty() {
        let _ = writeln!(text, "\n{alarm}The fit must not be used, so no table was written{alarm:#}");
        for line in story.fit.rejected.iter().flat_map(|rejection| hanging(&format!("- {rejection}"))) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// A table whose first line is its heading.
fn headed(title: &str, mut grid: Grid) -> String {
    if let Some(first) = grid.headers.first_mut() {
        title.clone_into(first);
    }
    let heading = Style::new().bold();
    let text = grid.text();
    let (head, rows) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{heading}{head}{heading:#}\n{rows}")
}

/// The strategies with a bar for what a page of a large memory costs.
fn strategies(story: &Story<'_>) -> Grid {
    let mut grid = story.strategies().grid;
    let costs = story.strategies_at_most();
    let dearest = costs.iter().flatten().fold(0.0, |dearest: f64, cost| dearest.max(*cost));
    if dearest > 0.0 {
        grid.headers.push(String::new());
        for (row, cost) in grid.rows.iter_mut().zip(costs) {
            row.push(cost.map_or_else(String::new, |cost| format!("{:<8}", bar(cost / dearest, 8))));
        }
    }
    grid
}

/// The checks, a line each where they fit; `summary.md` has them in full.
fn checks(story: &Story<'_>) -> Option<Grid> {
    let model = story.model()?;
    let mut grid = Grid::default();
    let mut check = |name: &str, finding: String| grid.rows.push(vec![name.into(), finding]);
    check("stack", story.finding("stack, given pages")?);
    if let Some(curvature) = &model.curvature {
        let (bend, over) = (percent(curvature.bend.value), percent(curvature.charge_error.relative));
        check("curve", format!("a page costs {bend} more beyond {}; overcharged {over} at most", curvature.breakpoint));
    }
    if let Some(held_out) = &model.held_out {
        let slope = held_out.slope;
        let (count, below) = (held_out.points.len(), held_out.undercharged.len());
        let range = format!("{:.3} ({:.3} … {:.3})", slope.value, slope.low, slope.high);
        check("held out", format!("{count} points, measured/predicted {range}; undercharged {below}"));
    }
    let drift = story.finding("drift over the run");
    let line = sparkline(&story.timeline.by_process());
    check("drift", [Some(line), drift].into_iter().flatten().collect::<Vec<_>>().join("  "));
    let (moving, far) = (story.finding("points that move")?, story.finding("far-out cycles, kept")?);
    check("noise", format!("points that move {moving}; far-out cycles, kept {far}"));
    let hazards: Vec<&str> = super::notes::hazards(story).map(|hazard| hazard.name.as_str()).collect();
    check("hazards", if hazards.is_empty() { "none was found".into() } else { hazards.join(", ") });
    for note in super::notes::findings(story) {
        check("note", note);
    }
    Some(grid)
}

/// A sentence in lines, all but the first set in.
fn hanging(sentence: &str) -> Vec<String> {
    let mut lines = wrapped(sentence, LINE - 4);
    lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, "  "));
    lines
}
