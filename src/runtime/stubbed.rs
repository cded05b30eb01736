//! Contracts of others under Wasmtime: their imports stubbed to trap, their memories touched by the host.

use std::collections::BTreeMap;
use std::error::Error;

use wasmtime::{
    Config, Engine, Extern, ExternType, Func, FuncType, ImportType, Instance, InstancePre, Linker, Memory, Module,
    ModuleExport, Store, StoreLimits, StoreLimitsBuilder,
};

use super::busy::while_busy;
use super::deploy::{Brought, Deployment};
use super::stored::{Places, Stored};
use super::{LoadedContract, NodeSettings, RuntimeError, Strategy, Tenant};
use crate::units::{Bytes, HOST_PAGE_SIZE};

/// Instructions that a start function may take. Its time is not memory's, so none that takes longer is worth measuring.
pub const START_FUEL: u64 = 100_000_000;

/// Elements that a table may have. No contract of the known chains needs a tenth of them.
const TABLE_ELEMENTS: usize = 1 << 20;

/// A contract of others, before it is compiled.
#[derive(Debug, Clone, Copy)]
pub struct ForeignCode<'a> {
    /// How messages name it.
    pub label: &'a str,
    /// The module, or what [`StubbedRuntime::compile`] made of it.
    pub code: &'a [u8],
    /// Whether it has a start function, which then runs on [`START_FUEL`] at each instantiation. Others are compiled without
    /// fuel.
    pub has_start: bool,
    /// The exports that are its memories, in the order of their indices.
    pub memories: &'a [String],
    /// The module, where it is to be deployed again.
    pub brought: Option<&'a [u8]>,
}

/// Wasmtime under one reset strategy, for contracts that know nothing of being measured.
#[derive(Debug, Clone, Copy)]
pub struct StubbedRuntime {
    strategy: &'static dyn Strategy,
    node: NodeSettings,
}

type Cause = Box<dyn Error + Send + Sync>;

impl StubbedRuntime {
    /// A runtime whose contracts get their memory as this node gives it.
    #[must_use]
    pub fn new(strategy: &'static dyn Strategy, node: NodeSettings) -> Self {
        Self { strategy, node }
    }

    fn engine(&self, has_start: bool) -> Result<Engine, RuntimeError> {
        let mut config: Config = self.strategy.config(self.node);
        config.consume_fuel(has_start);
        Engine::new(&config).map_err(|e| RuntimeError::Engine { strategy: self.strategy.name(), source: e.into() })
    }

    /// Compiles the module once for all processes. The result is for this program on this machine alone.
    ///
    /// # Errors
    /// The engine cannot be made, or refuses the module.
    pub fn compile(&self, contract: ForeignCode<'_>) -> Result<Vec<u8>, RuntimeError> {
        let refused = |e: wasmtime::Error| RuntimeError::Compile { contract: contract.label.into(), source: e.into() };
        self.engine(contract.has_start)?.precompile_module(contract.code).map_err(refused)
    }

    /// Loads what [`Self::compile`] made, and readies everything that a call does not pay for.
    ///
    /// # Safety
    /// The code must come from [`Self::compile`], unchanged: it is run as it is.
    ///
    /// # Errors
    /// The engine cannot be made, or the code is of another version.
    #[expect(unsafe_code, reason = "compiled code is taken on trust")]
    pub unsafe fn load(&self, contract: ForeignCode<'_>) -> Result<Box<dyn LoadedContract>, RuntimeError> {
        let unreadied = |e: wasmtime::Error| RuntimeError::Ready { contract: contract.label.into(), source: e.into() };
        let unstubbed = |e: wasmtime::Error| RuntimeError::Stubs { contract: contract.label.into(), source: e.into() };
        let engine = self.engine(contract.has_start)?;
        // SAFETY: as the caller promises. From bytes and not from a file, so that data comes from where `run` takes it.
        let module = unsafe { Module::deserialize(&engine, contract.code) }.map_err(unreadied)?;
        while_busy(|| module.initialize_copy_on_write_image()).map_err(unreadied)?;
        let mut linker = Linker::new(&engine);
        linker.define_unknown_imports_as_traps(&module).map_err(unstubbed)?;
        let link = if by_name(&module) {
            Link::Ready(linker.instantiate_pre(&module).map_err(unstubbed)?)
        } else {
            Link::EachTime(linker)
        };
        let memories = contract.memories.iter().map(|name| {
            let missing = || RuntimeError::Instantiate {
                contract: contract.label.into(),
                source: format!("no export `{name}`").into(),
            };
            module.get_export_index(name).ok_or_else(missing)
        });
        Ok(Box::new(Foreign {
            label: contract.label.into(),
            memories: memories.collect::<Result<_, _>>()?,
            link,
            fuel: contract.has_start.then_some(START_FUEL),
            limits: StoreLimitsBuilder::new()
                .memory_size(self.node.limit.0.bytes().host_size())
                .table_elements(TABLE_ELEMENTS)
                .build(),
            engine,
            module,
            runtime: *self,
            places: Places::default(),
            brought: contract.brought.map(Brought::new),
        }))
    }
}

