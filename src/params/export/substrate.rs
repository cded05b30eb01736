//! A weights file as FRAME's benchmarks write it (`substrate/.maintain/frame-weight-template.hbs` of paritytech/polkadot-sdk).
//! `ref_time` is in picoseconds.

use std::fmt::Write;
use std::ops::RangeInclusive;

use super::charges::{Charges, Line, Part};
use super::countable::countable;
use super::exporter::{Export, Exporter, Worth, of_any};
use super::origin::{commented, origin};
use super::rate::Rate;
use crate::experiment::Term;
use crate::model::Estimate;
use crate::params::error::ParamsError;
use crate::params::table::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, Param, ParamTable};
use crate::units::group_digits;

/// `WEIGHT_REF_TIME_PER_SECOND` of `sp_weights`.
const REF_TIME_PER_SECOND: u64 = 1_000_000_000_000;

/// Half the width of a 95 % interval in standard errors, where the estimate is normal.
const HALF_WIDTH: f64 = 1.96;

/// One weight function: a constant, and a slope over each component.
struct Function {
    name: String,
    about: String,
    minimum: f64,
    constant: u64,
    error: Option<u64>,
    components: Vec<Component>,
}

/// What a weight grows with.
struct Component {
    name: char,
    /// Where it is known how far it goes.
    range: Option<RangeInclusive<u64>>,
    slope: u64,
    error: Option<u64>,
}

/// A weights file of FRAME, Rust.
pub(super) static SUBSTRATE: Exporter = Exporter {
    name: "substrate",
    about: "A weights file of FRAME, Rust",
    worth: Worth::Fixed(REF_TIME_PER_SECOND),
    is_json: false,
    has_place: Some(of_any),
    export,
    change: None,
};

fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    let memory = Charges::of(table)?.map(|charges| of_memory(table, &charges, rate)).transpose()?;
    let (mut functions, notes) = memory.unwrap_or_default();
    for part in Part::all(table)? {
        functions.push(of_part(&part, rate)?);
    }
    let about = if notes.is_empty() { "a contract" } else { "the memory of a contract call" };
    Ok(Export { text: file(about, &commented("//!", &origin(table, rate)), &functions), notes })
}

