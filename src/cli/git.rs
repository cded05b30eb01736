//! Files as they were in a revision, read by the `git` on the path.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use super::exit::UsageError;
use crate::text::decoded;

/// The text of a file in a revision; a relative path is taken from the working folder, as `git show REV:./FILE` does.
pub fn file_at(revision: &str, file: &Path) -> anyhow::Result<String> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = file.file_name().with_context(|| format!("{} names no file", file.display()))?;
    // Resolved first, since a revision that begins with a dash would be taken for a flag.
    let commit =
        git(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")])?;
    let Some(commit) = commit else {
        return Err(
            UsageError(format!("git knows no revision `{revision}`: look at `git log`, or fetch it first")).into()
        );
    };
    let object = format!("{}:./{}", commit.trim(), name.to_string_lossy());
    git(folder, ["cat-file", "blob", &object])?
        .ok_or_else(|| UsageError(format!("there is no {} in revision {revision}", file.display())).into())
}

/// Who commits here, as `NAME <ADDRESS>`, if git knows.
pub fn author() -> Option<String> {
    let ask = |key| git(Path::new("."), ["config", key]).ok().flatten().map(|text| text.trim().to_owned());
    let name = ask("user.name").filter(|name| !name.is_empty())?;
    Some(match ask("user.email") {
        Some(address) if !address.is_empty() => format!("{name} <{address}>"),
        _ => name,
    })
}

/// What git prints, `None` if it fails.
fn git<const N: usize>(folder: &Path, args: [&str; N]) -> anyhow::Result<Option<String>> {
    if !folder.is_dir() {
        bail!(UsageError(format!("no folder {}", folder.display())));
    }
    let output = Command::new(OsStr::new("git"))
        .arg("-C")
        .arg(folder)
        .args(args)
        .output()
        .context("cannot start git, which reads the revision")?;
    if !output.status.success() {
        return Ok(None);
    }
    Ok(Some(decoded(output.stdout).context("the file in that revision cannot be read")?))
}
