//! From stored samples to the table and the reports: what `run` ends with and `fit` does alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use super::exit::{Exit, RefusedError, UsageError};
use super::format::Format;
use super::in_force::TableInForce;
use super::measuring::quoted;
use super::mixing::within_limits;
use super::noted_samples;
use super::objected;
use super::out::{self, tell};
use super::strategies::{Strategies, priced_points};
use crate::files::{check_place, write_whole};
use crate::measure::{RunFile, RunFolder, Stop, merge};
use crate::model::{Fit, FitSettings, Timeline, fit};
use crate::params::{
    ChainSettings, ParamInput, ParamTable, ProposalInput, RunFacts, UNKNOWN_MACHINE, envelope, propose,
};
use crate::report::{Story, notes, pages, render};

/// Where results go and how they are shown.
#[derive(Debug, Args)]
pub struct Outputs {
    /// The table to write
    #[arg(long, value_name = "FILE", default_value = "params/proposed.toml")]
    params: PathBuf,
    /// The table in force, which the proposal is held against; the run keeps a copy [default: that copy, or for a new run
    /// params/current.toml if it is there]
    #[arg(long, value_name = "FILE")]
    current: Option<PathBuf>,
    /// How to show the result on standard output
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

impl Outputs {
    /// The table in force, if one is named.
    pub fn current(&self) -> anyhow::Result<Option<TableInForce>> {
        self.current.as_deref().map(TableInForce::named).transpose()
    }

    /// The table in force for a run that is made now.
    pub fn current_of_new_run(&self) -> anyhow::Result<Option<TableInForce>> {
        TableInForce::of_new_run(self.current.as_deref())
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// Finds out before measuring that the table has no place.
    pub fn check(&self) -> Result<(), UsageError> {
        check_place(&self.params).map_err(UsageError)
    }
}

/// Runs of one machine with their fit and the table that follows from it.
pub struct Analysis {
    folder: RunFolder,
    run: RunFile,
    chain: ChainSettings,
    fit: Fit,
    /// `None` where the fit was rejected.
    table: Option<ParamTable>,
    timeline: Timeline,
    in_force: Option<TableInForce>,
    /// Of a strategies run, of which the fit above holds only what is priced.
    strategies: Option<Strategies>,
}

/// The settings that a chain and a plan ask of the fit.
pub fn fit_settings(chain: &ChainSettings, seed: u64) -> FitSettings {
    FitSettings { statistic: chain.statistic, seed, ..FitSettings::default() }
}

impl Analysis {
    /// Reads a run back and fits it.
    ///
    /// `chain` and `current` override the settings that the run was made with and the table in force that it keeps.
    pub fn of_run(
        folder: RunFolder,
        chain: Option<ChainSettings>,
        current: Option<TableInForce>,
    ) -> anyhow::Result<Self> {
        Self::of(folder.clone(), &[folder], chain, current)
    }

    /// Reads runs of one machine back, puts them together and fits them; what follows goes into `folder`.
    pub fn of(
        folder: RunFolder,
        runs: &[RunFolder],
        chain: Option<ChainSettings>,
        current: Option<TableInForce>,
    ) -> anyhow::Result<Self> {
        let first = runs.first().context("no run is named")?;
        let run = first.read()?;
        let mut samples = Vec::new();
        let mut lacking = Vec::new();
        let mut shards = BTreeSet::new();
        let (mut names, mut skipped) = (Vec::new(), Vec::new());
        for folder in runs {
            let run = folder.read()?;
            let (stored, lacks) = noted_samples(folder, &run)?;
            lacking.extend(lacks);
            shards.extend(run.shard.map(String::from));
            samples.push(stored);
            names.push(run.run);
            skipped.extend(run.skipped);
        }
        if let Some(shard) = run.shard.filter(|shard| shards.len() < shard.count() as usize) {
            let there: Vec<String> = shards.into_iter().collect();
            lacking.push(format!("of {} shards only {} are in it", shard.count(), there.join(", ")));
        }
        let chain = match chain {
            Some(chain) => chain,
            None => super::chain::of_run(first)?,
        };
        let (samples, beyond) = within_limits(merge(samples), &chain)?;
        lacking.extend(beyond);
        let settings = fit_settings(&chain, run.plan.seed);
        let (fit, strategies) = if run.plan.experiment.proposes {
            (fit(&samples, &settings, &chain.strategy)?, None)
        } else {
            let whole = fit(&priced_points(&samples), &settings, &chain.strategy)?;
            let strategies = Strategies::new(&run, &samples, &whole, &chain)?;
            (whole, Some(strategies))
        };
        let timeline = Timeline::new(&samples, &chain.strategy);
        let table = if fit.rejected.is_empty() {
            let mut table = table(&run, &fit, &chain)?;
            table.provenance.run.notes = notes(&Story {
                run: &run,
                chain: &chain,
                fit: &fit,
                table: None,
                timeline: &timeline,
                in_force: None,
                strategies: None,
            });
            table.provenance.run.notes.extend(lacking);
            if runs.len() > 1 {
                let note = "the intervals hold what differs between processes, not what changes from run to run";
                table.provenance.run.notes.push(format!("merged from {}: {note}", names.join(", ")));
                table.provenance.run.skips(&skipped);
            }
            Some(table)
        } else {
            None
        };
        let in_force = match current {
            Some(current) => Some(current),
            None => TableInForce::of_stored(runs)?,
        };
        Ok(Self { folder, run, chain, fit, table, timeline, in_force, strategies })
    }

