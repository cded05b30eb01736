use super::checks::{Check, found};
use crate::report::Story;
use crate::report::document::{Block, Figure};
use crate::report::plot::Chart;

/// A section of the page. One without blocks is left out.
pub(super) struct Part {
    pub(super) id: &'static str,
    pub(super) heading: &'static str,
    pub(super) content: Content,
}

pub(super) enum Content {
    Blocks(fn(&Story<'_>) -> Vec<Block>),
    /// A picture, how to read it, and the checks that it shows.
    Picture(fn(&Story<'_>) -> Option<Chart>, &'static str, &'static [Check]),
}

impl Part {
    pub(super) fn blocks(&self, story: &Story<'_>) -> Vec<Block> {
        match self.content {
            Content::Blocks(blocks) => blocks(story),
            Content::Picture(chart, caption, checks) => {
                let figure = chart(story).map(|chart| figure(chart, caption));
                figure.into_iter().chain(found(story, checks)).collect()
            }
        }
    }
}

/// A picture with how to read it, which is a file beside the page as well.
pub(super) fn figure(chart: Chart, caption: &str) -> Block {
    Figure { chart, caption: caption.into() }.block()
}
