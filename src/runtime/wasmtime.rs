use std::error::Error;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::OnceLock;

use sha2::{Digest, Sha256};
use wasmtime::{
    Engine, Extern, InstancePre, Linker, Module, ModuleExport, Store, StoreLimits, StoreLimitsBuilder, TypedFunc,
};

use super::busy::while_busy;
use super::deploy::{Brought, Deployment};
use super::stored::{Places, Stored};
use super::{ContractCode, LoadedContract, NodeSettings, PREDECESSOR, Runtime, RuntimeError, Strategy, Tenant};
use crate::files::write_whole;
use crate::units::{Bytes, HOST_PAGE_SIZE, Pages, WASM_PAGE};

/// The version of Wasmtime that is built in.
pub const WASMTIME_VERSION: &str = "48.0.8";

/// Wasmtime under one reset strategy.
///
/// Every contract gets an engine of its own: under a pool, a contract then always follows itself in its slot, as it does in
/// a node, where Wasmtime prefers the slot that last held the same module.
#[derive(Debug)]
pub struct WasmtimeRuntime {
    strategy: &'static dyn Strategy,
    node: NodeSettings,
    /// Where compiled code is kept.
    code: Option<PathBuf>,
}

impl WasmtimeRuntime {
    /// A runtime whose contracts get their memory as this node gives it.
    #[must_use]
    pub fn new(strategy: &'static dyn Strategy, node: NodeSettings) -> Self {
        Self { strategy, node, code: None }
    }

    /// Compiles each module once for all processes that keep code in the same folder, and for all strategies that compile alike.
    ///
    /// # Safety
    /// Nothing but this function has written to the folder or will: what is in it is run as it is.
    #[must_use]
    #[expect(unsafe_code, reason = "compiled code is taken on trust")]
    pub unsafe fn keeping_code_in(self, folder: PathBuf) -> Self {
        Self { code: Some(folder), ..self }
    }

    fn module(&self, engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Module> {
        let Some(folder) = &self.code else { return Module::new(engine, wasm) };
        let mut settings = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut settings);
        let file = folder.join(format!("{:x}-{:016x}", Sha256::digest(wasm), settings.finish()));
        let code = if let Ok(code) = fs::read(&file) {
            code
        } else {
            let code = engine.precompile_module(wasm)?;
            // What cannot be kept is compiled again by the next process.
            let _ = write_whole(&file, &code);
            code
        };
        // SAFETY: as promised, it was compiled above, by this process or an earlier one. Wasmtime refuses that of other settings.
        // From bytes and not from a file, so that data comes from where it would without the folder.
        #[expect(unsafe_code, reason = "compiled code is taken on trust")]
        unsafe {
            Module::deserialize(engine, code)
        }
    }
}

fn engine(strategy: &'static dyn Strategy, node: NodeSettings) -> Result<Engine, RuntimeError> {
    Engine::new(&strategy.config(node))
        .map_err(|e| RuntimeError::Engine { strategy: strategy.name(), source: e.into() })
}

struct Contract {
    label: String,
    pre: InstancePre<StoreLimits>,
    entry: ModuleExport,
    memory: ModuleExport,
    limits: StoreLimits,
    runtime: (&'static dyn Strategy, NodeSettings),
    places: Places,
    /// The module itself, where it is to be deployed.
    brought: Option<Brought>,
    /// The other contract on this engine, compiled when it is first wanted.
    predecessor: OnceLock<Module>,
    predecessor_pages: Pages,
}

struct Instance<'a> {
    contract: &'a Contract,
    store: Store<StoreLimits>,
    exports: wasmtime::Instance,
    touch: TypedFunc<(u32, u32), ()>,
}

type Cause = Box<dyn Error + Send + Sync>;

