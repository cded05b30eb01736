use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::report::document::{Block, Download, Section};

/// What lies in the folder of a run, beside its page.
const BESIDE: [(&str, &str); 3] = [
    ("samples.csv", "each measured cycle, phase by phase"),
    ("points.csv", "the design points, each with its levels"),
    ("fit.json", "the fit with all that it found"),
];

/// What a reader can take along: the values of each point, which are in the page itself, and the files beside it, of which `is_there` tells.
#[must_use]
pub fn files(values: &str, is_there: impl Fn(&str) -> bool) -> Section {
    let to = format!("data:text/csv;charset=utf-8;base64,{}", STANDARD.encode(values));
    let values = Download {
        name: "values.csv",
        what: "the costs of each point, unrounded, in nanoseconds; part of this page",
        to,
    };
    let beside = BESIDE.into_iter().filter(|(name, _)| is_there(name));
    let beside = beside.map(|(name, what)| Download { name, what, to: name.into() });
    let files: Vec<Download> = std::iter::once(values).chain(beside).collect();
    let text = (files.len() > 1)
        .then(|| Block::Text("All but the first lie beside this page, in the folder of the run.".into()));
    let blocks = text.into_iter().chain([Block::Downloads(files)]).collect();
    Section::new("files", "Values and samples", blocks)
}
