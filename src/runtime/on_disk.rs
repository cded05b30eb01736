//! A contract that lies compiled on disk, loaded from there for each use.

use std::io::Write;
use std::sync::OnceLock;

use tempfile::NamedTempFile;
use wasmtime::{Engine, Linker, Module, Store, StoreLimits};

use super::RuntimeError;

/// Where a contract is once it was put on disk.
///
/// Its engine has no module beside the one that is loaded: types that another one keeps registered would not have to be registered again.
/// What the host gives to contracts stays registered, as on a node.
#[derive(Default)]
pub(super) struct OnDisk(OnceLock<Kept>);

struct Kept {
    engine: Engine,
    linker: Linker<StoreLimits>,
    file: NamedTempFile,
}

impl OnDisk {
    /// Loads `module` from its file, as [`LoadedContract::load_anew`](super::LoadedContract::load_anew) does. The first call puts it there, on
    /// an engine of its own. `fuel` is what its start function may take.
    pub(super) fn load(
        &self,
        label: &str,
        module: &Module,
        engine: impl FnOnce() -> Result<Engine, RuntimeError>,
        (limits, fuel): (&StoreLimits, Option<u64>),
        lap: &mut dyn FnMut(),
    ) -> Result<(), RuntimeError> {
        let unloaded = |e: wasmtime::Error| RuntimeError::OnDisk { contract: label.into(), source: e.into() };
        let failed = |e: wasmtime::Error| RuntimeError::Instantiate { contract: label.into(), source: e.into() };
        let kept = if let Some(kept) = self.0.get() {
            kept
        } else {
            let kept = Kept::new(module, engine()?).map_err(unloaded)?;
            self.0.get_or_init(|| kept)
        };
        let module = kept.deserialize().map_err(unloaded)?;
        lap();
        let pre = kept.linker.instantiate_pre(&module).map_err(failed)?;
        lap();
        let mut store = Store::new(&kept.engine, limits.clone());
        store.limiter(|limits| limits);
        if let Some(fuel) = fuel {
            store.set_fuel(fuel).map_err(failed)?;
        }
        pre.instantiate(&mut store).map_err(failed)?;
        lap();
        drop(store);
        lap();
        drop((pre, module));
        lap();
        Ok(())
    }
}

impl Kept {
    fn new(module: &Module, engine: Engine) -> wasmtime::Result<Self> {
        let mut file = NamedTempFile::new()?;
        file.write_all(&module.serialize()?)?;
        let mut kept = Self { linker: Linker::new(&engine), engine, file };
        let module = kept.deserialize()?;
        kept.linker.define_unknown_imports_as_traps(&module)?;
        Ok(kept)
    }

    fn deserialize(&self) -> wasmtime::Result<Module> {
        // SAFETY: this process wrote the file, under a name that nobody else has, and Wasmtime refuses code of other settings.
        #[expect(unsafe_code, reason = "compiled code is taken on trust")]
        unsafe {
            Module::deserialize_file(&self.engine, self.file.path())
        }
    }
}
