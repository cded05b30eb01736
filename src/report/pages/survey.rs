//! What a corpus of contracts declares.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::contract::survey::{CallCount, PageCount, SurveyRow, SurveyTotals};
use crate::model::Workload;
use crate::report::document::{Block, Column, Document, Section, Table, Text};
use crate::report::words::{counted, or_dash, or_empty, ratio, share};
use crate::units::{HOST_PAGES_PER_WASM_PAGE, group_digits};

/// The columns of [`row`]. The name comes last, so that no row need know how long others are.
#[must_use]
pub fn columns() -> Vec<Column> {
    vec![
        Column::right("pages", 5),
        Column::right("max", 5),
        Column::left("memory", 11),
        Column::right("stack", 8),
        Column::left("place", 10),
        Column::right("data", 8),
        Column::right("heap base", 11),
        Column::right("code", 8),
        Column::right("funcs", 5),
        Column::right("imports", 7),
        Column::right("start", 5),
        Column::left("contract", 0),
    ]
}

/// One contract.
#[must_use]
pub fn row(row: &SurveyRow) -> Vec<Text> {
    if let Some(error) = &row.error {
        return vec!["–".into(), format!("{}: {error}", row.file).into()];
    }
    let memory = match (row.memory.unwrap_or_default(), row.memories.unwrap_or_default()) {
        (kind, 0 | 1) => kind.to_owned(),
        (kind, memories) => format!("{kind} +{}", memories - 1),
    };
    let kind = [(row.memory64, "64-bit"), (row.shared, "shared")];
    let mut notes: Vec<String> =
        kind.into_iter().filter(|(is, _)| *is == Some(true)).map(|(_, word)| word.to_owned()).collect();
    for (count, word) in [(row.passive_segments, "passive"), (row.unplaced_segments, "unplaced")] {
        notes.extend(count.filter(|&count| count > 0).map(|count| format!("data segments: {count} {word}")));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let cells = [
        or_dash(row.declared_pages.filter(|_| row.memories != Some(0))),
        or_dash(row.max_pages),
        memory,
        or_dash(row.stack_bytes.map(size)),
        row.stack_order.map_or("–", |order| order.as_str()).into(),
        or_empty(row.data_bytes.map(size)),
        or_dash(row.heap_base.map(|base| group_digits(base.into()))),
        or_empty(row.code_bytes.map(size)),
        or_dash(row.functions),
        or_dash(row.imports),
        or_dash(row.start),
        format!("{}{notes}", row.file),
    ];
    cells.map(Text::from).into()
}

/// The corpus.
#[must_use]
pub fn page(totals: &SurveyTotals) -> Document {
    let row = |row: PageCount| {
        let counts = [row.declared, row.at_16_kib, row.at_64_kib, row.at_256_kib];
        let [declared, at_16, at_64, at_256] =
            counts.map(|count| if count == 0 { "·".into() } else { count.to_string() });
        [row.pages.to_string(), declared, at_16, at_64, at_256]
    };
    let headings = ["pages", "declared", "16 KiB stack", "64 KiB stack", "256 KiB stack"];
    let table = Table::of_figures(headings, totals.histogram().map(row));
    let about = ", as declared and at least, with other stacks";
    let histogram = table.block().map(|table| Section::new("pages", "Contracts by pages", vec![table]).then(about));
    let sentences = sentences(totals).into_iter().map(|sentence| Block::Text(sentence.into())).collect();
    let sections = histogram.into_iter().chain([Section::unheaded("totals", sentences)]).collect();
    Document { sections, ..Document::default() }
}

fn sentences(totals: &SurveyTotals) -> Vec<String> {
    let with_memory = totals.contracts - totals.memory.get("none").copied().unwrap_or_default();
    let kinds: Vec<String> = totals.memory.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let mut said = Vec::new();
    if totals.contracts > 0 {
        let contracts = counted(totals.contracts, "contract", "contracts");
        said.push(format!("{contracts}; memory: {}.", kinds.join(", ")));
    }
    if with_memory > 0 {
        said.push(format!(
            "Linker default: {} ({}), with a stack of 1 MiB and no page more than it and the data need; {} of these with 17 pages. \
             With a stack of 1 MiB in all: {}.",
            totals.linker_default,
            share(ratio(totals.linker_default as u128, with_memory as u128)),
            totals.default_17,
            totals.default_stack,
        ));
    }
    for (count, one, many) in [
        (
            totals.untold,
            "does not tell how large its stack is and is counted as it is declared.",
            "do not tell how large their stack is and are counted as they are declared.",
        ),
        (totals.broken, "file is no contract.", "files are no contracts."),
        (totals.missing, "name leads to no file.", "names lead to no file."),
    ] {
        if count > 0 {
            said.push(counted(count, one, many));
        }
    }
    said
}

/// Bytes in the unit that fits, to three digits: exact sizes are for machines.
fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let scaled = |unit: u64| bytes as f64 / unit as f64;
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 if bytes.is_multiple_of(1024) => format!("{} KiB", bytes >> 10),
        1024..0x10_0000 => format!("{:.1} KiB", scaled(1 << 10)),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ => format!("{:.2} MiB", scaled(1 << 20)),
    }
}

