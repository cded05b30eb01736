//! The table that ships, priced for a chain.

use std::path::Path;

use super::ParamTable;
use super::chain::ChainSettings;
use super::error::ParamsError;
use super::pricing::{derivation, priced};
use crate::units::Pages;

impl ParamTable {
    /// The shipped `params/current.toml`.
    pub const SHIPPED_TEXT: &str = include_str!("../../params/current.toml");

    /// The largest memory that was measured for it.
    pub const SHIPPED_PAGES: Pages = Pages(1024);

    /// The shipped table with its times priced by these settings. No chain has it in force: it is what a call would pay by the times of the
    /// machine that it names.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Param`] if the settings ask for times that were not measured so, such as under another reset strategy, or a price is
    /// beyond [`Gas::MAX`](crate::units::Gas::MAX).
    pub fn shipped(chain: &ChainSettings) -> Result<Self, ParamsError> {
        let mut table = Self::parse(Self::SHIPPED_TEXT, Path::new("params/current.toml"))?;
        let measured = &table.provenance.chain;
        let alike = ChainSettings {
            gas_per_second: chain.gas_per_second,
            safety_factor: chain.safety_factor,
            initial_pages_max: chain.initial_pages_max,
            pages_max: chain.pages_max,
            significant_digits: chain.significant_digits,
            gas_unit: chain.gas_unit.clone(),
            ..measured.clone()
        };
        if alike != *chain {
            let reason = "the shipped table was measured otherwise: only gas_per_second, safety_factor, initial_pages_max, pages_max and \
                          significant_digits can be set for it. A run with your chain file makes a table of your own";
            return Err(ParamsError::Param { param: "chain".into(), reason: reason.into() });
        }
        for (name, param) in &mut table.params {
            let beyond = || ParamsError::Param {
                param: name.clone(),
                reason: "its price is beyond 2^63 - 1 gas: lower gas_per_second or safety_factor".into(),
            };
            let priced = priced(param.nanos.value, chain).ok_or_else(beyond)?;
            param.gas = priced.gas;
            param.derivation = derivation(param.nanos.value, chain, priced.exact);
        }
        table.provenance.chain = alike;
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{INIT_PER_PAGE, Preset};
    use crate::units::Gas;

    fn shipped(preset: Preset, set: &[(&str, &str)]) -> Result<ParamTable, ParamsError> {
        let set: Vec<_> = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        ParamTable::shipped(&preset.settings(&set)?)
    }

    #[test]
    fn the_shipped_table_for_the_chain_that_it_is_of_is_as_it_is() {
        let table = ParamTable::parse(ParamTable::SHIPPED_TEXT, Path::new("current.toml")).unwrap();
        assert_eq!(table.provenance.chain.initial_pages_max, ParamTable::SHIPPED_PAGES);
        let mut near = shipped(Preset::Near, &[]).unwrap();
        assert!(near.provenance.chain.gas_unit.is_some(), "people read it in Tgas");
        near.provenance.chain.gas_unit = table.provenance.chain.gas_unit.clone();
        assert_eq!(near, table);
    }

    #[test]
    fn another_chain_pays_for_the_same_times_in_its_own_gas() {
        for (preset, set) in [
            (Preset::Substrate, &[][..]),
            (Preset::Soroban, &[("gas_per_second", "4_000_000_000")]),
            (Preset::Fvm, &[]),
            (Preset::Stylus, &[]),
            (Preset::Generic, &[]),
        ] {
            let table = shipped(preset, set).unwrap();
            assert_eq!(table.objections(), [], "{preset}");
            let param = &table.params[INIT_PER_PAGE];
            let chain = &table.provenance.chain;
            #[expect(clippy::cast_precision_loss, reason = "a test figure")]
            let exact = param.nanos.value * 1e-9 * chain.safety_factor * chain.gas_per_second as f64;
            #[expect(clippy::cast_precision_loss, reason = "a test figure")]
            let gas = param.gas.0 as f64;
            assert!(gas >= exact - 1e-6 && gas <= exact * 1.01 + 1.0, "{preset}: {gas} {exact}");
        }
        let generic = shipped(Preset::Generic, &[("safety_factor", "1.0"), ("significant_digits", "9")]).unwrap();
        assert_eq!(generic.params[INIT_PER_PAGE].gas, Gas(43_564), "1 gas is 1 ns");
        assert_eq!(shipped(Preset::Stylus, &[]).unwrap().charge(Pages(129), Pages(0)), None);
    }

    #[test]
    fn what_was_measured_otherwise_is_refused() {
        for (key, value) in [("strategy", "pool-decommit"), ("statistic", "p95"), ("margin", "0.2")] {
            let error = shipped(Preset::Generic, &[(key, value)]).unwrap_err().to_string();
            assert!(error.contains("was measured otherwise"), "{error}");
        }
    }
}
