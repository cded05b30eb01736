use std::fmt::Write;

use super::Story;
use super::charts::charts;
use super::grid::{escaped, fenced};
use super::story::Section;

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
        let _ = writeln!(text, "\n## {}\n\n{}", section.heading, section.markdown());
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

impl Section {
    /// The table with its sentences below; without a table the sentences are a list.
    fn markdown(&self) -> String {
        let sentences: Vec<String> = self.sentences.iter().map(|sentence| escaped(sentence)).collect();
        if self.grid.rows.is_empty() {
            return format!("- {}", sentences.join("\n- "));
        }
        [vec![self.grid.markdown().trim_end().to_owned()], sentences].concat().join("\n\n")
    }
}
