//! The numbers of a fit that are followed over time.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::experiment::{EXPERIMENTS, Experiment};
use crate::model::{Estimate, Fit, Form, Model};

/// Which line through the costs a number belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineKind {
    /// The line of least relative error: what memory costs. It repeats best, so the past is judged by it.
    Cost,
    /// The covering line: what the fee is made of. A single point may decide it, so it repeats less well.
    Charge,
}

/// One number that every run gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Figure {
    /// The parameter.
    pub param: String,
    /// The line.
    pub line: LineKind,
    /// Time, or time over the reference probe.
    pub form: Form,
}

impl Figure {
    /// The figure of this name.
    #[must_use]
    pub fn new(param: &str, line: LineKind, form: Form) -> Self {
        Self { param: param.into(), line, form }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = match self.line {
            LineKind::Cost => "cost",
            LineKind::Charge => "charge",
        };
        let form = match self.form {
            Form::Absolute => "time",
            Form::Normalised => "time over probe",
        };
        write!(f, "{} ({line}, {form})", self.param)
    }
}

/// One figure with its interval, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Which.
    #[serde(flatten)]
    pub figure: Figure,
    /// The number.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// What is gated, in both forms: for each experiment that proposes, the costs of its base and of its leading term. A kernel or a
/// machine that changes moves the time and hardly the time over probe; a runtime that changes moves both. There is no line of least
/// error through other terms, such as grown pages, so their charges stand in.
pub fn gated() -> impl Iterator<Item = (&'static str, LineKind)> {
    let of = |experiment: &'static Experiment| {
        let lines = [LineKind::Cost, LineKind::Cost].into_iter().chain(std::iter::repeat(LineKind::Charge));
        experiment.parameters().map(|parameter| parameter.name).zip(lines)
    };
    EXPERIMENTS.into_iter().filter(|experiment| experiment.proposes).flat_map(of)
}

/// The figures of the chain's strategy. A line that could not be fitted gives none.
#[must_use]
pub fn figures(fit: &Fit) -> Vec<Recorded> {
    let Some(strategy) = fit.strategy(&fit.chain_strategy) else { return Vec::new() };
    let forms = [(Form::Absolute, &strategy.absolute), (Form::Normalised, &strategy.normalised)];
    let models = forms.into_iter().filter_map(|(form, model)| Some((form, model.as_ref()?)));
    models.flat_map(|(form, model)| of_model(fit.experiment, form, model)).collect()
}

fn of_model(experiment: &Experiment, form: Form, model: &Model) -> Vec<Recorded> {
    let covering = &model.covering;
    let base = experiment.base.name;
    let leading = experiment.terms.first().zip(experiment.line.first());
    let costs =
        leading.map(|(term, regressor)| (term.parameter.name, LineKind::Cost, model.relative.coefficient(regressor)));
    let all = [(base, LineKind::Cost, model.relative.base())].into_iter().chain(costs);
    let all = all.chain([(base, LineKind::Charge, Some(covering.base))]);
    let prices = covering.terms.iter().map(|of| (of.term.parameter.name, LineKind::Charge, Some(of.price)));
    let recorded = |(param, kind, estimate): (&str, LineKind, Option<Estimate>)| {
        Some(Recorded { figure: Figure::new(param, kind, form), estimate: estimate? })
    };
    all.chain(prices).filter_map(recorded).collect()
}
