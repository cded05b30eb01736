use crate::report::document::{Align, Block, Column, Document, Facts, Section, Table, Text, Tone};
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
    for neighbours in document.sections.chunk_by(|one, next| one.is_folded == next.is_folded) {
        let is_folded = neighbours[0].is_folded;
        if is_folded {
            let headings: Vec<String> = neighbours.iter().map(|section| plain(&section.heading.plain())).collect();
            parts.push(format!("<details>\n<summary>{}</summary>", headings.join("; ")));
        }
        for section in neighbours {
            // Of one alone the heading is the line to click.
            let is_named = is_folded && neighbours.len() == 1;
            let heading = if is_named { String::new() } else { escaped(&section.heading.plain()) };
            parts.extend((!heading.is_empty()).then(|| format!("{depth}## {heading}")));
            parts.extend(blocks(section, document.whole));
        }
        parts.extend(is_folded.then(|| "</details>".to_owned()));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}

fn blocks(section: &Section, whole: Option<&str>) -> Vec<String> {
    let mut parts = Vec::new();
    for block in &section.blocks {
        match (block, whole) {
            (Block::Table(table), Some(command)) => parts.extend(cut(table, command)),
            _ => parts.push(self::block(block)),
        }
    }
    parts
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
        // A comment has no files beside it; the numbers of a picture are in the tables.
        Block::Downloads(_) | Block::Upload(_) | Block::Figure(_) => String::new(),
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

/// The text without anything that Markdown or HTML would take for markup, or a terminal for a command. Names of parameters, and what we wrote
/// between backticks, are code.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
        let length = if let Some(code) = quoted(rest) {
            safe.push_str(code);
            code.len()
        } else if end > 0 {
            named(&rest[..end], &mut safe);
            end
        } else {
            safe.push_str(&plain(&rest[..first.len_utf8()]));
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    safe
}

const fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')
}

/// The code that the text begins with, backticks and all, if nothing in it could end it or be taken for markup.
fn quoted(text: &str) -> Option<&str> {
    let code = text.strip_prefix('`')?.split_once('`')?.0;
    let is_safe = |c: char| (c.is_ascii_graphic() || c == ' ') && !matches!(c, '<' | '&' | '|' | '\\');
    (!code.trim().is_empty() && code.chars().all(is_safe)).then(|| &text[..code.len() + 2])
}

/// Characters that names are made of: a name with an underscore is code, and in amounts underscores between digits mean nothing.
fn named(word: &str, safe: &mut String) {
    let name = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let (before, after) = word.split_once(name).filter(|_| !name.is_empty()).unwrap_or((word, ""));
    safe.push_str(&plain(before));
    if name.contains('_') && name.contains(|c: char| c.is_ascii_alphabetic()) {
        safe.extend(["`", name, "`"]);
    } else {
        safe.push_str(name);
    }
    safe.push_str(&plain(after));
}

/// The text with everything escaped, and no code.
fn plain(text: &str) -> String {
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
    fn names_are_code_and_amounts_are_plain() {
        assert_eq!(
            escaped("memory_init_base is 129_000_000 gas; see params/a_b.toml."),
            "`memory_init_base` is 129_000_000 gas; see `params/a_b.toml`."
        );
        assert_eq!(escaped("`terms`: `>16` is `a b`"), "`terms`: `>16` is `a b`");
        assert_eq!(escaped("_a_ `<b>` `|` ` * a"), "\\_a\\_ \\`&lt;b&gt;\\` \\`\\|\\` \\` \\* a");
        assert_eq!(escaped("x_y"), "`x_y`");
    }

    #[test]
    fn neighbours_that_are_folded_are_behind_one_line() {
        let section = |heading: &str| Section::new("a", heading, vec![Block::Text("words".into())]);
        let sections = vec![section("Open"), section("One").folded(), section("Two").folded()];
        let text = markdown(&Document { sections, ..Document::default() });
        let folded = "<details>\n<summary>One; Two</summary>\n\n## One\n\nwords\n\n## Two\n\nwords\n\n</details>\n";
        assert_eq!(text, format!("## Open\n\nwords\n\n{folded}"));
    }

    #[test]
    fn a_fence_is_longer_than_any_within() {
        assert_eq!(fenced("sh", "a ``` b"), "````sh\na ``` b\n````");
    }
}
