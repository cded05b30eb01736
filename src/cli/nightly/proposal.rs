//! The table that a night proposes, in the place of the one before.

use std::path::Path;

use anyhow::Context;

use crate::cli::out::tell;
use crate::params::ParamTable;

/// Where the table goes, in the folder of its run, when the proposal that is there is the better one.
const BESIDE: &str = "proposed.toml";

/// Writes the table over the proposal, unless that rests on contracts which this one had to leave out. Returns what people should
/// hear of it.
pub fn write(table: &ParamTable, file: &Path, folder: &Path) -> anyhow::Result<Option<String>> {
    let before = ParamTable::load(file).ok().map(|before| before.provenance.run);
    let run = &table.provenance.run;
    let other = before.filter(|before| before.contract_set != run.contract_set);
    let save = |file: &Path| table.save(file).context("the proposed table cannot be written");
    let Some(before) = other else { return save(file).map(|()| None) };
    let lacks = run.skipped.iter().any(|skipped| !before.skipped.contains(skipped));
    let text = if lacks {
        let beside = folder.join(BESIDE);
        save(&beside)?;
        format!(
            "The proposal {} of run {} is kept, since it rests on contracts that this night left out; that of this night is {}. \
             Left out: {}.",
            file.display(),
            before.run,
            beside.display(),
            run.skipped.join("; ")
        )
    } else {
        save(file)?;
        format!(
            "The proposal {} of run {} rested on contract set {}, and is written over by one that rests on {}.",
            file.display(),
            before.run,
            before.contract_set,
            run.contract_set
        )
    };
    tell!("warning: {text}");
    Ok(Some(text))
}
