//! `cargo +nightly fuzz run table fuzz/corpus/table params -- -max_total_time=600`
#![no_main]

mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));
