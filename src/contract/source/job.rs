//! Making the module of one variant.

use super::cache::{Cache, Key};
use super::edition::Edition;
use super::event::CompileEvent;
use super::rust::{self, RustError};
use super::set::{Contract, Source};
use super::toolchain::Toolchain;
use crate::contract::error::ContractError;
use crate::contract::factors::{Limits, Variant};
use crate::contract::module::artifact::{Artifact, Provenance};
use crate::contract::module::check;

/// One module to make or to check.
pub(super) struct Job<'a> {
    pub(super) contract: &'a Contract,
    variant: &'a Variant,
    /// How a Rust source is compiled; `None` for other sources, or without a compiler.
    recipe: Option<Recipe<'a>>,
}

struct Recipe<'a> {
    toolchain: &'a Toolchain,
    command: String,
    key: Key,
    cached: Option<Vec<u8>>,
}

impl<'a> Job<'a> {
    pub(super) fn new(
        contract: &'a Contract,
        variant: &'a Variant,
        toolchain: Option<&'a Toolchain>,
        cache: Option<&Cache<'_>>,
    ) -> Self {
        let recipe = match (&contract.source, toolchain) {
            (Source::Rust { file, text, edition }, Some(toolchain)) => {
                let command = rust::command_line(file, *edition, variant);
                let key = Key::new(text, &command, &toolchain.verbose_version);
                let cached = cache.and_then(|cache| cache.get(&key));
                Some(Recipe { toolchain, command, key, cached })
            }
            _ => None,
        };
        Self { contract, variant, recipe }
    }

    pub(super) fn is_cached(&self) -> bool {
        self.recipe.as_ref().is_some_and(|recipe| recipe.cached.is_some())
    }

    pub(super) fn needs_compiler(&self) -> bool {
        matches!(self.contract.source, Source::Rust { .. }) && !self.is_cached()
    }

    /// The edition of a Rust source.
    pub(super) const fn edition(&self) -> Option<Edition> {
        match self.contract.source {
            Source::Rust { edition, .. } => Some(edition),
            _ => None,
        }
    }

    /// Makes the module, keeps it if it was compiled and is what was asked, and checks it.
    pub(super) fn run(
        &self,
        limits: Limits,
        cache: Option<&Cache<'_>>,
        progress: &(dyn Fn(CompileEvent<'_>) + Sync),
    ) -> Result<Artifact, ContractError> {
        let provenance = self.recipe.as_ref().map_or_else(Provenance::default, |recipe| Provenance {
            compiler: Some(recipe.toolchain.version().into()),
            command: Some(recipe.command.clone()),
        });
        let Contract { name, entry, .. } = self.contract;
        let artifact = check::artifact(name, entry, self.variant, self.module()?, provenance, limits)?;
        if let (Some(recipe), Some(cache)) = (&self.recipe, cache)
            && recipe.cached.is_none()
            && let Err(error) = cache.put(&recipe.key, &artifact.wasm)
        {
            progress(CompileEvent::NotCached { folder: cache.folder, error: &error });
        }
        progress(CompileEvent::Finished { contract: name, variant: &self.variant.name, cached: self.is_cached() });
        Ok(artifact)
    }

    fn module(&self) -> Result<Vec<u8>, ContractError> {
        let refused = |output| ContractError::Compile {
            contract: self.contract.name.clone(),
            variant: self.variant.name.clone(),
            output,
        };
        match (&self.contract.source, &self.recipe) {
            (Source::Wasm(wasm), _) | (Source::Rust { .. }, Some(Recipe { cached: Some(wasm), .. })) => {
                Ok(wasm.clone())
            }
            (Source::Wat { file, text }, _) => wat::Parser::new()
                .parse_str(Some(file.as_ref()), substitute(text, self.variant))
                .map_err(|error| refused(error.to_string())),
            (Source::Rust { file, text, edition }, Some(recipe)) => {
                rust::build(recipe.toolchain, (file, text, *edition), self.variant).map_err(|error| match error {
                    RustError::Refused(output) => refused(output),
                    RustError::Io(source) => ContractError::Io { action: "compile", path: file.into(), source },
                })
            }
            (Source::Rust { .. }, None) => Err(refused("there is no Rust compiler".into())),
        }
    }
}

/// What stands in a text for the data itself: that many bytes other than zero, as they are written in a string.
const DATA: &str = "{data}";

/// The text of a module for one variant: its levels in place of their names in braces.
fn substitute(text: &str, variant: &Variant) -> String {
    let mut text = text
        .replace("{initial_pages}", &variant.initial_pages.0.to_string())
        .replace("{stack_bytes}", &variant.stack_bytes.0.to_string());
    if let Some(data) = variant.data_bytes {
        let end = variant.stack_bytes.0.saturating_add(data.0);
        text = text.replace("{data_bytes}", &data.0.to_string()).replace("{data_end}", &end.to_string());
        if text.contains(DATA) {
            text = text.replace(DATA, &"\\a5".repeat(data.host_size()));
        }
    }
    text
}
