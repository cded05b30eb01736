use super::words::{self, counted};
use crate::experiment::Point;
use crate::measure::{RunFile, Stop};
use crate::model::{
    BreakEven, Comparison, Effect, Fit, Inherited, Mix, Model, Pair as StrategyPair, Ranking, Refusal, StrategyFit,
    Timeline,
};
use crate::params::{ChainSettings, ParamTable, StrategyFee};
use crate::units::{Gas, GasUnit, Pages};

/// Levels at which costs and charges are shown beside the largest: the smallest memory, and the linker's default of a 1 MiB stack
/// and some data.
const SHOWN_PAGES: [Pages; 2] = [Pages(1), Pages(17)];

/// Everything that the reports of one run tell.
#[derive(Debug, Clone, Copy)]
pub struct Story<'a> {
    /// The run.
    pub run: &'a RunFile,
    /// What gas is worth and what the node runs.
    pub chain: &'a ChainSettings,
    /// The fit.
    pub fit: &'a Fit,
    /// The table, unless the fit was rejected.
    pub table: Option<&'a ParamTable>,
    /// The cycles of the chain's own strategy over the run.
    pub timeline: &'a Timeline,
    /// What a reader should know of the machine that the costs are stated on, a sentence each.
    pub reference_notes: &'a [String],
    /// The table in force, if one is known.
    pub in_force: Option<InForce<'a>>,
    /// What a strategies run found beside its costs.
    pub strategies: Option<StrategiesStory<'a>>,
    /// What surroundings add to costs, of a run that explains them.
    pub effects: &'a [Effect],
}

/// The table that a proposal is held against.
#[derive(Debug, Clone, Copy)]
pub struct InForce<'a> {
    /// The table.
    pub table: &'a ParamTable,
    /// The share above which a change counts, such as 0.02.
    pub threshold: f64,
}

/// Everything that the report of a strategies run tells.
#[derive(Debug, Clone, Copy)]
pub struct StrategiesStory<'a> {
    /// The run.
    pub run: &'a RunFile,
    /// What gas is worth and what the node runs.
    pub chain: &'a ChainSettings,
    /// The costs of all points.
    pub fit: &'a Fit,
    /// Every two strategies compared.
    pub pairs: &'a [StrategyPair],
    /// The same over the touched shares of each size.
    pub break_even: &'a [BreakEven],
    /// What a call of the node's own mix costs, if it is known.
    pub mix: Option<&'a Mix>,
    /// What costs inherit from the tenant before.
    pub inherited: &'a [Inherited],
    /// The strategies by ascending cost.
    pub ranking: &'a Ranking,
    /// What the fee would be under each.
    pub fees: &'a [StrategyFee],
}

/// Two runs side by side, A and B, with the comparison of their samples.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// What is compared with.
    pub a: Story<'a>,
    /// What is held against it.
    pub b: Story<'a>,
    /// B against A.
    pub comparison: &'a Comparison,
}

impl<'a> Story<'a> {
    /// What was measured and how long.
    pub(super) fn measured(&self) -> String {
        let (processes, rounds) = self.own().map_or((0, 0), |fit| (fit.processes, fit.rounds));
        let stopped = self.run.stopped.map_or("measuring has not ended", Stop::sentence);
        format!(
            "{}, {} in all over {} under Wasmtime {}; {stopped}",
            counted(processes, "process", "processes"),
            counted(rounds, "round", "rounds"),
            counted(self.run.plan.points.len(), "point", "points"),
            self.run.wasmtime
        )
    }

    /// The fit of the chain's own strategy.
    pub(super) fn own(&self) -> Option<&'a StrategyFit> {
        self.fit.strategy(&self.chain.strategy)
    }

    /// The model of the chain's own strategy.
    pub(super) fn model(&self) -> Option<&'a Model> {
        self.own()?.model.as_ref()
    }

    /// What the run says of itself before all else: that it must not be signed.
    pub(super) fn verdict_on_run(&self) -> Option<String> {
        let refused = self.run.plan.experiment.proposes.then_some(&self.fit.refused)?;
        (!refused.is_empty()).then(|| {
            let reasons: Vec<String> = refused.iter().map(ToString::to_string).collect();
            let reasons = reasons.join("; ");
            let longer = Refusal::yield_to_length(refused);
            let longer = if longer { " (--budget and --profile nightly make a run longer)" } else { "" };
            format!(
                "NOT SIGNED: {reasons}{longer}. No table is proposed; that of this run is unsigned.toml in its folder, which estimator promote \
                 takes with --accept wide only."
            )
        })
    }

    /// Whether it is of what calls cost by their pages, or of what else is priced by factors.
    pub(super) fn is_of_memory(&self) -> bool {
        self.fit.experiment.is_of_memory()
    }

    /// Whether it explains, and proposes nothing.
    #[must_use]
    pub fn explains(&self) -> bool {
        !self.effects.is_empty() && !self.run.plan.experiment.proposes
    }

    /// What its first lines say: whether it may be signed, what was measured, and on which machine.
    pub(super) fn about(&self, machine: String) -> Vec<String> {
        let met = (self.fit.experiment.proposes && self.is_of_memory())
            .then(|| format!("small calls met: {}", self.run.plan.met()));
        self.verdict_on_run().into_iter().chain([self.measured()]).chain(met).chain([machine]).collect()
    }

    /// The machine that costs are stated on, for a sentence.
    pub(super) fn stated_on(&self) -> String {
        match &self.fit.reference {
            Some(reference) if !reference.is_own() => format!("on the reference machine {}", reference.name),
            _ => "as measured in this run".into(),
        }
    }

    /// Gas for each nanosecond, with the safety factor.
    #[expect(clippy::cast_precision_loss, reason = "an axis and a word need no more than 53 bits")]
    pub(super) fn gas_per_nano(&self) -> f64 {
        self.chain.gas_per_second as f64 / 1e9 * self.chain.safety_factor
    }

    /// An amount of gas in a cell, in the chain's unit.
    pub(super) fn gas(&self, amount: Gas) -> String {
        words::gas(self.gas_unit(), amount)
    }

    /// The unit in which people read the chain's gas.
    pub(super) fn gas_unit(&self) -> Option<&'a GasUnit> {
        self.chain.gas_unit.as_ref()
    }

    /// The sizes that are shown: common ones that the chain allows, and the largest that was measured.
    pub(super) fn sizes(&self) -> Vec<Pages> {
        let largest = self.largest();
        SHOWN_PAGES.into_iter().filter(|&pages| Some(pages) < largest).chain(largest).collect()
    }

    /// Whether costs of a size are shown as a whole, and not for each of its pages.
    pub(super) fn is_common(pages: Pages) -> bool {
        SHOWN_PAGES.contains(&pages)
    }

    /// The largest size that was measured and that the chain allows.
    pub(super) fn largest(&self) -> Option<Pages> {
        let points = self.fit.strategies.iter().flat_map(|fit| &fit.points).map(|found| &found.point);
        let sizes = points.filter(|point| is_whole(point)).map(Point::initial_pages);
        sizes.filter(|&pages| pages <= self.chain.initial_pages_max).max()
    }
}

/// Whether a point touches what it declares and no more, under the usual conditions.
pub(super) fn is_whole(point: &Point) -> bool {
    point.touched_pages() == point.initial_pages() && point.is_undisturbed()
}
