//! What a strategies run ends with: costs, crossovers, break-even shares, a fee for each strategy, and a recommendation.

use super::error::{Error, system};
use super::proposal::{fit_settings, proposed_table};
use super::workload::NamedWorkload;
use crate::files::{make_folder, write_whole};
use crate::measure::{RunFile, RunFolder, Samples, Setting};
use crate::model::{
    BreakEven, Fit, Inherited, Mix, Pair, Ranking, Surface, break_even, crossovers, fit, inherited, mix, priced,
    ranking,
};
use crate::params::{ChainSettings, Param, ParamTable, StrategyFee};
use crate::report::{StrategiesStory, pages, render};
use crate::runtime::Known;
use crate::text::with_causes;

/// Version of `strategies.json`.
const FORMAT: u32 = 2;

/// A strategies run analysed.
#[derive(Debug)]
pub(super) struct Strategies {
    /// All points.
    fit: Fit,
    pairs: Vec<Pair>,
    break_even: Vec<BreakEven>,
    workload: Option<NamedWorkload>,
    mix: Option<Mix>,
    inherited: Vec<Inherited>,
    ranking: Ranking,
    fees: Vec<StrategyFee>,
}

/// The points from which a fee follows: usual conditions, every page touched.
pub(super) fn priced_points(samples: &Samples) -> Samples {
    samples.only(|point| Setting::of(point) == priced())
}

impl Strategies {
    /// `whole` is the fit of [`priced_points`].
    pub(super) fn new(
        run: &RunFile,
        samples: &Samples,
        whole: &Fit,
        chain: &ChainSettings,
        workload: Option<NamedWorkload>,
    ) -> Result<Self, Error> {
        let settings = fit_settings(chain, run.plan.experiment, run.plan.seed);
        let surface = Surface::new(samples, &settings)?;
        let fees: Vec<StrategyFee> = whole.strategies.iter().map(|of| fee(run, whole, &of.strategy, chain)).collect();
        let least = fees.iter().map(|fee| fee.idle).min();
        let holds_least = |name: &str| fees.iter().any(|fee| fee.strategy == name && Some(fee.idle) == least);
        Ok(Self {
            fit: fit(samples, &settings, None, &chain.strategy)?,
            pairs: crossovers(samples, &settings)?,
            break_even: break_even(&surface)?,
            mix: workload.as_ref().map(|of| mix(&surface, &of.workload)).transpose()?,
            workload,
            inherited: inherited(samples, &settings)?,
            ranking: ranking(samples, &settings, holds_least)?,
            fees,
        })
    }

    /// What the reports tell.
    pub(super) fn story<'a>(&'a self, run: &'a RunFile, chain: &'a ChainSettings) -> StrategiesStory<'a> {
        let Self { fit, pairs, break_even, mix, inherited, ranking, fees, .. } = self;
        StrategiesStory { run, chain, fit, pairs, break_even, mix: mix.as_ref(), inherited, ranking, fees }
    }

    /// Writes the findings into the folder of the samples.
    pub(super) fn write(&self, folder: &RunFolder, run: &RunFile, chain: &ChainSettings) -> Result<(), Error> {
        let json = serde_json::to_string_pretty(&self.json(run, chain))? + "\n";
        write_whole(&folder.path().join("strategies.json"), json.as_bytes())?;
        let rows = render::csv(pages::strategies::rows(&self.story(run, chain)))?;
        write_whole(&folder.path().join("break-even.csv"), rows.as_bytes())?;
        if let Some(workload) = &self.workload {
            workload.keep(folder)?;
        }
        let tables = folder.path().join("tables");
        make_folder(&tables).map_err(system(format!("cannot make the folder {}", tables.display())))?;
        for fee in &self.fees {
            if let Ok(table) = &fee.table {
                table.save(&tables.join(format!("{}.toml", fee.strategy)))?;
            }
        }
        Ok(())
    }

    /// What `strategies.json` holds.
    pub(super) fn json(&self, run: &RunFile, chain: &ChainSettings) -> serde_json::Value {
        let fee = |fee: &StrategyFee| {
            let table = fee.table.as_ref();
            let params = table.map(params_json);
            serde_json::json!({
                "strategy": fee.strategy,
                "params": params.as_ref().ok(),
                "rejected": params.err(),
                "idle_bytes": fee.idle,
            })
        };
        let points: Vec<_> = (self.fit.strategies.iter().flat_map(|of| &of.points))
            .map(|found| serde_json::json!({ "point": found.point, "cost": found.cost, "phases": found.phases }))
            .collect();
        serde_json::json!({
            "format": FORMAT,
            "run": run.run,
            "chain_strategy": chain.strategy,
            "ranking": self.ranking.all,
            "ranking_setting": self.ranking.setting,
            "ranking_of_least_held": self.ranking.least_held,
            "fees": self.fees.iter().map(fee).collect::<Vec<_>>(),
            "crossovers": self.pairs,
            "break_even": self.break_even,
            "mix": self.mix,
            "inherited": self.inherited,
            "points": points,
        })
    }
}

/// The parameters of a table by name.
pub(super) fn params_json(table: &ParamTable) -> serde_json::Map<String, serde_json::Value> {
    let param = |(name, param): (&String, &Param)| {
        (name.clone(), serde_json::json!({ "gas": param.gas, "unit": param.unit, "nanos": param.nanos }))
    };
    table.params.iter().map(param).collect()
}

fn fee(run: &RunFile, whole: &Fit, strategy: &str, chain: &ChainSettings) -> StrategyFee {
    let as_if = ChainSettings { strategy: strategy.into(), ..chain.clone() };
    let rejected = whole.strategy(strategy).map(|of| of.rejected.iter().map(ToString::to_string).collect::<Vec<_>>());
    let table = match rejected {
        Some(reasons) if !reasons.is_empty() => Err(reasons.join("; ")),
        _ => proposed_table(run, whole, None, &as_if).map_err(|error| with_causes(&error)),
    };
    let idle = Known::named(strategy).map(|known| known.idle(run.plan.node())).unwrap_or_default();
    StrategyFee { strategy: strategy.into(), table, idle }
}
