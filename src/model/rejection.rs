//! Why a fit must not be used.

use serde::{Deserialize, Serialize};

use super::Statistic;
use crate::experiment::Regressor;

/// Why a fit must not be used for a fee. Each message names the fault and the way out.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Rejection {
    /// The chain's strategy was not measured.
    #[error("no samples were taken under {strategy}, the chain's strategy; there are some under {}: measure it, or set the chain's strategy to one of these", measured.join(", "))]
    StrategyNotMeasured {
        /// The chain's strategy.
        strategy: String,
        /// Strategies with samples.
        measured: Vec<String>,
    },
    /// The initial pages take too few levels.
    #[error("initial pages take {} at points that do not grow, and a line that can be checked needs 3: add page levels to the contract's factors; a chain that allows fewer sizes needs no line but a charge for each, as shown with what a call costs", levels(*.found))]
    TooFewPageLevels {
        /// Levels there are.
        found: usize,
    },
    /// There are no more points than coefficients, so no residual tells whether the line holds.
    #[error(
        "{points} design points for {coefficients} coefficients leave nothing to check the line with: add design points"
    )]
    TooFewPoints {
        /// Points that can be fitted.
        points: usize,
        /// Coefficients to fit.
        coefficients: usize,
    },
    /// Factors cannot be told apart.
    #[error(
        "{} are collinear (condition number {condition:.0}): their costs cannot be told apart; cross their levels",
        join(factors)
    )]
    Collinear {
        /// The factors that move together.
        factors: Vec<&'static Regressor>,
        /// Condition number of the design with columns of unit length.
        condition: f64,
    },
    /// Every point costs exactly the same.
    #[error(
        "the {statistic} cost is {cost} ns at every design point, whatever its pages: the samples do not show what was measured"
    )]
    ConstantCost {
        /// The statistic of the points.
        statistic: Statistic,
        /// The cost of all points.
        cost: f64,
    },
    /// A cost of zero or below has no relative error.
    #[error(
        "the {statistic} cost of {point} is {cost} ns, and a cost must be above 0: measure longer on a quieter machine"
    )]
    NonPositiveCost {
        /// Label of the point.
        point: String,
        /// The statistic of the points.
        statistic: Statistic,
        /// The cost.
        cost: f64,
    },
    /// In a process nothing is left of a cost once what is paid for otherwise is taken off, and no ratio can be made of that.
    #[error(
        "of {point} nothing is left in one of the processes once the second touch is taken off, as where something else took the processor: \
         measure longer on a quieter machine"
    )]
    NothingLeft {
        /// Label of the point.
        point: String,
    },
    /// A high percentile of few cycles is their maximum, or nearly so.
    #[error(
        "{point} has {cycles} cycles, and a {statistic} needs {needed}: measure longer, or price another statistic"
    )]
    TooFewCycles {
        /// Label of the point.
        point: String,
        /// Cycles there are.
        cycles: usize,
        /// The statistic.
        statistic: Statistic,
        /// Fewest cycles.
        needed: usize,
    },
    /// The fit has no positive base, so a call would be free but for its pages.
    #[error(
        "the fit finds no base above 0, which would make a call free but for its pages (paritytech/substrate#11804): measure the points with few pages longer"
    )]
    FreeBase,
    /// The fit finds that pages cost nothing.
    #[error("the fit finds no cost per page above 0: the largest points are not dearer than the smallest")]
    FreePages,
    /// A straight line does not describe the costs.
    #[error(
        "the line misses {point} by {percent:.0} %, more than the {limit:.0} % that a straight line may: {}",
        if *noise > limit / 2.0 {
            format!("that cost is known to ±{noise:.0} % only, so measure longer on a quieter machine")
        } else {
            "the cost is not linear in the factors measured".to_owned()
        }
    )]
    PoorFit {
        /// Label of the point.
        point: String,
        /// Relative error in percent.
        percent: f64,
        /// The bound in percent.
        limit: f64,
        /// Half of the interval of the point's cost, in percent.
        #[serde(default)]
        noise: f64,
    },
}

fn levels(count: usize) -> String {
    if count == 1 { "one level".into() } else { format!("{count} levels") }
}

fn join(factors: &[&Regressor]) -> String {
    let names: Vec<_> = factors.iter().map(ToString::to_string).collect();
    names.join(" and ")
}