/// The corpus as a mix of calls, which `run --workload` takes: every contract is called as often as the others. `None` if no contract
/// declares pages that a workload may have.
#[must_use]
pub fn workload(totals: &SurveyTotals) -> Option<String> {
    let most = Workload::MOST_PAGES;
    let calls: Vec<CallCount> = totals.calls().filter(|call| (1..=most.into()).contains(&call.pages)).collect();
    let contracts: usize = calls.iter().map(|call| call.contracts).sum();
    let mut text = format!(
        "# estimator survey --format workload, of {}, each called as often as the others.\n\
         # Touched are taken to be the host pages of 4 KiB that the data segments fill, and one of stack. A call may touch less, as it\n\
         # need not read all its data, and more, as its stack and heap are not declared. Put the calls that a node sees in the place\n\
         # of these.\n",
        counted(contracts, "contract", "contracts")
    );
    // Writing to a `String` cannot fail.
    let left_out = totals.contracts - contracts;
    if left_out > 0 {
        let (one, many) = ("contract that declares", "contracts that declare");
        let left_out = counted(left_out, one, many);
        let _ = writeln!(text, "# Left out: {left_out} no page of memory, or more than {most}.");
    }
    text.push_str("pages,touched_share,weight\n");
    for CallCount { pages, touched_host_pages, contracts } in &calls {
        let share = ratio((*touched_host_pages).into(), u128::from(*pages) * u128::from(HOST_PAGES_PER_WASM_PAGE));
        let _ = writeln!(text, "{pages},{share},{contracts}");
    }
    (contracts > 0).then_some(text)
}

/// The corpus for machines.
#[must_use]
pub fn json(totals: &SurveyTotals) -> Value {
    json!({
        "contracts": totals.contracts,
        "broken": totals.broken,
        "missing": totals.missing,
        "memory": totals.memory,
        "stack_unknown": totals.untold,
        "default_stack": totals.default_stack,
        "linker_default": totals.linker_default,
        "linker_default_17_pages": totals.default_17,
        "histogram": totals.histogram().collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::render;

    #[test]
    fn sizes_have_the_unit_that_fits() {
        let shown = [0, 1023, 1024, 14_584, 1 << 20, 1_122_323].map(size);
        assert_eq!(shown, ["0 B", "1023 B", "1 KiB", "14.2 KiB", "1 MiB", "1.07 MiB"]);
    }

    #[test]
    fn names_cannot_command_a_terminal() {
        let broken = SurveyRow { file: "a\u{1b}[31m\n".into(), error: Some("no".into()), ..SurveyRow::default() };
        assert_eq!(render::row(&columns(), &row(&broken)), "      –  a\\u{1b}[31m\\n: no\n");
    }
}
