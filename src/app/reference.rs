//! The machine that a run is stated on.

use std::path::Path;

use super::error::{Error, system};
use super::stored::machine_class;
use crate::files::is_taken;
use crate::measure::{RunFile, RunFolder, Samples};
use crate::model::{Fit, FitSettings, ModelError, Reference, Refusal, fit};
use crate::params::{ReferenceFacts, ReferenceMachine};
use crate::text::read_text;

const DEFAULT_FILE: &str = "params/reference.toml";

/// The reference for a new run and the text it was read from, which the run keeps: of the file that is named, of
/// `params/reference.toml` if it is there, or the shipped one.
pub(super) fn reference_of_new_run(named: Option<&Path>) -> Result<(ReferenceMachine, String), Error> {
    let default = Path::new(DEFAULT_FILE);
    match named {
        Some(file) => load_reference(file),
        None if is_taken(default) => load_reference(default),
        None => {
            let text = ReferenceMachine::DEFAULT_TEXT;
            Ok((ReferenceMachine::parse(text, default)?, text.to_owned()))
        }
    }
}

/// The reference machine: of the file that is named, of `params/reference.toml` if it is there, or the shipped one.
///
/// # Errors
/// There is none at that place, or it cannot be read.
pub fn named_reference(named: Option<&Path>) -> Result<ReferenceMachine, Error> {
    Ok(reference_of_new_run(named)?.0)
}

/// Reads a reference that somebody named.
pub(super) fn load_reference(file: &Path) -> Result<(ReferenceMachine, String), Error> {
    if !is_taken(file) {
        return Err(Error::Usage(format!("no reference {}: `estimator reference pin` makes one", file.display())));
    }
    let text = read_text(file).map_err(system(format!("cannot read {}", file.display())))?;
    Ok((ReferenceMachine::parse(&text, file)?, text))
}

/// The reference that a run was planned with.
pub(super) fn reference_of_run(run: &RunFolder) -> Result<ReferenceMachine, Error> {
    let file = run.reference();
    let text = read_text(&file).map_err(system(format!(
        "cannot read {}, the run's copy of its reference machine: put it back, or give another with --reference",
        file.display()
    )))?;
    Ok(ReferenceMachine::parse(&text, &file)?)
}

/// What a run is stated on.
#[derive(Debug, Clone)]
pub(super) struct StatedOn {
    /// `None` for the run itself.
    reference: Option<Reference>,
    facts: Option<ReferenceFacts>,
    /// Why it is the run itself.
    why_own: Option<String>,
    /// Whether the run is of the machine class that the reference was pinned on.
    same_class: bool,
    /// What a reader should know of it, a sentence each.
    pub(super) notes: Vec<String>,
}

impl StatedOn {
    /// This machine, if the run fits it.
    pub(super) fn new(machine: &ReferenceMachine, run: &RunFile) -> Self {
        let facts = machine.facts();
        let why_own = facts.does_not_fit(&run.plan);
        let own = |why: &String| {
            format!(
                "the fee is stated on this run's own time, since {why}: it does not repeat from run to run. To pin a reference that \
                 does: estimator reference pin RUN..."
            )
        };
        let unlike = machine.unlike(&run.machine).join("; ");
        let unlike =
            (!unlike.is_empty()).then(|| format!("the reference {} is unlike this machine: {unlike}", machine.name));
        let notes = why_own.as_ref().map(own).or(unlike).into_iter().collect();
        let fits = why_own.is_none();
        let same_class = fits && machine_class(run) == machine.machine;
        Self { reference: fits.then(|| machine.reference()), facts: fits.then_some(facts), why_own, same_class, notes }
    }

    /// The fit of samples on it.
    pub(super) fn fit(&self, samples: &Samples, settings: &FitSettings, strategy: &str) -> Result<Fit, ModelError> {
        let fitted = |samples: &Samples| fit(samples, settings, self.reference.as_ref(), strategy);
        let experiment = samples.experiment;
        let mut fit = if experiment.compares.is_empty() {
            fitted(samples)?
        } else {
            fitted(&samples.only(|point| experiment.is_fitted(point)))?
        };
        if self.same_class {
            let held = fit.strategy(strategy).map_or(&[][..], |own| &own.surcharges);
            let refused = Refusal::of_surcharges(held, settings.margin);
            fit.refused.extend(refused);
        }
        Ok(fit)
    }

    /// Whether the fee is on the run's own time though there are probes.
    pub(super) fn is_own(&self) -> bool {
        self.why_own.is_some()
    }

    /// What a table keeps of it; `None` where there were no probes.
    pub(super) fn facts(&self, run: &RunFile, fit: &Fit) -> Option<ReferenceFacts> {
        let used = fit.reference.as_ref()?;
        let plan = &run.plan;
        let own = || ReferenceFacts::new(used, &machine_class(run), plan.probe, plan.evict);
        Some(self.facts.clone().unwrap_or_else(own))
    }
}
