//! Runs by a name of one's own, to compare with: `baselines/NAME` beside the folders of the runs holds the name of one.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::{Error, system};
use crate::files::{make_folder, write_whole};
use crate::measure::RunFolder;
use crate::text::read_found;

/// The folder of the names, in that of the runs.
const FOLDER: &str = "baselines";

/// Bytes of a name at most.
const LONGEST: usize = 100;

/// Makes sure that a name is one of a file.
///
/// # Errors
/// It is empty, begins with a point, or has something else than letters, digits, `.`, `_` and `-`.
fn check_baseline(name: &str) -> Result<(), Error> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || name.len() > LONGEST || name.starts_with('.') || !name.chars().all(is_plain) {
        return Err(Error::Usage(format!(
            "`{name}` is no name for a baseline: use up to {LONGEST} letters, digits, `.`, `_` and `-`"
        )));
    }
    Ok(())
}

/// Makes sure that a run in this folder of runs can be given a name, before it is measured.
///
/// # Errors
/// The name is none, or a folder has it.
pub fn can_save_baseline(reports: &Path, name: &str) -> Result<(), Error> {
    check_baseline(name)?;
    let file = reports.join(FOLDER).join(name);
    if file.is_dir() {
        let text = format!("{} is a folder: choose another name for the baseline, or move it away", file.display());
        return Err(Error::Usage(text));
    }
    Ok(())
}

/// Calls a run by this name from now on, whatever was called so before. Returns the file that says it.
///
/// # Errors
/// The name is none, a folder has it, or the file cannot be written.
pub fn save_baseline(run: &RunFolder, name: &str) -> Result<PathBuf, Error> {
    let path = run.path();
    let folder = path.canonicalize().map_err(system(format!("cannot reach {}", path.display())))?;
    let (Some(reports), Some(run)) = (folder.parent(), folder.file_name()) else {
        return Err(Error::Usage(format!("{} is no folder of a run", path.display())));
    };
    can_save_baseline(reports, name)?;
    let file = reports.join(FOLDER).join(name);
    make_folder(&reports.join(FOLDER)).map_err(system(format!("cannot make {}", reports.join(FOLDER).display())))?;
    write_whole(&file, format!("{}\n", run.to_string_lossy()).as_bytes())?;
    Ok(path.parent().unwrap_or(reports).join(FOLDER).join(name))
}

/// The run that goes by this name in a folder of runs.
///
/// # Errors
/// There is no such name, or its run is gone.
pub fn baseline(reports: &Path, name: &str) -> Result<PathBuf, Error> {
    check_baseline(name)?;
    let file = reports.join(FOLDER).join(name);
    let run = match read_found(&file) {
        Ok(text) => reports.join(text.trim()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let known = names(reports)?;
            let there = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let folder = file.parent().unwrap_or(reports).display();
            let text = format!(
                "no baseline `{name}` in {folder}, where there is {there}: `estimator run --save-baseline {name}` makes one"
            );
            return Err(Error::Usage(text));
        }
        Err(error) => return Err(system(format!("cannot read {}", file.display()))(error)),
    };
    if !run.join("run.toml").is_file() {
        return Err(Error::Usage(format!("{} names {}, which is no run any more", file.display(), run.display())));
    }
    Ok(run)
}

/// The runs that go by a name in a folder of runs: whoever clears that up leaves these.
///
/// # Errors
/// The folder cannot be read.
pub fn baselines(reports: &Path) -> Result<BTreeSet<String>, Error> {
    let run = |name: &String| {
        let file = reports.join(FOLDER).join(name);
        let text = read_found(&file).map_err(system(format!("cannot read {}", file.display())))?;
        Ok(text.trim().to_owned())
    };
    names(reports)?.iter().map(run).collect()
}

fn names(reports: &Path) -> Result<Vec<String>, Error> {
    let folder = reports.join(FOLDER);
    let failed = || system(format!("cannot read {}", folder.display()));
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed()(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(failed())?.file_name().to_string_lossy().into_owned();
        // What is being written lies beside for a moment.
        if check_baseline(&name).is_ok() {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_its_run_until_that_is_gone() {
        let reports = tempfile::tempdir().unwrap();
        let run = reports.path().join("20261202T011534Z-seed1");
        fs::create_dir(&run).unwrap();
        fs::write(run.join("run.toml"), "").unwrap();
        assert!(baselines(reports.path()).unwrap().is_empty());
        save_baseline(&RunFolder::at(&run), "main").unwrap();
        assert_eq!(baseline(reports.path(), "main").unwrap(), run);
        assert_eq!(baselines(reports.path()).unwrap().into_iter().collect::<Vec<_>>(), ["20261202T011534Z-seed1"]);
        let unknown = baseline(reports.path(), "other").unwrap_err().to_string();
        assert!(unknown.contains("there is main") && unknown.contains("--save-baseline other"), "{unknown}");
        fs::create_dir(reports.path().join(FOLDER).join("folder")).unwrap();
        for name in ["", "../main", ".main", "a b", "folder"] {
            assert!(can_save_baseline(reports.path(), name).is_err(), "{name}");
            assert!(save_baseline(&RunFolder::at(&run), name).is_err(), "{name}");
        }
        fs::remove_dir_all(&run).unwrap();
        assert!(baseline(reports.path(), "main").unwrap_err().to_string().contains("no run any more"));
    }
}
