//! From samples to a cost model with honest intervals.

mod band;
mod bootstrap;
mod charged;
mod class_fit;
mod classes;
mod compare;
mod covering;
mod crossover;
mod design;
mod diagnostics;
mod effects;
mod error;
mod estimate;
mod fit;
mod form;
mod grid;
mod held_out;
mod inherited;
mod ladder;
mod line;
mod noise;
mod points;
mod programme;
mod ranking;
mod reference;
mod refusal;
mod rejection;
mod series;
mod settings;
#[cfg(test)]
mod simulated;
mod stack_groups;
mod statistic;
mod student;
mod timeline;
#[cfg(test)]
mod truth;

pub use band::Band;
pub use charged::{ChargeVerdict, Charged, ChargedPoint, charged};
pub use class_fit::ClassFit;
pub use compare::{Comparison, PointComparison, Ratio, Sides, TEST, Verdict, compare, of_strategy};
pub use covering::{Covering, TermPrice};
pub use crossover::{Crossover, Outcome, Pair, crossovers};
pub use design::{CONDITION_COLLINEAR, CONDITION_DOUBTFUL};
pub use diagnostics::{Answer, Curvature, Drift, Moving, PRACTICAL, StackEffect, StackTest};
pub use effects::{Effect, effects};
pub use error::ModelError;
pub use estimate::Estimate;
pub use fit::{FORMAT, Fit, Model, Steadiness, StrategyFit, WORST_ERROR, fit};
pub use form::Form;
pub use held_out::HeldOut;
pub use inherited::{Inherited, inherited};
pub use ladder::CheapestRange;
pub use line::{Coefficient, Line, Residual};
pub use noise::{Noise, noise};
pub use points::{PhaseTime, PointFit, Spread};
pub use ranking::{Rank, priced, ranking};
pub use reference::{ProbeTime, Reference};
pub use refusal::Refusal;
pub use rejection::Rejection;
pub use settings::FitSettings;
pub use stack_groups::StackGroup;
pub use statistic::{ParseStatisticError, Statistic};

pub(crate) use student::{t_p_value, t_quantile};
pub use timeline::{Step, Timeline};
