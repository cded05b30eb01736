//! A contract as it is brought to a node: the module itself, which is validated and compiled.

use std::sync::OnceLock;

use wasmtime::{Config, Engine, Module};

use super::{NodeSettings, RuntimeError, Strategy};

/// What a node does with a module that is brought to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deployment {
    /// It validates it.
    Validate,
    /// It compiles it with Cranelift.
    Cranelift,
    /// It compiles it with Winch.
    Winch,
}

/// The module, and the engines that it is brought to.
pub(super) struct Brought {
    wasm: Vec<u8>,
    engines: [OnceLock<Engine>; 2],
}

impl Brought {
    pub(super) fn new(wasm: &[u8]) -> Self {
        Self { wasm: wasm.into(), engines: Default::default() }
    }

    /// Does it, as [`LoadedContract::deploy`](super::LoadedContract::deploy) does. `config` is the node's; one thread compiles.
    pub(super) fn deploy(
        &self,
        deployment: Deployment,
        label: &str,
        config: impl FnOnce() -> Config,
    ) -> Result<(), RuntimeError> {
        let refused = |e: wasmtime::Error| RuntimeError::Compile { contract: label.into(), source: e.into() };
        let is_winch = deployment == Deployment::Winch;
        let slot = &self.engines[usize::from(is_winch)];
        let engine = if let Some(engine) = slot.get() {
            engine
        } else {
            let mut config = config();
            if is_winch {
                config.strategy(wasmtime::Strategy::Winch);
            }
            let engine = Engine::new(&config).map_err(refused)?;
            slot.get_or_init(|| engine)
        };
        match deployment {
            Deployment::Validate => Module::validate(engine, &self.wasm),
            Deployment::Cranelift | Deployment::Winch => engine.precompile_module(&self.wasm).map(drop),
        }
        .map_err(refused)
    }
}

/// Bytes of what a node makes of a module under a strategy, whose engine has settings of its own; `None` if it makes nothing of it.
#[must_use]
pub fn artifact_bytes(wasm: &[u8], strategy: &'static dyn Strategy, node: NodeSettings) -> Option<u64> {
    let engine = Engine::new(&strategy.config(node)).ok()?;
    engine.precompile_module(wasm).ok().map(|code| code.len() as u64)
}
