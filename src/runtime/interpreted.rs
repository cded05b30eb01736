//! Contracts under the interpreter wasmi: each memory is a new block of the program's allocator.

use wasmi::{
    Config, Engine, Extern, ExternType, Linker, Memory, Module, Store, StoreLimits, StoreLimitsBuilder, TypedFunc,
};

use super::deploy::Deployment;
use super::stacks::Cause;
use super::stored::Stored;
use super::{ContractCode, LoadedContract, NodeSettings, PREDECESSOR, Runtime, RuntimeError, Tenant};
use crate::units::{Bytes, HOST_PAGE_SIZE, WASM_PAGE};

/// wasmi, for contracts whose memories are written to. Modules are translated when they are loaded, as Wasmtime compiles them.
#[derive(Debug)]
pub struct InterpretedRuntime {
    node: NodeSettings,
}

impl InterpretedRuntime {
    /// A runtime whose contracts may have memories as large as this node allows.
    #[must_use]
    pub fn new(node: NodeSettings) -> Self {
        Self { node }
    }
}

struct Contract {
    label: String,
    entry: String,
    memory: String,
    module: Module,
    predecessor: Module,
    linker: Linker<StoreLimits>,
    limits: StoreLimits,
}

struct Instance {
    label: String,
    store: Store<StoreLimits>,
    touch: TypedFunc<(u32, u32), ()>,
    memory: Memory,
}

impl Runtime for InterpretedRuntime {
    fn load(&self, code: ContractCode<'_>) -> Result<Box<dyn LoadedContract>, RuntimeError> {
        let label = || code.label.to_owned();
        let refused = |source: Cause| RuntimeError::Compile { contract: label(), source };
        let link = |source: Cause| RuntimeError::Link { contract: label(), entry: code.entry.into(), source };
        let engine = Engine::new(&Config::default());
        let module = Module::new(&engine, code.wasm).map_err(|e| refused(e.into()))?;
        let text = format!("(module (memory (export \"memory\") {}))", PREDECESSOR.min(self.node.limit.0).0);
        let predecessor = wat::parse_str(text).map_err(|e| refused(e.into()))?;
        let predecessor = Module::new(&engine, predecessor).map_err(|e| refused(e.into()))?;
        let mut linker = Linker::new(&engine);
        for import in module.imports() {
            let ExternType::Func(ty) = import.ty() else {
                return Err(link(format!("it imports {}::{}", import.module(), import.name()).into()));
            };
            let trap = |_: wasmi::Caller<'_, StoreLimits>, _: &[wasmi::Val], _: &mut [wasmi::Val]| {
                Err(wasmi::Error::new("an import was called"))
            };
            linker.func_new(import.module(), import.name(), ty.clone(), trap).map_err(|e| link(e.into()))?;
        }
        let memory = module.exports().find(|export| matches!(export.ty(), ExternType::Memory(_)));
        let memory = memory.ok_or_else(|| link("it exports no memory, so the touch cannot be checked".into()))?;
        Ok(Box::new(Contract {
            label: label(),
            entry: code.entry.into(),
            memory: memory.name().into(),
            predecessor,
            linker,
            limits: StoreLimitsBuilder::new().memory_size(self.node.limit.0.bytes().host_size()).build(),
            module,
        }))
    }
}

impl Contract {
    fn store(&self) -> Store<StoreLimits> {
        let mut store = Store::new(self.module.engine(), self.limits.clone());
        store.limiter(|limits| limits);
        store
    }
}

