use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use strum::VariantNames;

use super::exit::Exit;
use super::out;
use crate::app::{self, InitRequest};
use crate::params::Preset;
use crate::text::quoted;

/// Writes settings and contracts to begin with: a commented params/chain.toml and one contract of each kind
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator init --chain near
  estimator init --chain generic --set initial_pages_max=128 --set pages_max=128
  estimator init --chain soroban --set gas_per_second=4_000_000_000

Nothing is written over what is there. What each key means stands in the file and in docs/params-format.md.")]
pub struct Init {
    /// Whose figures to begin with
    #[arg(long, value_name = "CHAIN", default_value = "generic", value_parser = preset())]
    chain: Preset,
    /// Another value for a key of the chain file (may be repeated)
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Folder for the contracts
    #[arg(long, value_name = "DIR", default_value = "estimator-contracts")]
    contracts: PathBuf,
    /// The chain file to write
    #[arg(long, value_name = "FILE", default_value = "params/chain.toml")]
    out: PathBuf,
}

pub fn preset() -> impl TypedValueParser<Value = Preset> {
    PossibleValuesParser::new(Preset::VARIANTS).try_map(|name| name.parse::<Preset>())
}

pub fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

pub fn execute(args: &Init) -> anyhow::Result<Exit> {
    let Init { chain, set, contracts, out } = args;
    let request = InitRequest { preset: *chain, set: set.clone(), chain: out.clone(), contracts: contracts.clone() };
    let begun = app::init(&request)?;
    let is_default = out == Path::new("params/chain.toml");
    let by = if is_default { String::new() } else { format!(" --chain {}", quoted(out)) };
    let (longer, why) = if begun.surcharge_is_known {
        ("", "")
    } else {
        (
            " --profile nightly",
            "  No reference machine that ships knows what small calls meet under this strategy, so two minutes seldom suffice.\n",
        )
    };
    let format = begun.format.unwrap_or("json");
    let worth = begun.gas_per_second.map(|gas| format!(" --gas-per-second {gas}")).unwrap_or_default();
    let (chain, folder, contracts) = (out.display(), contracts.display(), quoted(contracts));
    out::show(&format!(
        "{chain}: look through its values, each says what it is\n{folder}: the contracts that are measured\n\
         Next: estimator run --contracts {contracts}{by}{longer}\n{why}\
         Then: estimator promote params/proposed.toml --onto params/current.toml --by YOU\n\
         And:  estimator export --format {format}{worth}\n"
    ))?;
    Ok(Exit::Fine)
}
