//! The table that follows from a fit.

use super::error::Error;
use super::stored::machine_class;
use crate::experiment::Experiment;
use crate::measure::{RunFile, Stop};
use crate::model::{Fit, FitSettings};
use crate::params::{ChainSettings, ParamTable, ProposalInput, ReferenceFacts, RunFacts, propose};

/// The settings that a chain and a plan ask of the fit.
pub(super) fn fit_settings(chain: &ChainSettings, experiment: &Experiment, seed: u64) -> FitSettings {
    FitSettings {
        statistic: chain.statistic,
        seed,
        terms: chain.terms_of(experiment),
        margin: chain.margin.max(experiment.least_margin),
        noise_limit: chain.noise_limit,
        ..FitSettings::default()
    }
}

/// The table that the fit of a run proposes to a chain.
pub(super) fn proposed_table(
    run: &RunFile,
    fit: &Fit,
    reference: Option<ReferenceFacts>,
    chain: &ChainSettings,
) -> Result<ParamTable, Error> {
    let lacking = |text: &str| Error::Failed(text.into());
    let strategy = fit.strategy(&chain.strategy).ok_or_else(|| lacking("the chain's strategy was not measured"))?;
    let model = strategy.model.as_ref().ok_or_else(|| lacking("the chain's strategy was not fitted"))?;
    let (classes, points) = (strategy.classes.len(), strategy.points.len());
    let place = fit.reference.as_ref().map_or_else(String::new, |reference| format!(" on {}", reference.name));
    let words = format!(
        "covering charge over {classes} classes of {points} design points, {} % above the cost of each{place}",
        fit.settings.margin * 100.0,
    );
    let facts = RunFacts { unsigned: strategy.refused.iter().map(ToString::to_string).collect(), ..facts(run) };
    Ok(propose(&ProposalInput::of_charge(fit.experiment, model, &words, facts, reference), chain)?)
}

fn facts(run: &RunFile) -> RunFacts {
    let most = run.plan.measured_up_to().into_iter();
    RunFacts {
        run: run.run.clone(),
        date: run.created.clone(),
        seed: run.plan.seed,
        machine: machine_class(run),
        cpu: run.machine.summary(),
        contract_set: run.contract_set.clone(),
        estimator: run.estimator.clone(),
        wasmtime: run.wasmtime.clone(),
        worst_case: run.plan.experiment.worst_case.into(),
        stop_reason: run.stopped.map_or("measuring has not ended", Stop::sentence).into(),
        notes: Vec::new(),
        skipped: run.skipped.clone(),
        unsigned: Vec::new(),
        measured_up_to: most.map(|(factor, most)| (factor.name.to_owned(), most)).collect(),
    }
}
