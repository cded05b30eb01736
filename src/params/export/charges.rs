use crate::experiment::{Column, EXPERIMENTS, Experiment, MEMORY, Term, bend_of, term_of_parameter};
use crate::model::Estimate;
use crate::params::error::ParamsError;
use crate::params::table::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, Param, ParamTable};
use crate::units::Gas;

/// The charges for a memory, as far as exports need them.
pub(super) struct Charges {
    pub(super) base: Gas,
    pub(super) page: Gas,
    /// What each declared page beyond a number pays on top.
    pub(super) beyond: Vec<Beyond>,
    pub(super) grow: Option<Gas>,
}

/// What each declared page beyond `pages` pays on top.
pub(super) struct Beyond {
    pub(super) pages: u64,
    pub(super) gas: Gas,
    pub(super) nanos: Estimate,
}

/// What declared pages are charged, in whole units of some gas.
pub(super) struct Line {
    pub(super) base: u64,
    pub(super) page: u64,
    /// What each page beyond a number pays on top.
    pub(super) beyond: Vec<(u64, u64)>,
}

impl Line {
    pub(super) fn at(&self, pages: u64) -> u128 {
        let beyond = self.beyond.iter().map(|(from, gas)| u128::from(*gas) * u128::from(pages.saturating_sub(*from)));
        u128::from(self.base) + u128::from(self.page) * u128::from(pages) + beyond.sum::<u128>()
    }

    /// What a page pays at the most.
    pub(super) fn dearest_page(&self) -> u64 {
        self.beyond.iter().fold(self.page, |sum, (_, gas)| sum.saturating_add(*gas))
    }
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
        let mut beyond: Vec<Beyond> = table.params.iter().filter_map(Beyond::of).collect();
        beyond.sort_unstable_by_key(|of| of.pages);
        Ok(Some(Self { base: gas(INIT_BASE)?, page: gas(INIT_PER_PAGE)?, beyond, grow }))
    }

    /// The gas of declared pages.
    pub(super) fn line(&self) -> Line {
        let beyond = self.beyond.iter().map(|of| (of.pages, of.gas.0)).collect();
        Line { base: self.base.0, page: self.page.0, beyond }
    }

    /// A page for a format that has one price for all of them: what the dearest pays. With what is to be known of it, if there are dearer ones.
    pub(super) fn dearest_page(&self) -> Result<(Gas, Option<String>), ParamsError> {
        let Some(first) = self.beyond.first() else { return Ok((self.page, None)) };
        let sum = self.beyond.iter().try_fold(self.page.0, |sum, of| sum.checked_add(of.gas.0));
        let page = sum.map(Gas).ok_or_else(|| ParamsError::Export("a page beyond all tiers is out of range".into()))?;
        let note = format!(
            "a declared page costs {page} gas of the table, as the dearest does, since this format has one price for all: in the table one of \
             the first {} costs {}",
            first.pages, self.page
        );
        Ok((page, Some(note)))
    }
}

/// Whether a parameter is the price of declared pages beyond a number, and of which.
pub(super) fn beyond(name: &str) -> Option<u64> {
    let term = term_of_parameter(name).filter(|term| bend_of(term).is_some())?;
    if let Column::Beyond(_, pages) = term.column { Some(pages) } else { None }
}

impl Beyond {
    fn of((name, param): (&String, &Param)) -> Option<Self> {
        beyond(name).map(|pages| Self { pages, gas: param.gas, nanos: param.nanos })
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
