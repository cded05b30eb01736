//! From samples to a cost model with honest intervals.

mod alternative;
mod band;
mod bootstrap;
mod break_even;
mod charged;
mod class_fit;
mod classes;
mod compare;
mod counted;
#[cfg(test)]
mod coverage;
mod covering;
mod crossover;
#[cfg(test)]
mod deploy_truth;
mod design;
#[cfg(test)]
mod diagnosed_truth;
mod diagnostics;
mod difference;
mod effects;
mod error;
mod estimate;
mod fit;
mod form;
mod grid;
mod held_out;
mod inherited;
mod knots;
mod ladder;
mod line;
#[cfg(test)]
mod load_truth;
mod mix;
mod noise;
mod points;
mod pooled;
mod programme;
mod ranking;
mod reference;
mod refusal;
mod rejection;
mod series;
mod settings;
#[cfg(test)]
mod simulated;
#[cfg(test)]
mod simulated_load;
mod speed;
mod stack_groups;
mod statistic;
mod student;
mod surcharge;
mod surface;
mod surrounded;
mod tally;
mod timeline;
mod together;
#[cfg(test)]
mod truth;
mod workload;

pub use alternative::Alternative;
pub use band::Band;
pub use break_even::{BreakEven, break_even};
pub use charged::{ChargeVerdict, Charged, ChargedPoint, charged};
pub use class_fit::ClassFit;
pub use compare::{Comparison, PointComparison, Sides, TEST, compare, of_strategy};
pub use counted::CounterComparison;
pub use covering::{Covering, SizeCharge, TermPrice};
pub use crossover::{Crossover, Outcome, Pair, crossovers};
pub use design::{CONDITION_COLLINEAR, CONDITION_DOUBTFUL};
pub use diagnostics::{Answer, Curvature, Drift, Moving, PRACTICAL, StackEffect, StackTest};
pub use difference::{Ratio, Verdict};
pub use effects::{Effect, effects};
pub use error::ModelError;
pub use estimate::Estimate;
pub use fit::{FORMAT, Fit, Model, Steadiness, StrategyFit, WORST_ERROR, fit};
pub use form::Form;
pub use held_out::HeldOut;
pub use inherited::{Inherited, inherited};
pub use knots::Knots;
pub use ladder::CheapestRange;
pub use line::{Coefficient, Line, Residual};
pub use mix::{Expected, Mix, mix};
pub use noise::{Noise, noise};
pub use points::{CounterFit, PhaseTime, PointFit, Spread};
pub use ranking::{Rank, Ranking, priced, ranking};
pub use reference::{ProbeTime, Reference};
pub use refusal::{Refusal, longer};
pub use rejection::Rejection;
pub use settings::FitSettings;
pub use speed::{Speed, SpeedVerdict};
pub use stack_groups::StackGroup;
pub use statistic::{ParseStatisticError, Statistic};
pub use surcharge::{HeldSurcharge, Surcharge};
pub use surface::Surface;
pub use surrounded::surcharges;

pub(crate) use student::{t_p_value, t_quantile};
pub use tally::{Tally, Verdicts};
pub use timeline::{Step, Timeline};
pub use workload::{CallKind, Workload, WorkloadError};
