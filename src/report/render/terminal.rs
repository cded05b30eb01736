use anstyle::{AnsiColor, Style};

use super::wrap::{LINE, length, wrapped};
use crate::report::document::{Align, Block, Column, Document, Facts, Section, Table, Text, Tone};
use crate::text::shown;

/// A document for a terminal, with styles that the caller strips where they are not wanted. Pictures are left out.
#[must_use]
pub fn terminal(document: &Document) -> String {
    let head = if document.title.is_empty() {
        lines(document.about.iter().flat_map(|line| wrapped(&shown(line), LINE)))
    } else {
        let about: String = document.about.iter().map(|line| hanging(&shown(line))).collect();
        let title = wrapped(&shown(&document.title), LINE);
        lines(title.iter().map(|line| bold(line))) + &about
    };
    let footer = if document.footer.is_empty() { Vec::new() } else { wrapped(&shown(&document.footer), LINE) };
    let parts = [head].into_iter().chain(document.sections.iter().map(section)).chain([lines(footer)]);
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A sentence of its own in lines of 80 columns, all but the first set in.
#[must_use]
pub fn sentence(words: &str) -> String {
    let mut lines = wrapped(words, LINE - 2);
    lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, "  "));
    lines.join("\n")
}

fn section(section: &Section) -> String {
    let is_headed = !section.heading.is_empty();
    let heading = if is_headed { format!("{}\n", styled(&section.heading)) } else { String::new() };
    section.blocks.iter().fold(heading, |text, part| text + &block(part, is_headed))
}

fn block(block: &Block, is_headed: bool) -> String {
    match block {
        Block::Lead(text) => lines(wrapped(&styled(text), LINE)),
        Block::Text(text) | Block::Warning(text) => indented(&wrapped(&styled(text), LINE - 2)),
        Block::List(items) => items.iter().map(|item| hanging(&format!("- {}", styled(item)))).collect(),
        Block::Notes(items) => items.iter().map(|item| hanging(&styled(item))).collect(),
        Block::Code(text) => indented(&text.lines().map(shown).collect::<Vec<_>>()),
        Block::Lines(lines) => indented(&lines.iter().map(|line| shown(line)).collect::<Vec<_>>()),
        Block::Facts(facts) => self::facts(facts),
        Block::Table(table) => self::table(table, is_headed),
        Block::Figure(_) | Block::Downloads(_) | Block::Upload(_) => String::new(),
    }
}

/// Aligned columns. Where no heading is above the table, its own are in bold. One without room is broken into several, each with the names
/// of the rows.
fn table(table: &Table, is_headed: bool) -> String {
    let whole = grid(&table.columns, &table.rows, is_headed);
    if fits(&whole) {
        return whole;
    }
    let kept: Vec<usize> = (0..table.columns.len()).filter(|&at| !table.columns[at].is_optional).collect();
    let of = |columns: &[usize]| {
        let cells = |row: &Vec<Text>| columns.iter().filter_map(|&at| row.get(at).cloned()).collect();
        let columns: Vec<Column> = columns.iter().map(|&at| table.columns[at].clone()).collect();
        grid(&columns, &table.rows.iter().map(cells).collect::<Vec<_>>(), is_headed)
    };
    let without = of(&kept);
    let is_figure = |at: &usize| table.columns[*at].align == Align::Right;
    // Names at the end of a line are as long as they are.
    let ends_in_words = !kept.last().is_some_and(is_figure);
    if fits(&without) || ends_in_words || table.rows.iter().any(|row| row.len() < table.columns.len()) {
        return without;
    }
    let names = kept.iter().position(is_figure).unwrap_or(1).max(1);
    let (names, figures) = kept.split_at(names.min(kept.len()));
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for &at in figures {
        match parts.last_mut() {
            Some(part) if fits(&of(&[part, &[at][..]].concat())) => part.push(at),
            _ => parts.push([names, &[at]].concat()),
        }
    }
    let parts: Vec<String> = parts.iter().map(|part| of(part)).collect();
    // Words that are longer than a line are no shorter in a table of their own.
    if parts.iter().all(|part| fits(part)) { parts.join("\n") } else { without }
}

fn fits(text: &str) -> bool {
    text.lines().all(|line| length(line) <= LINE)
}

fn grid(columns: &[Column], rows: &[Vec<Text>], is_headed: bool) -> String {
    let widths = widths(columns, rows);
    let is_named = columns.iter().any(|column| !column.heading.is_empty());
    let head = is_named.then(|| {
        let headings: Vec<Text> = columns.iter().map(|column| Text::from(&column.heading)).collect();
        let head = line(columns, &widths, &headings);
        if is_headed { head } else { bold(&head) }
    });
    lines(head.into_iter().chain(rows.iter().map(|cells| line(columns, &widths, cells))))
}

fn widths(columns: &[Column], rows: &[Vec<Text>]) -> Vec<usize> {
    let width = |(at, column): (usize, &Column)| {
        let whole = rows.iter().filter(|row| row.len() == columns.len());
        let cells = whole.map(|row| length(&styled(&row[at])));
        cells.chain([column.heading.chars().count(), column.width]).max().unwrap_or_default()
    };
    columns.iter().enumerate().map(width).collect()
}

