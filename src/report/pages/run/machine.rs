use crate::host::Hazard;
use crate::report::Story;
use crate::report::document::{Block, Facts, Table};
use crate::report::pages::host;

/// The machine with its hazards.
pub(super) fn blocks(story: &Story<'_>) -> Vec<Block> {
    let row = |hazard: &Hazard| {
        let quiet = hazard.quiet.clone().unwrap_or_default();
        [hazard.name.clone(), hazard.state.to_string(), hazard.detail.clone(), quiet]
    };
    let hazards = Table::of_words(["hazard", "present", "found", "to quiet it"], story.run.hazards.iter().map(row));
    vec![Block::Facts(host::facts(&story.run.machine)), Block::Table(hazards.titled("Hazards"))]
}

/// How to do the same again.
pub(super) fn repeat(story: &Story<'_>) -> Vec<Block> {
    let run = story.run;
    let facts = [
        ("estimator", run.estimator.as_str()),
        ("Wasmtime", &run.wasmtime),
        ("rustc", run.rustc.as_deref().unwrap_or("none: ready modules")),
        ("contract set", &run.contract_set),
        ("seed", &run.plan.seed.to_string()),
    ];
    let facts = Facts::new("With", facts);
    let mut blocks = vec![
        Block::Text("To measure again:".into()),
        Block::Code(run.command.clone()),
        Block::Text("To fit the stored samples again, without measuring:".into()),
        Block::Code(format!("estimator fit reports/{}", run.run)),
        Block::Facts(facts),
    ];
    if let Some(skipped) = Block::some(Block::List, run.skipped.iter().cloned()) {
        blocks.extend([Block::Warning("Left out for lack of a toolchain:".into()), skipped]);
    }
    blocks
}
