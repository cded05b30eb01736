//! What `fuzz/` checks with a fuzzer, on mutations of real tables from a fixed seed: short in a test, and as long as
//! `ESTIMATOR_FUZZ_SECONDS` says where no nightly toolchain is at hand.

#[path = "../fuzz/fuzz_targets/check.rs"]
mod check;

use std::time::{Duration, Instant};

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

const TABLES: [&str; 2] = [include_str!("../params/current.toml"), include_str!("data/table.toml")];

const TOKENS: [&str; 34] = [
    "format",
    "= 1",
    "\n",
    "\r\n",
    "[",
    "]",
    "[params.x]",
    "[[params]]",
    "{",
    "}",
    ".",
    ",",
    "\"",
    "'''",
    "\"\"\"",
    "#",
    "\\u0000",
    "\\",
    "nan",
    "inf",
    "-",
    "_",
    "1e308",
    "9223372036854775808",
    "0x",
    "true",
    "1979-05-27",
    "gas",
    "nanos",
    "provenance",
    "\u{feff}",
    "ü",
    "\0",
    "old = ",
];

/// Bytes that are nearly a table.
fn mutated(random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = TABLES.choose(random).unwrap_or(&"").as_bytes().to_vec();
    for _ in 0..random.random_range(1..6) {
        let at = random.random_range(0..=bytes.len());
        let end = (at + random.random_range(0..40)).min(bytes.len());
        match random.random_range(0..5) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let part = bytes[at..end].to_vec();
                let to = random.random_range(0..=bytes.len());
                bytes.splice(to..to, part);
            }
            2 => bytes.truncate(at),
            3 if at < bytes.len() => bytes[at] = random.random_range(0..128),
            _ => {
                let token = TOKENS.choose(random).unwrap_or(&"");
                bytes.splice(at..at, token.bytes());
            }
        }
    }
    bytes
}

#[test]
fn nothing_panics_on_what_is_nearly_a_table() {
    let seconds = std::env::var("ESTIMATOR_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut tried = 0;
    while tried < 3_000 || Instant::now() < end {
        check::check(&mutated(&mut random));
        tried += 1;
    }
    println!("{tried} texts");
}
