//! What a strategies run ends with: costs, crossovers, a fee for each strategy, and a recommendation.

use anyhow::Context;

use super::analysis::{Outputs, fit_settings, table};
use super::exit::Exit;
use super::format::Format;
use super::measuring::quoted;
use super::out::{self, tell};
use crate::files::{make_folder, write_whole};
use crate::measure::{RunFile, RunFolder, Samples, Setting};
use crate::model::{Carry, Fit, Pair, Rank, carry, crossovers, fit, priced, ranking};
use crate::params::{ChainSettings, StrategyFee};
use crate::report::{StrategiesStory, pages, render};
use crate::runtime;

/// Version of `strategies.json`.
const FORMAT: u32 = 1;

/// A strategies run analysed.
pub struct Strategies {
    /// All points.
    fit: Fit,
    pairs: Vec<Pair>,
    carries: Vec<Carry>,
    ranking: Vec<Rank>,
    fees: Vec<StrategyFee>,
}

/// The points from which a fee follows: usual conditions, every page touched.
pub fn priced_points(samples: &Samples) -> Samples {
    samples.only(|point| Setting::of(point) == priced())
}

impl Strategies {
    /// `whole` is the fit of [`priced_points`].
    pub fn new(run: &RunFile, samples: &Samples, whole: &Fit, chain: &ChainSettings) -> anyhow::Result<Self> {
        let settings = fit_settings(chain, run.plan.seed);
        Ok(Self {
            fit: fit(samples, &settings, &chain.strategy)?,
            pairs: crossovers(samples, &settings)?,
            carries: carry(samples, &settings)?,
            ranking: ranking(samples, &settings)?,
            fees: whole.strategies.iter().map(|of| fee(run, whole, &of.strategy, chain)).collect(),
        })
    }

    /// What the reports tell.
    pub fn story<'a>(&'a self, run: &'a RunFile, chain: &'a ChainSettings) -> StrategiesStory<'a> {
        let Self { fit, pairs, carries, ranking, fees } = self;
        StrategiesStory { run, chain, fit, pairs, carries, ranking, fees }
    }

    /// Writes the findings beside the samples.
    pub fn write(&self, folder: &RunFolder, run: &RunFile, chain: &ChainSettings) -> anyhow::Result<()> {
        let json = serde_json::to_string_pretty(&self.json(run, chain))? + "\n";
        write_whole(&folder.path().join("strategies.json"), json.as_bytes())?;
        let tables = folder.path().join("tables");
        make_folder(&tables).with_context(|| format!("cannot make the folder {}", tables.display()))?;
        for fee in &self.fees {
            if let Ok(table) = &fee.table {
                table.save(&tables.join(format!("{}.toml", fee.strategy)))?;
            }
        }
        Ok(())
    }

    /// Shows the findings.
    pub fn show(
        &self,
        folder: &RunFolder,
        run: &RunFile,
        chain: &ChainSettings,
        outputs: &Outputs,
    ) -> anyhow::Result<Exit> {
        let story = self.story(run, chain);
        match outputs.format() {
            Format::Human => out::show(&render::terminal(&pages::strategies::page(&story)))?,
            Format::Markdown => out::data(&render::markdown(&pages::strategies::page(&story)))?,
            Format::Json => out::json(&self.json(run, chain))?,
        }
        tell!("samples, report.html, strategies.json and a table for each strategy are in {}", quoted(folder.path()));
        Ok(Exit::Fine)
    }

    pub fn json(&self, run: &RunFile, chain: &ChainSettings) -> serde_json::Value {
        let fee = |fee: &StrategyFee| {
            let table = fee.table.as_ref();
            let params = table.map(|table| {
                let param = |(name, param): (&String, &crate::params::Param)| {
                    (name.clone(), serde_json::json!({ "gas": param.gas, "unit": param.unit, "nanos": param.nanos }))
                };
                table.params.iter().map(param).collect::<serde_json::Map<_, _>>()
            });
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
            "ranking": self.ranking,
            "fees": self.fees.iter().map(fee).collect::<Vec<_>>(),
            "crossovers": self.pairs,
            "inherited": self.carries,
            "points": points,
        })
    }
}

fn fee(run: &RunFile, whole: &Fit, strategy: &str, chain: &ChainSettings) -> StrategyFee {
    let as_if = ChainSettings { strategy: strategy.into(), ..chain.clone() };
    let rejected = whole.strategy(strategy).map(|of| of.rejected.iter().map(ToString::to_string).collect::<Vec<_>>());
    let table = match rejected {
        Some(reasons) if !reasons.is_empty() => Err(reasons.join("; ")),
        _ => table(run, whole, &as_if).map_err(|error| format!("{error:#}")),
    };
    let idle = runtime::find(strategy).map(|known| known.idle(run.plan.node())).unwrap_or_default();
    StrategyFee { strategy: strategy.into(), table, idle }
}
