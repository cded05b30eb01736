//! `samples.csv` changed by hand in many ways: each is found by name, or changes nothing.

use crate::folder::Folder;
use crate::stored::stored;

/// Rows of fields, below the line of column names.
type Rows = Vec<Vec<String>>;

const PROCESS: usize = 0;
const ROUND: usize = 1;
const POINT: usize = 2;
const TIMES: [usize; 4] = [3, 4, 5, 6];
const PROBE: usize = 7;
const FAULTS: usize = 8;
/// The point of 64 pages.
const PAGES_64: &str = "5";
/// Rows of a round, and rounds of a process.
const ROWS: usize = 24;
const ROUNDS: usize = 2;

enum Then {
    /// Refused with this.
    Error(&'static str),
    /// Said, and in the notes of the table.
    Warning(&'static str),
    /// The table is the same, but for a part in so many.
    Same(f64),
}
use Then::{Error, Same, Warning};

fn process(rows: &Rows, number: &str) -> Rows {
    rows.iter().filter(|row| row[PROCESS] == number).cloned().collect()
}

fn times(rows: &mut [Vec<String>], columns: &[usize], change: impl Fn(u64) -> u64) {
    for row in rows {
        for &column in columns {
            row[column] = change(row[column].parse().unwrap()).to_string();
        }
    }
}

/// The times of the first round in the place of those of these rows, point by point.
fn copy_first_round(rows: &mut Rows, from: usize, count: usize) {
    let first = rows[..ROWS].to_vec();
    for round in (from..from + count).step_by(ROWS) {
        let mut left = first.clone();
        let end = (round + ROWS).min(from + count);
        for row in &mut rows[round..end] {
            let place = left.iter().position(|other| other[POINT] == row[POINT]).unwrap();
            let other = left.remove(place);
            row[TIMES[0]..=PROBE].clone_from_slice(&other[TIMES[0]..=PROBE]);
        }
    }
}

type Tampering = (&'static str, fn(&mut Rows), Then);

#[expect(clippy::too_many_lines, reason = "a list")]
fn tamperings() -> Vec<Tampering> {
    vec![
        ("the last row cut", |rows| drop(rows.pop()), Error("process 7, round 1 has 23 rows where the plan has 24")),
        ("most of the last round cut", |rows| rows.truncate(361), Error("process 7, round 1 has 1 rows")),
        ("a row in the middle cut", |rows| drop(rows.remove(100)), Error("process 2, round 0 has 23 rows")),
        (
            "the last round cut",
            |rows| rows.truncate(360),
            Warning("1 of the 16 rounds of run stored are not in its samples: 1 of process 7"),
        ),
        ("a round in the middle cut", |rows| drop(rows.drain(144..168)), Warning("1 of process 3")),
        ("a process cut", |rows| rows.retain(|row| row[PROCESS] != "3"), Warning("2 of process 3")),
        (
            "a process copied fifty times, as those that took its place",
            |rows| {
                for copy in 1..=50 {
                    let mut new = process(rows, "0");
                    for row in &mut new {
                        row[PROCESS] = (copy * 8).to_string();
                    }
                    rows.extend(new);
                }
            },
            Error("process 8, round 0, row "),
        ),
        (
            "a process copied as another",
            |rows| {
                let mut new = process(rows, "0");
                for row in &mut new {
                    row[PROCESS] = "100".into();
                }
                rows.extend(new);
            },
            Error("process 100, round 0, row "),
        ),
        (
            "a process renumbered far away",
            |rows| {
                for row in rows.iter_mut().filter(|row| row[PROCESS] == "3") {
                    row[PROCESS] = u32::MAX.to_string();
                }
            },
            Error("process 4294967295, round 0, row "),
        ),
        (
            "a process renumbered as one that took its place",
            |rows| {
                for row in rows.iter_mut().filter(|row| row[PROCESS] == "3") {
                    row[PROCESS] = "11".into();
                }
            },
            Error("process 11, round 0, row "),
        ),
        (
            "all processes alike",
            |rows| copy_first_round(rows, ROWS, 15 * ROWS),
            Error("process 0, round 1 has the very times of process 0, round 0"),
        ),
        (
            "a round with the times of another",
            |rows| copy_first_round(rows, 5 * ROWS, ROWS),
            Error("process 2, round 1 has the very times of process 0, round 0"),
        ),
        (
            "most of a round with the times of another",
            |rows| copy_first_round(rows, 5 * ROWS, 14),
            Error("process 2, round 1 has the very times of process 0, round 0"),
        ),
        (
            "a round copied under a new number",
            |rows| {
                let mut new = rows[4 * ROWS..5 * ROWS].to_vec();
                for row in &mut new {
                    row[ROUND] = "2".into();
                }
                rows.extend(new);
            },
            Error("process 2, round 2, row "),
        ),
        ("probes of 0", |rows| times(rows, &[PROBE], |_| 0), Error("in 24 of its 24 rows the probe took no time")),
        (
            "one probe of 0",
            |rows| times(&mut rows[30..31], &[PROBE], |_| 0),
            Error("process 0, round 1, row 6: the probe took no time"),
        ),
        (
            "times a thousand times as long",
            |rows| times(rows, &TIMES, |time| time * 1000),
            Error("a phase took over 100 times as long as the probe beside it"),
        ),
        (
            "those of one process",
            |rows| times(&mut rows[192..240], &TIMES, |time| time * 1000),
            Error("process 4, round 0: in 24 of its 24 rows a phase took"),
        ),
        (
            "those of one point",
            |rows| {
                for row in rows.iter_mut().filter(|row| row[POINT] == PAGES_64) {
                    times(std::slice::from_mut(row), &TIMES, |time| time * 1000);
                }
            },
            Warning(
                "pages64-stack16KiB touching 64 pages under fresh-map: in 32 of its 32 rows a phase took over 100 times",
            ),
        ),
        ("one cycle, as when a machine stops", |rows| times(&mut rows[30..31], &TIMES, |time| time * 1000), Same(0.05)),
        (
            "times a thousandth as long",
            |rows| times(rows, &TIMES, |time| time / 1000),
            Error("process 0, round 0: in "),
        ),
        ("no times", |rows| times(rows, &TIMES, |_| 0), Error("no phase took as long as its page faults must take")),
        (
            "probes a thousand times as long",
            |rows| times(rows, &[PROBE], |time| time * 1000),
            Error("the probe took over 100 times as long as any phase"),
        ),
        (
            "probes a thousandth as long",
            |rows| times(rows, &[PROBE], |time| time / 1000),
            Error("a phase took over 100 times as long as the probe"),
        ),
        ("no page faults", |rows| times(rows, &[FAULTS], |_| 0), Error("page faults where touch-memory/")),
        ("more page faults", |rows| times(rows, &[FAULTS], |faults| faults * 3), Same(0.0)),
        (
            "two rows of a round swapped",
            |rows| {
                let other = rows.iter().position(|row| row[POINT] != rows[0][POINT]).unwrap();
                rows.swap(0, other);
            },
            Error("process 0, round 0, row 0 is of point"),
        ),
        (
            "a row of one point called one of another",
            |rows| {
                let other = rows.iter().position(|row| row[POINT] != rows[0][POINT]).unwrap();
                rows[other][POINT] = rows[0][POINT].clone();
                rows[other][FAULTS] = rows[0][FAULTS].clone();
            },
            Error("where the plan's seed puts point"),
        ),
        ("a point that was not planned", |rows| rows[0][POINT] = "9".into(), Error("the plan has 8 points")),
        (
            "a row twice",
            |rows| {
                let row = rows[7].clone();
                rows.push(row);
            },
            Error("is there twice"),
        ),
        (
            "a text for a time",
            |rows| rows[7][TIMES[0]] = "fast".into(),
            Error("samples.csv:9: `instantiate_ns` is `fast`"),
        ),
        ("a row of another process", |rows| rows[300][PROCESS] = "1".into(), Error("rows where the plan has 24")),
        (
            "two cycles of a point swapped",
            |rows| {
                let pairs = || (0..ROWS).flat_map(|one| (one + 1..ROWS).map(move |other| (one, other)));
                let (one, other) = pairs().find(|&(one, other)| rows[one][POINT] == rows[other][POINT]).unwrap();
                rows.swap(one, other);
            },
            Same(0.0),
        ),
        ("rounds in another order", |rows| rows.rotate_left(ROWS), Same(0.05)),
        ("no rows at all", Vec::clear, Error("")),
    ]
}

fn write(folder: &Folder, header: &str, rows: &Rows) {
    let lines: String = rows.iter().map(|row| row.join(",") + "\n").collect();
    folder.write("reports/run/samples.csv", format!("{header}\n{lines}"));
}

/// The gas of each parameter.
fn gas(folder: &Folder) -> Vec<f64> {
    let table = folder.read("table.toml");
    table.lines().filter_map(|line| line.strip_prefix("gas = ")?.replace('_', "").parse().ok()).collect()
}

#[test]
fn every_tampering_with_samples_is_found_by_name_or_harmless() {
    let folder = stored();
    let text = folder.read("reports/run/samples.csv");
    let (header, rows) = text.split_once('\n').unwrap();
    let sound: Rows = rows.lines().map(|line| line.split(',').map(Into::into).collect()).collect();
    assert_eq!(sound.len(), 8 * ROUNDS * ROWS);
    let fit = || folder.estimator(&["fit", "reports/run", "--params", "table.toml"]).output().unwrap();
    assert!(fit().status.success());
    let (first, table) = (gas(&folder), folder.read("table.toml"));
    let mut wrong = Vec::new();
    for (name, tamper, then) in tamperings() {
        let mut rows = sound.clone();
        tamper(&mut rows);
        write(&folder, header, &rows);
        std::fs::remove_file(folder.join("table.toml")).unwrap_or_default();
        let output = fit();
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let code = output.status.code();
        let right = match then {
            Error(message) => code == Some(1) && stderr.contains(message),
            // A point that is a thousand times as dear makes the fit one that is rejected.
            Warning(message) => {
                let noted = code == Some(5) || folder.read("table.toml").contains(message);
                stderr.contains(message) && [Some(0), Some(4), Some(5)].contains(&code) && noted
            }
            Same(part) if part > 0.0 => {
                let near = |(one, other): (&f64, &f64)| (one / other - 1.0).abs() <= part;
                code == Some(0) && first.iter().zip(&gas(&folder)).all(near)
            }
            Same(_) => code == Some(0) && folder.read("table.toml") == table,
        };
        if !right {
            wrong.push(format!("{name}: exit {code:?}, {stdout}{stderr}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_interrupted_run_may_lack_rows_of_its_last_round() {
    let folder = stored();
    let run = folder.read("reports/run/run.toml").replace("stopped = \"budget-spent\"\n", "");
    folder.write("reports/run/run.toml", run);
    let text = folder.read("reports/run/samples.csv");
    folder.write("reports/run/samples.csv", &text[..text.len() - 20]);
    let output = folder.estimator(&["fit", "reports/run"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("process 7, round 1 was cut off after 23 of its 24 rows and is left out"), "{stderr}");
}
