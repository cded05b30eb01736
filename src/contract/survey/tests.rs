use super::*;
use crate::contract::ModuleFacts;
use crate::contract::corpus::CorpusError;
use crate::units::Pages;

fn surveyed(wat: &str) -> Surveyed {
    let wasm = wat::parse_str(wat).unwrap();
    let facts = ModuleFacts::read_valid(&wasm).unwrap();
    Surveyed::new("a.wasm".into(), &wasm, facts)
}

fn row(wat: &str) -> SurveyRow {
    SurveyRow::from(&surveyed(wat))
}

#[test]
fn ten_thousand_data_segments() {
    let segment = |at| format!("(data (i32.const {}) \"ab\")", at * 6);
    let segments = (0..10_000).map(segment).collect::<Vec<_>>().concat();
    let row = row(&format!("(module (memory 1) {segments})"));
    assert_eq!((row.data_segments, row.data_bytes), (Some(10_000), Some(20_000)));
    assert_eq!((row.data_start, row.data_end), (Some(0), Some(9_999 * 6 + 2)));
}

#[test]
fn four_gibibytes() {
    let row = row("(module (memory 65536))");
    assert_eq!((row.initial_pages, row.declared_pages, row.max_pages), (Some(65_536), Some(65_536), None));
}

#[test]
fn wide_and_shared_memories() {
    let wide = row("(module (memory i64 3 9) (data (i64.const 7) \"x\"))");
    assert_eq!((wide.memory64, wide.initial_pages, wide.max_pages), (Some(true), Some(3), Some(9)));
    assert_eq!((wide.data_start, wide.data_end), (Some(7), Some(8)));
    let shared = row("(module (memory 1 2 shared))");
    assert_eq!((shared.shared, shared.memory64), (Some(true), Some(false)));
}

#[test]
fn several_memories_count_together() {
    let contract = surveyed(r#"(module (import "env" "memory" (memory 2)) (memory 3) (memory 5))"#);
    let row = SurveyRow::from(&contract);
    assert_eq!((row.memory, row.memories), (Some("imported"), Some(3)));
    assert_eq!((row.initial_pages, row.declared_pages), (Some(2), Some(10)));
    assert_eq!(contract.declared(), Some(Pages(10)));
    assert_eq!((row.imports, row.import_modules.as_deref()), (Some(1), Some("env")));
}

#[test]
fn passive_segments_only_and_no_memory() {
    let passive = row("(module (memory 1) (data \"abc\") (data \"d\"))");
    assert_eq!((passive.data_segments, passive.passive_segments, passive.data_bytes), (Some(2), Some(2), Some(4)));
    assert_eq!((passive.data_start, passive.data_end), (None, None));
    let none = row("(module (func))");
    assert_eq!((none.memory, none.memories, none.initial_pages), (Some("none"), Some(0), None));
}

pub(super) const DEFAULT: &str = "(module (memory 17) (global (mut i32) (i32.const 1048576))
    (global (export \"__heap_base\") i32 (i32.const 1048592)) (data (i32.const 1048576) \"abcd\"))";

#[test]
fn a_stack_pointer_that_contradicts_the_rest_is_an_empty_cell() {
    let pointer = "(global $__stack_pointer (mut i32) (i32.const 65536))";
    let fits = row(&format!("(module (memory 2) {pointer} (data (i32.const 65536) \"ab\"))"));
    assert_eq!((fits.stack_pointer, fits.stack_bytes, fits.global0_i32), (Some(65536), Some(65536), Some(65536)));
    let within =
        row(&format!("(module (memory 2) {pointer} (data (i32.const 1024) \"ab\") (data (i32.const 65600) \"ab\"))"));
    assert_eq!((within.stack_pointer, within.stack_bytes, within.global0_i32), (None, None, Some(65536)));
}

#[test]
fn totals_count_what_rows_say() {
    let mut totals = SurveyTotals::default();
    for wat in [DEFAULT, DEFAULT, "(module (memory 3))", "(module)"] {
        totals.add(&surveyed(wat));
    }
    totals.add_failed(&CorpusError::TooLarge("large".into()));
    totals.add_failed(&CorpusError::Nothing("none".into()));
    assert_eq!((totals.contracts, totals.broken, totals.missing, totals.untold), (4, 1, 1, 1));
    assert_eq!((totals.default_stack, totals.linker_default, totals.default_17), (2, 2, 2));
    let rows: Vec<_> = totals.histogram().map(|row| (row.pages, row.declared, row.at_16_kib)).collect();
    assert_eq!(rows, [(1, 0, 2), (2, 0, 0), (3, 1, 1), (5, 0, 0), (17, 2, 0)]);
}
