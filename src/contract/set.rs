//! The contracts of a folder, of a compiled folder, or built into the program.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::artifact::Artifact;
use super::error::ContractError;
use super::factors::{Limits, Variant, touched_or_all, variant_name};
use super::facts::ModuleFacts;
use super::manifest::{Language, Manifest};
use super::store;
use crate::text::read_text;
use crate::units::Pages;

/// The entry of ready modules that come without a manifest.
const ENTRY: &str = "touch";

/// One contract: where its modules come from and which there are to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// The name of its folder or module.
    pub name: String,
    /// What it is, in the words of its manifest.
    pub description: String,
    /// The exported function that touches memory.
    pub entry: String,
    /// The contract that it replaces where that one cannot be compiled; where it can, this one is left out.
    pub stands_in_for: Option<String>,
    /// What its modules are made of.
    pub source: Source,
    /// Its variants, at least one.
    pub variants: Vec<Variant>,
}

/// What the modules of a contract are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A Rust source.
    Rust {
        /// The name of its file.
        file: String,
        /// Its text.
        text: String,
    },
    /// A text module in which `{initial_pages}`, `{stack_bytes}` and `{data_bytes}` stand for the levels of a variant.
    Wat {
        /// The name of its file.
        file: String,
        /// Its text.
        text: String,
    },
    /// A ready module.
    Wasm(Vec<u8>),
}

/// The contracts to measure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContractSet {
    /// Contracts whose modules are still to be made or checked, by name.
    pub contracts: Vec<Contract>,
    /// What a compiled folder held, checked.
    pub ready: Vec<Artifact>,
    /// What in the folder was not taken for a contract: folders without a manifest, loose sources, compressed modules, links that
    /// lead nowhere.
    pub ignored: Vec<PathBuf>,
}

impl ContractSet {
    /// Reads a folder: contract folders with a `contract.toml` and loose `.wasm` files, or what `write_artifacts` wrote.
    ///
    /// A loose module is a contract of one variant, with the entry `touch`, touched over its initial pages.
    ///
    /// # Errors
    /// [`ContractError`] if there is no such folder or no contract in it, or any of them is faulty.
    pub fn load(folder: &Path, limits: Limits) -> Result<Self, ContractError> {
        if !folder.is_dir() {
            return Err(ContractError::NoFolder(folder.to_owned()));
        }
        if folder.join(store::MANIFEST).exists() {
            return Ok(Self { ready: store::read_artifacts(folder, limits)?, ..Self::default() });
        }
        let mut set = Self::default();
        for path in entries(folder)? {
            let extension = path.extension().and_then(OsStr::to_str);
            if path.is_dir() {
                let manifest = path.join("contract.toml");
                if manifest.try_exists().map_err(ContractError::io("look for", &manifest))? {
                    set.contracts.push(from_folder(&path, limits)?);
                } else {
                    set.ignored.push(path);
                }
            } else if extension == Some("wasm") {
                let name = name_of(&path, path.file_stem())?;
                let wasm = fs::read(&path).map_err(ContractError::io("read", &path))?;
                let (source, variants) = ready(&name, &path, wasm, &[])?;
                let description = format!("The ready module {}", path.display());
                set.contracts.push(Contract {
                    name,
                    description,
                    entry: ENTRY.into(),
                    stands_in_for: None,
                    source,
                    variants,
                });
            } else if !path.exists() || is_like_contract(&path) {
                set.ignored.push(path);
            }
        }
        if set.contracts.is_empty() {
            return Err(ContractError::NoContract(folder.to_owned()));
        }
        set.names()?;
        Ok(set)
    }

    /// The contracts that are built in: the text twins of `touch-memory` and `grow-memory`, which need no toolchain and no files.
    ///
    /// Their levels above `limits` are left out, since nobody could edit them.
    ///
    /// # Errors
    /// [`ContractError::NothingAllowed`] if that leaves none.
    pub fn embedded(limits: Limits) -> Result<Self, ContractError> {
        let built_in = |name: &str, manifest, text: &str| {
            let manifest = Manifest::parse(manifest, Path::new("(built in)/contract.toml"), name, Limits::REACHABLE)?;
            let source = Source::Wat { file: manifest.source.clone(), text: text.into() };
            let mut variants = manifest.factors.cross();
            variants.retain(|variant| variant.initial_pages <= limits.initial_pages_max.min(limits.pages_max));
            for variant in &mut variants {
                variant.touched_pages.retain(|&pages| pages <= limits.pages_max);
            }
            Ok(contract(name.into(), manifest, source, variants))
        };
        let mut contracts = vec![
            built_in(
                "touch-memory-wat",
                include_str!("../../estimator-contracts/touch-memory-wat/contract.toml"),
                include_str!("../../estimator-contracts/touch-memory-wat/touch-memory.wat"),
            )?,
            built_in(
                "grow-memory-wat",
                include_str!("../../estimator-contracts/grow-memory-wat/contract.toml"),
                include_str!("../../estimator-contracts/grow-memory-wat/grow-memory.wat"),
            )?,
        ];
        contracts.retain(|contract| contract.variants.iter().any(|variant| !variant.touched_pages.is_empty()));
        if contracts.is_empty() {
            return Err(ContractError::NothingAllowed(limits.initial_pages_max.0));
        }
        Ok(Self { contracts, ..Self::default() })
    }