impl LoadedContract for Contract {
    fn instantiate(&self) -> Result<Box<dyn Tenant + '_>, RuntimeError> {
        let failed = |source: Cause| RuntimeError::Instantiate { contract: self.label.clone(), source };
        let mut store = self.store();
        let instance = self.linker.instantiate_and_start(&mut store, &self.module).map_err(|e| failed(e.into()))?;
        let touch = instance.get_typed_func(&store, &self.entry).map_err(|e| failed(e.into()))?;
        let memory = instance.get_memory(&store, &self.memory).ok_or_else(|| failed("it has no memory".into()))?;
        Ok(Box::new(Instance { label: self.label.clone(), store, touch, memory }))
    }

    fn precede(&self, dirty: bool) -> Result<(), RuntimeError> {
        let failed = |source: Cause| RuntimeError::Instantiate { contract: "the tenant before".into(), source };
        let mut store = self.store();
        let instance =
            self.linker.instantiate_and_start(&mut store, &self.predecessor).map_err(|e| failed(e.into()))?;
        if let (true, Some(Extern::Memory(memory))) = (dirty, instance.get_export(&store, "memory")) {
            memory.data_mut(&mut store).iter_mut().step_by(HOST_PAGE_SIZE).for_each(|byte| *byte = 1);
        }
        Ok(())
    }

    fn load_anew(&self, _: Stored, _: &mut dyn FnMut()) -> Result<(), RuntimeError> {
        Err(RuntimeError::Interpreted { contract: self.label.clone() })
    }

    fn deploy(&self, _: Deployment) -> Result<(), RuntimeError> {
        Err(RuntimeError::Interpreted { contract: self.label.clone() })
    }
}

impl Tenant for Instance {
    fn touch(&mut self, length: Bytes) -> Result<(), RuntimeError> {
        let contract = || self.label.clone();
        let length = u32::try_from(length.0).map_err(|_| RuntimeError::Range { contract: contract(), length })?;
        let touched = self.touch.call(&mut self.store, (0, length));
        touched.map_err(|e| RuntimeError::Touch { contract: contract(), source: e.into() })
    }

    fn write(&mut self, length: Bytes, write: fn(&mut [u8])) -> Result<(), RuntimeError> {
        let beyond = || RuntimeError::Beyond { contract: self.label.clone(), length };
        let missing = length.0.div_ceil(WASM_PAGE).saturating_sub(self.memory.size(&self.store));
        if missing > 0 {
            self.memory.grow(&mut self.store, missing).map_err(|_| beyond())?;
        }
        let range = self.memory.data_mut(&mut self.store).get_mut(..length.host_size());
        write(range.ok_or_else(beyond)?);
        Ok(())
    }

    fn memory(&mut self) -> &mut [u8] {
        self.memory.data_mut(&mut self.store)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::MemoryLimit;
    use crate::units::Pages;

    const TOUCH: &str = r#"(module (import "env" "log" (func)) (memory (export "m") 2) (data (i32.const 5) "own")
        (func (export "touch") (param i32 i32) (i32.store8 (i32.sub (i32.add (local.get 0) (local.get 1)) (i32.const 1)) (i32.const 7))))"#;

    #[test]
    fn a_contract_is_called_again_and_again_and_finds_zeros_and_its_data() {
        let wasm = wat::parse_str(TOUCH).unwrap();
        let runtime = InterpretedRuntime::new(NodeSettings::new(MemoryLimit(Pages(4))));
        let code = ContractCode { label: "a", wasm: &wasm, entry: "touch", is_brought: false };
        let contract = runtime.load(code).unwrap();
        for _ in 0..2 {
            contract.precede(true).unwrap();
            let mut tenant = contract.instantiate().unwrap();
            assert!(tenant.memory().iter().enumerate().all(|(at, byte)| (5..8).contains(&at) != (*byte == 0)));
            tenant.touch(Pages(2).bytes()).unwrap();
            assert_eq!(tenant.memory().last(), Some(&7));
            tenant.write(Pages(3).bytes(), |data| data.fill(1)).unwrap();
            assert_eq!(tenant.memory().len(), 3 << 16);
            let beyond = tenant.write(Pages(5).bytes(), |data| data.fill(1)).unwrap_err();
            assert!(matches!(beyond, RuntimeError::Beyond { .. }), "{beyond}");
        }
        let kept = contract.load_anew(Stored::Bytes, &mut || {}).unwrap_err();
        assert!(kept.to_string().contains("wasmi"), "{kept}");
    }
}
