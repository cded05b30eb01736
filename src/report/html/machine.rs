use crate::report::grid::Grid;
use crate::report::host;
use crate::report::page::{Block, PageSection};
use crate::report::story::Story;

/// The machine with its hazards.
pub(super) fn machine(story: &Story<'_>) -> PageSection {
    let run = story.run;
    let mut hazards = Grid::new(["hazard", "present", "found", "to quiet it"]);
    for hazard in &run.hazards {
        let quiet = hazard.quiet.clone().unwrap_or_default();
        hazards.push([hazard.name.clone(), hazard.state.to_string(), hazard.detail.clone(), quiet]);
    }
    let blocks = vec![
        Block::Table { title: "Machine".into(), grid: host::facts(&run.machine) },
        Block::Prose { title: "Hazards".into(), grid: hazards },
    ];
    PageSection { id: "machine", heading: "Machine".into(), blocks }
}

/// How to do the same again.
pub(super) fn repeat(story: &Story<'_>) -> PageSection {
    let run = story.run;
    let mut facts = Grid::default();
    let mut fact = |name: &str, value: String| facts.rows.push(vec![name.into(), value]);
    fact("estimator", run.estimator.clone());
    fact("Wasmtime", run.wasmtime.clone());
    fact("rustc", run.rustc.clone().unwrap_or_else(|| "none: ready modules".into()));
    fact("contract set", run.contract_set.clone());
    fact("seed", run.plan.seed.to_string());
    let mut blocks = vec![
        Block::Text("To measure again:".into()),
        Block::Code(run.command.clone()),
        Block::Text("To fit the stored samples again, without measuring:".into()),
        Block::Code(format!("estimator fit reports/{}", run.run)),
        Block::Table { title: "With".into(), grid: facts },
    ];
    if !run.skipped.is_empty() {
        blocks.push(Block::Warning("Left out for lack of a toolchain:".into()));
        blocks.push(Block::List(run.skipped.clone()));
    }
    PageSection { id: "repeat", heading: "Repeat it".into(), blocks }
}
