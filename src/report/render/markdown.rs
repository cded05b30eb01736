use crate::report::document::{Align, Block, Column, Document, Facts, Table, Text, Tone};
use crate::text::{is_unsafe, shown, shown_lines};

/// The most characters of one table in a comment, of which GitHub takes 65,536 in all.
const COMMENT_TABLE: usize = 15_000;

/// A document as GitHub renders it. Everything is escaped, since contracts choose their own names.
#[must_use]
pub fn markdown(document: &Document) -> String {
    let depth = if document.is_comment { "#" } else { "" };
    let mut parts = Vec::new();
    if !document.title.is_empty() {
        parts.push(format!("{depth}# {}", escaped(&document.title)));
    }
    parts.extend(document.about.iter().map(|line| escaped(line)));
    for section in &document.sections {
        if !section.heading.is_empty() {
            parts.push(format!("{depth}## {}", escaped(&section.heading.plain())));
        }
        for block in &section.blocks {
            match (block, document.whole) {
                (Block::Table(table), Some(command)) => parts.extend(cut(table, command)),
                _ => parts.push(self::block(block)),
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}

fn block(block: &Block) -> String {
    match block {
        Block::Lead(text) | Block::Warning(text) => format!("**{}**", inline(text)),
        Block::Text(text) => inline(text),
        Block::List(items) => items.iter().map(|item| format!("- {}", inline(item))).collect::<Vec<_>>().join("\n"),
        Block::Notes(items) => items.iter().map(inline).collect::<Vec<_>>().join("\n\n"),
        Block::Code(text) => fenced("sh", text),
        Block::Lines(lines) => fenced("", &lines.join("\n")),
        Block::Facts(facts) => titled(&facts.title, self::facts(facts)),
        Block::Table(table) => titled(&table.title, self::table(table)),
        Block::Downloads(_) | Block::Upload(_) => String::new(),
        // The numbers of a picture that is no file are in the tables.
        Block::Figure(figure) => figure
            .file
            .as_ref()
            .map_or_else(String::new, |file| format!("![{}]({file})", escaped(&figure.chart.alternative))),
    }
}

fn titled(title: &str, text: String) -> String {
    if title.is_empty() { text } else { format!("**{}**\n\n{text}", escaped(title)) }
}

fn facts(facts: &Facts) -> String {
    let fact = |(name, value): &(String, String)| format!("- {}: {}", escaped(name), escaped(value));
    facts.rows.iter().map(fact).collect::<Vec<_>>().join("\n")
}

fn table(table: &Table) -> String {
    let rows: String = table.rows.iter().map(|cells| markdown_row(cells)).collect();
    (markdown_heading(&table.columns) + &rows).trim_end().to_owned()
}

/// The lines above rows that are written one by one, each by [`markdown_row`].
#[must_use]
pub fn markdown_heading(columns: &[Column]) -> String {
    let heading = columns.iter().map(|column| escaped(&column.heading));
    let rule = columns.iter().map(|column| if column.align == Align::Left { "---" } else { "---:" }.to_owned());
    line(heading) + &line(rule)
}

/// A row under [`markdown_heading`].
#[must_use]
pub fn markdown_row(cells: &[Text]) -> String {
    line(cells.iter().map(inline))
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// A table as far as a comment has room for it, and how many rows are missing.
fn cut(table: &Table, command: &str) -> Vec<String> {
    let mut length = 0;
    let mut kept = table.clone();
    kept.rows.retain(|row| {
        length += row.iter().map(|cell| inline(cell).len() + 3).sum::<usize>();
        length <= COMMENT_TABLE
    });
    let missing = table.rows.len() - kept.rows.len();
    let note = (missing > 0).then(|| format!("{missing} further rows do not fit here: see `{command}`."));
    std::iter::once(block(&Block::Table(kept))).chain(note).collect()
}

fn inline(text: &Text) -> String {
    let span = |tone: Tone, words: &str| match tone {
        Tone::Plain => escaped(words),
        Tone::Strong | Tone::Caution | Tone::Alarm => format!("**{}**", escaped(words)),
        Tone::Code => format!("<code>{}</code>", escaped(words)),
    };
    text.0.iter().map(|part| span(part.tone, &part.words)).collect()
}

/// The text without any character that Markdown or HTML would take for markup, or a terminal for a command.
fn escaped(text: &str) -> String {
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

/// A block of code. Its fence is longer than any within.
fn fenced(language: &str, code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", shown_lines(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_is_harmless() {
        let rows = Table::of_figures(["name", "µs"], [["a|<script>", "1"]]);
        assert_eq!(table(&rows), "| name | µs |\n| --- | ---: |\n| a\\|&lt;script&gt; | 1 |");
        assert_eq!(escaped("`\u{202e}`\r\u{1b}"), r"\`\\u{202e}\` \\u{1b}");
    }

    #[test]
    fn a_fence_is_longer_than_any_within() {
        assert_eq!(fenced("sh", "a ``` b"), "````sh\na ``` b\n````");
    }
}
