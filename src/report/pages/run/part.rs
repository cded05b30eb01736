use crate::report::Story;
use crate::report::document::{Block, Figure};
use crate::report::plot::Chart;

/// A section of the page. One without blocks is left out.
pub(super) struct Part {
    pub(super) id: &'static str,
    pub(super) heading: &'static str,
    pub(super) blocks: fn(&Story<'_>) -> Vec<Block>,
}

/// A picture with how to read it, which is a file beside the page as well.
pub(super) fn figure(chart: Chart, caption: &str) -> Block {
    let file = Some(format!("plots/{}.svg", chart.name));
    Block::Figure(Box::new(Figure { chart, caption: caption.into(), file }))
}
