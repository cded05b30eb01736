use std::collections::BTreeMap;
use std::error::Error;

use wasmtime::{Engine, Func, Instance, Module, Store, Trap, TypedFunc, WasmParams, WasmResults};

use super::error::{Before, IsolationError};
use super::tenant::{Tenant, write_as_host};
use super::visit::{Ending, Visit};
use super::writer::Writer;
use crate::runtime::{NodeSettings, Strategy};
use crate::units::{Pages, WASM_PAGE};

/// What a tenant's own data segments hold: one near the start, one at the end of what it declares.
const DATA: &[u8; 8] = b"own data";
const DATA_START: usize = 16;

const TRAPS: &str = "a tenant traps where it should not";

/// Pages by which a tenant may grow: beyond a huge page from any size.
const GROWTH: Pages = Pages(40);

/// An engine under a strategy, through which tenants pass one after the other. Each first looks at what it is given.
#[derive(Debug)]
pub struct Inspection {
    strategy: &'static str,
    engine: Engine,
    modules: BTreeMap<Pages, Module>,
    before: Option<Visit>,
    limit: Pages,
}

impl Inspection {
    /// The strategy with contracts of these sizes, on an engine that interrupts by epochs.
    ///
    /// # Errors
    /// The engine or a module is refused.
    pub fn new(strategy: &dyn Strategy, node: NodeSettings, sizes: &[Pages]) -> Result<Self, IsolationError> {
        let name = strategy.name();
        let broken = |e: wasmtime::Error| IsolationError::Broken {
            strategy: name,
            doing: "its engine or a contract is refused",
            source: e.into(),
        };
        let mut config = strategy.config(node);
        config.epoch_interruption(true);
        let engine = Engine::new(&config).map_err(broken)?;
        let module = |&size: &Pages| {
            let wasm = wat::parse_str(contract(size, node.limit.0)).map_err(|e| broken(wasmtime::Error::from(e)))?;
            Ok((size, Module::new(&engine, wasm).map_err(broken)?))
        };
        let modules = sizes.iter().filter(|&&size| size <= node.limit.0).map(module).collect::<Result<_, _>>()?;
        Ok(Self { strategy: name, engine, modules, before: None, limit: node.limit.0 })
    }

    /// Lets a tenant look at its new memory, do what it does, and go.
    ///
    /// # Errors
    /// A byte was left behind; or it cannot live.
    pub fn visit(&mut self, visit: &Visit) -> Result<(), IsolationError> {
        let mut tenant = self.enter(visit.size)?;
        self.look(&tenant, visit.size)?;
        let most = maximum(visit.size, self.limit).beyond(visit.size);
        let grow = if visit.ending == Ending::Grew { most } else { visit.grow.min(most) };
        if grow.0 > 0 {
            if self.call::<_, i32>(&mut tenant, "grow", grow.0)? < 0 {
                return Err(self.broken("a tenant cannot grow", format!("{grow} more were refused")));
            }
            self.look(&tenant, visit.size)?;
        }
        let end = u32::try_from(tenant.memory.data_size(&tenant.store)).unwrap_or(u32::MAX);
        let again = if visit.stride > 0 { visit.stride as usize } else { usize::MAX };
        for start in (visit.start.min(end)..=end).step_by(again) {
            let length = visit.length.min(end - start);
            visit.writer.write(&mut tenant, start, length, visit.byte).map_err(|e| self.broken(TRAPS, e))?;
        }
        match visit.ending {
            Ending::Returned | Ending::Grew => {}
            Ending::Trapped => self.end(&mut tenant, "trap", Trap::MemoryOutOfBounds)?,
            Ending::Interrupted => {
                self.engine.increment_epoch();
                self.end(&mut tenant, "spin", Trap::Interrupt)?;
            }
        }
        self.before = Some(*visit);
        Ok(())
    }

