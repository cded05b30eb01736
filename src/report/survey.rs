use std::fmt::Write;

use anstyle::Style;
use serde_json::{Value, json};

use super::grid::{Grid, LINE, wrapped};
use crate::contract::survey::{SurveyRow, SurveyTotals};
use crate::text::shown;
use crate::units::group_digits;

/// The headings above [`survey_line`]s.
#[must_use]
pub fn survey_headings() -> String {
    let bold = Style::new().bold();
    let line =
        columns(["pages", "max", "memory", "stack", "place", "data", "heap base", "code", "funcs", "imports", "start"]);
    format!("{bold}{line}  contract{bold:#}\n")
}

/// One contract for a terminal. Its name comes last, so that no row need know the widths of the others.
#[must_use]
pub fn survey_line(row: &SurveyRow) -> String {
    let name = shown(&row.file);
    if let Some(error) = &row.error {
        return format!("  {:>5}  {name}: {}\n", "–", shown(error));
    }
    let memory = match (row.memory.unwrap_or_default(), row.memories.unwrap_or_default()) {
        (kind, 0 | 1) => kind.to_owned(),
        (kind, memories) => format!("{kind} +{}", memories - 1),
    };
    let kind = [(row.memory64, "64-bit"), (row.shared, "shared")];
    let mut notes: Vec<String> =
        kind.into_iter().filter(|(is, _)| *is == Some(true)).map(|(_, word)| word.to_owned()).collect();
    for (count, word) in [(row.passive_segments, "passive"), (row.unplaced_segments, "unplaced")] {
        if let Some(count) = count.filter(|&count| count > 0) {
            notes.push(format!("data segments: {count} {word}"));
        }
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let line = columns([
        &or_dash(row.declared_pages.filter(|_| row.memories != Some(0))),
        &or_dash(row.max_pages),
        &memory,
        &row.stack_bytes.map_or_else(|| "–".into(), size),
        row.stack_order.map_or("–", |order| order.as_str()),
        &row.data_bytes.map_or_else(String::new, size),
        &row.heap_base.map_or_else(|| "–".into(), |base| group_digits(base.into())),
        &row.code_bytes.map_or_else(String::new, size),
        &or_dash(row.functions),
        &or_dash(row.imports),
        &or_dash(row.start),
    ]);
    format!("{line}  {name}{notes}\n")
}

fn columns(cells: [&str; 11]) -> String {
    let [pages, max, memory, stack, place, data, heap, code, functions, imports, start] = cells;
    format!(
        "  {pages:>5}  {max:>5}  {memory:<11}  {stack:>8}  {place:<10}  {data:>8}  {heap:>11}  {code:>8}  {functions:>5}  \
         {imports:>7}  {start:>5}"
    )
}

/// The corpus for a terminal.
#[must_use]
pub fn survey_terminal(totals: &SurveyTotals) -> String {
    let bold = Style::new().bold();
    let mut grid = Grid::new(["pages", "declared", "16 KiB stack", "64 KiB stack", "256 KiB stack"]);
    for row in totals.histogram() {
        let counts = [row.declared, row.at_16_kib, row.at_64_kib, row.at_256_kib];
        let [declared, at_16, at_64, at_256] =
            counts.map(|count| if count == 0 { "·".to_owned() } else { count.to_string() });
        grid.push([row.pages.to_string(), declared, at_16, at_64, at_256]);
    }
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    if !grid.rows.is_empty() {
        let _ = write!(
            text,
            "\n{bold}Contracts by pages{bold:#}, as declared and at least, with other stacks\n{}",
            grid.text()
        );
    }
    text.push('\n');
    for sentence in sentences(totals) {
        for line in wrapped(&sentence, LINE - 2) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

fn sentences(totals: &SurveyTotals) -> Vec<String> {
    let with_memory = totals.contracts - totals.memory.get("none").copied().unwrap_or_default();
    let kinds: Vec<String> = totals.memory.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let mut said = Vec::new();
    if totals.contracts > 0 {
        said.push(format!("{} contracts; memory: {}.", totals.contracts, kinds.join(", ")));
    }
    if with_memory > 0 {
        said.push(format!(
            "Linker default: {} ({}) have a stack of 1 MiB and no page more than it and their data need; {} of these declare \
             17 pages. {} have a stack of 1 MiB in all.",
            totals.linker_default,
            share(totals.linker_default, with_memory),
            totals.default_17,
            totals.default_stack,
        ));
    }
    if totals.untold > 0 {
        said.push(format!(
            "{} do not tell how large their stack is and are counted as they are declared.",
            totals.untold
        ));
    }
    if totals.broken > 0 {
        said.push(format!("{} files are no contracts.", totals.broken));
    }
    if totals.missing > 0 {
        said.push(format!("{} names lead to no file.", totals.missing));
    }
    said
}

/// The corpus for machines.
#[must_use]
pub fn survey_json(totals: &SurveyTotals) -> Value {
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

fn share(part: usize, whole: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "counts of contracts")]
    let share = part as f64 / whole as f64 * 100.0;
    format!("{share:.0} %")
}

fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "–".into(), |value| value.to_string())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_unit_that_fits() {
        let shown = [0, 1023, 1024, 14_584, 1 << 20, 1_122_323].map(size);
        assert_eq!(shown, ["0 B", "1023 B", "1 KiB", "14.2 KiB", "1 MiB", "1.07 MiB"]);
    }

    #[test]
    fn names_cannot_command_a_terminal() {
        let row = SurveyRow { file: "a\u{1b}[31m\n".into(), error: Some("no".into()), ..SurveyRow::default() };
        assert_eq!(survey_line(&row), "      –  a\\u{1b}[31m\\n: no\n");
    }
}
