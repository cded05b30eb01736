use std::fmt::Write;

use anstyle::Style;
use serde_json::{Value, json};

use super::grid::{Grid, LINE, wrapped};
use crate::params::{Objection, PriceRow, PriceTotals};
use crate::text::shown;
use crate::units::Gas;

/// How to build with a stack of 16 KiB, by language: what to pass where.
///
/// `rustc` and clang hand `-z` to LLVM's linker (<https://lld.llvm.org/WebAssembly.html>); `AssemblyScript` has a flag of its
/// own (`asc --help`); `TinyGo` takes linker flags, while its `-stack-size` is for goroutines.
pub const STACK_FLAGS: [(&str, &str); 4] = [
    ("Rust", "RUSTFLAGS='-C link-arg=-zstack-size=16384' cargo build --target wasm32-unknown-unknown --release"),
    ("C, C++", "clang --target=wasm32 -Wl,-z,stack-size=16384,--stack-first …   (Emscripten: -sSTACK_SIZE=16384)"),
    ("AssemblyScript", "asc --stackSize 16384 --initialMemory 1 …   (its stack is 32 KiB at most unless asked)"),
    ("TinyGo", "tinygo build -target=wasm-unknown -ldflags='-extldflags \"-zstack-size=16384\"' …"),
];

/// The headings above [`price_line`]s.
#[must_use]
pub fn price_headings(compared: bool) -> String {
    let bold = Style::new().bold();
    let line =
        columns(["pages", "fee", "stack", "16 KiB", "64 KiB", "256 KiB"], compared.then_some(("old fee", "change")));
    format!("{bold}{line}  contract{bold:#}\n")
}

/// One contract for a terminal: the share of its fee that is due to the stack, and what other stacks would change.
#[must_use]
pub fn price_line(row: &PriceRow, compared: bool) -> String {
    let name = shown(&row.file);
    if let Some(error) = &row.error {
        return format!("  {:>5}  {name}: {}\n", "–", shown(error));
    }
    let share = |part: Option<Gas>| {
        part.zip(row.fee).map_or_else(|| "–".into(), |(part, fee)| percent(ratio(part, fee), false))
    };
    let saves =
        |at: Option<Gas>| at.zip(row.fee).map_or_else(|| "–".into(), |(at, fee)| percent(ratio(at, fee) - 1.0, true));
    let (old, change) = (gas(row.old_fee), row.change.map_or_else(|| "–".into(), |change| percent(change, true)));
    let line = columns(
        [
            &row.declared_pages.map_or_else(String::new, |pages| pages.to_string()),
            &gas(row.fee),
            &share(row.fee_of_stack),
            &saves(row.fee_at_16_kib),
            &saves(row.fee_at_64_kib),
            &saves(row.fee_at_256_kib),
        ],
        compared.then_some((&old, &change)),
    );
    let limit = (row.beyond_limit == Some(true)).then_some("more pages than the chain allows");
    let notes: Vec<&str> = limit.into_iter().chain(row.remark).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    format!("{line}  {name}{notes}\n")
}

fn columns(cells: [&str; 6], compared: Option<(&str, &str)>) -> String {
    let [pages, fee, stack, at_16, at_64, at_256] = cells;
    let mut line = format!("  {pages:>5}  {fee:>21}  {stack:>5}  {at_16:>7}  {at_64:>7}  {at_256:>7}");
    if let Some((old, change)) = compared {
        let _ = write!(line, "  {old:>21}  {change:>8}");
    }
    line
}

