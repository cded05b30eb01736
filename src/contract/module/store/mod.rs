//! Artifact folders: compiled modules and the list of them, for machines without a toolchain.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::artifact::{Artifact, Provenance, sha256_hex};
use super::check;
use super::foreign::Foreign;
use crate::contract::error::ContractError;
use crate::contract::factors::{Limits, Variant};
use crate::contract::name::is_plain;
use crate::files::make_folder;
use crate::text::read_found;
use crate::units::{Bytes, Pages};
use crate::versioned::{Formats, Source};

/// The list in an artifact folder.
pub(crate) const MANIFEST: &str = "artifacts.toml";

/// The newest format of the list that is read, and the one that is written.
const FORMAT: i64 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    format: i64,
    #[serde(default)]
    artifact: Vec<Item>,
}

/// What the list says of a module. Its facts stand here for people, and are read from the module all the same.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    contract: String,
    variant: String,
    file: String,
    sha256: String,
    entry: String,
    initial_pages: Pages,
    stack_bytes: Bytes,
    data_bytes: Bytes,
    touched_pages: Vec<Pages>,
    compiler: Option<String>,
    command: Option<String>,
}

impl Item {
    fn of(artifact: &Artifact) -> Self {
        Self {
            contract: artifact.contract.clone(),
            variant: artifact.variant.clone(),
            file: file_of(&artifact.contract, &artifact.variant),
            sha256: artifact.sha256.clone(),
            entry: artifact.entry.clone(),
            initial_pages: artifact.initial_pages,
            stack_bytes: artifact.stack_bytes,
            data_bytes: artifact.facts.data_bytes,
            touched_pages: artifact.touched_pages.clone(),
            compiler: artifact.provenance.compiler.clone(),
            command: artifact.provenance.command.clone(),
        }
    }
}

fn file_of(contract: &str, variant: &str) -> String {
    format!("{contract}/{variant}.wasm")
}

/// Writes artifacts as a folder with `artifacts.toml` and `CONTRACT/VARIANT.wasm`.
///
/// The folder appears whole or not at all. An empty folder, or one that this function wrote, is replaced.
///
/// # Errors
/// [`ContractError::ForeignFolder`] if anything else is in the folder; [`ContractError::Io`] if it cannot be written.
pub fn write_artifacts(folder: &Path, artifacts: &[Artifact]) -> Result<(), ContractError> {
    let failed = |source| ContractError::Io { action: "write", path: folder.to_owned(), source };
    // A link is followed, so that what it leads to is replaced and not the link.
    let target = match fs::canonicalize(folder) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::path::absolute(folder).map_err(failed)?,
        Err(error) => return Err(failed(error)),
    };
    let occupied = target.exists() && is_ours(&target, folder)?;
    let parent = target.parent().unwrap_or(&target);
    make_folder(parent).map_err(failed)?;
    let draft = tempfile::Builder::new().prefix(".artifacts").tempdir_in(parent).map_err(failed)?;
    let new = draft.path().join("new");
    fill(&new, artifacts).map_err(failed)?;
    if !occupied {
        return fs::rename(&new, &target).map_err(failed);
    }
    let old = draft.path().join("old");
    fs::rename(&target, &old).map_err(failed)?;
    fs::rename(&new, &target).map_err(|error| {
        // The failure is reported in any case; the old folder goes back where it was if it can.
        let _ = fs::rename(&old, &target);
        failed(error)
    })
}

fn fill(folder: &Path, artifacts: &[Artifact]) -> io::Result<()> {
    fs::create_dir(folder)?;
    for artifact in artifacts {
        let file = folder.join(file_of(&artifact.contract, &artifact.variant));
        fs::create_dir_all(file.parent().unwrap_or(folder))?;
        fs::write(file, &artifact.wasm)?;
    }
    let list = List { format: FORMAT, artifact: artifacts.iter().map(Item::of).collect() };
    fs::write(folder.join(MANIFEST), toml::to_string(&list).map_err(io::Error::other)?)
}