    /// The table that the runs propose, and why their fit must not be used, if so.
    pub fn proposal(&self) -> anyhow::Result<(ParamTable, Vec<String>)> {
        let table = match &self.table {
            Some(table) => table.clone(),
            None => table(&self.run, &self.fit, &self.chain).map_err(|_| self.nothing_proposed())?,
        };
        Ok((table, self.fit.rejected.iter().map(ToString::to_string).collect()))
    }

    /// Of a rejected fit that has not even a line.
    fn nothing_proposed(&self) -> RefusedError {
        let reasons: Vec<String> = self.fit.rejected.iter().map(ToString::to_string).collect();
        RefusedError {
            message: format!("{} proposes nothing: {}", self.run.run, reasons.join("; ")),
            exit: Exit::Rejected,
        }
    }

    /// Writes the fit, the summary and the table, and shows the result.
    pub fn publish(self, outputs: &Outputs) -> anyhow::Result<Exit> {
        self.write()?;
        if let Some(strategies) = &self.strategies {
            return strategies.show(&self.folder, &self.run, &self.chain, outputs);
        }
        if let Some(table) = &self.table {
            warn_of_removed(table, &outputs.params);
            table.save(&outputs.params).with_context(|| {
                let folder = quoted(self.folder.path());
                format!("the samples are kept; to write the table elsewhere: estimator fit {folder} --params FILE")
            })?;
            objected::warn(outputs.params.display(), table);
        }
        match outputs.format {
            Format::Human => out::show(&self.human(&outputs.params))?,
            Format::Markdown => out::data(&render::markdown(&pages::run::summary(&self.story())))?,
            Format::Json => out::json(&self.json(&outputs.params))?,
        }
        Ok(if self.table.is_some() { Exit::Fine } else { Exit::Rejected })
    }

    /// The same, with changes up to this many percent of no interest.
    pub fn beyond(self, percent: f64) -> Self {
        Self { in_force: self.in_force.map(|in_force| in_force.beyond(percent)), ..self }
    }

    /// Writes what follows from the samples beside them again, and names the files.
    pub fn write_again(&self) -> anyhow::Result<String> {
        self.write()?;
        Ok(format!("{}\n", self.folder.path().join("report.html").display()))
    }

    /// What a command that shows this run ends with. From a comparison of strategies no table follows.
    pub fn exit(&self) -> Exit {
        if self.run.plan.experiment.proposes && self.table.is_none() { Exit::Rejected } else { Exit::Fine }
    }

    /// The fit.
    pub fn fit(&self) -> &Fit {
        &self.fit
    }

    /// The table, unless the fit was rejected.
    pub fn table(&self) -> Option<&ParamTable> {
        self.table.as_ref()
    }

    /// What the reports tell.
    pub fn story(&self) -> Story<'_> {
        Story {
            run: &self.run,
            chain: &self.chain,
            fit: &self.fit,
            table: self.table.as_ref(),
            timeline: &self.timeline,
            in_force: self.in_force.as_ref().map(TableInForce::shown),
            strategies: self.strategies.as_ref().map(|of| of.story(&self.run, &self.chain)),
        }
    }

    /// The summary.
    pub fn markdown(&self) -> String {
        match self.story() {
            Story { strategies: Some(strategies), .. } => render::markdown(&pages::strategies::page(&strategies)),
            story => render::markdown(&pages::run::summary(&story)),
        }
    }

    /// Writes what follows from the samples beside them, and the table in force that it was held against.
    pub fn write(&self) -> anyhow::Result<()> {
        if let Some(in_force) = &self.in_force {
            in_force.keep(&self.folder)?;
        }
        let file = |name: &str| self.folder.path().join(name);
        write_whole(&file("fit.json"), (serde_json::to_string_pretty(&self.fit)? + "\n").as_bytes())?;
        let page = pages::run::page(&self.story());
        write_whole(&file("summary.md"), self.markdown().as_bytes())?;
        write_whole(&file("report.html"), render::html(&page)?.as_bytes())?;
        for (name, svg) in render::plots(&page)? {
            write_whole(&self.folder.path().join("plots").join(format!("{name}.svg")), svg.as_bytes())?;
        }
        if let Some(strategies) = &self.strategies {
            strategies.write(&self.folder, &self.run, &self.chain)?;
        }
        Ok(())
    }

    fn human(&self, params: &Path) -> String {
        let mut files = vec![("report", self.folder.path().join("report.html").display().to_string())];
        files.extend(self.table.as_ref().map(|_| ("table", params.display().to_string())));
        render::terminal(&pages::run::brief(&self.story(), &files))
    }

