//! The contracts of a folder, of a compiled folder, or built into the program.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::edition::Edition;
use super::manifest::{Language, Manifest};
use crate::contract::error::ContractError;
use crate::contract::factors::{Limits, Variant, touched_or_all, variant_name};
use crate::contract::module::artifact::Artifact;
use crate::contract::module::facts::{ModuleFacts, StackPointer};
use crate::contract::module::foreign::{Foreign, dangling};
use crate::contract::module::store;
use crate::contract::name::is_plain;
use crate::text::{decoded, read_found};
use crate::units::Pages;

/// The entry of ready modules that come without a manifest.
const ENTRY: &str = "touch";

macro_rules! built_in {
    ($name:literal, $source:literal) => {
        (
            $name,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/estimator-contracts/", $name, "/contract.toml")),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/estimator-contracts/", $name, "/", $source)),
        )
    };
}

/// Name, manifest and text of the contracts that are built in.
const BUILT_IN: [(&str, &str, &str); 4] = [
    built_in!("touch-memory-wat", "touch-memory.wat"),
    built_in!("grow-memory-wat", "grow-memory.wat"),
    built_in!("data-heavy", "data-heavy.wat"),
    built_in!("lifelike", "lifelike.wat"),
];

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
        /// What it is written in.
        edition: Edition,
    },
    /// A text module in which `{initial_pages}`, `{stack_bytes}` and `{data_bytes}` stand for the levels of a variant, `{data_end}`
    /// for the sum of the last two, and `{data}` for the data itself.
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
    /// Levels that contracts list and the chain does not allow.
    pub left_out: Vec<LeftOut>,
}

/// What of a contract is not measured, since the chain does not allow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The name of the contract.
    pub contract: String,
    /// Which levels, beyond which limit, and what takes their place.
    pub levels: String,
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
            return Self::compiled(folder, limits);
        }
        let mut set = Self::default();
        for path in entries(folder)? {
            let extension = path.extension().and_then(OsStr::to_str);
            if path.is_dir() {
                let manifest = path.join("contract.toml");
                if manifest.try_exists().map_err(ContractError::io("look for", &manifest))? {
                    let (contract, left_out) = from_folder(&path, limits)?;
                    set.add(contract, left_out);
                } else {
                    set.ignored.push(path);
                }
            } else if extension == Some("wasm") {
                let name = name_of(&path, path.file_stem())?;
                let wasm = bytes(&path)?;
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
            return Err(if set.left_out.is_empty() {
                ContractError::NoContract(folder.to_owned())
            } else {
                ContractError::NothingAllowed { folder: folder.to_owned(), limit: limits.initial_pages_max }
            });
        }
        set.names()?;
        Ok(set)
    }

    /// The contracts that are built in, those of the shipped ones that need no toolchain.
    ///
    /// # Errors
    /// [`ContractError`] if a manifest were faulty, which a test rules out.
    pub fn embedded(limits: Limits) -> Result<Self, ContractError> {
        let mut set = Self::default();
        for (name, manifest, text) in BUILT_IN {
            let file = Path::new("(built in)").join(name).join("contract.toml");
            let manifest = Manifest::parse(manifest, &file, name, limits)?;
            let source = Source::Wat { file: manifest.source.clone(), text: text.into() };
            let variants = manifest.factors.cross();
            let (contract, left_out) = contract(name.into(), manifest, source, variants);
            set.add(contract, left_out);
        }
        Ok(set)
    }

    /// What `write_artifacts` wrote, perhaps for a chain with other limits: what is beyond those of this one is left out.
    fn compiled(folder: &Path, limits: Limits) -> Result<Self, ContractError> {
        let mut set = Self::default();
        for mut artifact in store::read_artifacts(folder, Limits::REACHABLE)? {
            let initial_max = limits.initial_pages_max.min(limits.pages_max);
            let mut left_out = |beyond: String, limit: Pages| {
                let levels = format!("{beyond}, beyond the chain's limit of {limit}");
                set.left_out.push(LeftOut { contract: artifact.contract.clone(), levels });
            };
            if artifact.initial_pages > initial_max {
                left_out(artifact.variant.clone(), initial_max);
                continue;
            }
            for beyond in artifact.touched_pages.extract_if(.., |touched| *touched > limits.pages_max) {
                left_out(format!("{} touching {beyond}", artifact.variant), limits.pages_max);
            }
            if !artifact.touched_pages.is_empty() {
                set.ready.push(artifact);
            }
        }
        if set.ready.is_empty() {
            return Err(ContractError::NothingAllowed { folder: folder.to_owned(), limit: limits.initial_pages_max });
        }
        Ok(set)
    }

    fn add(&mut self, contract: Contract, left_out: Vec<String>) {
        let name = &contract.name;
        self.left_out.extend(left_out.into_iter().map(|levels| LeftOut { contract: name.clone(), levels }));
        // Capped to a small memory, its stack and data may fit nowhere.
        if contract.variants.is_empty() {
            let levels = "all of it, since its stack and data fit in no memory that the chain allows".to_owned();
            self.left_out.push(LeftOut { contract: contract.name, levels });
        } else {
            self.contracts.push(contract);
        }
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

/// The contract of a manifest, and which of its levels were left out.
fn contract(name: String, manifest: Manifest, source: Source, variants: Vec<Variant>) -> (Contract, Vec<String>) {
    let contract = Contract {
        name,
        description: manifest.description,
        entry: manifest.entry,
        stands_in_for: manifest.stands_in_for,
        source,
        variants,
    };
    (contract, manifest.left_out)
}

/// What is in a folder, by name, without hidden files.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, ContractError> {
    let list = || -> io::Result<Vec<PathBuf>> {
        let paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
        paths.collect()
    };
    let mut paths = list().map_err(ContractError::io("list", folder))?;
    paths.retain(|path| path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b".")));
    paths.sort_unstable();
    Ok(paths)
}