/// Whether the folder is one that was written here; `false` if it is empty, an error if anything else is in it.
fn is_ours(folder: &Path, shown: &Path) -> Result<bool, ContractError> {
    let foreign = |reason: String| ContractError::ForeignFolder { path: shown.to_owned(), reason };
    let mut found = BTreeSet::new();
    for path in list_files(folder).map_err(ContractError::io("list", shown))? {
        found.insert(path.strip_prefix(folder).unwrap_or(&path).to_owned());
    }
    if found.is_empty() {
        return Ok(false);
    }
    if !found.remove(Path::new(MANIFEST)) {
        return Err(foreign(format!("it has no {MANIFEST}")));
    }
    let list = read_list(&folder.join(MANIFEST))?;
    let known: BTreeSet<PathBuf> = list.artifact.into_iter().map(|entry| entry.file.into()).collect();
    match found.difference(&known).next() {
        Some(other) => Err(foreign(format!("it holds {}, which {MANIFEST} does not list", other.display()))),
        None => Ok(true),
    }
}

/// The files of a folder and of the folders in it; deeper folders count as files, since none is written here.
fn list_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            for inner in fs::read_dir(entry.path())? {
                files.push(inner?.path());
            }
        } else {
            files.push(entry.path());
        }
    }
    Ok(files)
}

fn read_list(file: &Path) -> Result<List, ContractError> {
    let text = read_found(file).map_err(ContractError::io("read", file))?;
    Ok(Source { file, text: &text }.read(Formats::first(FORMAT))?)
}

/// Reads an artifact folder. Hashes are verified, and facts read again and compared with the list.
///
/// # Errors
/// [`ContractError`] if a file is missing, damaged, of a newer format, or unfit under `limits`.
pub fn read_artifacts(folder: &Path, limits: Limits) -> Result<Vec<Artifact>, ContractError> {
    let manifest = folder.join(MANIFEST);
    let list = read_list(&manifest)?;
    if list.artifact.is_empty() {
        return Err(ContractError::NoContract(folder.to_owned()));
    }
    let mut names = BTreeSet::new();
    list.artifact
        .into_iter()
        .map(|entry| {
            let damaged = |reason: &str| {
                let reason = format!("{}/{}: {reason}", entry.contract, entry.variant);
                ContractError::Damaged { path: manifest.clone(), reason }
            };
            if !is_plain(&entry.contract) || !is_plain(&entry.variant) {
                return Err(damaged("not the name of a contract and a variant"));
            }
            if entry.file != file_of(&entry.contract, &entry.variant) {
                return Err(damaged("the file is not named after the contract and variant"));
            }
            if !names.insert(entry.file.clone()) {
                return Err(damaged("listed twice"));
            }
            // A memory of 0 pages has a reason of its own.
            let declared = entry.initial_pages != Pages(0);
            if entry.touched_pages.is_empty() || (declared && entry.touched_pages.contains(&Pages(0))) {
                return Err(damaged("no pages to touch"));
            }
            let file = folder.join(&entry.file);
            let wasm = fs::read(&file).map_err(ContractError::io("read", &file))?;
            if sha256_hex(&wasm) != entry.sha256 {
                let reason = Foreign::of(&wasm).map_or_else(
                    || "its SHA-256 is not the listed one".to_owned(),
                    |foreign| format!("it is {}: {}", foreign.what, foreign.way_out),
                );
                return Err(ContractError::Damaged { path: file, reason });
            }
            let variant = Variant {
                name: entry.variant,
                initial_pages: entry.initial_pages,
                stack_bytes: entry.stack_bytes,
                data_bytes: Some(entry.data_bytes),
                touched_pages: entry.touched_pages,
            };
            let provenance = Provenance { compiler: entry.compiler, command: entry.command };
            check::artifact(&entry.contract, &entry.entry, &variant, wasm, provenance, limits)
        })
        .collect()
}

#[cfg(test)]
mod tests;
