//! How to build a contract with a smaller stack, by what compiled it. Whatever is said adds to the flags that a project has.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::contract::Compiler;
use crate::params::PriceTotals;
use crate::report::document::{Block, Section, Text, Tone};
use crate::report::words::counted;
use crate::units::Bytes;

/// Those of which something is known.
const COMPILERS: [Compiler; 4] = [Compiler::Rust, Compiler::C, Compiler::AssemblyScript, Compiler::TinyGo];

/// The smallest of the stacks that are asked about, where no contract tells a larger one that costs no more.
const SMALLEST: Bytes = Bytes(16 << 10);

/// What to write where, and a word on what it does to other flags.
///
/// `rustc` and clang hand `-z` to LLVM's linker (<https://lld.llvm.org/WebAssembly.html>), of which the last counts. Cargo takes flags of
/// one source alone, `RUSTFLAGS` before its configuration (<https://doc.rust-lang.org/cargo/reference/config.html#buildrustflags>), while
/// those of a build script and after `cargo rustc --` come on top. `asc` merges flags with the options of `asconfig.json`
/// (<https://www.assemblyscript.org/compiler.html>). `TinyGo` takes linker flags, while its `-stack-size` is for goroutines.
fn flags(compiler: Compiler, Bytes(stack): Bytes) -> [(String, &'static str); 2] {
    match compiler {
        Compiler::Rust => [
            (
                format!("cargo:rustc-link-arg-cdylib=-zstack-size={stack}"),
                "a line that build.rs prints, whatever runs cargo; it adds to the flags in .cargo/config.toml",
            ),
            (
                format!(
                    "cargo rustc --lib --target wasm32-unknown-unknown --release -- -C link-arg=-zstack-size={stack}"
                ),
                "once, to try it; it adds to them too, where RUSTFLAGS would take their place",
            ),
        ],
        Compiler::C => [
            (
                format!("LDFLAGS=\"$LDFLAGS -Wl,-z,stack-size={stack},--stack-first\""),
                "clang; with the stack first an overflow traps",
            ),
            (format!("emcc … -sSTACK_SIZE={stack}"), "Emscripten"),
        ],
        Compiler::AssemblyScript => [
            (
                format!("\"stackSize\": {stack}, \"initialMemory\": 1"),
                "in the options of asconfig.json, beside those that are there",
            ),
            (format!("asc … --stackSize {stack} --initialMemory 1"), "once; a stack is 32 KiB at most unless asked"),
        ],
        Compiler::TinyGo => [
            (
                format!("tinygo build … -ldflags='-extldflags \"-zstack-size={stack}\"'"),
                "in the same -ldflags as others: of two the last counts",
            ),
            (format!("\"ldflags\": [\"-zstack-size={stack}\"]"), "in a target file that inherits from yours"),
        ],
    }
}

/// The stack to build with: the one that was asked about, or the largest at which each contract pays least.
fn advised(totals: &PriceTotals, asked: Option<Bytes>) -> Bytes {
    asked.or(totals.largest_stack).unwrap_or(SMALLEST)
}

/// For the compilers that the contracts tell; none if no contract would save anything.
pub(super) fn section(totals: &PriceTotals, asked: Option<Bytes>) -> Option<Section> {
    // A stack that none of them can have is not to be built.
    if totals.of_stack == 0 || asked.is_some() && totals.at_stack.beyond == totals.contracts {
        return None;
    }
    let stack = advised(totals, asked);
    let mut blocks = vec![];
    if asked.is_none() && totals.largest_stack.is_some() {
        let whose = if totals.contracts == 1 { "the contract pays its" } else { "each contract pays its" };
        blocks.push(Block::Text(
            format!("The largest stack with which {whose} lowest fee of stacks from 16 KiB on.").into(),
        ));
    }
    for compiler in totals.compilers.keys() {
        let said =
            flags(*compiler, stack).map(|(flag, word)| [Text::toned(flag, Tone::Code), format!(": {word}").into()]);
        let items = said.map(|parts| Text(parts.into_iter().flat_map(|part| part.0).collect()));
        blocks.extend([Block::Text(Text::toned(compiler.as_str(), Tone::Strong)), Block::List(items.into())]);
    }
    let told: usize = totals.compilers.values().sum();
    if told < totals.contracts {
        let (one, many) = ("contract does not tell what compiled it", "contracts do not tell what compiled them");
        let untold = counted(totals.contracts - told, one, many);
        let known = COMPILERS.map(Compiler::as_str).join("; ");
        blocks.push(Block::Text(format!("{untold}: docs/real-contracts.md has the flags of {known}.").into()));
    }
    let bounds = "Fees at other stacks are lower bounds, from data and heap base: memory that a contract grows is paid for when \
                  it grows. Measure the depth of your calls first: with the stack before the data an overflow traps, otherwise \
                  it overwrites data.";
    blocks.push(Block::Text(bounds.into()));
    Some(Section::new("stack", format!("To build with a stack of {stack}"), blocks))
}

/// For machines: what the section has, and the flags of all compilers for the smallest stack.
pub(super) fn json(totals: &PriceTotals, asked: Option<Bytes>) -> [(&'static str, Value); 3] {
    let of = |compiler: Compiler, stack: Bytes| {
        let said = flags(compiler, stack).map(|(flag, word)| json!({ "flag": flag, "word": word }));
        json!({ "language": compiler, "flag": said[0]["flag"], "flags": said })
    };
    let stack = advised(totals, asked);
    let advice: Vec<Value> = totals.compilers.keys().map(|compiler| of(*compiler, stack)).collect();
    let compilers: BTreeMap<&str, usize> = totals.compilers.iter().map(|(of, count)| (of.as_str(), *count)).collect();
    [
        ("flags_for_16_kib", json!(COMPILERS.map(|compiler| of(compiler, SMALLEST)))),
        ("compilers", json!(compilers)),
        ("advice", json!({ "stack_bytes": stack, "by_compiler": advice })),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::Document;
    use crate::report::render;

    fn shown(totals: &PriceTotals, asked: Option<Bytes>) -> String {
        let sections = section(totals, asked).into_iter().collect();
        render::terminal(&Document { sections, ..Document::default() })
    }

    fn totals(contracts: usize, of_stack: u128) -> PriceTotals {
        let mut totals = PriceTotals::default();
        (totals.contracts, totals.of_stack) = (contracts, of_stack);
        totals
    }

    #[test]
    fn advice_is_for_the_compilers_that_the_contracts_tell() {
        let mut totals = totals(3, 5);
        totals.largest_stack = Some(Bytes(65_520));
        totals.compilers.insert(Compiler::Rust, 2);
        let text = shown(&totals, None);
        assert!(
            text.contains("stack of 65520 B") && text.contains("rustc-link-arg-cdylib=-zstack-size=65520"),
            "{text}"
        );
        assert!(text.contains("1 contract does not tell what compiled it") && !text.contains("emcc"), "{text}");
        let text = shown(&totals, Some(Bytes(32 << 10)));
        assert!(text.contains("stack of 32 KiB") && text.contains("=32768") && !text.contains("lowest fee"), "{text}");
    }

    #[test]
    fn nothing_to_save_is_no_advice() {
        assert_eq!(shown(&totals(1, 0), None), "");
    }
}
