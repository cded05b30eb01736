//! A compiled contract as a node keeps it, made ready for each use.

use std::io::Write;
use std::sync::OnceLock;

use tempfile::NamedTempFile;
use wasmtime::{Engine, Linker, Module, Store, StoreLimits};

use super::RuntimeError;
use super::page_cache;

/// Where a node has a contract that it compiled before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// In a file whose pages are in the page cache.
    File,
    /// In a file that has to be read from the disk.
    ColdFile,
    /// In memory, as bytes.
    Bytes,
    /// In memory, ready to be instantiated.
    Ready,
}

/// A contract where a node has it, once it was put there: for each place by itself.
///
/// Its engine has no module beside the one that is loaded: types that another one keeps registered would not have to be registered again.
/// What the host gives to contracts stays registered, as on a node.
#[derive(Default)]
pub(super) struct Places([OnceLock<Kept>; 4]);

struct Kept {
    engine: Engine,
    linker: Linker<StoreLimits>,
    code: Code,
}

enum Code {
    File(NamedTempFile),
    Bytes(Vec<u8>),
    Ready(Module),
}

impl Places {
    /// Makes `module` ready from where it is, as [`LoadedContract::load_anew`](super::LoadedContract::load_anew) does. The first call puts it
    /// there, on an engine of its own. `fuel` is what its start function may take.
    pub(super) fn load(
        &self,
        stored: Stored,
        label: &str,
        module: &Module,
        engine: impl FnOnce() -> Result<Engine, RuntimeError>,
        (limits, fuel): (&StoreLimits, Option<u64>),
        lap: &mut dyn FnMut(),
    ) -> Result<(), RuntimeError> {
        let unloaded = |e: wasmtime::Error| RuntimeError::Stored { contract: label.into(), source: e.into() };
        let failed = |e: wasmtime::Error| RuntimeError::Instantiate { contract: label.into(), source: e.into() };
        let place = &self.0[stored as usize];
        let kept = if let Some(kept) = place.get() {
            kept
        } else {
            let kept = Kept::new(stored, module, engine()?).map_err(unloaded)?;
            place.get_or_init(|| kept)
        };
        if let (Stored::ColdFile, Code::File(file)) = (stored, &kept.code) {
            page_cache::forget(file.as_file()).map_err(|e| unloaded(e.into()))?;
        }
        lap();
        let module = kept.code.load(&kept.engine).map_err(unloaded)?;
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
    fn new(stored: Stored, module: &Module, engine: Engine) -> wasmtime::Result<Self> {
        let bytes = module.serialize()?;
        let code = match stored {
            Stored::Bytes => Code::Bytes(bytes),
            Stored::Ready => {
                let module = Code::Bytes(bytes).load(&engine)?;
                // Otherwise the first instance would pay for making the image.
                module.initialize_copy_on_write_image()?;
                Code::Ready(module)
            }
            Stored::File | Stored::ColdFile => {
                let mut file = NamedTempFile::new()?;
                file.write_all(&bytes)?;
                if stored == Stored::ColdFile {
                    page_cache::can_forget(file.as_file())?;
                }
                Code::File(file)
            }
        };
        let mut linker = Linker::new(&engine);
        linker.define_unknown_imports_as_traps(&code.load(&engine)?)?;
        Ok(Self { engine, linker, code })
    }
}

impl Code {
    fn load(&self, engine: &Engine) -> wasmtime::Result<Module> {
        // SAFETY: this process wrote it, a file under a name that nobody else has, and Wasmtime refuses code of other settings.
        #[expect(unsafe_code, reason = "compiled code is taken on trust")]
        unsafe {
            match self {
                Self::File(file) => Module::deserialize_file(engine, file.path()),
                Self::Bytes(bytes) => Module::deserialize(engine, bytes),
                Self::Ready(module) => Ok(module.clone()),
            }
        }
    }
}