/// The corpus for a terminal.
#[must_use]
pub fn price_terminal(totals: &PriceTotals, compared: bool) -> String {
    let bold = Style::new().bold();
    let mut headers = vec!["pages", "contracts", "fee of each"];
    if compared {
        headers.extend(["old fee", "change"]);
    }
    let mut grid = Grid { headers: headers.into_iter().map(str::to_owned).collect(), rows: Vec::new() };
    for level in totals.levels() {
        let mut row = vec![level.pages.to_string(), level.contracts.to_string(), gas(level.fee)];
        if compared {
            row.extend([gas(level.old_fee), level.change.map_or_else(|| "–".into(), |change| percent(change, true))]);
        }
        grid.rows.push(row);
    }
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    if !grid.rows.is_empty() {
        let _ = write!(text, "\n{bold}Fees by pages{bold:#}, in gas a call\n{}", grid.text());
    }
    text.push('\n');
    for sentence in sentences(totals, compared) {
        for line in wrapped(&sentence, LINE - 2) {
            let _ = writeln!(text, "  {line}");
        }
    }
    if totals.of_stack > 0 {
        let _ = write!(text, "\n{bold}To build with a stack of 16 KiB{bold:#}\n");
        for (language, flag) in STACK_FLAGS {
            let _ = writeln!(text, "  {language:<14}  {flag}");
        }
        for line in wrapped(
            "Fees at other stacks are lower bounds, from data and heap base: memory that a contract grows is paid for when it grows. \
             Measure the depth of your calls first: with the stack before the data an overflow traps, otherwise it overwrites data.",
            LINE - 2,
        ) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

fn sentences(totals: &PriceTotals, compared: bool) -> Vec<String> {
    let mut said = Vec::new();
    if totals.contracts > 0 {
        let part = |sum: u128| percent(big_ratio(sum, totals.fees), false);
        let saved = totals.at_stacks.map(|sum| percent(big_ratio(sum, totals.fees) - 1.0, true));
        said.push(format!(
            "{} contracts, one call each: {} gas, of which {} is due to stacks. With stacks of 16, 64 and 256 KiB: {}, {} and {}.",
            totals.contracts,
            grouped(totals.fees),
            part(totals.of_stack),
            saved[0],
            saved[1],
            saved[2]
        ));
    }
    if compared {
        let [more, less, same] = totals.changes;
        let change = if totals.old_fees > 0 {
            percent(big_ratio(totals.fees, totals.old_fees) - 1.0, true)
        } else {
            "–".into()
        };
        said.push(format!(
            "Against the older table: {more} pay more, {less} less, {same} the same; all together {change}, from {} gas.",
            grouped(totals.old_fees)
        ));
    }
    for (count, what) in [
        (totals.untold, "do not tell how large their stack is; other stacks leave their fee as it is in the sums."),
        (totals.beyond_limit, "declare more pages than the chain allows: they have no fee and are in no sum."),
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

/// The corpus for machines, with what speaks against the table. Sums are texts, since they can exceed what a JSON number holds exactly.
#[must_use]
pub fn price_json(totals: &PriceTotals, compared: bool, objections: &[Objection]) -> Value {
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
        "compared": compared.then(|| json!({
            "old_fees": totals.old_fees.to_string(), "pay_more": more, "pay_less": less, "pay_the_same": same,
        })),
        "objections": objections,
        "levels": totals.levels().collect::<Vec<_>>(),
        "flags_for_16_kib": STACK_FLAGS.iter().map(|(language, flag)| json!({ "language": language, "flag": flag })).collect::<Vec<_>>(),
    })
}

fn gas(gas: Option<Gas>) -> String {
    gas.map_or_else(|| "–".into(), |gas| gas.to_string())
}

fn grouped(sum: u128) -> String {
    u64::try_from(sum).map_or_else(|_| sum.to_string(), crate::units::group_digits)
}

#[expect(clippy::cast_precision_loss, reason = "a ratio is shown to some digits")]
fn big_ratio(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn ratio(part: Gas, whole: Gas) -> f64 {
    big_ratio(part.0.into(), whole.0.into())
}

fn percent(share: f64, signed: bool) -> String {
    if signed { format!("{:+.1} %", share * 100.0) } else { format!("{:.0} %", share * 100.0) }
}