/// Cells in their columns. Neither the last of a row that is too short nor what follows the last word is filled up.
fn line(columns: &[Column], widths: &[usize], cells: &[Text]) -> String {
    let is_short = cells.len() < columns.len();
    let cell = |(at, (cell, (column, width))): (usize, (&Text, (&Column, &usize)))| {
        let cell = styled(cell);
        let room = if is_short && at + 1 == cells.len() { 0 } else { width.saturating_sub(length(&cell)) };
        let gap = " ".repeat(room);
        if column.align == Align::Left { format!("  {cell}{gap}") } else { format!("  {gap}{cell}") }
    };
    let cells: String = cells.iter().zip(columns.iter().zip(widths)).enumerate().map(cell).collect();
    cells.trim_end_matches(' ').to_owned()
}

/// Names and values, both to the left, values as far as there is room.
fn facts(facts: &Facts) -> String {
    let width = facts.rows.iter().map(|(name, _)| shown(name).chars().count()).max().unwrap_or_default();
    let fact = |(name, value): &(String, String)| {
        let name = shown(name).into_owned();
        let values = wrapped(&shown(value), LINE.saturating_sub(width + 4)).into_iter();
        values.enumerate().map(move |(at, value)| format!("  {:<width$}  {value}", if at == 0 { &name } else { "" }))
    };
    lines(facts.rows.iter().flat_map(fact))
}

/// A sentence in lines, all but the first set in.
fn hanging(sentence: &str) -> String {
    let mut lines = wrapped(sentence, LINE - 4);
    lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, "  "));
    indented(&lines)
}

fn indented(all: &[impl AsRef<str>]) -> String {
    lines(all.iter().map(|line| format!("  {}", line.as_ref())))
}

pub(super) fn lines(lines: impl IntoIterator<Item: AsRef<str>>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.as_ref().trim_end_matches(' '));
        text.push('\n');
    }
    text
}

pub(super) fn bold(text: &str) -> String {
    let bold = Style::new().bold();
    format!("{bold}{text}{bold:#}")
}

/// The words with their styles. They choose neither the lines nor the columns of others.
pub(super) fn styled(text: &Text) -> String {
    let span = |tone: Tone, words: &str| {
        let style = match tone {
            Tone::Plain | Tone::Code => Style::new(),
            Tone::Strong => Style::new().bold(),
            Tone::Caution => Style::new().fg_color(Some(AnsiColor::Yellow.into())),
            Tone::Alarm => Style::new().fg_color(Some(AnsiColor::Red.into())).bold(),
        };
        format!("{style}{}{style:#}", shown(words))
    };
    text.0.iter().map(|part| span(part.tone, &part.words)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_table(table: Table) -> String {
        terminal(&Document { sections: vec![Section::new("a", "A", vec![Block::Table(table)])], ..Document::default() })
    }

    #[test]
    fn columns_align() {
        let table = Table::of_figures(["name", "µs"], [["a|<script>", "1"], ["b", "100"]]);
        assert!(shown_table(table).ends_with("\n  name         µs\n  a|<script>    1\n  b           100\n"));
    }

    #[test]
    fn a_title_and_a_footer_without_room_wrap() {
        let long = "word ".repeat(40).trim_end().to_owned();
        let text = terminal(&Document { title: long.clone(), footer: long.clone(), ..Document::default() });
        assert!(fits(&text) && text.matches("word").count() == 80, "{text}");
        let sentence = sentence(&format!("warning: {long}"));
        assert!(fits(&sentence) && sentence.contains("\n  word"), "{sentence}");
    }

    #[test]
    fn a_cell_cannot_begin_a_line() {
        let table = Table::of_figures(["name"], [["a\nb\u{1b}[2J"]]);
        assert!(shown_table(table).ends_with("\n  name\n  a\\nb\\u{1b}[2J\n"));
        let facts = Facts { rows: vec![("a\nb".into(), "c\nd".into())], ..Facts::default() };
        assert_eq!(self::facts(&facts), "  a\\nb  c\\nd\n");
    }

    #[test]
    fn a_column_without_room_is_left_out_and_a_short_row_moves_no_other() {
        let rows = [vec!["a", "1", "bar"], vec!["b", "much longer than a cost"]];
        let mut table = Table::of_figures(["name", "cost", ""], rows);
        table.columns[2].is_optional = true;
        let text = shown_table(table.clone());
        assert!(text.contains("  a        1  bar\n  b     much longer than a cost\n"), "{text}");
        table.columns[1].width = 100;
        assert!(!shown_table(table).contains("bar"));
    }

    #[test]
    fn a_table_without_room_is_broken_between_its_columns() {
        let cells: Vec<String> = (0..12).map(|at| format!("cell {at:03}")).collect();
        let text = shown_table(Table::of_figures(&cells, [&cells, &cells]));
        assert!(fits(&text), "{text}");
        let named = text.lines().filter(|line| line.starts_with("  cell 000")).count();
        assert_eq!(named, 6, "a heading and two rows, twice: {text}");
        assert!(cells.iter().all(|cell| text.contains(cell.as_str())), "{text}");
    }
}
