use crate::experiment::{EXPERIMENTS, Experiment, MEMORY, Term};
use crate::params::error::ParamsError;
use crate::params::table::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, Param, ParamTable};
use crate::units::Gas;

/// The charges for a memory, as far as exports need them.
#[derive(Clone, Copy)]
pub(super) struct Charges {
    pub(super) base: Gas,
    pub(super) page: Gas,
    pub(super) grow: Option<Gas>,
}

/// The charges for something else.
pub(super) struct Part<'a> {
    pub(super) experiment: &'static Experiment,
    pub(super) base: &'a Param,
    pub(super) terms: Vec<(&'static Term, &'a Param)>,
}

impl Charges {
    /// `None` for a table of something else alone.
    pub(super) fn of(table: &ParamTable) -> Result<Option<Self>, ParamsError> {
        let of_others = EXPERIMENTS.into_iter().any(|experiment| table.prices(experiment));
        if !table.prices(&MEMORY) && of_others {
            return Ok(None);
        }
        let gas = |name| needed(table, name).map(|param| param.gas);
        let grow = table.params.get(GROW_PER_PAGE).map(|param| param.gas);
        Ok(Some(Self { base: gas(INIT_BASE)?, page: gas(INIT_PER_PAGE)?, grow }))
    }
}

impl<'a> Part<'a> {
    /// Each that the table has.
    pub(super) fn all(table: &'a ParamTable) -> Result<Vec<Self>, ParamsError> {
        let others = EXPERIMENTS.into_iter().filter(|experiment| **experiment != MEMORY && table.prices(experiment));
        let part = |experiment: &'static Experiment| {
            let priced = |term: &&'static Term| Some((*term, table.params.get(term.parameter.name)?));
            let terms = experiment.terms.iter().filter_map(priced).collect();
            Ok(Self { experiment, base: needed(table, experiment.base.name)?, terms })
        };
        others.map(part).collect()
    }

    /// The base, then each term.
    pub(super) fn params(&self) -> impl Iterator<Item = (&'static str, &'a Param)> {
        let terms = self.terms.iter().map(|(term, param)| (term.parameter.name, *param));
        std::iter::once((self.experiment.base.name, self.base)).chain(terms)
    }
}

fn needed<'a>(table: &'a ParamTable, name: &str) -> Result<&'a Param, ParamsError> {
    table.params.get(name).ok_or_else(|| ParamsError::Export(format!("the table has no {name}")))
}
