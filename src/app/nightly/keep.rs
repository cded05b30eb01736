//! How long the folders of nights are kept. What the history records of them stays.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::request::NightRequest;
use super::send::{REFUSED, UNSENT};
use crate::app::error::{Error, system};
use crate::app::receive::RECEIVED;
use crate::app::session::Session;
use crate::history::{History, Record, Selection, read_night, recover as folders};
use crate::measure::RunFolder;
use crate::text::with_causes;

/// A file of this name in the folder of a run keeps all that is there.
const KEPT: &str = "keep";

/// Where named baselines are, beside the folders of runs.
const BASELINES: &str = "baselines";

/// Files of a run that are looked at after it was fitted, and that its record is read from: they go last.
const LAST: [&str; 2] = ["run.toml", "night.json"];

/// Removes what is older than the request keeps and nothing needs, and says so.
pub(super) fn keep(request: &NightRequest, history: &History, session: &Session<'_>) {
    if request.keep.samples.is_none() && request.keep.fits.is_none() {
        return;
    }
    let mut removed = Removed::default();
    if let Err(error) = remove(request, history, &mut removed) {
        session.warn(&format!("not all is removed that [keep] does not keep: {}", with_causes(&error)));
    }
    for (what, runs) in [("the samples", removed.samples), ("the folder", removed.folders)] {
        if !runs.is_empty() {
            session.note(&format!("removed by [keep]: {what} of {}", runs.join(", ")));
        }
    }
}

/// What was removed, by the names of the runs.
#[derive(Debug, Default, PartialEq)]
struct Removed {
    samples: Vec<String>,
    folders: Vec<String>,
}

fn remove(request: &NightRequest, history: &History, removed: &mut Removed) -> Result<(), Error> {
    let out = &request.plan.out;
    let mut nights: Vec<(Record, PathBuf)> = Vec::new();
    // What other machines sent to a service beside is for it to keep.
    for folder in folders(out)?.into_iter().filter(|folder| !folder.join(RECEIVED).exists()) {
        // One that cannot be read is for its owner to look at.
        nights.extend(read_night(&folder).ok().flatten().map(|record| (record, folder)));
    }
    // By the numbers of this history: those in the folders may be of one that was lost, and clocks go back. One that was pruned is older than all.
    let numbers: BTreeMap<String, u64> =
        history.records(&Selection::default())?.into_iter().map(|record| (record.run, record.sequence)).collect();
    nights.sort_by_key(|(record, _)| (numbers.get(&record.run).copied(), record.sequence));
    let needed = Needed::of(request)?;
    let mut passed = BTreeSet::new();
    for (record, folder) in nights.into_iter().rev() {
        passed.insert(record.night.clone());
        let is_over = |nights: Option<u32>| nights.is_some_and(|nights| passed.len() > nights as usize);
        // One that is not recorded to its end may still be.
        if !is_over(request.keep.samples.or(request.keep.fits)) || !history.has_ended(&record.run)? {
            continue;
        }
        if needed.is(&record.run, &folder) {
            continue;
        }
        let failed = || system(format!("cannot remove {}", folder.display()));
        if is_over(request.keep.fits) {
            remove_folder(&folder).map_err(failed())?;
            removed.folders.push(record.run);
        } else if remove_samples(&folder).map_err(failed())? {
            removed.samples.push(record.run);
        }
    }
    Ok(())
}

/// What names runs that are needed whole.
struct Needed {
    /// The texts of tables, of the reference machine, and of baselines.
    texts: Vec<String>,
    /// Folders that a link such as `latest` leads to.
    linked: BTreeSet<PathBuf>,
}

impl Needed {
    fn of(request: &NightRequest) -> Result<Self, Error> {
        let out = &request.plan.out;
        let reference = request.plan.reference.clone().unwrap_or_else(|| "params/reference.toml".into());
        let mut files = vec![request.proposed.clone(), reference];
        files.extend(request.params.clone());
        let mut linked = BTreeSet::new();
        for path in entries(out)?.into_iter().chain(entries(&out.join(BASELINES))?) {
            if path.is_symlink() {
                linked.extend(path.canonicalize().ok());
            }
            if path.is_file() && path.parent() != Some(out) {
                files.push(path);
            }
        }
        let read = |file: PathBuf| match fs::read(&file) {
            // What is no text names no run.
            Ok(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(system(format!("cannot read {}", file.display()))(error)),
        };
        let texts: Vec<Option<String>> = files.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { texts: texts.into_iter().flatten().collect(), linked })
    }

    fn is(&self, run: &str, folder: &Path) -> bool {
        // A baseline holds the name of a folder, which may be another than that of its run.
        let named = || folder.file_name().map(std::ffi::OsStr::to_string_lossy);
        let leads_here = || folder.canonicalize().is_ok_and(|folder| self.linked.contains(&folder));
        [UNSENT, REFUSED].iter().any(|mark| folder.join(mark).exists())
            || folder.join(KEPT).exists()
            || self.texts.iter().any(|text| text.contains(run) || named().is_some_and(|name| text.contains(&*name)))
            || leads_here()
    }
}

