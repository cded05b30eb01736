//! The numbers of a fit that are followed over time.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::experiment::{EXPERIMENTS, Experiment};
use crate::model::{Covering, Estimate, Fit, Form};

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
    /// Time as measured, or on the reference machine.
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
            Form::Measured => "time as measured",
            Form::Reference => "time on the reference machine",
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

/// What is gated: for each experiment that proposes, the costs of its base and of its leading term. There is no line of least error
/// through other terms, such as grown pages, so their charges stand in.
pub fn gated() -> impl Iterator<Item = (&'static str, LineKind)> {
    let of = |experiment: &'static Experiment| {
        let lines = [LineKind::Cost, LineKind::Cost].into_iter().chain(std::iter::repeat(LineKind::Charge));
        experiment.parameters().map(|parameter| parameter.name).zip(lines)
    };
    EXPERIMENTS.into_iter().filter(|experiment| experiment.proposes).flat_map(of)
}

/// The figures of the chain's strategy on the reference machine, and its charges by the times as measured. A line that could not be
/// fitted gives none.
#[must_use]
pub fn figures(fit: &Fit) -> Vec<Recorded> {
    let Some(model) = fit.strategy(&fit.chain_strategy).and_then(|strategy| strategy.model.as_ref()) else {
        return Vec::new();
    };
    let experiment = fit.experiment;
    let stated = if fit.reference.is_some() { Form::Reference } else { Form::Measured };
    let base = experiment.base.name;
    let leading = experiment.terms.first().zip(experiment.line.first());
    let leading = leading.map(|(term, regressor)| (term.parameter.name, model.relative.coefficient(regressor)));
    let costs = std::iter::once((base, model.relative.base())).chain(leading);
    let costs = costs.filter_map(|(param, estimate)| {
        Some(Recorded { figure: Figure::new(param, LineKind::Cost, stated), estimate: estimate? })
    });
    let charges = |form: Form, covering: &Covering| -> Vec<Recorded> {
        let prices = covering.terms.iter().map(|of| (of.term.parameter.name, of.price));
        let all = std::iter::once((base, covering.base)).chain(prices);
        all.map(|(param, estimate)| Recorded { figure: Figure::new(param, LineKind::Charge, form), estimate }).collect()
    };
    let by_time = model.measured.iter().flat_map(|covering| charges(Form::Measured, covering));
    costs.chain(charges(stated, &model.covering)).chain(by_time).collect()
}
