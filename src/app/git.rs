//! Files as they were in a revision, read by the `git` on the path.

use std::path::Path;
use std::process::{Command, Output};

use super::error::{Error, system};
use crate::text::decoded;

/// What git takes for the repository, its files and its objects in place of what it finds from the folder it is sent to. A hook
/// exports some of them for its own repository and the folder that it began in (`git rev-parse --local-env-vars`; those with
/// settings are the caller's and stay).
const FOUND_OTHERWISE: [&str; 10] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// The text of a file in a revision of the repository that the file lies in.
pub(super) fn file_at(revision: &str, file: &Path) -> Result<String, Error> {
    let folder = folder_of(file);
    if !folder.is_dir() {
        return Err(Error::Usage(format!("no folder {}", folder.display())));
    }
    let name = file.file_name().ok_or_else(|| Error::Failed(format!("{} names no file", file.display())))?;
    // Asked first, so that what is wrong with the repository is not taken for a revision that is not there.
    ask(folder, &["rev-parse", "--git-dir"])?;
    // Resolved before it is used, since a revision that begins with a dash would be taken for a flag.
    let commit = run(folder, &["rev-parse", "--verify", "--end-of-options", &format!("{revision}^{{commit}}")])?;
    if !commit.status.success() {
        let text = format!("git knows no revision `{revision}`: look at `git log`, or fetch it first");
        return Err(Error::Usage(format!("{text} ({})", words(&commit))));
    }
    let commit = String::from_utf8_lossy(&commit.stdout).trim().to_owned();
    let blob = run(folder, &["cat-file", "blob", &format!("{commit}:./{}", name.to_string_lossy())])?;
    if !blob.status.success() {
        let text = format!("git cannot read {} in revision {revision}", file.display());
        return Err(Error::Usage(format!("{text}: {}", words(&blob))));
    }
    decoded(blob.stdout).map_err(system(format!("{} in revision {revision} cannot be read", file.display())))
}

/// Who commits to the repository that `file` lies or will lie in, as `NAME <ADDRESS>`; `None` if git is not told.
pub(super) fn author(file: &Path) -> Result<Option<String>, Error> {
    let folder = file.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    let setting = |key: &str| {
        let output = run(folder, &["config", "--get", key])?;
        // What `git config` ends with where the key is not set.
        if output.status.code() == Some(1) {
            return Ok(None);
        }
        let text = succeeded(&["config", "--get", key], &output)?.trim().to_owned();
        Ok::<_, Error>(Some(text).filter(|text| !text.is_empty()))
    };
    let Some(name) = setting("user.name")? else { return Ok(None) };
    Ok(Some(match setting("user.email")? {
        Some(address) => format!("{name} <{address}>"),
        None => name,
    }))
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What git prints.
///
/// # Errors
/// It cannot be started, or it fails: then with its own words.
fn ask(folder: &Path, args: &[&str]) -> Result<String, Error> {
    succeeded(args, &run(folder, args)?)
}

fn succeeded(args: &[&str], output: &Output) -> Result<String, Error> {
    if !output.status.success() {
        return Err(Error::Failed(format!("`git {}` failed: {}", args.join(" "), words(output))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn run(folder: &Path, args: &[&str]) -> Result<Output, Error> {
    let mut git = Command::new("git");
    for variable in FOUND_OTHERWISE {
        git.env_remove(variable);
    }
    // An empty folder would be no change of folder to git.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let output = git.arg("-C").arg(folder).args(args).output();
    output.map_err(system(format!("cannot start `git {}`", args.join(" "))))
}

/// What a program says of its failure, or how it ended if it says nothing.
fn words(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if said.is_empty() { output.status.to_string() } else { said }
}
