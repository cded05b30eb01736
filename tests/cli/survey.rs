use std::collections::BTreeMap;

use crate::corpus::{corpus, linked, output};
use crate::folder::Folder;

fn rows(csv: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(csv.as_bytes()).deserialize().map(Result::unwrap).collect()
}

#[test]
fn rows_say_what_was_built() {
    let folder = corpus();
    let (code, stdout, _) = output(&folder, &["survey", "corpus", "--format", "csv"]);
    assert_eq!(code, 0);
    let rows = rows(&stdout);
    let files: Vec<_> = rows.iter().map(|row| row["file"].as_str()).collect();
    assert_eq!(files, ["c.wasm", "near/a.wasm", "near/b.wasm.gz"]);
    let cells = |row: &BTreeMap<String, String>, columns: &[&str]| -> Vec<String> {
        columns.iter().map(|&column| row[column].clone()).collect()
    };
    let columns = [
        "initial_pages",
        "max_pages",
        "memory",
        "data_segments",
        "data_bytes",
        "global0_i32",
        "heap_base",
        "functions",
        "start",
    ];
    assert_eq!(cells(&rows[1], &columns), ["17", "", "defined", "1", "4", "1048576", "1048592", "1", ""]);
    assert_eq!(cells(&rows[2], &columns), ["16", "", "defined", "0", "0", "1048576", "1048576", "1", ""]);
    let columns = [
        "stack_bytes",
        "stack_order",
        "linker_default",
        "pages_at_16_kib",
        "pages_at_256_kib",
        "imports",
        "import_modules",
    ];
    assert_eq!(cells(&rows[1], &columns), ["1048576", "first", "true", "1", "5", "1", "env"]);
    assert_eq!(cells(&rows[0], &columns), ["65536", "first", "false", "1", "5", "1", "env"]);
    assert_eq!(rows[2]["bytes"], linked(16, 1 << 20, "").len().to_string(), "decompressed");
}