    fn json(&self, params: &Path) -> serde_json::Value {
        let table = self.table.as_ref().map(|table| {
            let param = |(name, param): (&String, &crate::params::Param)| {
                (name.clone(), serde_json::json!({ "gas": param.gas, "unit": param.unit, "nanos": param.nanos }))
            };
            serde_json::json!({
                "file": params.to_string_lossy(),
                "params": table.params.iter().map(param).collect::<serde_json::Map<_, _>>(),
            })
        });
        serde_json::json!({
            "format": 1,
            "run": self.run.run,
            "folder": self.folder.path().to_string_lossy(),
            "seed": crate::units::Exact(self.run.plan.seed),
            "stopped": self.run.stopped,
            "table": table,
            "rejected": self.fit.rejected.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }
}

/// Says which parameters of the table that is written over were not measured, for writing takes them out.
fn warn_of_removed(table: &ParamTable, file: &Path) {
    let Ok(before) = ParamTable::load(file) else { return };
    for name in before.params.keys().filter(|name| !table.params.contains_key(*name)) {
        tell!("warning: {name} was not measured and is taken out of {}", file.display());
    }
}

/// Writes the upper envelope of the tables of several machines, each fitted apart.
pub fn publish_envelope(analyses: &[Analysis], outputs: &Outputs) -> anyhow::Result<Exit> {
    for analysis in analyses {
        analysis.write()?;
        if analysis.table.is_none() {
            out::show(&render::terminal(&pages::run::brief(&analysis.story(), &[])))?;
            return Ok(Exit::Rejected);
        }
    }
    let tables: Vec<ParamTable> = analyses.iter().filter_map(|analysis| analysis.table.clone()).collect();
    let table = envelope(&tables).context("no run is named")?;
    table.save(&outputs.params)?;
    objected::warn(outputs.params.display(), &table);
    let stories = || analyses.iter().map(Analysis::story);
    match outputs.format {
        Format::Json => {
            let parts: Vec<_> = analyses.iter().map(|analysis| analysis.json(&outputs.params)).collect();
            out::json(&serde_json::json!({ "format": 1, "machines": parts }))?;
        }
        Format::Markdown => out::data(
            &stories().map(|story| render::markdown(&pages::run::summary(&story))).collect::<Vec<_>>().join("\n"),
        )?,
        Format::Human => {
            let parts =
                stories().map(|story| render::terminal(&pages::run::brief(&story, &[]))).collect::<Vec<_>>().join("\n");
            let notes = table.provenance.run.notes.join("\n  ");
            out::show(&format!("{parts}\nMachines\n  {notes}\n\nFiles\n  {}\n", outputs.params.display()))?;
        }
    }
    Ok(Exit::Fine)
}

pub fn table(run: &RunFile, fit: &Fit, chain: &ChainSettings) -> anyhow::Result<ParamTable> {
    let strategy = fit.strategy(&chain.strategy).context("the chain's strategy was not measured")?;
    let covering = &strategy.absolute.as_ref().context("the chain's strategy was not fitted")?.covering;
    let normalised = strategy.normalised.as_ref().map(|model| &model.covering);
    let price = |term| (covering.price(term), normalised.and_then(|covering| covering.price(term)));
    let still = strategy.points.iter().filter(|found| found.point.grown_pages().0 == 0).count();
    let grown = strategy.points.len() - still;
    let input = |nanos, normalised, model: String| ParamInput { nanos, normalised, model };
    let growing = if grown > 0 { format!(" and {grown} that grow") } else { String::new() };
    let line = format!(
        "covering charge over {still} design points{growing}, at or above the 95 % interval of each {}",
        chain.statistic
    );
    // A term without a parameter would leave what it covers unpaid.
    if let Some(term) = covering.terms.iter().map(|of| of.term).find(|term| !["page", "grown"].contains(&term.name)) {
        bail!("the term `{}` has no place in a table of this version", term.name);
    }
    let (page, normalised_page) = price("page");
    let (grow, normalised_grow) = price("grown");
    let page = page.context("no point has an initial page")?;
    let input = ProposalInput {
        init_base: input(covering.base, normalised.map(|covering| covering.base), line.clone()),
        init_per_page: input(page, normalised_page, line.clone()),
        grow_per_page: grow.map(|grow| input(grow, normalised_grow, line)),
        run: facts(run),
    };
    Ok(propose(&input, chain)?)
}

fn facts(run: &RunFile) -> RunFacts {
    RunFacts {
        run: run.run.clone(),
        date: run.created.clone(),
        seed: run.plan.seed,
        machine: machine_class(run),
        cpu: run.machine.summary(),
        contract_set: run.contract_set.clone(),
        estimator: run.estimator.clone(),
        wasmtime: run.wasmtime.clone(),
        worst_case: "every host page of the declared memory touched, caches cold".into(),
        stop_reason: run.stopped.map_or("measuring has not ended", Stop::sentence).into(),
        notes: Vec::new(),
        skipped: run.skipped.clone(),
    }
}

/// The class of a run's machine, [`UNKNOWN_MACHINE`] if it has none.
pub fn machine_class(run: &RunFile) -> String {
    run.machine.class().unwrap_or_else(|| UNKNOWN_MACHINE.to_owned())
}