    fn enter(&self, size: Pages) -> Result<Tenant, IsolationError> {
        let none = || self.broken("no contract of that size was prepared", "choose among the sizes of the inspection");
        let module = self.modules.get(&size).ok_or_else(none)?;
        let mut store = Store::new(&self.engine, ());
        store.set_epoch_deadline(1);
        let host = Func::wrap(&mut store, write_as_host);
        let instance = Instance::new(&mut store, module, &[host.into()])
            .map_err(|e| self.broken("a tenant cannot be instantiated", e))?;
        let memory = instance
            .get_memory(&mut store, "memory")
            .ok_or_else(|| self.broken("a tenant has no memory", "it exports one"))?;
        Ok(Tenant { store, instance, memory })
    }

    /// Compares all of the memory with what a new one holds.
    fn look(&self, tenant: &Tenant, declared: Pages) -> Result<(), IsolationError> {
        const STRIDE: usize = 4096;
        let data = tenant.memory.data(&tenant.store);
        let segments = segments(declared);
        let due = |address: usize| {
            let inside = |&start: &usize| (start..start + DATA.len()).contains(&address);
            segments.iter().find(|start| inside(start)).map_or(0, |start| DATA[address - start])
        };
        for (index, chunk) in data.chunks(STRIDE).enumerate() {
            let first = index * STRIDE;
            let has_segment = segments.iter().any(|&start| start / STRIDE == index);
            if !has_segment && chunk == &[0; STRIDE][..chunk.len()] {
                continue;
            }
            if let Some((offset, &found)) =
                chunk.iter().enumerate().find(|&(offset, &byte)| byte != due(first + offset))
            {
                return Err(IsolationError::Leak {
                    strategy: self.strategy,
                    size: Pages(u32::try_from(data.len() as u64 / WASM_PAGE).unwrap_or(u32::MAX)),
                    address: first + offset,
                    found,
                    expected: due(first + offset),
                    before: Before(self.before),
                });
            }
        }
        Ok(())
    }

    fn call<P: WasmParams, R: WasmResults>(
        &self,
        tenant: &mut Tenant,
        name: &'static str,
        params: P,
    ) -> Result<R, IsolationError> {
        let function: Result<TypedFunc<P, R>, _> = tenant.instance.get_typed_func(&mut tenant.store, name);
        function.and_then(|function| function.call(&mut tenant.store, params)).map_err(|e| self.broken(TRAPS, e))
    }

    /// Calls what must end in this trap.
    fn end(&self, tenant: &mut Tenant, name: &'static str, trap: Trap) -> Result<(), IsolationError> {
        let function: Result<TypedFunc<(), ()>, _> = tenant.instance.get_typed_func(&mut tenant.store, name);
        match function.and_then(|function| function.call(&mut tenant.store, ())) {
            Err(error) if error.downcast_ref() == Some(&trap) => Ok(()),
            Err(error) => Err(self.broken("a tenant ends otherwise than it should", error)),
            Ok(()) => Err(self.broken("a tenant returns where it should trap", "it wrote behind its memory or spun")),
        }
    }

    fn broken(&self, doing: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> IsolationError {
        IsolationError::Broken { strategy: self.strategy, doing, source: source.into() }
    }
}

fn maximum(size: Pages, limit: Pages) -> Pages {
    Pages(size.0.saturating_add(GROWTH.0)).min(limit)
}

/// Addresses of the data segments.
fn segments(size: Pages) -> [usize; 2] {
    let end = size.bytes().host_size();
    [DATA_START, end - DATA.len()]
}

fn contract(size: Pages, limit: Pages) -> String {
    let [first, last] = segments(size);
    let data = String::from_utf8_lossy(DATA);
    let (size, maximum) = (size.0, maximum(size, limit).0);
    let (passive, writers) = ("\\a5".repeat(64), Writer::EXPORTS);
    format!(
        r#"(module
             (import "host" "write" (func $host (param i32 i32 i32)))
             (memory (export "memory") {size} {maximum})
             (data (i32.const {first}) "{data}")
             (data (i32.const {last}) "{data}")
             (data $passive "{passive}")
             {writers}
             (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
             (func (export "trap") (i32.store8 (i32.mul (memory.size) (i32.const 65536)) (i32.const 1)))
             (func (export "spin") (loop $forever (br $forever))))"#
    )
}
