//! The table that follows from a fit.

use super::error::Error;
use super::stored::machine_class;
use crate::measure::{RunFile, Stop};
use crate::model::{Fit, FitSettings};
use crate::params::{ChainSettings, ParamInput, ParamTable, ProposalInput, RunFacts, propose};

/// The settings that a chain and a plan ask of the fit.
pub(super) fn fit_settings(chain: &ChainSettings, seed: u64) -> FitSettings {
    FitSettings { statistic: chain.statistic, seed, ..FitSettings::default() }
}

/// The table that the fit of a run proposes to a chain.
pub(super) fn proposed_table(run: &RunFile, fit: &Fit, chain: &ChainSettings) -> Result<ParamTable, Error> {
    let lacking = |text: &str| Error::Failed(text.into());
    let strategy = fit.strategy(&chain.strategy).ok_or_else(|| lacking("the chain's strategy was not measured"))?;
    let model = strategy.absolute.as_ref().ok_or_else(|| lacking("the chain's strategy was not fitted"))?;
    let covering = &model.covering;
    let normalised = strategy.normalised.as_ref().map(|model| &model.covering);
    let price = |term| (covering.price(term), normalised.and_then(|covering| covering.price(term)));
    let still = strategy.points.iter().filter(|found| found.point.grown_pages().0 == 0).count();
    let grown = strategy.points.len() - still;
    let input = |nanos, normalised, model: String| ParamInput { nanos, normalised, model };
    let growing = if grown > 0 { format!(" and {grown} that grow") } else { String::new() };
    let line = format!(
        "covering charge over {still} design points{growing}, at or above the 95 % interval of each {}",
        chain.statistic
    );
    // A term without a parameter would leave what it covers unpaid.
    if let Some(term) = covering.terms.iter().map(|of| of.term).find(|term| !["page", "grown"].contains(&term.name)) {
        return Err(Error::Failed(format!("the term `{}` has no place in a table of this version", term.name)));
    }
    let (page, normalised_page) = price("page");
    let (grow, normalised_grow) = price("grown");
    let page = page.ok_or_else(|| lacking("no point has an initial page"))?;
    let input = ProposalInput {
        init_base: input(covering.base, normalised.map(|covering| covering.base), line.clone()),
        init_per_page: input(page, normalised_page, line.clone()),
        grow_per_page: grow.map(|grow| input(grow, normalised_grow, line)),
        run: facts(run),
    };
    Ok(propose(&input, chain)?)
}

fn facts(run: &RunFile) -> RunFacts {
    RunFacts {
        run: run.run.clone(),
        date: run.created.clone(),
        seed: run.plan.seed,
        machine: machine_class(run),
        cpu: run.machine.summary(),
        contract_set: run.contract_set.clone(),
        estimator: run.estimator.clone(),
        wasmtime: run.wasmtime.clone(),
        worst_case: "every host page of the declared memory touched, caches cold".into(),
        stop_reason: run.stopped.map_or("measuring has not ended", Stop::sentence).into(),
        notes: Vec::new(),
        skipped: run.skipped.clone(),
    }
}
