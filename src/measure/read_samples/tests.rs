use proptest::prelude::*;

use super::*;
use crate::experiment::MEMORY;
use crate::units::Pages;

const HEADER: &str = "process,round,point,instantiate_ns,first_touch_ns,warm_touch_ns,reset_ns,probe_ns,minor_faults,involuntary_switches\n";
const ROW: &str = "0,0,0,10,20,5,7,25,272,0\n";

fn parse(text: &str) -> Result<ReadSamples, MeasureError> {
    let points = [17, 18].map(|pages| Point::of_memory("touch-memory", "v", "fresh-map", Pages(pages)));
    parse_samples(text.as_bytes(), Path::new("samples.csv"), &MEMORY, points.into())
}

fn message(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn a_row_is_read_into_its_phases() {
    let read = parse(&format!("{HEADER}{ROW}")).unwrap();
    let sample = read.samples.get(0);
    assert!((MEMORY.cost(sample.values) - 32.0).abs() < 1e-9);
    assert_eq!(sample.values, [10, 20, 5, 7, 25, 272, 0]);
    assert!(read.warnings.is_empty());
}

#[test]
fn other_columns_are_refused_with_those_that_must_be() {
    for header in [HEADER.replace("reset_ns,", ""), HEADER.replace('\n', ",round\n"), String::new()] {
        assert!(message(&header).contains("the columns must be process,round,point,instantiate_ns"), "{header}");
    }
}

#[test]
fn bad_values_are_named_with_their_line() {
    for bad in ["NaN", "-5", "1.5", "", "9999999999999999999", "\"20\""] {
        let text = format!("{HEADER}{}", ROW.replace(",20,", &format!(",{bad},")));
        let message = message(&text);
        assert!(message.starts_with("samples.csv:2: `first_touch_ns` is"), "{message}");
    }
    assert!(message(&format!("{HEADER}{}", ROW.replace("0,0,0,", "0,0,2,"))).contains("the plan has 2 points"));
}

#[test]
fn a_cut_last_line_is_left_out_with_a_warning() {
    let read = parse(&format!("{HEADER}{ROW}{}", &ROW[..10])).unwrap();
    assert_eq!(read.samples.len(), 1);
    assert!(read.warnings[0].contains("samples.csv:3"), "{:?}", read.warnings);
}

#[test]
fn many_rows_are_read_in_order_with_their_lines() {
    let row = |row: u32| format!("0,{},{},10,20,5,7,25,272,0\n", row / 2, u32::from(row >= 40_000));
    let rows = (0..80_000).map(row).collect::<Vec<_>>().concat();
    assert!(parts(rows.as_bytes()).len() > 1);
    let samples = parse(&format!("{HEADER}{rows}")).unwrap().samples;
    let expected =
        (0..80_000).map(|row| Place { process: 0, round: row / 2, order: row % 2, point: u32::from(row >= 40_000) });
    assert!(samples.places().iter().copied().eq(expected));
    let short = message(&format!("{HEADER}{rows}1\n"));
    assert!(short.starts_with("samples.csv:80002: the row has 1 fields"), "{short}");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let parse = |bytes: &[u8]| parse_samples(bytes, Path::new("x"), &MEMORY, Vec::new());
        let _ = parse(&bytes);
        let _ = parse(&[HEADER.as_bytes(), &bytes].concat());
    }
}