#[test]
fn formats_tell_the_same_and_totals_add_up() {
    let folder = corpus();
    let (_, json, _) = output(&folder, &["survey", "corpus", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["contracts"].as_array().unwrap().len(), 3);
    assert_eq!(json["contracts"][1]["heap_base"], 1_048_592);
    assert_eq!(json["totals"]["linker_default"], 2);
    assert_eq!(json["totals"]["linker_default_17_pages"], 1);
    let (_, human, _) = output(&folder, &["survey", "corpus"]);
    assert!(human.contains("near/a.wasm") && human.contains("Linker default: 2 (67 %)"), "{human}");
}

#[test]
fn paths_are_files_patterns_and_lists() {
    let folder = corpus();
    let (code, stdout, _) = output(&folder, &["survey", "corpus/*/*", "corpus/c.wasm", "--format", "csv"]);
    assert_eq!((code, rows(&stdout).len()), (0, 3));
    let mut command = folder.estimator(&["survey", "-", "--format", "csv"]);
    let output = command.write_stdin("corpus/c.wasm\ncorpus/near\n").output().unwrap();
    assert_eq!(rows(&String::from_utf8(output.stdout).unwrap()).len(), 3);
}

#[test]
fn broken_files_have_a_row_with_the_byte_and_missing_ones_are_usage() {
    let folder = corpus();
    let whole = linked(17, 1 << 20, "abcd");
    folder.write("corpus/cut.wasm", &whole[..whole.len() - 3]);
    folder.write("corpus/empty.wasm", "");
    folder.write("corpus/text.wasm", "(module)");
    let (code, stdout, stderr) = output(&folder, &["survey", "corpus", "--format", "csv"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("3 of 6"), "{stderr}");
    let broken: Vec<_> = rows(&stdout).into_iter().filter(|row| !row["error"].is_empty()).collect();
    assert_eq!(broken.len(), 3);
    for row in broken {
        assert!(row["error"].contains("at byte"), "{row:?}");
    }
    for args in [&["survey", "nowhere"][..], &["survey"], &["survey", "a["], &["price", "nowhere"]] {
        assert_eq!(output(&folder, args).0, 2, "{args:?}");
    }
    assert_eq!(folder.estimator(&["survey", "-"]).write_stdin("").output().unwrap().status.code(), Some(2));
}

#[test]
fn odd_modules_are_described_and_none_of_their_code_runs() {
    let folder = Folder::new();
    let odd = [
        ("endless", "(module (memory 1) (func $s (loop (br 0))) (start $s))"),
        ("huge", "(module (memory 65536))"),
        ("imported", r#"(module (import "env" "memory" (memory 4 8)))"#),
        ("none", "(module)"),
        ("passive", r#"(module (memory 1) (data "abc"))"#),
        ("several", "(module (memory 1) (memory 2))"),
        ("shared", "(module (memory 1 2 shared))"),
        ("wide", "(module (memory i64 5))"),
    ];
    for (name, text) in odd {
        folder.write(&format!("odd/{name}.wasm"), wat::parse_str(text).unwrap());
    }
    let (code, stdout, _) = output(&folder, &["survey", "odd", "--format", "csv"]);
    assert_eq!(code, 0);
    let seen: Vec<_> = rows(&stdout)
        .into_iter()
        .map(|row| {
            let columns = [
                "memory",
                "declared_pages",
                "max_pages",
                "memories",
                "memory64",
                "shared",
                "passive_segments",
                "start",
            ];
            columns.map(|column| row[column].clone()).join(" ")
        })
        .collect();
    let expected = [
        "defined 1  1 false false 0 0",
        "defined 65536  1 false false 0 ",
        "imported 4 8 1 false false 0 ",
        "none 0  0 false false 0 ",
        "defined 1  1 false false 1 ",
        "defined 3  2 false false 0 ",
        "defined 1 2 1 false true 0 ",
        "defined 5  1 true false 0 ",
    ];
    assert_eq!(seen, expected);
    let (code, human, _) = output(&folder, &["survey", "odd"]);
    assert!(code == 0 && human.contains("wide.wasm (64-bit)") && human.contains("data segments: 1 passive"), "{human}");
}

#[test]
fn a_corpus_is_a_mix_of_calls() {
    let folder = corpus();
    let (code, text, _) = output(&folder, &["survey", "corpus", "--format", "workload"]);
    assert_eq!(code, 0);
    let workload = estimator::model::Workload::parse(&text, std::path::Path::new("workload.csv")).unwrap();
    let calls: Vec<_> = workload.kinds().iter().map(|kind| (kind.pages.0, kind.touched_share, kind.weight)).collect();
    // Host pages: one of data, if there is any, and one of stack, of 16 in each page.
    assert_eq!(calls, [(2, 2.0 / 32.0, 1.0), (16, 1.0 / 256.0, 1.0), (17, 2.0 / 272.0, 1.0)], "{text}");
    assert!(text.contains("of 3 contracts") && !text.contains("Left out"), "{text}");
    let (code, text, stderr) = output(&folder, &["survey", "nowhere.wasm", "--format", "workload"]);
    assert!(code == 2 && text.is_empty() && stderr.contains("no contract"), "{stderr}");
}

/// What `run` would refuse has no row, and those that have one are counted.
#[test]
fn contracts_that_no_workload_may_have_are_left_out_and_counted() {
    let folder = corpus();
    for (name, text) in [
        ("huge", "(module (memory 65536) (memory 1))"),
        ("most", "(module (memory 65536))"),
        ("none", "(module)"),
        ("small", "(module (memory 0))"),
    ] {
        folder.write(&format!("odd/{name}.wasm"), wat::parse_str(text).unwrap());
    }
    let (code, text, stderr) = output(&folder, &["survey", "corpus", "odd", "--format", "workload"]);
    assert_eq!(code, 0, "{stderr}");
    let workload = estimator::model::Workload::parse(&text, std::path::Path::new("workload.csv")).unwrap();
    let pages: Vec<u32> = workload.kinds().iter().map(|kind| kind.pages.0).collect();
    assert_eq!(pages, [2, 16, 17, 65_536], "{text}");
    assert!(
        text.contains("of 4 contracts, ") && text.contains("\n# Left out: 3 contracts that declare no page"),
        "{text}"
    );
    folder.write("odd/broken.wasm", "no module");
    let (code, text, stderr) = output(&folder, &["survey", "odd", "--format", "workload"]);
    assert!(code == 1 && !text.is_empty() && stderr.contains("error: broken.wasm: not a Wasm module"), "{stderr}");
    let (code, text, stderr) = output(&folder, &["survey", "odd/huge.wasm", "odd/none.wasm", "--format", "workload"]);
    assert!(code == 2 && text.is_empty() && stderr.contains("no contract"), "{stderr}");
}
