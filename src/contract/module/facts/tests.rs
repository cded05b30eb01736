use proptest::prelude::*;

use super::*;

const RICH: &str = r#"
    (module
      (type (func (param i32 i32)))
      (import "env" "log" (func (type 0)))
      (import "env" "base" (global i32))
      (memory (export "memory") 17 32)
      (global (export "__stack_pointer") (mut i32) (i32.const 65536))
      (global (export "__heap_base") i32 (i32.const 65600))
      (func (export "touch") (type 0))
      (func $start)
      (start $start)
      (data (i32.const 65536) "abcd")
      (data (i32.const 65590) "0123456789")
      (data (global.get 0) "xy")
      (data "passive"))
"#;

fn facts(wat: &str) -> Result<ModuleFacts, FactsError> {
    ModuleFacts::read(&wat::parse_str(wat).unwrap())
}

#[test]
fn a_module_gives_all_its_facts() {
    let facts = facts(RICH).unwrap();
    assert_eq!(facts.memory, MemoryKind::Defined);
    assert_eq!((facts.initial_pages, facts.max_pages), (Some(Pages(17)), Some(32)));
    assert_eq!((facts.data_segments, facts.data_bytes), (4, Bytes(23)));
    let data = DataExtent { passive_segments: 1, unplaced_segments: 1, start: Some(65536), end: Some(65600) };
    assert_eq!(facts.data, data);
    assert_eq!((facts.global0_i32, facts.heap_base), (None, Some(65600)));
    assert_eq!(facts.stack_pointer, Some(StackPointer::Named(Bytes(65536))));
    assert_eq!((facts.functions, facts.start), (2, Some(2)));
    assert_eq!(facts.imports.len(), 2);
    assert_eq!(facts.export("touch").unwrap().ty.as_ref().unwrap().to_string(), "(func (param i32 i32))");
}

/// Globals before and after one of 1 MiB, in a module of 17 pages.
fn pointer(globals: &str, rest: &str) -> Option<StackPointer> {
    facts(&format!("(module (memory 17) {globals} {rest})")).unwrap().stack_pointer
}

#[test]
fn the_stack_pointer_is_the_global_of_that_name_whatever_comes_before_it() {
    let counters = "(global $counter (mut i32) (i32.const 4096)) (global $other (mut i32) (i32.const 0))";
    let data = "(data (i32.const 4096) \"abcd\")";
    let mib = Some(StackPointer::Named(Bytes(1 << 20)));
    for named in ["$__stack_pointer", "$sp (export \"__stack_pointer\")"] {
        let globals = format!("{counters} (global {named} (mut i32) (i32.const 1048576))");
        assert_eq!(pointer(&globals, data), mib, "{named}");
        assert_eq!(pointer(&globals, ""), mib, "{named}");
    }
    let of = |value: i64| pointer(&format!("{counters} (global $__stack_pointer (mut i32) (i32.const {value}))"), data);
    for (value, why) in [(1_048_577, "not aligned"), (17 * 65536 + 16, "outside the memory"), (0, "nothing")] {
        assert_eq!(of(value), None, "{why}");
    }
    let imported = "(import \"env\" \"sp\" (global $__stack_pointer (mut i32)))";
    assert_eq!(facts(&format!("(module {imported} (memory 17) {counters} {data})")).unwrap().stack_pointer, None);
}

#[test]
fn without_a_name_data_or_heap_must_begin_where_the_stack_ends() {
    let globals = "(global (mut i32) (i32.const 4096)) (global (mut i64) (i64.const 1048576))
        (global (mut i32) (i32.const 1048576))";
    let heap = |at| format!("(global (export \"__heap_base\") i32 (i32.const {at}))");
    let mib = Some(StackPointer::Evident(Bytes(1 << 20)));
    assert_eq!(pointer(globals, "(data (i32.const 1048576) \"abcd\")"), mib);
    assert_eq!(pointer(globals, "(data (i32.const 1048577) \"abcd\")"), mib, "a leading zero was dropped");
    assert_eq!(pointer(globals, &heap(1 << 20)), mib, "no data");
    assert_eq!(pointer(globals, &format!("{} (data (i32.const 1024) \"abcd\")", heap(1 << 20))), mib, "after the data");
    for (rest, why) in [
        (String::new(), "nothing speaks for it"),
        ("(data (i32.const 1024) \"abcd\")".into(), "it may be anything behind the data"),
        ("(data (i32.const 1049000) \"abcd\")".into(), "far below the data"),
        (heap(1_050_000), "the heap may begin behind data or stack"),
    ] {
        assert_eq!(pointer(globals, &rest), None, "{why}");
    }
    let low = "(global (mut i32) (i32.const 1024))";
    assert_eq!(pointer(low, "(data (i32.const 1024) \"abcd\")"), None, "it points at data");
}

