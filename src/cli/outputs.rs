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
    /// The table to write [default: params/proposed.toml; params/proposed-load.toml of the load experiment, and so on]
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// The table in force, which the proposal is held against; the run keeps a copy [default: that copy, or for a new run
    /// params/current.toml if it is there]
    #[arg(long, value_name = "FILE")]
    pub current: Option<PathBuf>,
    /// How to show the result on standard output
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
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

    /// Shows an analysis whose files are written.
    pub fn show(&self, analysis: &Analysis) -> anyhow::Result<Exit> {
        let story = analysis.story();
        let params = self.params(story.run.plan.experiment);
        if let Some(table) = story.table.filter(|_| story.strategies.is_none() && !analysis.is_unsigned()) {
            objected::warn(params.display(), table);
        }
        match (self.format, &story.strategies) {
            (Format::Human, Some(strategies)) => out::show(&render::terminal(&pages::strategies::page(strategies)))?,
            (Format::Human, None) if story.explains() => {
                out::show(&render::terminal(&pages::effects::page(&story)))?;
            }
            (Format::Human, None) => out::show(&human(analysis, &params))?,
            (Format::Markdown, _) => out::data(&analysis.markdown())?,
            (Format::Json, _) => out::json(&analysis.json(&params))?,
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
}

fn human(analysis: &Analysis, params: &Path) -> String {
    let mut files = vec![("report", analysis.folder().path().join("report.html").display().to_string())];
    let unsigned = analysis.folder().unsigned();
    let table = if analysis.is_unsigned() { unsigned.as_path() } else { params };
    files.extend(analysis.table().map(|_| ("table", table.display().to_string())));
    render::terminal(&pages::run::brief(&analysis.story(), &files))
}
