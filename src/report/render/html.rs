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
        assert!(!html.contains("<script") && html.contains("&#60;script&#62;"), "{html}");
        assert!(!html.contains(['\u{202e}', '\u{1b}']) && html.contains(r"\u{202e}\u{1b}"), "{html}");
    }

    #[test]
    fn the_one_script_of_a_page_of_a_service_is_the_one_that_its_hash_lets_run() {
        let site = Document { site: &[("Runs", "/runs")], ..Document::default() };
        let page = html(&site).unwrap();
        let (_, rest) = page.split_once("<script>").unwrap();
        assert_eq!(rest.split_once("</script>").unwrap().0, script::TABLE);
        assert_eq!(page.matches("<script").count(), 1);
        assert!(!html(&Document::default()).unwrap().contains("<script"));
    }

    #[test]
    fn tables_with_a_cell_under_each_heading_can_be_sorted() {
        assert_eq!(class(&Table::of_figures(["a", "b"], [["1", "2"], ["3", "4"]])), "figures sortable");
        assert_eq!(class(&Table::of_words(["a", "b"], [vec!["1", "2"], vec!["over both"]])), "prose");
        assert_eq!(class(&Table::of_words(["a"], [["1"]])), "prose");
    }
}
