//! The table that follows from a fit.

use super::error::Error;
use super::stored::machine_class;
use crate::measure::{RunFile, Stop};
use crate::model::{Fit, FitSettings};
use crate::params::{ChainSettings, ParamTable, ProposalInput, RunFacts, propose};

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
    let still = strategy.points.iter().filter(|found| found.point.grown_pages().0 == 0).count();
    let grown = strategy.points.len() - still;
    let growing = if grown > 0 { format!(" and {grown} that grow") } else { String::new() };
    let line = format!(
        "covering charge over {still} design points{growing}, at or above the 95 % interval of each {}",
        chain.statistic
    );
    let input = ProposalInput::of_charge(fit.experiment, covering, normalised, &line, facts(run));
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
