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
            document.remove("gas_unit");
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
            if !ChainSettings::KEYS.contains(&key.as_str()) {
                let known = ChainSettings::KEYS.join(", ");
                return Err(ParamsError::Param {
                    param: key.clone(),
                    reason: format!("is no key of a chain file: there are {known}"),
                });
            }
            put(&mut document, key, parsed(value));
        }
        let chain = ChainSettings::parse(&document.to_string(), file)?;
        if let Some(pages) = chain.kept_pages().filter(|_| !is_set("terms")) {
            put(&mut document, "terms", parsed(&format!("[\"page\", \"page_beyond_{pages}\"]")));
            let why = "A page that the pool keeps costs otherwise than one beyond them, which it gives back.";
            add_comment(&mut document, "terms", &format!("# {why}\n"));
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
    let Some(item) = document.get_mut(key) else {
        document.insert(key, Item::Value(value));
        return;
    };
    let decor = item.as_value().map(|old| old.decor().clone());
    *item = Item::Value(value);
    if let (Some(value), Some(decor)) = (item.as_value_mut(), decor) {
        *value.decor_mut() = decor;
    }
}

fn comment(document: &mut DocumentMut, key: &str, text: &str) {
    if let Some(mut key) = document.key_mut(key) {
        key.leaf_decor_mut().set_prefix(text);
    }
}

fn add_comment(document: &mut DocumentMut, key: &str, text: &str) {
    let Some(mut key) = document.key_mut(key) else { return };
    let before = key.leaf_decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned();
    key.leaf_decor_mut().set_prefix(before + text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Pages};

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
            assert_eq!(preset == Preset::Near, chain.gas_unit.is_some(), "{text}");
        }
    }

    #[test]
    fn keys_are_set_as_toml_or_as_plain_text() {
        let pairs = [
            ("initial_pages_max", "128"),
            ("pages_max", "128"),
            ("strategy", "pool-decommit"),
            ("keep_resident", "1 MiB"),
        ];
        let pairs = set(&pairs);
        let text = Preset::Generic.text(&pairs).unwrap();
        let chain = ChainSettings::parse(&text, Path::new("chain.toml")).unwrap();
        assert_eq!((chain.initial_pages_max, &*chain.strategy), (Pages(128), "pool-decommit"));
        assert_eq!((chain.keep_resident, chain.terms.len()), (Some(Bytes(1 << 20)), 1));
        let mega = Preset::Generic.text(&set(&[("gas_unit", "{ name = \"Mgas\", gas = 1_000_000 }")])).unwrap();
        let chain = ChainSettings::parse(&mega, Path::new("chain.toml")).unwrap();
        assert_eq!(chain.gas_unit.unwrap().show(Gas(1_500_000)), "1.5 Mgas");
        let wrong = |pairs: &[(&str, &str)]| Preset::Generic.text(&set(pairs)).unwrap_err().to_string();
        assert!(wrong(&[("pages", "1")]).contains("no key of a chain file"));
        assert!(wrong(&[("pages_max", "many")]).contains("`pages_max`"));
        assert!(wrong(&[("margin", "2")]).contains("`margin`"));
        assert!(wrong(&[("pages_max", "128")]).contains("below `initial_pages_max`, which is 1024: set both"));
    }

    /// Otherwise no line goes through the costs, and the first run is rejected.
    #[test]
    fn a_pool_that_keeps_less_than_the_largest_memory_has_a_price_beyond_it() {
        let terms = |pairs: &[(&str, &str)]| {
            let text = Preset::Near.text(&set(pairs)).unwrap();
            let chain = ChainSettings::parse(&text, Path::new("chain.toml")).unwrap();
            chain.terms.iter().map(|term| term.name).collect::<Vec<_>>()
        };
        let keeps = [("strategy", "pool-keep-resident"), ("keep_resident", "1 MiB")];
        assert_eq!(terms(&keeps), ["page", "page_beyond_16"]);
        assert_eq!(terms(&[&keeps[..], &[("terms", "[\"page\"]")]].concat()), ["page"]);
        assert_eq!(terms(&[&keeps[..], &[("keep_resident", "1 GiB")]].concat()), ["page"], "it keeps all of it");
    }

    #[test]
    fn what_an_instruction_of_soroban_is_worth_must_be_said() {
        assert!(Preset::Soroban.text(&[]).unwrap_err().to_string().contains("--set gas_per_second"));
    }
}
