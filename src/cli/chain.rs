//! `--chain`: what gas is worth and what the node runs.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;

use super::exit::UsageError;
use crate::measure::RunFolder;
use crate::params::ChainSettings;
use crate::runtime::{self, STRATEGIES, Strategy};
use crate::text::read_text;

/// Where the chain's settings come from.
#[derive(Debug, Args)]
pub struct Chain {
    /// Chain settings [default: params/chain.toml if it is there, otherwise NEAR's]
    #[arg(long, value_name = "FILE")]
    pub chain: Option<PathBuf>,
}

const DEFAULT_FILE: &str = "params/chain.toml";

impl Chain {
    /// The settings and the text they were read from, which a run keeps.
    pub fn load(&self) -> anyhow::Result<(ChainSettings, String)> {
        let default = Path::new(DEFAULT_FILE);
        match &self.chain {
            Some(file) => load(file),
            None if default.exists() => load(default),
            None => Ok((ChainSettings::default(), ChainSettings::DEFAULT_TEXT.to_owned())),
        }
    }
}

/// Reads settings and makes sure that their strategy exists.
pub fn load(file: &Path) -> anyhow::Result<(ChainSettings, String)> {
    if !file.exists() {
        return Err(
            UsageError(format!("no chain file {}: leave --chain out for NEAR's settings", file.display())).into()
        );
    }
    let text = read_text(file).with_context(|| format!("cannot read {}", file.display()))?;
    let chain = checked(&text, file)?;
    Ok((chain, text))
}

/// The settings that a run was made with.
pub fn of_run(run: &RunFolder) -> anyhow::Result<ChainSettings> {
    let file = run.chain();
    let text = read_text(&file).with_context(|| {
        format!(
            "cannot read {}, the run's copy of its chain settings: put it back, or give `fit` others with --chain",
            file.display()
        )
    })?;
    checked(&text, &file)
}

fn checked(text: &str, file: &Path) -> anyhow::Result<ChainSettings> {
    let chain = ChainSettings::parse(text, file)?;
    ensure!(
        runtime::find(&chain.strategy).is_some(),
        "{}: unknown strategy `{}`: use one of {}",
        file.display(),
        chain.strategy,
        STRATEGIES.map(Strategy::name).join(", ")
    );
    Ok(chain)
}
