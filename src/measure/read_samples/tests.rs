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
fn two_columns_of_one_name_are_an_error() {
    let (header, row) = (HEADER.replace('\n', ",round\n"), ROW.replace('\n', ",7\n"));
    assert!(message(&format!("{header}{row}")).contains("column `round` is there twice"));
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

#[test]
fn many_rows_are_read_in_order_with_their_lines() {
    let rows: String = (0..40_000)
        .map(|round| {
            ROW.replace("r,0,0,0", &format!("r,0,{round},0"))
                .replace(",17,65536,17", &format!(",{0},65536,{0}", 17 + round / 20_000))
        })
        .collect();
    assert!(parts(rows.as_bytes(), 2).len() > 2);
    let read = parse(&format!("{HEADER}{rows}")).unwrap();
    assert!(
        (0..).zip(&read.samples.samples).all(|(round, sample)| sample.round == round && sample.point == round / 20_000)
    );
    assert_eq!(read.samples.points.len(), 2);
    let again = message(&format!("{HEADER}{rows}{ROW}"));
    assert!(again.starts_with("samples.csv:40002: ") && again.contains("is there twice"), "{again}");
    let second = message(&format!("{HEADER}{rows}{}", ROW.replacen('r', "s", 1)));
    assert!(second.starts_with("samples.csv:40002: a second run"), "{second}");
    let short = message(&format!("{HEADER}{rows}r,1\n"));
    assert!(short.starts_with("samples.csv:40002: the row has 2 fields"), "{short}");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse_samples(&bytes, Path::new("x"));
        let _ = parse_samples(&[HEADER.as_bytes(), &bytes].concat(), Path::new("x"));
    }
}