impl Runtime for WasmtimeRuntime {
    fn load(&self, code: ContractCode<'_>) -> Result<Box<dyn LoadedContract>, RuntimeError> {
        let contract = || code.label.to_owned();
        let engine = engine(self.strategy, self.node)?;
        let compile = |e: wasmtime::Error| RuntimeError::Compile { contract: contract(), source: e.into() };
        let module = self.module(&engine, code.wasm).map_err(compile)?;
        // Otherwise the first instantiate would pay for making the image.
        let unreadied = |e: wasmtime::Error| RuntimeError::Ready { contract: contract(), source: e.into() };
        while_busy(|| module.initialize_copy_on_write_image()).map_err(unreadied)?;

        let link = |source: Cause| RuntimeError::Link { contract: contract(), entry: code.entry.into(), source };
        let mut linker = Linker::new(&engine);
        linker.define_unknown_imports_as_traps(&module).map_err(|e| link(e.into()))?;
        let pre = linker.instantiate_pre(&module).map_err(|e| link(e.into()))?;
        let export =
            |name: &str| module.get_export_index(name).ok_or_else(|| link(format!("no export `{name}`").into()));
        let memory_name = module
            .exports()
            .find(|export| export.ty().memory().is_some())
            .ok_or_else(|| link("it exports no memory, so the touch cannot be checked".into()))?
            .name();
        Ok(Box::new(Contract {
            label: contract(),
            entry: export(code.entry)?,
            memory: export(memory_name)?,
            pre,
            runtime: (self.strategy, self.node),
            places: Places::default(),
            brought: code.is_brought.then(|| Brought::new(code.wasm)),
            predecessor: OnceLock::new(),
            predecessor_pages: PREDECESSOR.min(self.node.limit.0),
            limits: StoreLimitsBuilder::new().memory_size(self.node.limit.0.bytes().host_size()).build(),
        }))
    }
}

impl LoadedContract for Contract {
    fn instantiate(&self) -> Result<Box<dyn Tenant + '_>, RuntimeError> {
        let failed = |source: Cause| RuntimeError::Instantiate { contract: self.label.clone(), source };
        let mut store = Store::new(self.pre.module().engine(), self.limits.clone());
        store.limiter(|limits| limits);
        let instance = self.pre.instantiate(&mut store).map_err(|e| failed(e.into()))?;
        let touch = instance
            .get_module_export(&mut store, &self.entry)
            .and_then(Extern::into_func)
            .ok_or_else(|| failed("the entry is not a function".into()))?
            .typed(&store)
            .map_err(|e| failed(e.into()))?;
        Ok(Box::new(Instance { contract: self, store, exports: instance, touch }))
    }

    fn precede(&self, dirty: bool) -> Result<(), RuntimeError> {
        let failed = |source: Cause| RuntimeError::Instantiate { contract: "the tenant before".into(), source };
        let engine = self.pre.module().engine();
        let module = if let Some(module) = self.predecessor.get() {
            module
        } else {
            let text = format!("(module (memory (export \"memory\") {}))", self.predecessor_pages.0);
            let wasm = wat::parse_str(text).map_err(|e| failed(e.into()))?;
            let module = Module::new(engine, wasm).map_err(|e| failed(e.into()))?;
            self.predecessor.get_or_init(|| module)
        };
        let mut store = Store::new(engine, ());
        let instance = wasmtime::Instance::new(&mut store, module, &[]).map_err(|e| failed(e.into()))?;
        let memory = instance.get_memory(&mut store, "memory").ok_or_else(|| failed("it has no memory".into()))?;
        if dirty {
            let data = memory.data_mut(&mut store);
            data.iter_mut().step_by(HOST_PAGE_SIZE).for_each(|byte| *byte = 1);
        }
        Ok(())
    }

    fn load_anew(&self, stored: Stored, lap: &mut dyn FnMut()) -> Result<(), RuntimeError> {
        let (strategy, node) = self.runtime;
        let engine = || engine(strategy, node);
        self.places.load(stored, &self.label, self.pre.module(), engine, (&self.limits, None), lap)
    }

    fn deploy(&self, deployment: Deployment) -> Result<(), RuntimeError> {
        let (strategy, node) = self.runtime;
        let missing = || RuntimeError::NotBrought { contract: self.label.clone() };
        self.brought.as_ref().ok_or_else(missing)?.deploy(deployment, &self.label, || strategy.config(node))
    }
}

