use std::borrow::Cow;
use std::fmt::Write;

use crate::text::{is_unsafe, shown, shown_lines};

/// Rows of text under headers, the first column to the left and all others to the right.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) headers: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Grid {
    pub(super) fn new<const N: usize>(headers: [&str; N]) -> Self {
        Self { headers: headers.map(str::to_owned).into(), rows: Vec::new() }
    }

    pub(super) fn push<const N: usize>(&mut self, row: [String; N]) {
        self.rows.push(row.into());
    }

    /// Aligned columns, indented by two spaces. Without headers, names and values, both to the left.
    pub(super) fn text(&self) -> String {
        if self.headers.is_empty() {
            return self.list();
        }
        let shown: Vec<Vec<Cow<'_, str>>> =
            std::iter::once(&self.headers).chain(&self.rows).map(|line| safe(line)).collect();
        let lines = || shown.iter();
        let widths: Vec<usize> = (0..self.headers.len())
            .map(|column| {
                lines().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        for line in lines() {
            for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
                // Writing to a `String` cannot fail.
                let _ = if column == 0 { write!(text, "  {cell:<width$}") } else { write!(text, "  {cell:>width$}") };
            }
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        text
    }

    fn list(&self) -> String {
        let rows: Vec<Vec<Cow<'_, str>>> = self.rows.iter().map(|row| safe(row)).collect();
        let width = rows.iter().filter_map(|row| row.first()).map(|cell| cell.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for row in &rows {
            let value = wrapped(&row[1..].join("  "), LINE.saturating_sub(width + 4));
            // Writing to a `String` cannot fail.
            for (index, part) in value.iter().enumerate() {
                let name = if index == 0 { &row[0] } else { "" };
                let _ = writeln!(text, "  {name:<width$}  {part}");
            }
        }
        text
    }

    /// A table as GitHub renders it. Cells are escaped, since contracts choose their own names.
    pub(super) fn markdown(&self) -> String {
        if self.headers.is_empty() {
            let item = |row: &Vec<String>| format!("- {}: {}\n", escaped(&row[0]), escaped(&row[1..].join(" ")));
            return self.rows.iter().map(item).collect::<Vec<_>>().concat();
        }
        let row = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule: Vec<&str> = (0..self.headers.len()).map(|column| if column == 0 { "---" } else { "---:" }).collect();
        let rows = self.rows.iter().map(|cells| row(cells)).collect::<Vec<_>>().concat();
        format!("{}| {} |\n{rows}", row(&self.headers), rule.join(" | "))
    }
}

/// Cells choose neither the lines nor the columns of others.
fn safe(cells: &[String]) -> Vec<Cow<'_, str>> {
    cells.iter().map(|cell| shown(cell)).collect()
}

/// The columns of a terminal that everything fits in, tables with long names apart.
pub(super) const LINE: usize = 80;

/// The text in lines of at most `width` characters, broken between words. A longer word stands alone.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if lines[last].is_empty() {
            lines[last].push_str(word);
        } else if lines[last].chars().count() + 1 + word.chars().count() <= width {
            lines[last] = format!("{} {word}", lines[last]);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// The text without any character that Markdown or HTML would take for markup, or a terminal for a command.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => safe.extend(['\\', character]),
            '\n' | '\r' | '\t' => safe.push(' '),
            control if is_unsafe(control) => {
                safe.push_str(&shown(control.encode_utf8(&mut [0; 4])).replace('\\', "\\\\"));
            }
            plain => safe.push(plain),
        }
    }
    safe
}

/// A command as a block of code. Its fence is longer than any within.
pub(super) fn fenced(command: &str) -> String {
    let longest = command.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}sh\n{}\n{fence}\n", shown_lines(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new(["name", "µs"]);
        grid.push(["a|<script>".into(), "1".into()]);
        grid.push(["b".into(), "100".into()]);
        grid
    }

    #[test]
    fn columns_align() {
        assert_eq!(grid().text(), "  name         µs\n  a|<script>    1\n  b           100\n");
    }

    #[test]
    fn words_wrap_and_none_is_lost() {
        assert_eq!(wrapped("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrapped("too-long-for-it b", 4), ["too-long-for-it", "b"]);
        assert_eq!(wrapped("", 4), [""]);
    }

    #[test]
    fn markup_in_names_is_harmless() {
        assert!(grid().markdown().contains("| a\\|&lt;script&gt; | 1 |"));
        assert_eq!(escaped("`\u{202e}`\r\u{1b}"), r"\`\\u{202e}\` \\u{1b}");
    }

    #[test]
    fn a_cell_cannot_begin_a_line() {
        let mut grid = Grid::new(["name"]);
        grid.push(["a\nb\u{1b}[2J".into()]);
        assert_eq!(grid.text(), "  name\n  a\\nb\\u{1b}[2J\n");
        grid.headers.clear();
        assert_eq!(grid.text().lines().count(), 1);
    }
}