fn from_folder(folder: &Path, limits: Limits) -> Result<(Contract, Vec<String>), ContractError> {
    let name = name_of(folder, folder.file_name())?;
    let file = folder.join("contract.toml");
    let text = read_found(&file).map_err(ContractError::io("read", &file))?;
    let manifest = Manifest::parse(&text, &file, &name, limits)?;
    let path = folder.join(&manifest.source);
    let source = || source_text(&name, &path);
    let file = manifest.source.clone();
    let (source, variants) = match manifest.language {
        Language::Rust => {
            let edition = manifest.edition;
            (Source::Rust { file, text: source()?, edition }, manifest.factors.cross())
        }
        Language::Wat => (Source::Wat { file, text: source()? }, manifest.factors.cross()),
        Language::Wasm => ready(&name, &path, bytes(&path)?, &manifest.factors.touched_pages)?,
    };
    Ok(contract(name, manifest, source, variants))
}

fn bytes(path: &Path) -> Result<Vec<u8>, ContractError> {
    let said = |error: io::Error| dangling(path).map_or(error, io::Error::other);
    fs::read(path).map_err(|error| ContractError::io("read", path)(said(error)))
}

/// The text of a source, unless it is no text or only stands for the file.
fn source_text(contract: &str, path: &Path) -> Result<String, ContractError> {
    let bytes = bytes(path)?;
    if let Some(foreign) = Foreign::in_place_of_source(&bytes) {
        return Err(ContractError::Source { contract: contract.into(), path: path.to_owned(), foreign });
    }
    decoded(bytes).map_err(ContractError::io("read", path))
}

/// The one variant of a ready module is what the module says.
fn ready(name: &str, path: &Path, wasm: Vec<u8>, touched: &[Pages]) -> Result<(Source, Vec<Variant>), ContractError> {
    let facts = ModuleFacts::read(&wasm).map_err(|source| ContractError::Facts {
        contract: name.into(),
        variant: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        source,
    })?;
    let initial_pages = facts.initial_pages.unwrap_or_default();
    let stack_bytes = facts.stack_pointer.map(StackPointer::value).unwrap_or_default();
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

#[cfg(test)]
mod tests;
