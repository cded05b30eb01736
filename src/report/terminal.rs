use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::Story;
use super::grid::{LINE, wrapped};

/// The story for a terminal, with styles that the caller strips where they are not wanted.
#[must_use]
pub fn terminal(story: &Story<'_>) -> String {
    let heading = Style::new().bold();
    let alarm = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let mut text = format!(
        "{heading}Run {}{heading:#}\n  {}\n  {}\n",
        story.run.run,
        story.measured(),
        story.run.machine.summary()
    );
    for section in story.sections() {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n{heading}{}{heading:#}\n{}", section.heading, section.grid.text());
        for line in section.sentences.iter().flat_map(|sentence| hanging(sentence)) {
            let _ = writeln!(text, "  {line}");
        }
    }
    if !story.fit.rejected.is_empty() {
        let _ = writeln!(text, "\n{alarm}The fit must not be used, so no table was written{alarm:#}");
        for line in story.fit.rejected.iter().flat_map(|rejection| hanging(&format!("- {rejection}"))) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

/// A sentence in lines, all but the first set in.
fn hanging(sentence: &str) -> Vec<String> {
    let mut lines = wrapped(sentence, LINE - 4);
    lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, "  "));
    lines
}
