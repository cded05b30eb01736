//! From samples to a cost model with honest intervals.

mod bootstrap;
mod charged;
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
mod pooling;
mod precision;
mod programme;
mod ranking;
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

pub use charged::{ChargeVerdict, Charged, ChargedPoint, Charges, charged};
pub use compare::{Comparison, PointComparison, Ratio, TEST, Verdict, compare, of_strategy};
pub use covering::{Covering, TermPrice};
pub use crossover::{Crossover, Outcome, Pair, crossovers};
pub use design::{CONDITION_COLLINEAR, CONDITION_DOUBTFUL};
pub use diagnostics::{Answer, Curvature, Drift, Moving, PRACTICAL, StackEffect, StackTest};
pub use effects::{Effect, effects};
pub use error::ModelError;
pub use estimate::Estimate;
pub use fit::{FORMAT, Fit, Model, Steadiness, StrategyFit, WORST_ERROR, fit};
pub use form::{Form, nominal_probe};
pub use held_out::HeldOut;
pub use inherited::{Inherited, inherited};
pub use ladder::CheapestRange;
pub use line::{Coefficient, Line, Residual};
pub use noise::{Noise, noise};
pub use points::{PhaseTime, PointFit, Spread};
pub use precision::precise_enough;
pub use ranking::{Rank, priced, ranking};
pub use rejection::Rejection;
pub use settings::FitSettings;
pub use stack_groups::StackGroup;
pub use statistic::{ParseStatisticError, Statistic};

pub(crate) use student::{t_p_value, t_quantile};
pub use timeline::{Step, Timeline};