#[test]
fn global0_is_the_first_of_all_globals() {
    let globals = "(global i32 (i32.const 1)) (global (mut i32) (i32.const 3)) (global (mut i32) (i32.const -4))";
    let facts = facts(&format!("(module {globals})")).unwrap();
    assert_eq!((facts.global0_i32, facts.mutable_i32), (None, vec![3, u32::MAX - 3]), "it is not mutable");
}

#[test]
fn memories_of_every_kind_are_told_apart() {
    assert_eq!(facts("(module)").unwrap(), ModuleFacts::default());
    let imported = facts(r#"(module (import "a" "b" (memory 2)) (memory 3))"#).unwrap();
    assert_eq!((imported.memory, imported.memories, imported.initial_pages), (MemoryKind::Imported, 2, Some(Pages(2))));
    let wide = facts("(module (memory i64 1) (data (i64.const -1) \"ab\"))").unwrap();
    assert!(wide.memory64);
    assert_eq!(wide.data.end, Some(u64::MAX));
    assert!(facts("(module (memory 1 1 shared))").unwrap().shared);
}

#[test]
fn what_is_no_core_module_is_refused_with_its_place() {
    assert!(matches!(facts("(component)"), Err(FactsError::Component { offset: 0 })));
    let huge = facts("(module (memory i64 0x100000000))");
    assert!(matches!(huge, Err(FactsError::TooManyPages { pages: 0x1_0000_0000, offset: 11 })), "{huge:?}");
    assert!(matches!(facts("(module (memory 1 (pagesize 1)))"), Err(FactsError::CustomPageSize { .. })));
    let text = ModuleFacts::read(b"not wasm").unwrap_err().to_string();
    assert!(text.contains("at byte 0"), "{text}");
    assert!(ModuleFacts::read(b"").is_err());
}

/// A cell of a table; empty for nothing.
fn cell<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The table of real contracts that the folder named by `ESTIMATOR_CORPUS` holds as `facts.csv`, beside its modules.
#[test]
fn real_contracts_have_the_facts_of_their_table() {
    let Some(folder) = std::env::var_os("ESTIMATOR_CORPUS").map(std::path::PathBuf::from) else {
        eprintln!("skipped: ESTIMATOR_CORPUS names no folder");
        return;
    };
    let mut table = csv::Reader::from_path(folder.join("facts.csv")).unwrap();
    let columns = table.headers().unwrap().clone();
    let mut modules = 0;
    for row in table.records().map(Result::unwrap) {
        let wasm = std::fs::read(folder.join(&row[0])).unwrap();
        let facts = ModuleFacts::read(&wasm).unwrap();
        let read = [
            row[0].to_owned(),
            wasm.len().to_string(),
            super::super::artifact::sha256_hex(&wasm),
            cell(facts.initial_pages.map(|pages| pages.0)),
            cell(facts.max_pages),
            facts.memory.as_str().to_owned(),
            facts.data_segments.to_string(),
            facts.data_bytes.0.to_string(),
            cell(facts.global0_i32),
            cell(facts.heap_base),
            facts.functions.to_string(),
            facts.code_bytes.0.to_string(),
            cell(facts.start),
        ];
        for ((column, expected), read) in columns.iter().zip(&row).zip(&read) {
            assert_eq!(read, expected, "{column} of {}", &row[0]);
        }
        modules += 1;
    }
    assert_eq!(modules, 60);
}

proptest! {
    #[test]
    fn no_cut_or_changed_module_panics(cut in 0usize..400, changes in prop::collection::vec((0usize..400, any::<u8>()), 0..8)) {
        let mut wasm = wat::parse_str(RICH).unwrap();
        for (at, byte) in changes {
            let length = wasm.len();
            wasm[at % length] = byte;
        }
        let _ = ModuleFacts::read(&wasm);
        wasm.truncate(cut);
        let _ = ModuleFacts::read(&wasm);
    }

    #[test]
    fn no_bytes_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = ModuleFacts::read(&[b"\0asm\x01\0\0\0".as_slice(), &body].concat());
    }
}