/// What is in a folder, which need not be there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = || system(format!("cannot list {}", folder.display()));
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry.map_err(failed())?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(failed()(error)),
    }
}

/// Whether there were any.
fn remove_samples(folder: &Path) -> io::Result<bool> {
    let run = RunFolder::at(folder);
    let (samples, artifacts) = (run.samples(), run.artifacts());
    let found = samples.exists() || artifacts.exists();
    if samples.exists() {
        fs::remove_file(samples)?;
    }
    if artifacts.exists() {
        fs::remove_dir_all(artifacts)?;
    }
    Ok(found)
}

/// A folder that is cut off by a kill is removed the next night, as long as its record is there.
fn remove_folder(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if LAST.iter().any(|last| entry.file_name() == **last) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::nightly::KeepSettings;
    use crate::app::plan_request::PlanRequest;
    use crate::history::{Access, read_records, write_night};

    /// Nights 1 to 6, each with samples and a fit; the last has a second run that confirms it. The history was lost after the fourth, and numbers began anew.
    fn nights(out: &Path) -> History {
        let mut history = History::open(&out.join("history.sqlite"), Access::Write).unwrap();
        for (run, night) in [1, 2, 3, 4, 5, 6].map(|night| (night, night)).into_iter().chain([(7, 6)]) {
            let record = serde_json::json!({
                "format": 2, "run": format!("run{run}"), "sequence": if run > 4 { run - 4 } else { run }, "night": format!("run{night}"), "role": "first",
                "outcome": "measured", "created": format!("2026-01-0{run}T00:00:00Z"), "machine": "m", "cpu": "c", "strategy": "s",
                "statistic": "median", "reference": "", "contract_set": "c", "wasmtime": "1", "estimator": "1",
                "budget_seconds": 1,
            });
            let record = read_records(&record.to_string(), Path::new("test")).unwrap().remove(0);
            let folder = out.join(&record.run);
            fs::create_dir_all(folder.join("artifacts")).unwrap();
            for file in ["run.toml", "samples.csv", "fit.json"] {
                fs::write(folder.join(file), "").unwrap();
            }
            write_night(&folder, &record).unwrap();
            if run != 2 {
                history.append(&[record], true).unwrap();
            }
        }
        history
    }

    fn request(out: &Path, samples: Option<u32>, fits: Option<u32>) -> NightRequest {
        let plan = PlanRequest { out: out.into(), reference: Some(out.join("none")), ..PlanRequest::default() };
        let (keep, params) = (KeepSettings { samples, fits }, Some(out.join("current.toml")));
        NightRequest { plan, keep, params, proposed: out.join("none"), ..NightRequest::default() }
    }

    fn removed(request: &NightRequest, history: &History) -> (Vec<String>, Vec<String>) {
        let mut removed = Removed::default();
        remove(request, history, &mut removed).unwrap();
        (removed.samples, removed.folders)
    }

    fn named(runs: &[u32]) -> Vec<String> {
        runs.iter().map(|run| format!("run{run}")).collect()
    }

    #[test]
    fn samples_go_before_fits_and_the_record_stays() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        let history = nights(out);
        let request = request(out, Some(2), Some(4));
        assert_eq!(removed(&request, &history), (named(&[4, 3]), named(&[1])), "run2 is not recorded yet");
        assert!(!out.join("run1").exists() && !out.join("run4/samples.csv").exists());
        assert!(out.join("run4/fit.json").exists() && out.join("run5/samples.csv").exists());
        assert_eq!(history.count().unwrap(), 6);
        assert_eq!(removed(&request, &history), (Vec::new(), Vec::new()), "nothing is left to remove");
    }

    #[test]
    fn what_a_table_a_link_a_baseline_or_an_unsent_push_needs_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        let history = nights(out);
        fs::write(out.join("current.toml"), "run = \"run1\"\n").unwrap();
        fs::create_dir(out.join("baselines")).unwrap();
        fs::write(out.join("baselines/release"), "run3\n").unwrap();
        std::os::unix::fs::symlink("run4", out.join("latest")).unwrap();
        fs::write(out.join("run5/unsent"), "").unwrap();
        fs::write(out.join("run6/keep"), "").unwrap();
        assert_eq!(removed(&request(out, None, Some(1)), &history), (Vec::new(), Vec::new()));
        // What the service refused is sent by hand, if at all.
        fs::rename(out.join("run5/unsent"), out.join("run5/refused")).unwrap();
        assert_eq!(removed(&request(out, None, Some(1)), &history), (Vec::new(), Vec::new()));
        fs::remove_file(out.join("run5/refused")).unwrap();
        assert_eq!(removed(&request(out, None, Some(1)), &history), (Vec::new(), named(&[5])));
        assert_eq!(removed(&request(out, None, None), &history), (Vec::new(), Vec::new()));
    }
}
