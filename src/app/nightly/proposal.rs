//! The table that a night proposes, in the place of the one before.

use std::path::Path;

use crate::app::error::Error;
use crate::app::session::Session;
use crate::params::ParamTable;

/// Where the table goes, in the folder of its run, when the proposal that is there is the better one.
const PROPOSAL: &str = "proposed.toml";

/// Writes the table over the proposal, unless that rests on contracts which this one had to leave out. Returns what people should
/// hear of it.
pub(super) fn write(
    table: &ParamTable,
    file: &Path,
    folder: &Path,
    session: &Session<'_>,
) -> Result<Option<String>, Error> {
    let before = ParamTable::load(file).ok().map(|before| before.provenance.run);
    let run = &table.provenance.run;
    let other = before.filter(|before| before.contract_set != run.contract_set);
    let failed = |error| Error::from(error).context("the proposed table cannot be written");
    let save = |file: &Path| table.save(file).map_err(failed);
    let Some(before) = other else { return save(file).map(|()| None) };
    let lacks = run.skipped.iter().any(|skipped| !before.skipped.contains(skipped));
    let text = if lacks {
        let kept = folder.join(PROPOSAL);
        save(&kept)?;
        format!(
            "The proposal {} of run {} is kept, since it rests on contracts that this night left out; that of this night is {}. \
             Left out: {}.",
            file.display(),
            before.run,
            kept.display(),
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
    session.warn(&text);
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(contract_set: &str, skipped: &[&str]) -> ParamTable {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/table.toml");
        let mut table = ParamTable::load(&file).unwrap();
        table.provenance.run.contract_set = contract_set.into();
        table.provenance.run.skipped = skipped.iter().map(ToString::to_string).collect();
        table
    }

    fn proposed(first: &ParamTable, second: &ParamTable) -> (String, Option<String>, bool) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("proposed.toml");
        let run = folder.path().join("run");
        std::fs::create_dir(&run).unwrap();
        assert_eq!(write(first, &file, &run, &Session::new()).unwrap(), None);
        let said = write(second, &file, &run, &Session::new()).unwrap();
        let is_own = run.join(PROPOSAL).exists();
        (ParamTable::load(&file).unwrap().provenance.run.contract_set, said, is_own)
    }

    #[test]
    fn a_night_that_left_contracts_out_does_not_write_over_a_proposal_that_has_them() {
        let (kept, said, is_own) = proposed(&table("whole", &[]), &table("part", &["rusty: no rustc"]));
        assert!(kept == "whole" && is_own);
        assert!(said.unwrap().contains("rusty: no rustc"));
    }

    #[test]
    fn another_contract_set_is_written_over_and_said() {
        let (kept, said, is_own) = proposed(&table("one", &["rusty: no rustc"]), &table("other", &["rusty: no rustc"]));
        assert!(kept == "other" && !is_own);
        assert!(said.unwrap().contains("one"));
        let (_, said, _) = proposed(&table("one", &["rusty"]), &table("one", &["rusty"]));
        assert_eq!(said, None);
    }
}