impl Tenant for Instance<'_> {
    fn touch(&mut self, length: Bytes) -> Result<(), RuntimeError> {
        let contract = || self.contract.label.clone();
        let length = u32::try_from(length.0).map_err(|_| RuntimeError::Range { contract: contract(), length })?;
        self.touch
            .call(&mut self.store, (0, length))
            .map_err(|e| RuntimeError::Touch { contract: contract(), source: e.into() })
    }

    fn write(&mut self, length: Bytes, write: fn(&mut [u8])) -> Result<(), RuntimeError> {
        let beyond = || RuntimeError::Beyond { contract: self.contract.label.clone(), length };
        let Some(Extern::Memory(memory)) = self.exports.get_module_export(&mut self.store, &self.contract.memory)
        else {
            return Err(beyond());
        };
        let missing = length.0.div_ceil(WASM_PAGE).saturating_sub(memory.size(&self.store));
        if missing > 0 {
            memory.grow(&mut self.store, missing).map_err(|_| beyond())?;
        }
        let range =
            usize::try_from(length.0).ok().and_then(|length| memory.data_mut(&mut self.store).get_mut(..length));
        write(range.ok_or_else(beyond)?);
        Ok(())
    }

    fn memory(&mut self) -> &mut [u8] {
        match self.exports.get_module_export(&mut self.store, &self.contract.memory) {
            Some(Extern::Memory(memory)) => memory.data_mut(&mut self.store),
            _ => &mut [],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_compiled_once_for_all_that_compile_alike() {
        use crate::runtime::{MemoryLimit, find};
        let folder = tempfile::tempdir().unwrap();
        let wasm =
            wat::parse_str(r#"(module (memory (export "m") 1) (func (export "touch") (param i32 i32)))"#).unwrap();
        let load = |strategy| {
            let node = NodeSettings::new(MemoryLimit(Pages(16)));
            let runtime = WasmtimeRuntime::new(find(strategy).unwrap(), node);
            // SAFETY: nothing else writes there.
            #[expect(unsafe_code, reason = "a test of it")]
            let runtime = unsafe { runtime.keeping_code_in(folder.path().to_owned()) };
            let loaded =
                runtime.load(ContractCode { label: "a", wasm: &wasm, entry: "touch", is_brought: false }).unwrap();
            loaded.instantiate().unwrap().touch(Bytes(1)).unwrap();
            fs::read_dir(folder.path()).unwrap().count()
        };
        assert_eq!([load("fresh-map"), load("fresh-map"), load("pool-decommit")], [1, 1, 1]);
        assert_eq!([load("recycle-zero"), load("fresh-map")], [2, 2], "it places memories otherwise");
    }

    #[test]
    fn who_writes_every_byte_grows_first_as_the_entry_does() {
        use crate::runtime::{MemoryLimit, find};
        let wasm =
            wat::parse_str(r#"(module (memory (export "m") 1) (func (export "touch") (param i32 i32)))"#).unwrap();
        let runtime = WasmtimeRuntime::new(find("fresh-map").unwrap(), NodeSettings::new(MemoryLimit(Pages(4))));
        let loaded = runtime.load(ContractCode { label: "a", wasm: &wasm, entry: "touch", is_brought: false }).unwrap();
        let mut tenant = loaded.instantiate().unwrap();
        tenant.write(Pages(3).bytes(), |data| data.fill(1)).unwrap();
        assert!(tenant.memory().len() == 3 << 16 && tenant.memory().iter().all(|&byte| byte == 1));
        let beyond = tenant.write(Pages(5).bytes(), |data| data.fill(1)).unwrap_err();
        assert!(matches!(beyond, RuntimeError::Beyond { .. }), "{beyond}");
    }

    #[test]
    fn the_version_is_the_one_in_the_lock_file() {
        let lock = include_str!("../../Cargo.lock");
        assert!(lock.contains(&format!("name = \"wasmtime\"\nversion = \"{WASMTIME_VERSION}\"")));
    }
}
