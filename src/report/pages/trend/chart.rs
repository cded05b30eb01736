use crate::history::Verdict;
use crate::report::plot::{Axis, Chart, Mark, Scale, Series, Shape};
use crate::report::words::{counted, interval, nanos, percent};
use crate::report::{TrendLine, TrendRun};

/// The line as percentages of its last level, so that all figures share an axis that people can read.
pub(super) fn chart(line: &TrendLine) -> Chart {
    let now = line.levels.last().map_or(line.runs[0].nanos.value, |level| level.nanos);
    let share = |nanos: f64| nanos / now - 1.0;
    let place = |at: usize| f64::from(u32::try_from(at + 1).unwrap_or(u32::MAX));
    let mark = |(at, run): (usize, &TrendRun)| Mark {
        x: place(at),
        y: share(run.nanos.value),
        // The interval of a covering line need not hold its value, and then says nothing about it.
        interval: run.nanos.holds(run.nanos.value).then(|| (share(run.nanos.low), share(run.nanos.high))),
        title: format!("{}{}: {} ({}){}", run.run, on(run), nanos(run.nanos.value), interval(&run.nanos), found(run)),
    };
    let marks: Vec<Mark> = line.runs.iter().enumerate().map(mark).collect();
    // What the gate said is told by form as well as by colour.
    let judged = |number: usize, name: &str, verdict: Option<Verdict>| {
        let is_so = |run: &TrendRun| {
            run.verdict.filter(|verdict| matches!(verdict, Verdict::Changed | Verdict::Unsure)) == verdict
        };
        let of: Vec<Mark> =
            line.runs.iter().zip(&marks).filter(|(run, _)| is_so(run)).map(|(_, mark)| mark.clone()).collect();
        (!of.is_empty()).then(|| Series::new(number, name, Shape::Marks(of)))
    };
    let levels = line.levels.iter().flat_map(|level| {
        let y = share(level.nanos);
        // A gap parts one level from the next.
        [(place(level.start) - 0.5, y), (place(level.end - 1) + 0.5, y), (f64::NAN, f64::NAN)]
    });
    let ends = marks
        .iter()
        .flat_map(|mark| [Some(mark.y), mark.interval.map(|ends| ends.0), mark.interval.map(|ends| ends.1)]);
    let y = Axis::percent("against the present level", ends.flatten());
    let series = [
        judged(0, "run, with its 95 % interval", None),
        Some(Series::new(1, "level", Shape::Line(levels.collect()))),
        judged(2, "found changed", Some(Verdict::Changed)),
        judged(3, "unsure", Some(Verdict::Unsure)),
    ];
    let series = series.into_iter().flatten().collect();
    Chart::new("trend", alternative(line), nights(line), y, series)
}

/// The machine of a run, to be added to its name.
fn on(run: &TrendRun) -> String {
    if run.node.is_empty() { String::new() } else { format!(" on {}", run.node) }
}

/// What the gate found, to be added to what a run is.
fn found(run: &TrendRun) -> String {
    run.verdict.map_or_else(String::new, |verdict| format!(", {verdict}"))
}

/// Runs from left to right, with the day of some.
fn nights(line: &TrendLine) -> Axis {
    const TICKS: usize = 6;
    let count = line.runs.len();
    let step = count.div_ceil(TICKS).max(1);
    let place = |at: usize| f64::from(u32::try_from(at + 1).unwrap_or(u32::MAX));
    let tick = |at: usize| (place(at), line.runs[at].created.get(..10).unwrap_or_default().to_owned());
    let ticks = (0..count).step_by(step).map(tick).collect();
    Axis { title: "runs, oldest first".into(), scale: Scale::Linear, low: 0.0, high: place(count), ticks }
}

fn alternative(line: &TrendLine) -> String {
    let changes: Vec<String> =
        line.changes().iter().map(|(run, change)| format!("{} with {}", percent(*change), run.run)).collect();
    let changes = if changes.is_empty() { "one level".into() } else { format!("changes: {}", changes.join(", ")) };
    format!("{} over {}; {changes}.", line.figure, counted(line.runs.len(), "run", "runs"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Figure, LineKind};
    use crate::model::{Estimate, Form};
    use crate::report::TrendLevel;

    #[test]
    fn what_the_gate_found_of_a_run_has_a_form_of_its_own() {
        let run = |at: u32, verdict| TrendRun {
            run: format!("run{at}"),
            created: "2026-12-02T01:15:34Z".into(),
            node: String::new(),
            nanos: Estimate::around(1000.0, 10.0),
            verdict,
            told: Vec::new(),
        };
        let line = |runs: Vec<TrendRun>| {
            let figure = Figure::new("memory_init_base", LineKind::Cost, Form::Measured);
            TrendLine {
                figure,
                levels: vec![TrendLevel { start: 0, end: runs.len(), nanos: 1000.0 }],
                runs,
                slope: None,
            }
        };
        let names = |line: &TrendLine| chart(line).series.into_iter().map(|series| series.name).collect::<Vec<_>>();
        let plain = ["run, with its 95 % interval", "level"];
        assert_eq!(names(&line(vec![run(1, None), run(2, Some(Verdict::Steady))])), plain);
        let judged = line(vec![run(1, None), run(2, Some(Verdict::Changed)), run(3, Some(Verdict::Unsure))]);
        assert_eq!(names(&judged), [&plain[..], &["found changed", "unsure"]].concat());
        let Shape::Marks(changed) = &chart(&judged).series[2].shape else { panic!("no marks") };
        assert!(changed.len() == 1 && changed[0].title.ends_with(", changed"), "{changed:?}");
    }
}
