//! A weights file as FRAME's benchmarks write it (`substrate/.maintain/frame-weight-template.hbs` of paritytech/polkadot-sdk).
//! `ref_time` is in picoseconds.

use std::fmt::Write;

use super::charges::Charges;
use super::countable::countable;
use super::exporter::{Export, Exporter, MEMORY_ALONE, Worth};
use super::origin::{commented, origin};
use super::rate::Rate;
use crate::model::Estimate;
use crate::params::error::ParamsError;
use crate::params::table::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, ParamTable};
use crate::units::group_digits;

/// `WEIGHT_REF_TIME_PER_SECOND` of `sp_weights`.
const REF_TIME_PER_SECOND: u64 = 1_000_000_000_000;

/// Half the width of a 95 % interval in standard errors, where the estimate is normal.
const HALF_WIDTH: f64 = 1.96;

/// One weight function: a constant and a slope over the component `p`.
struct Function {
    name: &'static str,
    about: &'static str,
    pages: std::ops::RangeInclusive<u64>,
    minimum: f64,
    constant: u64,
    slope: u64,
    errors: [Option<u64>; 2],
}

/// A weights file of FRAME, Rust.
pub(super) static SUBSTRATE: Exporter = Exporter {
    name: "substrate",
    about: "A weights file of FRAME, Rust",
    worth: Worth::Fixed(REF_TIME_PER_SECOND),
    is_json: false,
    places: MEMORY_ALONE,
    export,
    change: None,
};

fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    let charges = Charges::of(table)?;
    let (base, page) = (rate.up(charges.base, 1)?, rate.up(charges.page, 1)?);
    let nanos = |name| table.params.get(name).map_or(Estimate { value: 0.0, low: 0.0, high: 0.0 }, |param| param.nanos);
    let chain = &table.provenance.chain;
    let (base_time, page_time) = (nanos(INIT_BASE), nanos(INIT_PER_PAGE));
    let mut functions = vec![Function {
        name: "memory_init",
        about: "The memory that a call declares, `p` pages of 64 KiB.",
        pages: 1..=chain.initial_pages_max.0.into(),
        minimum: base_time.low + page_time.low,
        constant: base,
        slope: page,
        errors: [standard_error(base, &base_time), standard_error(page, &page_time)],
    }];
    if let Some(grow) = charges.grow {
        let (slope, time) = (rate.up(grow, 1)?, nanos(GROW_PER_PAGE));
        functions.push(Function {
            name: "memory_grow",
            about: "`memory.grow` by `p` pages of 64 KiB.",
            pages: 1..=u64::from(chain.pages_max.0),
            minimum: time.low,
            constant: 0,
            slope,
            errors: [None, standard_error(slope, &time)],
        });
    }
    let dearest = functions.iter().map(|function| function.slope).max().unwrap_or_default();
    countable(base, dearest, u64::MAX, "a weight")?;
    let notes = vec![rate.loss(charges, base, page, 1, chain.initial_pages_max.0.into())];
    Ok(Export { text: file(&commented("//!", &origin(table, rate)), &functions), notes })
}

/// The standard error of a constant in its own unit, from the interval of the time behind it.
fn standard_error(constant: u64, time: &Estimate) -> Option<u64> {
    #[expect(clippy::cast_precision_loss, reason = "a comment for people")]
    let error = (time.high - time.low) / 2.0 / HALF_WIDTH / time.value * constant as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
    (error.is_finite() && (0.0..1e18).contains(&error)).then_some(error.ceil() as u64)
}

fn file(origin: &str, functions: &[Function]) -> String {
    let mut text = format!(
        "//! Weights for the memory of a contract call.\n//!\n{origin}\
         //! Minimum times are the lower ends of 95 % intervals, without the factor for safety; standard errors are those of the\n\
         //! constants below them.\n\n\
         #![cfg_attr(rustfmt, rustfmt_skip)]\n#![allow(unused_parens)]\n#![allow(unused_imports)]\n#![allow(missing_docs)]\n\n\
         use frame_support::{{traits::Get, weights::{{Weight, constants::RocksDbWeight}}}};\nuse core::marker::PhantomData;\n\n\
         /// Weight functions needed for the memory of a contract call.\npub trait WeightInfo {{\n"
    );
    // Writing to a `String` cannot fail.
    for Function { name, .. } in functions {
        let _ = writeln!(text, "\tfn {name}(p: u32, ) -> Weight;");
    }
    text += "}\n\n/// Weights using the Substrate node and recommended hardware.\npub struct SubstrateWeight<T>(PhantomData<T>);\n\
             impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {\n";
    let bodies: String = functions.iter().map(Function::body).collect();
    text + &bodies + "}\n\n// For backwards compatibility and tests.\nimpl WeightInfo for () {\n" + &bodies + "}\n"
}

impl Function {
    fn body(&self) -> String {
        let error = |error: Option<u64>| error.map_or_else(|| "not known".to_owned(), group_digits);
        let [constant_error, slope_error] = self.errors.map(error);
        let minimum = if self.minimum >= 0.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time that is not negative")]
            let nanos = self.minimum.floor() as u64;
            format!("{}_000 picoseconds.", group_digits(nanos))
        } else {
            "not known, the interval reaches below zero.".to_owned()
        };
        let constant_error =
            if self.constant == 0 { String::new() } else { format!("\t\t// Standard Error: {constant_error}\n") };
        format!(
            "\t/// {}\n\t/// The range of component `p` is `[{}, {}]`.\n\tfn {}(p: u32, ) -> Weight {{\n\
             \t\t// Proof Size summary in bytes:\n\t\t//  Measured:  `0`\n\t\t//  Estimated: `0`\n\
             \t\t// Minimum execution time: {minimum}\n{constant_error}\t\tWeight::from_parts({}, 0)\n\
             \t\t\t// Standard Error: {slope_error}\n\
             \t\t\t.saturating_add(Weight::from_parts({}, 0).saturating_mul(p.into()))\n\t}}\n",
            self.about,
            self.pages.start(),
            self.pages.end(),
            self.name,
            group_digits(self.constant),
            group_digits(self.slope),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_is_in_the_unit_of_its_constant() {
        let time = Estimate { value: 100.0, low: 90.0, high: 110.0 };
        assert_eq!(standard_error(300_000, &time), Some(15_307));
        assert_eq!(standard_error(300_000, &Estimate { value: 0.0, ..time }), None);
        assert_eq!(standard_error(u64::MAX, &Estimate { value: 1e-9, ..time }), None);
    }
}
