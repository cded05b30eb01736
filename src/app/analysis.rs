//! From stored samples to the fit, the table and the files of a run.

use std::path::Path;

use super::chain::chain_of_run;
use super::error::Error;
use super::in_force::TableInForce;
use super::merged::Merged;
use super::mixing::{as_set_up, within_limits};
use super::overrides::Overrides;
use super::proposal::{fit_settings, proposed_table};
use super::reference::{StatedOn, reference_of_run};
use super::session::Session;
use super::strategies::{Strategies, params_json, priced_points};
use super::workload::{NamedWorkload, check_experiment};
use crate::files::{is_taken, write_whole};
use crate::measure::{RunFile, RunFolder};
use crate::model::{Effect, Fit, Timeline, effects};
use crate::params::{ChainSettings, ParamTable};
use crate::report::document::Document;
use crate::report::{Story, notes, pages, render};
use crate::text::quoted;
use crate::units::Exact;

/// The fit in the folder of a run.
pub(super) const FIT: &str = "fit.json";

/// Runs of one machine with their fit and the table that follows from it.
#[derive(Debug)]
pub struct Analysis {
    folder: RunFolder,
    run: RunFile,
    chain: ChainSettings,
    fit: Fit,
    /// `None` where the fit was rejected.
    table: Option<ParamTable>,
    timeline: Timeline,
    in_force: Option<TableInForce>,
    stated_on: StatedOn,
    /// Of a strategies run, of which the fit above holds only what is priced.
    strategies: Option<Strategies>,
    /// Of a run that explains what moves a cost, or compares ways of doing the same.
    effects: Vec<Effect>,
}

impl Analysis {
    /// Reads a run back and fits it.
    ///
    /// The overrides take the place of the settings that the run was made with, and of the reference and the table in force that it
    /// keeps.
    ///
    /// # Errors
    /// A file of the run is missing or broken, or the samples allow no statistics.
    pub fn of_run(folder: RunFolder, with: Overrides, session: &Session<'_>) -> Result<Self, Error> {
        Self::of_runs(folder.clone(), &[folder], with, session)
    }

    /// Reads runs of one machine back, puts them together and fits them; what follows goes into `folder`.
    pub(super) fn of_runs(
        folder: RunFolder,
        runs: &[RunFolder],
        with: Overrides,
        session: &Session<'_>,
    ) -> Result<Self, Error> {
        let Overrides { chain, reference, current, workload, filter } = with;
        let Merged { mut run, mut samples, mut lacking, note_of_several, skipped } = Merged::read(runs, session)?;
        if let Some(filter) = &filter {
            let all = samples.points.len();
            samples = filter.samples(&samples)?;
            run.left_out.push(filter.note(samples.points.len(), all));
        }
        let chain = match chain {
            Some(chain) => chain,
            None => chain_of_run(&runs[0])?,
        };
        as_set_up(&run, &chain)?;
        let (samples, beyond) = within_limits(samples, &chain)?;
        lacking.extend(beyond);
        let settings = fit_settings(&chain, run.plan.experiment, run.plan.seed);
        let reference = match reference {
            Some(reference) => reference,
            None => reference_of_run(&runs[0])?,
        };
        let stated_on = StatedOn::new(&reference, &run);
        let experiment = run.plan.experiment;
        let fit = if experiment.proposes || !experiment.compares.is_empty() {
            stated_on.fit(&samples, &settings, &chain.strategy)?
        } else {
            stated_on.fit(&priced_points(&samples), &settings, &chain.strategy)?
        };
        let workload = match workload {
            None if experiment.ranks => NamedWorkload::of_stored(runs, &samples.points, session),
            None => None,
            Some(named) => {
                check_experiment(experiment)?;
                named.check(&samples.points)?;
                Some(named)
            }
        };
        let strategies =
            if experiment.ranks { Some(Strategies::new(&run, &samples, &fit, &chain, workload)?) } else { None };
        let explains = !experiment.compares.is_empty() || !(experiment.proposes || experiment.ranks);
        let effects = if explains { effects(&samples, &settings)? } else { Vec::new() };
        let timeline = Timeline::new(&samples, &chain.strategy);
        let mut analysis = Self {
            folder,
            run,
            chain,
            fit,
            table: None,
            timeline,
            in_force: None,
            stated_on,
            strategies: None,
            effects,
        };
        if analysis.fit.rejected.is_empty() && (experiment.proposes || experiment.ranks) {
            let mut table = analysis.proposed()?;
            table.provenance.run.notes = notes(&analysis.story());
            table.provenance.run.notes.extend(lacking);
            if let Some(note) = note_of_several {
                table.provenance.run.notes.push(note);
                table.provenance.run.skips(&skipped);
            }
            analysis.table = Some(table);
        }
        analysis.strategies = strategies;
        analysis.in_force = match current {
            Some(current) => Some(current),
            None => TableInForce::of_stored(runs, session)?,
        };
        Ok(analysis)
    }

