//! Settings to begin with, by chain.

use std::path::Path;

use strum::{Display, EnumString, VariantNames};
use toml_edit::{DocumentMut, Item, Value};

use super::chain::ChainSettings;
use super::error::ParamsError;
use super::section::edit;
use crate::units::Gas;
use crate::versioned::Source;

/// A chain whose figures are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Preset {
    /// NEAR: the shipped `params/chain.toml`.
    Near,
    /// A chain with `pallet-contracts`.
    Substrate,
    /// A Stellar network.
    Soroban,
    /// Filecoin.
    Fvm,
    /// An Arbitrum chain with Stylus.
    Stylus,
    /// A chain of your own, with 1 gas for a nanosecond.
    Generic,
}

/// A key, its value, and why it is that.
type Figure = (&'static str, u64, &'static str);

impl Preset {
    /// What is another than NEAR's.
    fn figures(self) -> &'static [Figure] {
        match self {
            Self::Near => &[],
            Self::Substrate => &[
                (
                    "gas_per_second",
                    1_000_000_000_000,
                    "`ref_time` is in picoseconds (sp_weights: WEIGHT_REF_TIME_PER_SECOND).",
                ),
                ("initial_pages_max", 16, PAGES_OF_SUBSTRATE),
                ("pages_max", 16, ""),
            ],
            Self::Soroban => &[
                (
                    "initial_pages_max",
                    640,
                    "`tx_memory_limit` of the networks, 41,943,040 bytes, in pages of 64 KiB; and the most that it may grow to.",
                ),
                ("pages_max", 640, ""),
            ],
            Self::Fvm => &[
                ("gas_per_second", 10_000_000_000, "10 gas for a nanosecond (FIP-0057)."),
                (
                    "initial_pages_max",
                    8192,
                    "`max_inst_memory_bytes` of ref-fvm, 512 MiB, in pages of 64 KiB; and the most that it may grow to.",
                ),
                ("pages_max", 8192, ""),
            ],
            Self::Stylus => &[
                ("gas_per_second", 7_000_000, "The speed limit of Arbitrum One. Yours may be another."),
                (
                    "initial_pages_max",
                    128,
                    "`PageLimit` of StylusParams in ArbOS: 8 MiB, in pages of 64 KiB; and the most that it may grow to.",
                ),
                ("pages_max", 128, ""),
            ],
            Self::Generic => &[
                (
                    "gas_per_second",
                    1_000_000_000,
                    "Gas that the chain counts for a second of execution: here 1 gas is a nanosecond.",
                ),
                ("pages_max", 1024, ""),
            ],
        }
    }

    /// The text of a chain file, with some keys set as `KEY=VALUE`: the value as TOML has it, or a text without quotes.
    ///
    /// # Errors
    /// A key is not one of a chain file, a value is wrong, or the chain leaves open what a second is worth and nothing says it.
    pub fn text(self, set: &[(String, String)]) -> Result<String, ParamsError> {
        let file = Path::new("chain.toml");
        let mut document = edit(Source { file, text: ChainSettings::DEFAULT_TEXT })?;
        if self != Self::Near {
            comment(&mut document, "format", HEADER);
        }
        for &(key, value, why) in self.figures() {
            put(&mut document, key, parsed(&Gas(value).to_string()));
            if !why.is_empty() {
                comment(&mut document, key, &format!("\n# {why}\n"));
            }
        }
        let is_set = |key: &str| set.iter().any(|(name, _)| name == key);
        if self == Self::Soroban && !is_set("gas_per_second") {
            let reason = "an instruction of Soroban is calibrated, not defined: say by --set gas_per_second=N what a second is worth";
            return Err(ParamsError::Param { param: "gas_per_second".into(), reason: reason.into() });
        }
        for (key, value) in set {
            if !document.contains_key(key) {
                let known = ChainSettings::KEYS.join(", ");
                return Err(ParamsError::Param {
                    param: key.clone(),
                    reason: format!("is no key of a chain file: there are {known}"),
                });
            }
            put(&mut document, key, parsed(value));
        }
        let text = document.to_string();
        ChainSettings::parse(&text, file)?;
        Ok(text)
    }

    /// The settings that [`Preset::text`] holds.
    ///
    /// # Errors
    /// As there.
    pub fn settings(self, set: &[(String, String)]) -> Result<ChainSettings, ParamsError> {
        ChainSettings::parse(&self.text(set)?, Path::new("chain.toml"))
    }
}

const PAGES_OF_SUBSTRATE: &str =
    "`memory_pages` of pallet-contracts' Schedule: 1 MiB, in pages of 64 KiB; and the most that it may grow to.";

const HEADER: &str = "\
# The chain that pays: what its gas is worth and what its node runs. Read by `estimator run` and `estimator fit`.
# Every value is yours to check; unknown keys are refused.
";

fn parsed(value: &str) -> Value {
    value.parse().unwrap_or_else(|_| Value::from(value))
}

/// The value alone: what is written around it stays.
fn put(document: &mut DocumentMut, key: &str, value: Value) {
    if let Some(item) = document.get_mut(key) {
        let decor = item.as_value().map(|old| old.decor().clone());
        *item = Item::Value(value);
        if let (Some(value), Some(decor)) = (item.as_value_mut(), decor) {
            *value.decor_mut() = decor;
        }
    }
}

fn comment(document: &mut DocumentMut, key: &str, text: &str) {
    if let Some(mut key) = document.key_mut(key) {
        key.leaf_decor_mut().set_prefix(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Pages;

    fn set(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn every_preset_is_a_chain_file_that_says_why() {
        for name in Preset::VARIANTS {
            let preset: Preset = name.parse().unwrap();
            let set = if preset == Preset::Soroban { set(&[("gas_per_second", "4_000_000_000")]) } else { Vec::new() };
            let text = preset.text(&set).unwrap();
            let chain = ChainSettings::parse(&text, Path::new("chain.toml")).unwrap();
            for (key, value, why) in preset.figures() {
                assert!(text.contains(&format!("{key} = {}\n", Gas(*value))) && text.contains(why), "{text}");
            }
            assert_eq!(preset == Preset::Near, text == ChainSettings::DEFAULT_TEXT);
            assert_eq!(preset == Preset::Near, text.contains("The values are those of NEAR"), "{text}");
            assert!(chain.pages_max >= chain.initial_pages_max);
        }
    }

    #[test]
    fn keys_are_set_as_toml_or_as_plain_text() {
        let pairs = set(&[("initial_pages_max", "128"), ("pages_max", "128"), ("strategy", "pool-decommit")]);
        let text = Preset::Generic.text(&pairs).unwrap();
        let chain = ChainSettings::parse(&text, Path::new("chain.toml")).unwrap();
        assert_eq!((chain.initial_pages_max, &*chain.strategy), (Pages(128), "pool-decommit"));
        let wrong = |pairs: &[(&str, &str)]| Preset::Generic.text(&set(pairs)).unwrap_err().to_string();
        assert!(wrong(&[("pages", "1")]).contains("no key of a chain file"));
        assert!(wrong(&[("pages_max", "many")]).contains("`pages_max`"));
        assert!(wrong(&[("margin", "2")]).contains("`margin`"));
    }

    #[test]
    fn what_an_instruction_of_soroban_is_worth_must_be_said() {
        assert!(Preset::Soroban.text(&[]).unwrap_err().to_string().contains("--set gas_per_second"));
    }
}
