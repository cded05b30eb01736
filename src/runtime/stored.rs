//! A compiled contract as a node keeps it, made ready for each use.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;

use wasmtime::{Engine, Linker, Module, Store, StoreLimits};

use super::RuntimeError;
use super::busy::while_busy;
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
    /// It has no name, so that it goes with whoever has it open, and be that killed.
    File(File),
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
            page_cache::forget(file).map_err(|e| unloaded(e.into()))?;
        }
        lap();
        if let (Stored::ColdFile, Code::File(file)) = (stored, &kept.code) {
            // Loading maps it and looks at its metadata alone. The code itself would be read by the call, which pays for no disk.
            page_cache::read(file).map_err(|e| unloaded(e.into()))?;
        }
        let module = kept.code.load(&kept.engine).map_err(unloaded)?;
        lap();
        let pre = kept.linker.instantiate_pre(&module).map_err(failed)?;
        lap();
        let mut store = Store::new(&kept.engine, limits.clone());
        store.limiter(|limits| limits);
        if let Some(fuel) = fuel {
            store.set_fuel(fuel).map_err(failed)?;
        }
        while_busy(|| pre.instantiate(&mut store).map(drop)).map_err(failed)?;
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
                while_busy(|| module.initialize_copy_on_write_image())?;
                Code::Ready(module)
            }
            Stored::File | Stored::ColdFile => {
                let mut file = tempfile::tempfile()?;
                file.write_all(&bytes)?;
                if stored == Stored::ColdFile {
                    file.sync_all()?;
                    page_cache::forget(&file)?;
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
        // SAFETY: this process wrote it, a file that nobody else can open, and Wasmtime refuses code of other settings.
        #[expect(unsafe_code, reason = "compiled code is taken on trust")]
        unsafe {
            match self {
                // Opened anew, as a node does.
                Self::File(file) => Module::deserialize_file(engine, format!("/proc/self/fd/{}", file.as_raw_fd())),
                Self::Bytes(bytes) => Module::deserialize(engine, bytes),
                Self::Ready(module) => Ok(module.clone()),
            }
        }
    }
}