    /// The same, with changes of the table in force up to this many percent of no interest.
    #[must_use]
    pub fn beyond(self, percent: f64) -> Self {
        Self { in_force: self.in_force.map(|in_force| in_force.beyond(percent)), ..self }
    }

    /// The folder that the files of the analysis go into: that of the run, or of the merged runs.
    #[must_use]
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// The run, the first of merged ones.
    #[must_use]
    pub fn run(&self) -> &RunFile {
        &self.run
    }

    /// The fit. Of a strategies run it holds what is priced.
    #[must_use]
    pub fn fit(&self) -> &Fit {
        &self.fit
    }

    /// The table that is proposed, unless the fit was rejected.
    #[must_use]
    pub fn table(&self) -> Option<&ParamTable> {
        self.table.as_ref()
    }

    /// Whether the run was to propose a table and its fit must not be used. From a comparison of strategies no table follows.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.run.plan.experiment.proposes && self.table.is_none()
    }

    /// The table that the runs propose, and why their fit must not be used, if so.
    ///
    /// # Errors
    /// The fit is rejected and has not even a line.
    pub fn proposal(&self) -> Result<(ParamTable, Vec<String>), Error> {
        let rejected: Vec<String> = self.fit.rejected.iter().map(ToString::to_string).collect();
        let nothing = |_| Error::Rejected(format!("{} proposes nothing: {}", self.run.run, rejected.join("; ")));
        let table = match &self.table {
            Some(table) => table.clone(),
            None => self.proposed().map_err(nothing)?,
        };
        Ok((table, rejected))
    }

    fn proposed(&self) -> Result<ParamTable, Error> {
        proposed_table(&self.run, &self.fit, self.stated_on.facts(&self.run, &self.fit), &self.chain)
    }

    /// Whether the run was to propose a table and is too noisy for anybody to sign it.
    #[must_use]
    pub fn is_unsigned(&self) -> bool {
        self.run.plan.experiment.proposes && !self.fit.refused.is_empty()
    }

    /// What the reports tell.
    #[must_use]
    pub fn story(&self) -> Story<'_> {
        Story {
            run: &self.run,
            chain: &self.chain,
            fit: &self.fit,
            table: self.table.as_ref(),
            timeline: &self.timeline,
            reference_notes: if self.fit.reference.is_some() { &self.stated_on.notes } else { &[] },
            in_force: self.in_force.as_ref().map(TableInForce::shown),
            strategies: self.strategies.as_ref().map(|of| of.story(&self.run, &self.chain)),
            effects: &self.effects,
        }
    }

    /// The summary, as `summary.md` holds it.
    #[must_use]
    pub fn markdown(&self) -> String {
        match self.story() {
            Story { strategies: Some(strategies), .. } => render::markdown(&pages::strategies::page(&strategies)),
            story if story.explains() => render::markdown(&pages::effects::page(&story)),
            story => render::markdown(&pages::run::summary(&story)),
        }
    }

    /// The page, to stand anywhere; that in the folder also leads to the files beside it.
    ///
    /// # Errors
    /// It cannot be made; no run is known with which that happens.
    pub fn html(&self) -> Result<String, Error> {
        Ok(render::html(&self.page(|_| false)?)?)
    }

    fn page(&self, is_beside: impl Fn(&str) -> bool) -> Result<Document, Error> {
        let mut page = pages::run::page(&self.story());
        let values = render::csv(pages::run::rows(&[self.story()]))?;
        page.sections.push(pages::run::files(&values, is_beside));
        Ok(page)
    }

    /// The result for programs: what `strategies.json` holds of a strategies run, otherwise the table, which is or would be in the
    /// file `params`.
    #[must_use]
    pub fn json(&self, params: &Path) -> serde_json::Value {
        if let Some(strategies) = &self.strategies {
            return strategies.json(&self.run, &self.chain);
        }
        if self.story().explains() {
            return pages::effects::json(&self.story());
        }
        let table = self.table.as_ref();
        let unsigned = self.folder.unsigned();
        let file = if self.is_unsigned() { &unsigned } else { params };
        let table =
            table.map(|table| serde_json::json!({ "file": file.to_string_lossy(), "params": params_json(table) }));
        serde_json::json!({
            "format": 1,
            "run": self.run.run,
            "folder": self.folder.path().to_string_lossy(),
            "seed": Exact(self.run.plan.seed),
            "stopped": self.run.stopped,
            "table": table,
            "reference": self.fit.reference.as_ref().map(|reference| &reference.name),
            "rejected": self.fit.rejected.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "unsigned": self.fit.refused.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }

    /// Writes what follows from the samples into the folder: `fit.json`, `summary.md`, `report.html`, `plots/`, of a strategies run
    /// its findings too, and the table in force that the proposal was held against.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self) -> Result<(), Error> {
        if let Some(in_force) = &self.in_force {
            in_force.keep(&self.folder)?;
        }
        let file = |name: &str| self.folder.path().join(name);
        write_whole(&file(FIT), (serde_json::to_string_pretty(&self.fit)? + "\n").as_bytes())?;
        write_whole(&file("summary.md"), self.markdown().as_bytes())?;
        let page = self.page(|name| is_taken(&file(name)))?;
        write_whole(&file("report.html"), render::html(&page)?.as_bytes())?;
        for (name, svg) in render::plots(&page)? {
            write_whole(&self.folder.path().join("plots").join(format!("{name}.svg")), svg.as_bytes())?;
        }
        if let Some(strategies) = &self.strategies {
            strategies.write(&self.folder, &self.run, &self.chain)?;
        }
        if !self.effects.is_empty() {
            let json = serde_json::to_string_pretty(&pages::effects::json(&self.story()))? + "\n";
            write_whole(&file("effects.json"), json.as_bytes())?;
        }
        let unsigned = self.folder.unsigned();
        match self.table.as_ref().filter(|_| self.is_unsigned()) {
            Some(table) => table.replace(&unsigned)?,
            None if is_taken(&unsigned) => std::fs::remove_file(&unsigned)?,
            None => {}
        }
        Ok(())
    }

    /// The same, and the table into the file `params`, unless there is none or strategies were compared.
    pub(super) fn publish(&self, params: &Path, session: &Session<'_>) -> Result<(), Error> {
        self.write()?;
        if self.stated_on.is_own() && self.fit.reference.is_some() {
            self.stated_on.notes.iter().for_each(|note| session.warn(note));
        }
        let Some(table) = self.table.as_ref().filter(|_| self.strategies.is_none() && !self.is_unsigned()) else {
            if is_taken(params) && self.run.plan.experiment.proposes {
                session.warn(&format!("{} is left as it is, and is not of this run", params.display()));
            }
            return Ok(());
        };
        // Writing over a table takes out what it alone has.
        if let Ok(before) = ParamTable::load(params) {
            for name in before.params.keys().filter(|name| !table.params.contains_key(*name)) {
                session.warn(&format!("{name} was not measured and is taken out of {}", params.display()));
            }
        }
        table.save(params).map_err(|error| {
            let folder = quoted(self.folder.path());
            let way_on = "the samples are kept; to write the table elsewhere";
            Error::from(error).context(format!("{way_on}: estimator fit {folder} --params FILE"))
        })
    }
}
