use std::fmt::Write;

use super::Story;
use super::charts::charts;
use super::grid::{escaped, fenced};

/// The story as `summary.md`, fit for a comment under a pull request.
#[must_use]
pub fn summary_markdown(story: &Story<'_>) -> String {
    let mut text = format!(
        "# Run {}\n\n{}\n\n{}\n",
        escaped(&story.run.run),
        escaped(&story.measured()),
        escaped(&story.run.machine.summary())
    );
    if let Some(fee) = story.fee_sentence() {
        let _ = writeln!(text, "\n**{}**", escaped(&fee));
    }
    let _ = writeln!(text, "\n{}", escaped(&story.verdict()));
    for section in story.sections() {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n## {}\n\n{}", section.heading, section.grid.markdown());
        for sentence in &section.sentences {
            let _ = writeln!(text, "\n{}", escaped(sentence));
        }
    }
    if !story.fit.rejected.is_empty() {
        text.push_str("\n## The fit must not be used\n\n");
        for rejection in &story.fit.rejected {
            let _ = writeln!(text, "- {}", escaped(&rejection.to_string()));
        }
    }
    text.push_str("\n## Pictures\n");
    for chart in charts(story) {
        let _ = writeln!(text, "\n![{}](plots/{}.svg)", escaped(&chart.alternative), chart.name);
    }
    let _ = write!(text, "\n## To repeat it\n\n{}", fenced(&story.run.command));
    text
}
