use std::fmt::Write as _;

use askama::Template;

use super::ReportError;
use super::grid::{Grid, escaped, fenced};
use super::plot::{Chart, Width};
use crate::text::shown_lines;

/// A page for people: one file that needs neither network nor script, in the reader's theme, on any width and on paper.
#[derive(Debug, Clone, Template)]
#[template(path = "page.html")]
pub(crate) struct Page {
    /// The title.
    pub(crate) title: String,
    /// Lines below it.
    pub(crate) about: Vec<String>,
    /// The sections, each with a link from the head.
    pub(crate) sections: Vec<PageSection>,
    /// The last line.
    pub(crate) footer: String,
}

/// A section with a heading that links to itself.
#[derive(Debug, Clone)]
pub(crate) struct PageSection {
    /// What links to it end with, in kebab case.
    pub(crate) id: &'static str,
    /// The heading.
    pub(crate) heading: String,
    /// What it holds.
    pub(crate) blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Debug, Clone)]
pub(crate) enum Block {
    /// The one sentence to remember.
    Lead(String),
    /// A paragraph.
    Text(String),
    /// A paragraph that must not be overlooked.
    Warning(String),
    /// A list.
    List(Vec<String>),
    /// A command.
    Code(String),
    /// A table with its title.
    Table { title: String, grid: Grid },
    /// A table whose cells are words.
    Prose { title: String, grid: Grid },
    /// A picture.
    Figure(Figure),
}

/// A chart drawn for both widths.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    wide: String,
    narrow: String,
    caption: String,
}

impl Figure {
    /// Draws a chart; the caption says how to read it.
    pub(crate) fn new(chart: &Chart, caption: impl Into<String>) -> Result<Self, ReportError> {
        let draw = |width| chart.draw(width).map_err(|source| ReportError::Plot { chart: chart.name, source });
        Ok(Self { wide: draw(Width::Wide)?, narrow: draw(Width::Narrow)?, caption: caption.into() })
    }
}

impl Page {
    /// The file.
    pub(crate) fn html(&self) -> Result<String, ReportError> {
        let html = self.render().map_err(|source| ReportError::Page { title: self.title.clone(), source })?;
        Ok(shown_lines(&html).into_owned())
    }

    /// The same as Markdown, without the pictures.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("# {}\n", escaped(&self.title));
        // Writing to a `String` cannot fail.
        for line in &self.about {
            let _ = writeln!(text, "\n{}", escaped(line));
        }
        for section in &self.sections {
            let _ = writeln!(text, "\n## {}", escaped(&section.heading));
            for block in &section.blocks {
                let _ = writeln!(text, "\n{}", block.markdown().trim_end());
            }
        }
        text
    }
}

impl Block {
    fn markdown(&self) -> String {
        match self {
            Self::Lead(text) | Self::Warning(text) => format!("**{}**", escaped(text)),
            Self::Text(text) => escaped(text),
            Self::List(items) => {
                format!("- {}\n", items.iter().map(|item| escaped(item)).collect::<Vec<_>>().join("\n- "))
            }
            Self::Code(text) => fenced(text),
            Self::Table { title, grid } | Self::Prose { title, grid } => {
                format!("**{}**\n\n{}", escaped(title), grid.markdown())
            }
            // Its numbers are in the tables.
            Self::Figure(_) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_name_says_becomes_markup() {
        let name = "<script>alert(1)</script>\"'&\u{202e}\u{1b}";
        let mut grid = Grid::new(["a", "b"]);
        grid.push([name.into(), name.into()]);
        let page = Page {
            title: name.into(),
            about: vec![name.into()],
            sections: vec![PageSection {
                id: "one",
                heading: name.into(),
                blocks: vec![
                    Block::Lead(name.into()),
                    Block::Text(name.into()),
                    Block::Warning(name.into()),
                    Block::List(vec![name.into()]),
                    Block::Code(name.into()),
                    Block::Prose { title: name.into(), grid: grid.clone() },
                    Block::Table { title: name.into(), grid },
                ],
            }],
            footer: name.into(),
        };
        let html = page.html().unwrap();
        assert!(!html.contains("<script") && html.contains("&#60;script&#62;"), "{html}");
        assert!(!html.contains(['\u{202e}', '\u{1b}']) && html.contains(r"\u{202e}\u{1b}"), "{html}");
    }
}