    /// No two contracts share a name, and no stand-in replaces a stand-in.
    fn names(&self) -> Result<(), ContractError> {
        let mut names = BTreeSet::new();
        if let Some(twice) = self.contracts.iter().find(|contract| !names.insert(&contract.name)) {
            return Err(ContractError::SameName(twice.name.clone()));
        }
        for contract in &self.contracts {
            let replaced = |other: &&Contract| contract.stands_in_for.as_ref() == Some(&other.name);
            if let Some(other) = self.contracts.iter().find(replaced)
                && other.stands_in_for.is_some()
            {
                return Err(ContractError::StandInChain { contract: contract.name.clone(), other: other.name.clone() });
            }
        }
        Ok(())
    }
}

/// Whether a file has the name of a module or a source, in whatever form.
fn is_like_contract(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let plain = [".gz", ".zst", ".br", ".xz"].into_iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    [".rs", ".wat", ".wast", ".wasm"].into_iter().any(|end| plain.ends_with(end))
}

fn contract(name: String, manifest: Manifest, source: Source, variants: Vec<Variant>) -> Contract {
    Contract {
        name,
        description: manifest.description,
        entry: manifest.entry,
        stands_in_for: manifest.stands_in_for,
        source,
        variants,
    }
}

/// What is in a folder, by name, without hidden files.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, ContractError> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        let paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
        paths.collect()
    };
    let mut paths = list().map_err(ContractError::io("list", folder))?;
    paths.retain(|path| path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b".")));
    paths.sort_unstable();
    Ok(paths)
}

fn from_folder(folder: &Path, limits: Limits) -> Result<Contract, ContractError> {
    let name = name_of(folder, folder.file_name())?;
    let file = folder.join("contract.toml");
    let text = read_text(&file).map_err(ContractError::io("read", &file))?;
    let manifest = Manifest::parse(&text, &file, &name, limits)?;
    let path = folder.join(&manifest.source);
    let text = || read_text(&path).map_err(ContractError::io("read", &path));
    let file = manifest.source.clone();
    let (source, variants) = match manifest.language {
        Language::Rust => (Source::Rust { file, text: text()? }, manifest.factors.cross()),
        Language::Wat => (Source::Wat { file, text: text()? }, manifest.factors.cross()),
        Language::Wasm => {
            let wasm = fs::read(&path).map_err(ContractError::io("read", &path))?;
            ready(&name, &path, wasm, &manifest.factors.touched_pages)?
        }
    };
    Ok(contract(name, manifest, source, variants))
}

/// The one variant of a ready module is what the module says.
fn ready(name: &str, path: &Path, wasm: Vec<u8>, touched: &[Pages]) -> Result<(Source, Vec<Variant>), ContractError> {
    let facts = ModuleFacts::read(&wasm).map_err(|source| ContractError::Facts {
        contract: name.into(),
        variant: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        source,
    })?;
    let initial_pages = facts.initial_pages.unwrap_or_default();
    let stack_bytes = facts.stack_pointer.unwrap_or_default();
    let variant = Variant {
        name: variant_name(initial_pages, stack_bytes, None),
        initial_pages,
        stack_bytes,
        data_bytes: None,
        touched_pages: touched_or_all(touched, initial_pages),
    };
    Ok((Source::Wasm(wasm), vec![variant]))
}

/// A name goes into file names, tables and messages, so it is plain.
fn name_of(path: &Path, name: Option<&OsStr>) -> Result<String, ContractError> {
    name.and_then(OsStr::to_str)
        .filter(|name| is_plain(name))
        .map(Into::into)
        .ok_or_else(|| ContractError::Name(path.to_owned()))
}

/// Letters, digits, `-`, `_` and `.`, the first a letter or digit.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

#[cfg(test)]
mod tests;
