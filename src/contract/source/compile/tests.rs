use std::sync::Mutex;

use super::super::edition::Edition;
use super::super::set::Contract;
use super::*;
use crate::contract::factors::Variant;
use crate::units::{Bytes, Pages};

const LIMITS: Limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };
const TOUCH: &str = r#"(func (export "touch") (param i32 i32))"#;
const RUST: &str = include_str!("../../../../estimator-contracts/touch-memory/touch-memory.rs");
/// With data of as many bytes as the environment of the compiler says.
const DATA: &str = r#"
    #![no_std]
    #![no_main]
    #[used]
    static DATA: [u8; parse(env!("DATA_BYTES"))] = [0xA5; parse(env!("DATA_BYTES"))];
    const fn parse(digits: &str) -> usize {
        match usize::from_str_radix(digits, 10) {
            Ok(number) => number,
            Err(_) => panic!(),
        }
    }
    #[unsafe(no_mangle)]
    pub extern "C" fn touch(_start: usize, _length: usize) {}
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo) -> ! {
        core::arch::wasm32::unreachable()
    }
"#;

/// Never touches the machine's toolchain: rustup is not run, and results are kept only where a test says.
fn options() -> CompileOptions {
    CompileOptions { limits: LIMITS, cache: None, rustc: None, add_target: false, require_toolchain: false }
}

fn without_rustc() -> CompileOptions {
    CompileOptions { rustc: Some("/nowhere/rustc".into()), ..options() }
}

fn variant(pages: u32, stack: u64) -> Variant {
    Variant {
        name: format!("pages{pages}"),
        initial_pages: Pages(pages),
        stack_bytes: Bytes(stack),
        data_bytes: None,
        touched_pages: vec![Pages(pages)],
    }
}

fn contract(name: &str, source: Source, variants: Vec<Variant>) -> Contract {
    let (description, entry) = (String::new(), "touch".into());
    Contract { name: name.into(), description, entry, stands_in_for: None, source, variants }
}

fn wat(text: &str) -> Source {
    Source::Wat { file: "m.wat".into(), text: text.into() }
}

fn rust(text: &str) -> Source {
    of_edition(Edition::default(), text)
}

fn of_edition(edition: Edition, text: &str) -> Source {
    Source::Rust { file: "m.rs".into(), text: text.into(), edition }
}

fn make(contracts: Vec<Contract>, options: &CompileOptions) -> Result<Compilation, ContractError> {
    compile(&ContractSet { contracts, ..ContractSet::default() }, options, &|_| {})
}

fn refusal(text: &str, variant: Variant) -> String {
    make(vec![contract("c", wat(text), vec![variant])], &options()).unwrap_err().to_string()
}

/// The toolchain with its target, or a line saying what is skipped without it.
fn toolchain(test: &str) -> Option<Toolchain> {
    let found = Toolchain::find(None).ok().filter(Toolchain::has_target);
    if found.is_none() {
        eprintln!("{test} is skipped: no Rust compiler with the target {TARGET}");
    }
    found
}

#[test]
fn the_built_in_contract_compiles_to_what_was_asked() {
    let set = ContractSet::embedded(LIMITS).unwrap();
    let done = Mutex::new(0);
    let compilation = compile(&set, &without_rustc(), &|event| {
        if matches!(event, CompileEvent::Finished { .. }) {
            *done.lock().unwrap() += 1;
        }
    })
    .unwrap();
    assert_eq!((compilation.artifacts.len(), *done.lock().unwrap()), (52, 52));
    let last = &compilation.artifacts[41];
    assert_eq!((last.initial_pages, last.stack_bytes), (Pages(1024), Bytes(1 << 20)));
    assert_eq!(last.touched_pages, [Pages(1024)]);
    assert!(compilation.skipped.is_empty() && compilation.stood_down.is_empty() && compilation.compiler.is_none());
}