/// What is charged for something else than a memory, each term with a component of its own.
fn of_part(part: &Part<'_>, rate: Rate) -> Result<Function, ParamsError> {
    let mut about = format!("For {}.", part.experiment.about.trim_start_matches("the fee of "));
    let component = |(name, (term, param)): (char, &(&'static Term, &Param))| {
        let slope = rate.up(param.gas, 1)?;
        countable(0, slope, u64::MAX, "a weight")?;
        let per = param.unit.trim_start_matches("gas ");
        // Writing to a `String` cannot fail.
        let _ = write!(about, " `{name}`, {per}{}.", if term.per > 1 { ", rounded up" } else { "" });
        Ok(Component { name, range: None, slope, error: standard_error(slope, &param.nanos) })
    };
    let components = ('a'..='z').zip(&part.terms).map(component).collect::<Result<Vec<_>, ParamsError>>()?;
    let constant = rate.up(part.base.gas, 1)?;
    Ok(Function {
        name: part.experiment.base.name.trim_end_matches("_base").into(),
        about,
        minimum: part.base.nanos.low,
        constant,
        error: standard_error(constant, &part.base.nanos),
        components,
    })
}

/// The functions of a memory, and what is to be known of them.
fn of_memory(table: &ParamTable, charges: &Charges, rate: Rate) -> Result<(Vec<Function>, Vec<String>), ParamsError> {
    let (base, page) = (rate.up(charges.base, 1)?, rate.up(charges.page, 1)?);
    let nanos = |name| table.params.get(name).map_or(Estimate { value: 0.0, low: 0.0, high: 0.0 }, |param| param.nanos);
    let chain = &table.provenance.chain;
    let (base_time, page_time) = (nanos(INIT_BASE), nanos(INIT_PER_PAGE));
    let pages = |most: u32, slope: u64, time: &Estimate| {
        let range = Some(1..=most.into());
        vec![Component { name: 'p', range, slope, error: standard_error(slope, time) }]
    };
    let (mut about, mut declared) = (
        String::from("The memory that a call declares, `p` pages of 64 KiB"),
        pages(chain.initial_pages_max.0, page, &page_time),
    );
    if charges.beyond.len() > ('q'..='z').count() {
        return Err(ParamsError::Export("a weight has components for ten tiers of pages".into()));
    }
    for (name, of) in ('q'..='z').zip(&charges.beyond) {
        let slope = rate.up(of.gas, 1)?;
        let most = u64::from(chain.initial_pages_max.0).saturating_sub(of.pages);
        declared.push(Component { name, range: Some(0..=most), slope, error: standard_error(slope, &of.nanos) });
        // Writing to a `String` cannot fail.
        let _ = write!(about, ", `{name}` of them beyond {}", of.pages);
    }
    let slopes: Vec<(u64, u64)> =
        charges.beyond.iter().map(|of| of.pages).zip(declared[1..].iter().map(|of| of.slope)).collect();
    let mut functions = vec![Function {
        name: "memory_init".into(),
        about: about + ".",
        minimum: base_time.low + page_time.low,
        constant: base,
        error: standard_error(base, &base_time),
        components: declared,
    }];
    if let Some(grow) = charges.grow {
        let (slope, time) = (rate.up(grow, 1)?, nanos(GROW_PER_PAGE));
        functions.push(Function {
            name: "memory_grow".into(),
            about: "`memory.grow` by `p` pages of 64 KiB.".into(),
            minimum: time.low,
            constant: 0,
            error: None,
            components: pages(chain.pages_max.0, slope, &time),
        });
    }
    let exported = Line { base, page, beyond: slopes };
    let grown = functions.get(1).map_or(0, |function| function.components[0].slope);
    countable(base, exported.dearest_page().max(grown), u64::MAX, "a weight")?;
    let notes = vec![rate.loss(charges, &exported, 1, chain.initial_pages_max.0.into())];
    Ok((functions, notes))
}

/// The standard error of a constant in its own unit, from the interval of the time behind it.
fn standard_error(constant: u64, time: &Estimate) -> Option<u64> {
    #[expect(clippy::cast_precision_loss, reason = "a comment for people")]
    let error = (time.high - time.low) / 2.0 / HALF_WIDTH / time.value * constant as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
    (error.is_finite() && (0.0..1e18).contains(&error)).then_some(error.ceil() as u64)
}

fn file(about: &str, origin: &str, functions: &[Function]) -> String {
    let mut text = format!(
        "//! Weights for {about}.\n//!\n{origin}\
         //! Minimum times are the lower ends of 95 % intervals, without the factor for safety; standard errors are those of the\n\
         //! constants below them.\n\n\
         #![cfg_attr(rustfmt, rustfmt_skip)]\n#![allow(unused_parens)]\n#![allow(unused_imports)]\n#![allow(missing_docs)]\n\n\
         use frame_support::{{traits::Get, weights::{{Weight, constants::RocksDbWeight}}}};\nuse core::marker::PhantomData;\n\n\
         /// Weight functions needed for {about}.\npub trait WeightInfo {{\n"
    );
    // Writing to a `String` cannot fail.
    for function in functions {
        let _ = writeln!(text, "\tfn {}({}) -> Weight;", function.name, function.arguments());
    }
    text += "}\n\n/// Weights using the Substrate node and recommended hardware.\npub struct SubstrateWeight<T>(PhantomData<T>);\n\
             impl<T: frame_system::Config> WeightInfo for SubstrateWeight<T> {\n";
    let bodies: String = functions.iter().map(Function::body).collect();
    text + &bodies + "}\n\n// For backwards compatibility and tests.\nimpl WeightInfo for () {\n" + &bodies + "}\n"
}

impl Function {
    fn arguments(&self) -> String {
        let arguments: Vec<String> = self.components.iter().map(|of| format!("{}: u32, ", of.name)).collect();
        arguments.concat()
    }

    fn body(&self) -> String {
        let error = |error: Option<u64>| error.map_or_else(|| "not known".to_owned(), group_digits);
        let minimum = if self.minimum >= 0.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time that is not negative")]
            let nanos = self.minimum.floor() as u64;
            format!("{}_000 picoseconds.", group_digits(nanos))
        } else {
            "not known, the interval reaches below zero.".to_owned()
        };
        let constant_error =
            if self.constant == 0 { String::new() } else { format!("\t\t// Standard Error: {}\n", error(self.error)) };
        let mut text = format!("\t/// {}\n", self.about);
        for Component { name, range, .. } in &self.components {
            if let Some(range) = range {
                // Writing to a `String` cannot fail.
                let _ =
                    writeln!(text, "\t/// The range of component `{name}` is `[{}, {}]`.", range.start(), range.end());
            }
        }
        let _ = write!(
            text,
            "\tfn {}({}) -> Weight {{\n\
             \t\t// Proof Size summary in bytes:\n\t\t//  Measured:  `0`\n\t\t//  Estimated: `0`\n\
             \t\t// Minimum execution time: {minimum}\n{constant_error}\t\tWeight::from_parts({}, 0)\n",
            self.name,
            self.arguments(),
            group_digits(self.constant),
        );
        for Component { name, slope, error: of, .. } in &self.components {
            let _ = write!(
                text,
                "\t\t\t// Standard Error: {}\n\
                 \t\t\t.saturating_add(Weight::from_parts({}, 0).saturating_mul({name}.into()))\n",
                error(*of),
                group_digits(*slope),
            );
        }
        text + "\t}\n"
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
