use askama::Template;

use crate::report::ReportError;
use crate::report::document::{Align, Block, Document, Figure, Section, Table, Tone};
use crate::report::plot::Width;
use crate::report::script;
use crate::text::shown_lines;

/// A page for people: one file that needs neither network nor script, in the reader's theme, on any width and on paper.
#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    document: &'a Document,
}

/// A document as a page.
///
/// # Errors
/// A picture or the page cannot be made; no input is known with which that happens.
pub fn html(document: &Document) -> Result<String, ReportError> {
    let page = Page { document }.render();
    let html = page.map_err(|source| ReportError::Page { title: document.title.clone(), source })?;
    Ok(shown_lines(&html).into_owned())
}

/// The classes of a table, by which it is set. One whose rows have a cell under each heading can be sorted.
fn class(table: &Table) -> String {
    let is_figures = table.columns.iter().any(|column| column.align == Align::Right);
    let is_sortable = table.rows.len() > 1 && table.rows.iter().all(|row| row.len() == table.columns.len());
    format!("{}{}", if is_figures { "figures" } else { "prose" }, if is_sortable { " sortable" } else { "" })
}

/// The classes of what a table scrolls in: one of many columns has the width of the page.
fn room(table: &Table) -> &'static str {
    const MANY: usize = 6;
    if table.columns.len() > MANY { "scroll many" } else { "scroll" }
}

/// What is set otherwise than the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Plain,
    Date,
    Code,
}

/// The text in parts: what stands in backticks is code, as it is in Markdown.
fn parts(text: &str) -> Vec<(&str, Set)> {
    let (mut parts, mut rest) = (Vec::new(), text);
    let words =
        |words| dated(words).into_iter().map(|(part, is_date)| (part, if is_date { Set::Date } else { Set::Plain }));
    while let Some((before, code, after)) = coded(rest) {
        parts.extend(words(before));
        parts.push((code, Set::Code));
        rest = after;
    }
    parts.extend(words(rest));
    parts
}

/// What stands before the first code, the code, and what stands after it.
fn coded(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`').filter(|(code, _)| !code.trim().is_empty())?;
    Some((before, code, after))
}

/// The text in parts, of which dates, each with its time, are not to be broken at their hyphens.
fn dated(text: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let (mut rest, mut plain) = (0, 0);
    while let Some(word) = text[rest..].split(' ').next().filter(|_| rest < text.len()) {
        let end = rest + word.len();
        let time =
            text[end..].strip_prefix(' ').and_then(|rest| rest.split(' ').next()).filter(|next| is_like(next, "00:00"));
        if is_like(word, "0000-00-00") {
            let end = end + time.map_or(0, |time| time.len() + 1);
            parts.extend([(&text[plain..rest], false), (&text[rest..end], true)]);
            (rest, plain) = (end, end);
        } else {
            rest = end;
        }
        rest += usize::from(rest < text.len());
    }
    parts.push((&text[plain..], false));
    parts.retain(|(part, _)| !part.is_empty());
    parts
}

/// Whether a word begins as a pattern, whose zeros stand for any digit.
fn is_like(word: &str, pattern: &str) -> bool {
    let alike = |(found, wanted): (u8, u8)| if wanted == b'0' { found.is_ascii_digit() } else { found == wanted };
    word.len() >= pattern.len() && word.bytes().zip(pattern.bytes()).all(alike)
}

/// What names a table: its title, or where it has none the heading above it.
fn caption(title: &str, section: &Section) -> String {
    if title.is_empty() { section.heading.plain() } else { title.to_owned() }
}

fn drawn(figure: &Figure, width: Width) -> Result<String, ReportError> {
    figure.chart.draw(width).map_err(|source| ReportError::Plot { chart: figure.chart.name.clone(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::Facts;

    #[test]
    fn nothing_that_a_name_says_becomes_markup() {
        let name = "<script>alert(1)</script>\"'&\u{202e}\u{1b}";
        let table = Table::of_words([name, name], [[name, name]]).titled(name);
        let facts = Facts { title: name.into(), rows: vec![(name.into(), name.into())] };
        let blocks = vec![
            Block::Lead(name.into()),
            Block::Text(name.into()),
            Block::Warning(name.into()),
            Block::List(vec![name.into()]),
            Block::Notes(vec![name.into()]),
            Block::Code(name.into()),
            Block::Lines(vec![name.into()]),
            Block::Facts(facts),
            Block::Table(table),
        ];
        let document = Document {
            title: name.into(),
            about: vec![name.into()],
            sections: vec![Section::new("one", name, blocks)],
            footer: name.into(),
            ..Document::default()
        };
        let html = html(&document).unwrap();
        assert!(html.matches("<script").count() == 1 && html.contains("&#60;script&#62;"), "{html}");
        assert!(!html.contains(['\u{202e}', '\u{1b}']) && html.contains(r"\u{202e}\u{1b}"), "{html}");
    }

    #[test]
    fn the_one_script_of_a_page_is_the_one_that_its_hash_lets_run() {
        let site = Document { site: &[("Runs", "/runs")], ..Document::default() };
        for (document, is_file) in [(site, false), (Document::default(), true)] {
            let page = html(&document).unwrap();
            let (_, rest) = page.split_once("<script>").unwrap();
            assert_eq!(rest.split_once("</script>").unwrap().0, script::TABLE);
            assert_eq!(page.matches("<script").count(), 1);
            assert_eq!(
                page.contains(&format!("script-src {};", script::source())),
                is_file,
                "a service has it in a header"
            );
        }
    }

    #[test]
    fn dates_are_told_from_other_words() {
        for (text, parts) in [
            ("", &[][..]),
            ("on 2026-12-02, or not", &[("on ", false), ("2026-12-02,", true), (" or not", false)]),
            ("2026-12-02T01:15:34Z", &[("2026-12-02T01:15:34Z", true)]),
            ("a 2026-12-02 01:15 UTC", &[("a ", false), ("2026-12-02 01:15", true), (" UTC", false)]),
            ("2026-12-02 2026-12-03", &[("2026-12-02", true), (" ", false), ("2026-12-03", true)]),
            ("page-6.18-every µ", &[("page-6.18-every µ", false)]),
        ] {
            assert_eq!(dated(text), parts, "{text}");
        }
    }

    #[test]
    fn what_stands_in_backticks_is_code_and_one_alone_is_a_character() {
        assert_eq!(parts("a `b_c`, `` and `d"), [("a ", Set::Plain), ("b_c", Set::Code), (", `` and `d", Set::Plain)]);
        assert_eq!(parts("`a` 2026-12-02"), [("a", Set::Code), (" ", Set::Plain), ("2026-12-02", Set::Date)]);
        let lead = Section::new("one", "", vec![Block::Lead("`>16` stands for `<b>`".into())]);
        let page = html(&Document { sections: vec![lead], ..Document::default() }).unwrap();
        assert!(page.contains("<code>&#62;16</code> stands for <code>&#60;b&#62;</code>"), "{page}");
    }

    #[test]
    fn tables_with_a_cell_under_each_heading_can_be_sorted() {
        assert_eq!(class(&Table::of_figures(["a", "b"], [["1", "2"], ["3", "4"]])), "figures sortable");
        assert_eq!(class(&Table::of_words(["a", "b"], [vec!["1", "2"], vec!["over both"]])), "prose");
        assert_eq!(class(&Table::of_words(["a"], [["1"]])), "prose");
    }
}
