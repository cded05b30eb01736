use crate::report::Story;
use crate::report::document::Block;
use crate::report::pages::effects::passages;

/// What surroundings add to costs, of a run that explains them.
pub(super) fn blocks(story: &Story<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for mut passage in passages(story) {
        let sentences = std::mem::take(&mut passage.sentences);
        blocks.push(passage.titled());
        blocks.extend(Block::some(Block::Notes, sentences));
    }
    blocks
}
