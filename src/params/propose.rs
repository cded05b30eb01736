//! From estimates to a table.

use super::chain::ChainSettings;
use super::decimal::{Decimal, Towards, show};
use super::error::ParamsError;
use super::evidence::check;
use super::pricing::{Priced, derivation, priced};
use super::provenance::{Provenance, RunFacts};
use super::reference_facts::ReferenceFacts;
use super::rules::may_be_free;
use super::table::{Param, ParamTable};
use crate::experiment::{Experiment, Parameter};
use crate::model::{Covering, Estimate, Model, TermPrice};
use crate::units::Gas;

/// What a proposal is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposalInput {
    /// An estimate for each parameter that was measured. What was not is left out of the table.
    pub params: Vec<ParamInput>,
    /// The run that measured them.
    pub run: RunFacts,
    /// The machine that the times are stated on; `None` where they are as measured.
    pub reference: Option<ReferenceFacts>,
}

/// The estimate for one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamInput {
    /// The parameter.
    pub parameter: &'static Parameter,
    /// Time in nanoseconds on the reference machine, before the safety factor.
    pub nanos: Estimate,
    /// The same by the times as measured, if it is another.
    pub measured: Option<Estimate>,
    /// The model behind it, such as `covering charge over 42 design points`.
    pub model: String,
}

impl ProposalInput {
    /// The base and each term of the covering charge of a model, which `words` describe.
    #[must_use]
    pub fn of_charge(
        experiment: &'static Experiment,
        model: &Model,
        words: &str,
        run: RunFacts,
        reference: Option<ReferenceFacts>,
    ) -> Self {
        let Model { covering, measured, .. } = model;
        let input = |parameter, nanos, measured| ParamInput { parameter, nanos, measured, model: words.into() };
        let by_time = |price: fn(&Covering, &str) -> Option<Estimate>, name: &str| price(measured.as_ref()?, name);
        let base = input(&experiment.base, covering.base, by_time(|covering, _| Some(covering.base), ""));
        let terms = covering
            .terms
            .iter()
            .map(|TermPrice { term, price }| input(&term.parameter, *price, by_time(Covering::price, term.name)));
        let by_size = experiment.by_size.zip(model.by_size.as_ref()).map(|(of, charge)| {
            let price = |covering: &Covering| covering.price(of.term.name);
            let measured = charge.measured.as_ref();
            let base = input(&of.base, charge.covering.base, measured.map(|covering| covering.base));
            let term = price(&charge.covering).map(|nanos| input(&of.term.parameter, nanos, measured.and_then(price)));
            std::iter::once(base).chain(term)
        });
        let params = std::iter::once(base).chain(terms).chain(by_size.into_iter().flatten()).collect();
        Self { params, run, reference }
    }
}

/// Proposes a table.
///
/// Each value is first rounded up to two significant digits more than the gas will have (at least five), its interval
/// outwards to as many. Gas is then computed from the rounded value, in exact decimal arithmetic, and rounded up. So
/// no charge is below what was measured, and a reader can work out each one from the figures in the table.
///
/// # Errors
///
/// [`ParamsError::Param`], with the parameter's name, for a value that is zero, negative or not finite, an interval
/// upside down, or gas beyond [`Gas::MAX`].
pub fn propose(input: &ProposalInput, chain: &ChainSettings) -> Result<ParamTable, ParamsError> {
    let params = input.params.iter().map(|input| match price(input, chain) {
        Ok(param) => Ok((input.parameter.name.to_owned(), param)),
        Err(reason) => Err(ParamsError::Param { param: input.parameter.name.into(), reason }),
    });
    let provenance = Provenance { run: input.run.clone(), reference: input.reference.clone(), chain: chain.clone() };
    Ok(ParamTable { params: params.collect::<Result<_, _>>()?, provenance })
}

fn price(input: &ParamInput, chain: &ChainSettings) -> Result<Param, String> {
    let digits = chain.significant_digits.saturating_add(2).clamp(5, 12);
    let nanos = rounded(&input.nanos, digits)?;
    if nanos.value == 0.0 && !may_be_free(input.parameter.name) {
        return Err("the estimate is 0 ns, which would be free: measure longer".into());
    }
    let measured = input.measured.as_ref().map(|measured| rounded(measured, digits)).transpose()?;
    let Priced { exact, gas } = priced(nanos.value, chain).ok_or_else(|| {
        format!("{} ns × safety {} is beyond {} gas", show(nanos.value), chain.safety_factor, Gas::MAX)
    })?;
    Ok(Param {
        gas,
        unit: input.parameter.unit.into(),
        derivation: derivation(nanos.value, chain, exact),
        nanos,
        measured,
        model: input.model.clone(),
    })
}

/// What a chain that needs no line would charge for a call of this time in nanoseconds, before the safety factor; `None` where it
/// is free or beyond [`Gas::MAX`].
#[must_use]
pub fn flat_charge(nanos: f64, chain: &ChainSettings) -> Option<Gas> {
    priced(nanos, chain).map(|priced| priced.gas).filter(|&gas| gas > Gas(0))
}

/// The value up, the ends of the interval outwards.
fn rounded(evidence: &Estimate, digits: u32) -> Result<Estimate, String> {
    check(evidence)?;
    let round = |value: f64, up: bool| {
        // Away from zero is up for what is positive and down for what is negative.
        let towards = if up == (value >= 0.0) { Towards::Infinity } else { Towards::Zero };
        let magnitude =
            Decimal::new(value.abs()).map_or(value.abs(), |decimal| decimal.round(digits, towards).to_f64());
        magnitude.copysign(value)
    };
    let rounded = Estimate {
        value: round(evidence.value, true),
        low: round(evidence.low, false),
        high: round(evidence.high, true),
    };
    check(&rounded)?;
    Ok(rounded)
}
