use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::Exit;
use super::format::Format;
use super::objected;
use super::out::{self, tell};
use crate::app::Analysis;
use crate::experiment::Experiment;
use crate::report::{pages, render};
use crate::text::quoted;

/// Where the results of a fit go and how they are shown.
#[derive(Debug, Args)]
pub struct Outputs {
    /// The table to write [default: params/proposed.toml; params/proposed-load.toml of the load experiment, and so on; none of an experiment
    /// that only compares]
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// The table in force, which the proposal is held against; the run keeps a copy [default: that copy, or for a new run
    /// params/current.toml if it is there]
    #[arg(long, value_name = "FILE")]
    pub current: Option<PathBuf>,
    /// How to show the result on standard output
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
    /// Show all that is known, and not only what fits into 45 lines of 80 columns
    #[arg(long)]
    pub verbose: bool,
}

impl Outputs {
    /// The table to write of this experiment.
    pub fn params(&self, experiment: &Experiment) -> PathBuf {
        self.params.clone().unwrap_or_else(|| experiment.table.into())
    }

    /// Whether a table is named, which is of one experiment.
    pub fn names_files(&self) -> bool {
        self.params.is_some() || self.current.is_some()
    }

    /// Shows an analysis, whose files are `written` unless it is of some points only.
    pub fn show(&self, analysis: &Analysis, written: bool) -> anyhow::Result<Exit> {
        let story = analysis.story();
        let params = self.params(story.run.plan.experiment);
        let proposed = story.table.filter(|_| written && story.strategies.is_none() && !analysis.is_unsigned());
        if let Some(table) = proposed {
            objected::warn(params.display(), table);
        }
        match (self.format, &story.strategies) {
            (Format::Human, Some(strategies)) => {
                let page = if self.verbose { pages::strategies::page } else { pages::strategies::brief };
                out::show(&render::terminal(&page(strategies)))?;
            }
            (Format::Human, None) if story.explains() => {
                out::show(&render::terminal(&pages::effects::page(&story)))?;
            }
            (Format::Human, None) => out::show(&self.human(analysis, &params, written))?,
            (Format::Markdown, _) => out::data(&analysis.markdown())?,
            (Format::Json, _) if !written => out::json(&pages::run::json(&story))?,
            (Format::Json, _) => out::json(&analysis.json(&params))?,
        }
        if !written {
            tell!("these are some of the points: nothing was written");
            return Ok(Exit::of_analysis(analysis));
        }
        if story.strategies.is_some() {
            let folder = quoted(analysis.folder().path());
            tell!("samples, report.html, strategies.json and a table for each strategy are in {folder}");
        }
        if !story.effects.is_empty() {
            tell!("samples, report.html and effects.json are in {}", quoted(analysis.folder().path()));
        }
        Ok(Exit::of_analysis(analysis))
    }

    fn human(&self, analysis: &Analysis, params: &Path, written: bool) -> String {
        let mut files = Vec::new();
        if written {
            let unsigned = analysis.folder().unsigned();
            let table = if analysis.is_unsigned() { unsigned.as_path() } else { params };
            files.push(("report", analysis.folder().path().join("report.html").display().to_string()));
            files.extend(analysis.table().map(|_| ("table", table.display().to_string())));
        }
        render::terminal(&pages::run::brief(&analysis.story(), &files, self.verbose))
    }
}
