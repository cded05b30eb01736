//! What a corpus of contracts pays.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::params::{Objection, PriceRow, PriceTotals};
use crate::report::document::{Block, Column, Document, Section, Table, Text};
use crate::report::words::{change, or_dash, or_empty, percent, ratio, share};
use crate::units::{Gas, group_digits};

/// How to build with a stack of 16 KiB, by language: what to pass where.
///
/// `rustc` and clang hand `-z` to LLVM's linker (<https://lld.llvm.org/WebAssembly.html>); `AssemblyScript` has a flag of its
/// own (`asc --help`); `TinyGo` takes linker flags, while its `-stack-size` is for goroutines.
const STACK_FLAGS: [(&str, &str); 4] = [
    ("Rust", "RUSTFLAGS='-C link-arg=-zstack-size=16384' cargo build --target wasm32-unknown-unknown --release"),
    ("C, C++", "clang --target=wasm32 -Wl,-z,stack-size=16384,--stack-first …   (Emscripten: -sSTACK_SIZE=16384)"),
    ("AssemblyScript", "asc --stackSize 16384 --initialMemory 1 …   (its stack is 32 KiB at most unless asked)"),
    ("TinyGo", "tinygo build -target=wasm-unknown -ldflags='-extldflags \"-zstack-size=16384\"' …"),
];

/// The columns of [`row`]. The name comes last, so that no row need know how long others are.
#[must_use]
pub fn columns(compared: bool, parts: &[&str]) -> Vec<Column> {
    let fees = [("pages", 5), ("fee", 21), ("stack", 5), ("16 KiB", 7), ("64 KiB", 7), ("256 KiB", 7)];
    let compared = if compared { &[("old fee", 21), ("change", 8)][..] } else { &[] };
    let figures = fees.iter().chain(compared).map(|&(heading, width)| Column::right(heading, width));
    let bill = (!parts.is_empty()).then_some(&"bill");
    let parts = parts.iter().chain(bill).map(|name| Column::right(*name, 19));
    figures.chain(parts).chain([Column::left("contract", 0)]).collect()
}

/// One contract: the share of its fee that is due to the stack, and what other stacks would change.
#[must_use]
pub fn row(row: &PriceRow, compared: bool) -> Vec<Text> {
    if let Some(error) = &row.error {
        return vec!["–".into(), format!("{}: {error}", row.file).into()];
    }
    let of_fee = |part: Option<Gas>| part.zip(row.fee).map(|(part, fee)| ratio(part.0.into(), fee.0.into()));
    let saves = |at: Option<Gas>| or_dash(of_fee(at).map(|part| percent(part - 1.0)));
    let mut cells = vec![
        or_empty(row.declared_pages),
        or_dash(row.fee),
        or_dash(of_fee(row.fee_of_stack).map(share)),
        saves(row.fee_at_16_kib),
        saves(row.fee_at_64_kib),
        saves(row.fee_at_256_kib),
    ];
    if compared {
        cells.extend([or_dash(row.old_fee), change(row.change)]);
    }
    if !row.parts.0.is_empty() {
        cells.extend(row.parts.0.iter().map(|(_, fee)| or_dash(*fee)));
        cells.push(or_dash(row.bill));
    }
    let limit = (row.beyond_limit == Some(true)).then_some("more pages than the chain allows");
    let notes: Vec<&str> = limit.into_iter().chain(row.remark).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    cells.push(format!("{}{notes}", row.file));
    cells.into_iter().map(Text::from).collect()
}

/// The corpus.
#[must_use]
pub fn page(totals: &PriceTotals, compared: bool) -> Document {
    let mut sections = Vec::new();
    let columns = if compared { 5 } else { 3 };
    let headings = ["pages", "contracts", "fee of each", "old fee", "change"].into_iter().take(columns);
    let fees = totals.levels().map(|level| {
        let change = change(level.change);
        let cells =
            [level.pages.to_string(), level.contracts.to_string(), or_dash(level.fee), or_dash(level.old_fee), change];
        cells.into_iter().take(columns)
    });
    let fees = Table::of_figures(headings, fees);
    if let Some(fees) = fees.block() {
        sections.push(Section::new("fees", "Fees by pages", vec![fees]).then(", in gas a call"));
    }
    let text = |sentence: String| Block::Text(sentence.into());
    sections.push(Section::unheaded("totals", sentences(totals, compared).into_iter().map(text).collect()));
    if totals.of_stack > 0 {
        let flags = Table::of_words(["", ""], STACK_FLAGS.map(|(language, flag)| [language, flag]));
        let bounds = "Fees at other stacks are lower bounds, from data and heap base: memory that a contract grows is paid for when \
                      it grows. Measure the depth of your calls first: with the stack before the data an overflow traps, otherwise \
                      it overwrites data.";
        let blocks = vec![Block::Table(flags), text(bounds.into())];
        sections.push(Section::new("stack", "To build with a stack of 16 KiB", blocks));
    }
    Document { sections, ..Document::default() }
}

