use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::Story;

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
        for sentence in &section.sentences {
            let _ = writeln!(text, "  {sentence}");
        }
    }
    if !story.fit.rejected.is_empty() {
        let _ = writeln!(text, "\n{alarm}The fit must not be used, so no table was written{alarm:#}");
        for rejection in &story.fit.rejected {
            let _ = writeln!(text, "  - {rejection}");
        }
    }
    text
}
