//! Contracts that do what they must not. Nothing half done stays under a final name.

use crate::folder::{Folder, failure};

fn refused(name: &str, text: &str, word: &str) {
    let folder = Folder::new();
    folder.module(name, text);
    let (code, stderr) = failure(&mut folder.run());
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains(name) && stderr.contains(word), "{stderr}");
    assert!(!folder.join("params/proposed.toml").exists());
    // What is refused before anything runs does not even make the folder.
    let runs = std::fs::read_dir(folder.join("reports")).map_or(0, Iterator::count);
    assert_eq!(runs, 0, "no run is left");
}

#[test]
fn a_start_function_that_traps() {
    refused(
        "trap-start",
        r#"(module (memory (export "memory") 1) (func $s unreachable) (start $s) (func (export "touch") (param i32 i32)))"#,
        "unreachable",
    );
}

#[test]
fn a_touch_that_traps() {
    refused(
        "trap-touch",
        r#"(module (memory (export "memory") 1) (func (export "touch") (param i32 i32) unreachable))"#,
        "unreachable",
    );
}

#[test]
fn a_touch_that_does_nothing() {
    refused("lazy", r#"(module (memory (export "memory") 1) (func (export "touch") (param i32 i32)))"#, "all zeros");
}

#[test]
fn a_touch_that_leaves_pages_out() {
    refused(
        "half",
        r#"(module (memory (export "memory") 1)
            (func (export "touch") (param i32 i32) (i32.store8 offset=8 (i32.const 0) (i32.const 1))))"#,
        "0x1000",
    );
}

#[test]
fn a_start_function_that_grows_the_memory() {
    refused(
        "grower",
        r#"(module (memory (export "memory") 1) (func $s (drop (memory.grow (i32.const 4)))) (start $s)
            (func (export "touch") (param i32 i32)))"#,
        "320 KiB",
    );
}

#[test]
fn a_hidden_memory() {
    refused("hidden", r#"(module (memory 1) (func (export "touch") (param i32 i32)))"#, "does not export its memory");
}