/// How a contract gets its imports.
enum Link {
    /// All are functions, which belong to no store, and each is known by its name: resolved once, as a node does.
    Ready(InstancePre<StoreLimits>),
    /// Memories, tables and globals are made anew for every store, and so is what one name is imported as beside its first type.
    EachTime(Linker<StoreLimits>),
}

/// Whether all imports are functions, and no name is imported as two types: a linker knows one for each name.
fn by_name(module: &Module) -> bool {
    let mut known: BTreeMap<(String, String), FuncType> = BTreeMap::new();
    module.imports().all(|import| match import.ty() {
        ExternType::Func(ty) => {
            let first = known.entry((import.module().into(), import.name().into())).or_insert_with(|| ty.clone());
            FuncType::eq(first, &ty)
        }
        _ => false,
    })
}

/// What a name is imported as, where the linker has nothing of that name and type.
fn stub(import: &ImportType<'_>, store: &mut Store<StoreLimits>) -> wasmtime::Result<Extern> {
    let ExternType::Func(ty) = import.ty() else { return import.ty().default_value(store) };
    let name = format!("the import {}::{} was called", import.module(), import.name());
    let stub = Func::try_new(store, ty, move |_, _, _| wasmtime::bail!("{name}"))?;
    Ok(stub.into())
}

/// Whether a function that the linker gives for a name is of the type that this import asks for. What is no function has its
/// type checked when the module is instantiated.
fn fits(given: &Extern, import: &ImportType<'_>, store: &Store<StoreLimits>) -> bool {
    match (given, import.ty()) {
        (Extern::Func(given), ExternType::Func(asked)) => given.ty(store).matches(&asked),
        (_, ExternType::Func(_)) | (Extern::Func(_), _) => false,
        _ => true,
    }
}

struct Foreign {
    label: String,
    link: Link,
    memories: Vec<ModuleExport>,
    fuel: Option<u64>,
    limits: StoreLimits,
    engine: Engine,
    module: Module,
    runtime: StubbedRuntime,
    places: Places,
    brought: Option<Brought>,
}

struct ForeignTenant<'a> {
    contract: &'a Foreign,
    store: Store<StoreLimits>,
    memories: Vec<Memory>,
}

impl Foreign {
    fn link(&self, store: &mut Store<StoreLimits>) -> wasmtime::Result<Instance> {
        match &self.link {
            Link::Ready(pre) => pre.instantiate(store),
            Link::EachTime(linker) => {
                let imports = (self.module.imports())
                    .map(|import| match linker.try_get_by_import(&mut *store, &import)? {
                        Some(function) if fits(&function, &import, store) => Ok(function),
                        _ => stub(&import, store),
                    })
                    .collect::<wasmtime::Result<Vec<Extern>>>()?;
                Instance::new(store, &self.module, &imports)
            }
        }
    }
}

impl LoadedContract for Foreign {
    fn instantiate(&self) -> Result<Box<dyn Tenant + '_>, RuntimeError> {
        let failed = |source: Cause| RuntimeError::Instantiate { contract: self.label.clone(), source };
        let mut store = Store::new(&self.engine, self.limits.clone());
        store.limiter(|limits| limits);
        if let Some(fuel) = self.fuel {
            store.set_fuel(fuel).map_err(|e| failed(e.into()))?;
        }
        let instance = self.link(&mut store).map_err(|e| failed(e.into()))?;
        let memories = self.memories.iter().map(|export| {
            let export = instance.get_module_export(&mut store, export);
            export.and_then(Extern::into_memory).ok_or_else(|| failed("a memory is shared between threads".into()))
        });
        let memories = memories.collect::<Result<_, _>>()?;
        Ok(Box::new(ForeignTenant { contract: self, store, memories }))
    }

    fn precede(&self, _dirty: bool) -> Result<(), RuntimeError> {
        let source = "contracts of others are measured after themselves only".into();
        Err(RuntimeError::Instantiate { contract: self.label.clone(), source })
    }

    fn load_anew(&self, stored: Stored, lap: &mut dyn FnMut()) -> Result<(), RuntimeError> {
        let engine = || self.runtime.engine(self.fuel.is_some());
        self.places.load(stored, &self.label, &self.module, engine, (&self.limits, self.fuel), lap)
    }

    fn deploy(&self, deployment: Deployment) -> Result<(), RuntimeError> {
        let missing = || RuntimeError::NotBrought { contract: self.label.clone() };
        let config = || self.runtime.strategy.config(self.runtime.node);
        self.brought.as_ref().ok_or_else(missing)?.deploy(deployment, &self.label, config)
    }
}

