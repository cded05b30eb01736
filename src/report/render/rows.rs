//! Rows that are written one by one for a terminal, each whatever the others hold. One without room in a line goes on in the next.

use super::terminal::{bold, lines as ended, styled};
use super::wrap::{LINE, broken, length};
use crate::report::document::{Align, Column, Text};

/// How far the further lines of a row are set in.
const INDENT: usize = 6;

/// The least that is worth beginning the last cell on a line that others stand on.
const ROOM: usize = 24;

/// The lines above the rows.
#[must_use]
pub fn heading(columns: &[Column]) -> String {
    let cells: Vec<String> = columns.iter().map(|column| styled(&Text::from(&column.heading))).collect();
    ended(lines(columns, &cells).iter().map(|line| bold(line)))
}

/// A row under [`heading`].
#[must_use]
pub fn row(columns: &[Column], cells: &[Text]) -> String {
    let cells: Vec<String> = cells.iter().map(styled).collect();
    ended(lines(columns, &cells))
}

/// The last cell has as many lines as it needs.
fn lines(columns: &[Column], cells: &[String]) -> Vec<String> {
    let Some((last, figures)) = cells.split_last() else { return Vec::new() };
    let mut lines = vec![String::new()];
    for (cell, column) in figures.iter().zip(columns) {
        let width = length(cell).max(column.heading.chars().count()).max(column.width);
        let gap = " ".repeat(width - length(cell));
        let line = begun(&mut lines, width);
        let parts =
            if column.align == Align::Left { [cell.as_str(), gap.as_str()] } else { [gap.as_str(), cell.as_str()] };
        line.push_str("  ");
        line.push_str(&parts.concat());
    }
    let line = begun(&mut lines, ROOM);
    line.push_str("  ");
    let at = length(line);
    for (number, part) in broken(last, LINE - at).into_iter().enumerate() {
        if number > 0 {
            lines.push(" ".repeat(at));
        }
        let end = lines.len() - 1;
        lines[end].push_str(&part);
    }
    lines.iter().map(|line| line.trim_end_matches(' ').to_owned()).collect()
}

/// The last line, or a new one where that has no room for a cell.
fn begun(lines: &mut Vec<String>, width: usize) -> &mut String {
    if lines.last().is_some_and(|line| length(line) + 2 + width > LINE) {
        lines.push(" ".repeat(INDENT - 2));
    }
    let end = lines.len() - 1;
    &mut lines[end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_room_goes_on_below_and_loses_nothing() {
        let mut columns: Vec<Column> = (0..9).map(|at| Column::right(format!("figure {at}"), 9)).collect();
        columns.push(Column::left("contract", 0));
        let name = |end: &str| format!("{}/{end}.wasm", "a".repeat(100));
        let cells =
            |end: &str| (0..9).map(|at| Text::from(at.to_string())).chain([name(end).into()]).collect::<Vec<_>>();
        let shown = row(&columns, &cells("b"));
        assert!(heading(&columns).lines().chain(shown.lines()).all(|line| length(line) <= LINE), "{shown}");
        let words: String = shown.split_whitespace().collect();
        assert_eq!(words, format!("012345678{}", name("b")));
        assert_ne!(shown, row(&columns, &cells("c")), "two names stay two");
        let failed = row(&columns, &["–".into(), name("b").into()]);
        assert!(failed.starts_with("          –  a") && failed.lines().all(|line| length(line) <= LINE), "{failed}");
    }

    #[test]
    fn a_row_with_room_is_a_line() {
        let columns = [Column::right("pages", 5), Column::left("contract", 0)];
        assert_eq!(row(&columns, &["17".into(), "a.wasm".into()]), "     17  a.wasm\n");
    }
}