fn sentences(totals: &PriceTotals, compared: bool) -> Vec<String> {
    let mut said = Vec::new();
    if totals.contracts > 0 {
        let saved = totals.at_stacks.map(|sum| percent(ratio(sum, totals.fees) - 1.0));
        said.push(format!(
            "{} contracts, one call each: {} gas, of which {} is due to stacks. With stacks of 16, 64 and 256 KiB: {}, {} and {}.",
            totals.contracts,
            grouped(totals.fees),
            share(ratio(totals.of_stack, totals.fees)),
            saved[0],
            saved[1],
            saved[2]
        ));
    }
    if !totals.parts.is_empty() {
        let part = |(name, sum): (&&str, &u128)| format!("{name} {}", share(ratio(*sum, totals.bills)));
        let parts: Vec<String> = totals.parts.iter().map(part).collect();
        said.push(format!("With all parts: {} gas, of which {}.", grouped(totals.bills), parts.join(", ")));
    }
    if compared {
        let [more, less, same] = totals.changes;
        let all = change((totals.old_fees > 0).then(|| ratio(totals.fees, totals.old_fees) - 1.0));
        said.push(format!(
            "Against the older table: {more} pay more, {less} less, {same} the same; all together {all}, from {} gas.",
            grouped(totals.old_fees)
        ));
    }
    for (count, what) in [
        (totals.untold, "do not tell how large their stack is; other stacks leave their fee as it is in the sums."),
        (totals.beyond_limit, "declare more pages than the chain allows: they have no fee and are in no sum."),
        (totals.unbilled, "have no bill: a part cannot be told from the module."),
        (totals.unpriced, "have no fee: more pages than can be priced."),
        (totals.broken, "files are no contracts."),
        (totals.missing, "names lead to no file."),
    ] {
        if count > 0 {
            said.push(format!("{count} {what}"));
        }
    }
    said
}

fn grouped(sum: u128) -> String {
    u64::try_from(sum).map_or_else(|_| sum.to_string(), group_digits)
}

/// The corpus for machines, with what speaks against the table. Sums are texts, since they can exceed what a JSON number holds exactly.
#[must_use]
pub fn json(totals: &PriceTotals, compared: bool, objections: &[Objection]) -> Value {
    let [at_16_kib, at_64_kib, at_256_kib] = totals.at_stacks.map(|sum| sum.to_string());
    let [more, less, same] = totals.changes;
    json!({
        "contracts": totals.contracts,
        "broken": totals.broken,
        "missing": totals.missing,
        "unpriced": totals.unpriced,
        "stack_unknown": totals.untold,
        "beyond_limit": totals.beyond_limit,
        "fees": totals.fees.to_string(),
        "fees_of_stack": totals.of_stack.to_string(),
        "fees_at_16_kib": at_16_kib,
        "fees_at_64_kib": at_64_kib,
        "fees_at_256_kib": at_256_kib,
        "parts": totals.parts.iter().map(|(name, sum)| ((*name).to_owned(), sum.to_string())).collect::<BTreeMap<_, _>>(),
        "bills": totals.bills.to_string(),
        "unbilled": totals.unbilled,
        "compared": compared.then(|| json!({
            "old_fees": totals.old_fees.to_string(), "pay_more": more, "pay_less": less, "pay_the_same": same,
        })),
        "objections": objections,
        "levels": totals.levels().collect::<Vec<_>>(),
        "flags_for_16_kib": STACK_FLAGS.iter().map(|(language, flag)| json!({ "language": language, "flag": flag })).collect::<Vec<_>>(),
    })
}