impl Tenant for ForeignTenant<'_> {
    /// The host touches, since the contract has no entry that would.
    fn touch(&mut self, length: Bytes) -> Result<(), RuntimeError> {
        self.write(length, |data| data.iter_mut().step_by(HOST_PAGE_SIZE).for_each(|byte| *byte = 1))
    }

    /// The range is that of all memories together, memory by memory.
    fn write(&mut self, length: Bytes, write: fn(&mut [u8])) -> Result<(), RuntimeError> {
        let mut left = length.0;
        for memory in &self.memories {
            let data = memory.data_mut(&mut self.store);
            let here = usize::try_from(left).unwrap_or(usize::MAX).min(data.len());
            write(&mut data[..here]);
            left -= here as u64;
        }
        if left > 0 {
            return Err(RuntimeError::Beyond { contract: self.contract.label.clone(), length });
        }
        Ok(())
    }

    fn memory(&mut self) -> &mut [u8] {
        self.memories.first().map_or(&mut [], |memory| memory.data_mut(&mut self.store))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::{MemoryLimit, find};
    use crate::units::Pages;

    fn first_words(wat: &str, memories: &[&str]) -> Result<Vec<u8>, String> {
        let runtime = StubbedRuntime::new(find("fresh-map").unwrap(), NodeSettings::new(MemoryLimit(Pages(64))));
        let wasm = wat::parse_str(wat).unwrap();
        let memories: Vec<String> = memories.iter().map(ToString::to_string).collect();
        let said = |error: RuntimeError| crate::text::with_causes(&error);
        let contract = ForeignCode {
            label: "a",
            code: &wasm,
            has_start: wat.contains("start"),
            memories: &memories,
            brought: None,
        };
        let code = runtime.compile(contract).map_err(said)?;
        // SAFETY: it was compiled just now.
        #[expect(unsafe_code, reason = "a test of it")]
        let loaded = unsafe { runtime.load(ForeignCode { code: &code, ..contract }) }.map_err(said)?;
        let mut tenant = loaded.instantiate().map_err(said)?;
        let before = tenant.memory().to_vec();
        tenant.touch(Bytes(before.len() as u64)).map_err(said)?;
        assert!(tenant.memory().iter().step_by(4096).all(|&byte| byte == 1));
        Ok(before)
    }

    #[test]
    fn imports_of_every_kind_are_given_and_trap_only_when_called() {
        let wat = r#"(module (import "env" "f" (func (param i64) (result i32))) (import "env" "m" (memory 2))
            (import "env" "t" (table 1 funcref)) (import "env" "g" (global i32)) (export "m" (memory 0))
            (data (i32.const 0) "abc"))"#;
        assert_eq!(first_words(wat, &["m"]).unwrap()[..4], *b"abc\0");
        let wat = r#"(module (import "env" "f" (func)) (memory (export "m") 1) (start 0))"#;
        let error = first_words(wat, &["m"]).unwrap_err();
        assert!(error.contains("env") && error.contains('f'), "{error}");
    }

    #[test]
    fn one_name_is_imported_as_several_types() {
        let wat = r#"(module (import "env" "f" (func (param i64) (result i32))) (import "env" "f" (func (param i32)))
            (import "env" "f" (func (param i32))) (import "env" "f" (global i32)) (memory (export "m") 1)
            (data (i32.const 0) "abc"))"#;
        assert_eq!(first_words(wat, &["m"]).unwrap()[..4], *b"abc\0");
        let wat = r#"(module (import "env" "f" (func (param i64))) (import "env" "f" (func)) (memory (export "m") 1)
            (start 1))"#;
        let error = first_words(wat, &["m"]).unwrap_err();
        assert!(error.contains("env::f"), "{error}");
    }

    #[test]
    fn an_import_that_cannot_be_stubbed_is_not_said_to_be_a_fault_of_compiling() {
        let error = first_words(r#"(module (import "a" "g" (global (ref func))) (memory (export "m") 1))"#, &["m"]);
        let error = error.unwrap_err();
        assert!(!error.contains("compile"), "{error}");
    }

    #[test]
    fn a_start_function_without_end_is_stopped() {
        let error = first_words(r#"(module (memory (export "m") 1) (func $s (loop (br 0))) (start $s))"#, &["m"]);
        assert!(error.unwrap_err().contains("fuel"));
    }

    #[test]
    fn more_memory_than_the_node_allows_is_refused() {
        let error = first_words(r#"(module (memory (export "m") 65))"#, &["m"]).unwrap_err();
        assert!(error.contains("exceeds"), "{error}");
    }
}
