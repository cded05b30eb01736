use std::io;
use std::path::Path;

use super::error::{Error, system};
use crate::files::is_taken;
use crate::measure::RunFolder;
use crate::params::ChainSettings;
use crate::text::{read_found, read_text};
use crate::units::GasUnit;

const DEFAULT_FILE: &str = "params/chain.toml";

/// The settings for a new run and the text they were read from, which a run keeps: of the file that is named, of
/// `params/chain.toml` if it is there, or NEAR's.
pub(super) fn chain_of_new_run(named: Option<&Path>) -> Result<(ChainSettings, String), Error> {
    let default = Path::new(DEFAULT_FILE);
    match named {
        Some(file) => load_chain(file),
        None if is_taken(default) => loaded(default, read_found),
        None => Ok((ChainSettings::default(), ChainSettings::DEFAULT_TEXT.to_owned())),
    }
}

/// The unit in which people read gas here: that of `params/chain.toml`, if it is there and says one. What is only looked at does not need
/// settings, so that wrong ones have none.
#[must_use]
pub fn gas_unit() -> Option<GasUnit> {
    let file = Path::new(DEFAULT_FILE);
    loaded(file, read_found).ok()?.0.gas_unit
}

/// Reads settings and makes sure that their strategy exists.
pub(crate) fn load_chain(file: &Path) -> Result<(ChainSettings, String), Error> {
    if !is_taken(file) {
        return Err(Error::Usage(format!("no chain file {}: leave --chain out for NEAR's settings", file.display())));
    }
    loaded(file, read_text)
}

fn loaded(file: &Path, read: fn(&Path) -> io::Result<String>) -> Result<(ChainSettings, String), Error> {
    let text = read(file).map_err(system(format!("cannot read {}", file.display())))?;
    Ok((ChainSettings::parse(&text, file)?, text))
}

/// The settings that a run was made with.
///
/// # Errors
/// The run's copy is missing or broken, or names a strategy that this version does not know.
pub fn chain_of_run(run: &RunFolder) -> Result<ChainSettings, Error> {
    let file = run.chain();
    let text = read_found(&file).map_err(system(format!(
        "cannot read {}, the run's copy of its chain settings: put it back, or give `fit` others with --chain",
        file.display()
    )))?;
    Ok(ChainSettings::parse(&text, &file)?)
}
