use crate::report::Story;
use crate::report::document::Block;
use crate::report::pages::effects::passages;
use crate::report::passage::Passage;

/// What surroundings add to costs, of a run that explains them.
pub(super) fn blocks(story: &Story<'_>) -> Vec<Block> {
    passages(story).into_iter().flat_map(Passage::blocks).collect()
}