#[test]
fn facts_other_than_asked_are_an_error_naming_both() {
    let module = format!(r#"(module (memory (export "m") 2) (global (mut i32) (i32.const {{stack_bytes}})) {TOUCH})"#);
    let error = refusal(&module, variant(1, 64));
    assert_eq!(error, "c/pages1: asked for an initial memory of 1 page, but the module has 2 pages");
    let error = refusal(&format!(r#"(module (memory (export "m") 1) {TOUCH})"#), variant(1, 64));
    assert_eq!(error, "c/pages1: asked for a stack pointer of 64 B, but the module has none");
    let error = refusal(&module, Variant { data_bytes: Some(Bytes(8)), ..variant(2, 64) });
    assert_eq!(error, "c/pages2: asked for data of 8 B, but the module has none");
}

#[test]
fn unfit_modules_are_refused_with_the_reason_and_the_way_out() {
    let memory = r#"(memory (export "m") 1)"#;
    for (module, expected, way_out) in [
        (format!(r#"(module (import "env" "m" (memory 1)) {TOUCH})"#), "imports its memory", "define it in the module"),
        (
            format!(r#"(module (import "env" "g" (global i32)) {memory} {TOUCH})"#),
            "imports `g` from `env`",
            "define it",
        ),
        (format!("(module {TOUCH})"), "has no memory", "take it out of the set"),
        (format!("(module (memory 1) (memory 1) {TOUCH})"), "has 2 memories", "take it out of the set"),
        (format!("(module (memory i64 1) {TOUCH})"), "64-bit addresses", "build it for wasm32"),
        (format!("(module (memory 1 1 shared) {TOUCH})"), "a shared memory", "build it without threads"),
        (format!(r#"(module (memory (export "m") 0) {TOUCH})"#), "a memory of 0 pages", "declare 1 page at least"),
        (format!("(module (memory 1) {TOUCH})"), "does not export its memory", "export it"),
        (
            format!(r#"(module {memory} (func (export "tuoch")))"#),
            "exports no function `touch`; it exports `tuoch`",
            "name one with `entry`",
        ),
        (
            format!(r#"(module {memory} (func (export "touch") (param i32)))"#),
            "`touch` is (func (param i32))",
            "but must be",
        ),
        (format!("(module {memory} (func (drop)) {TOUCH})"), "the module is invalid: ", "at byte"),
        (
            format!(r#"(module (memory (export "m") 2000) {TOUCH})"#),
            "2000 pages at first, above the chain's limit of 1024 pages",
            "raise initial_pages_max",
        ),
    ] {
        let error = refusal(&module, variant(1, 0));
        assert!(error.starts_with("c/pages1: ") && error.contains(expected) && error.contains(way_out), "{error}");
    }
    let beyond = |pages| Variant { touched_pages: vec![Pages(1), Pages(pages)], ..variant(1, 0) };
    let module = format!(r#"(module (memory (export "m") 1 4) {TOUCH})"#);
    assert!(refusal(&module, beyond(5)).contains("lets its memory grow to 4 pages only"));
    assert!(refusal(&module, beyond(4096)).contains("above the chain's limit of 2048 pages"));
}

#[test]
fn functions_may_be_imported_since_they_are_stubbed() {
    let module = format!(r#"(module (import "env" "f" (func)) (memory (export "m") 1) {TOUCH})"#);
    let artifacts = make(vec![contract("c", wat(&module), vec![variant(1, 0)])], &options()).unwrap().artifacts;
    assert_eq!(artifacts[0].facts.imports.len(), 1);
}

#[test]
fn text_modules_take_their_data() {
    let module = format!(
        r#"(module (memory (export "m") 1) (global (mut i32) (i32.const {{stack_bytes}}))
             (global (export "__heap_base") i32 (i32.const {{data_end}})) (data (i32.const {{stack_bytes}}) "{{data}}") {TOUCH})"#
    );
    let with_data = Variant { data_bytes: Some(Bytes(65_472)), ..variant(1, 64) };
    let artifacts = make(vec![contract("c", wat(&module), vec![with_data])], &options()).unwrap().artifacts;
    assert_eq!((artifacts[0].facts.data.end, artifacts[0].facts.heap_base), (Some(65_536), Some(65_536)));
}

#[test]
fn text_that_does_not_parse_is_shown_with_its_line() {
    let error = refusal("(module\n  (memory {pages}))", variant(1, 0));
    assert!(error.contains("m.wat:2:11"), "{error}");
}

#[test]
fn the_first_fault_in_order_is_reported() {
    let variants: Vec<_> = (1..100).map(|pages| variant(pages, 16)).collect();
    for _ in 0..5 {
        let all = contract("c", wat("(module (memory 3))"), variants.clone());
        let error = make(vec![all], &options()).unwrap_err().to_string();
        assert!(error.starts_with("c/pages1: "), "{error}");
    }
}

#[test]
fn without_a_compiler_stand_ins_take_their_place() {
    let set = || {
        let twin = format!(
            r#"(module (memory (export "m") {{initial_pages}}) (global (mut i32) (i32.const {{stack_bytes}})) {TOUCH})"#
        );
        let twin = contract("twin", wat(&twin), vec![variant(1, 64)]);
        vec![
            contract("original", rust(RUST), vec![variant(1, 64)]),
            Contract { stands_in_for: Some("original".into()), ..twin },
        ]
    };
    let compilation = make(set(), &without_rustc()).unwrap();
    assert_eq!(compilation.artifacts.len(), 1);
    assert_eq!(compilation.artifacts[0].contract, "twin");
    let [skipped] = &compilation.skipped[..] else { panic!("{compilation:?}") };
    assert!(skipped.contract == "original" && skipped.reason.contains("/nowhere/rustc"), "{skipped:?}");
    assert!(skipped.mend.contains("rustup target add wasm32-unknown-unknown"), "{skipped:?}");

    let required = CompileOptions { require_toolchain: true, ..without_rustc() };
    let error = make(set(), &required).unwrap_err();
    assert!(matches!(error, ContractError::Toolchain { .. }), "{error}");
    let error = make(set()[..1].to_vec(), &without_rustc()).unwrap_err();
    assert!(matches!(error, ContractError::NothingCompiles(_)), "{error}");

    if toolchain("the other half of without_a_compiler_stand_ins_take_their_place").is_some() {
        let compilation = make(set(), &options()).unwrap();
        assert_eq!(compilation.artifacts[0].contract, "original");
        assert_eq!(compilation.stood_down, ["twin"]);
        assert!(compilation.skipped.is_empty());
    }
}

#[test]
fn the_twins_have_the_same_facts() {
    if toolchain("the_twins_have_the_same_facts").is_none() {
        return;
    }
    let variants =
        [(1, 64 << 10), (17, 1 << 20), (1024, 16 << 10)].map(|(pages, stack)| variant(pages, stack)).to_vec();
    let text = include_str!("../../../../estimator-contracts/touch-memory-wat/touch-memory.wat");
    let contracts = vec![contract("rust", rust(RUST), variants.clone()), contract("wat", wat(text), variants)];
    let artifacts = make(contracts, &options()).unwrap().artifacts;
    for (rust, wat) in artifacts[..3].iter().zip(&artifacts[3..]) {
        // The code differs, as compilers do, and so does whether the stack pointer has a name.
        let facts = crate::contract::ModuleFacts {
            code_bytes: rust.facts.code_bytes,
            stack_pointer: rust.facts.stack_pointer,
            compiler: rust.facts.compiler,
            ..wat.facts.clone()
        };
        let value = |facts: &crate::contract::ModuleFacts| facts.stack_pointer.unwrap().value();
        assert_eq!(value(&rust.facts), value(&wat.facts));
        let exports = |facts: &crate::contract::ModuleFacts| facts.exports.clone();
        assert_eq!(exports(&rust.facts), exports(&facts));
        assert_eq!(rust.facts, facts);
    }
}

#[test]
fn rust_sources_are_compiled_once_and_alike() {
    if toolchain("rust_sources_are_compiled_once_and_alike").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cached = CompileOptions { cache: Some(folder.path().join("cache")), ..options() };
    let data = Variant { data_bytes: Some(Bytes(64 << 10)), ..variant(17, 64 << 10) };
    let contracts = || vec![contract("data", rust(DATA), vec![data.clone()])];
    let first = make(contracts(), &cached).unwrap();
    let artifact = &first.artifacts[0];
    assert_eq!(artifact.facts.data_bytes, Bytes(64 << 10));
    assert!(
        artifact.facts.stack_pointer.unwrap().value().0 <= artifact.facts.data.start.unwrap(),
        "the stack is first"
    );
    assert!(artifact.provenance.command.as_ref().unwrap().starts_with("DATA_BYTES=65536 rustc "));
    assert_eq!(first.cached, 0);

    let second = make(contracts(), &cached).unwrap();
    assert_eq!((second.cached, &second.artifacts), (1, &first.artifacts));
    let uncached = make(contracts(), &options()).unwrap();
    assert_eq!(uncached.artifacts, first.artifacts, "compiled elsewhere, it is the same to the byte");
    for entry in std::fs::read_dir(folder.path().join("cache")).unwrap() {
        std::fs::write(entry.unwrap().path(), "damaged").unwrap();
    }
    let again = make(contracts(), &cached).unwrap();
    assert_eq!((again.cached, &again.artifacts), (0, &first.artifacts));
}

#[test]
fn the_compilers_own_words_are_shown() {
    if toolchain("the_compilers_own_words_are_shown").is_none() {
        return;
    }
    let error =
        make(vec![contract("c", rust("fn main( {}"), vec![variant(1, 64)])], &options()).unwrap_err().to_string();
    assert!(error.starts_with("c/pages1 does not compile\n") && error.contains("m.rs:1"), "{error}");
    let error = make(vec![contract("c", rust(RUST), vec![variant(1, 128 << 10)])], &options()).unwrap_err().to_string();
    assert!(error.contains("initial memory too small"), "{error}");
}

#[test]
fn a_cache_that_cannot_be_written_is_told_and_no_error() {
    if toolchain("a_cache_that_cannot_be_written_is_told_and_no_error").is_none() {
        return;
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    let set =
        ContractSet { contracts: vec![contract("c", rust(RUST), vec![variant(1, 64)])], ..ContractSet::default() };
    let told = Mutex::new(false);
    let options = CompileOptions { cache: Some(file.path().to_owned()), ..options() };
    let compilation = compile(&set, &options, &|event| {
        if matches!(event, CompileEvent::NotCached { .. }) {
            *told.lock().unwrap() = true;
        }
    });
    assert_eq!(compilation.unwrap().artifacts.len(), 1);
    assert!(*told.lock().unwrap());
}

/// `gen` is a name up to the edition 2021.
#[test]
fn a_source_is_of_the_edition_that_it_says() {
    if toolchain("a_source_is_of_the_edition_that_it_says").is_none() {
        return;
    }
    let text = format!("{RUST}\n#[allow(dead_code)]\nfn gen() {{}}\n");
    let made = |edition| make(vec![contract("c", of_edition(edition, &text), vec![variant(1, 64)])], &options());
    for edition in [Edition::Of2018, Edition::Of2021] {
        let command = made(edition).unwrap().artifacts[0].provenance.command.clone().unwrap();
        assert!(command.contains(&format!("--edition {edition} ")), "{command}");
    }
    let error = made(Edition::Of2024).unwrap_err().to_string();
    assert!(error.contains("gen"), "{error}");
}

#[test]
fn a_text_module_may_have_no_stack() {
    let module =
        format!("(module (memory (export \"memory\") {{initial_pages}}) (global (mut i32) (i32.const 7)) {TOUCH})");
    let made = make(vec![contract("c", wat(&module), vec![variant(2, 0)])], &options()).unwrap();
    assert_eq!(made.artifacts[0].stack_bytes, Bytes(0));
    let named =
        module.replace("(global (mut i32) (i32.const 7))", "(global $__stack_pointer (mut i32) (i32.const 64))");
    let error = make(vec![contract("c", wat(&named), vec![variant(2, 0)])], &options()).unwrap_err().to_string();
    assert!(error.contains("a stack pointer"), "one that has a stack says so: {error}");
}
