mod tracked;

use wasmtime::{
    Engine, Instance, InstanceAllocationStrategy, Memory, Module, PoolingAllocationConfig, Store, StoreLimitsBuilder,
};

use super::*;
use crate::units::Pages;

const KEEP: Bytes = Bytes(64 << 20);

/// A module with a memory of `pages` and some data at its start.
fn module(engine: &Engine, pages: u32) -> Module {
    let text = format!(
        r#"(module (memory (export "memory") {pages}) (data (i32.const 8) "estimator")
             (func (export "out") (result i32) (i32.load (i32.mul (memory.size) (i32.const 65536)))))"#
    );
    Module::new(engine, wat::parse_str(text).unwrap()).unwrap()
}

fn engine(recycler: &Recycler) -> Engine {
    let engine = Engine::new(&recycler.config()).unwrap();
    recycler.check(&engine).unwrap();
    engine
}

struct Tenant {
    store: Store<()>,
    memory: Memory,
    instance: Instance,
}

fn tenant(module: &Module) -> Tenant {
    let mut store = Store::new(module.engine(), ());
    let instance = Instance::new(&mut store, module, &[]).unwrap();
    let memory = instance.get_memory(&mut store, "memory").unwrap();
    Tenant { store, memory, instance }
}

impl Tenant {
    fn assert_new(&self) {
        let data = self.memory.data(&self.store);
        assert_eq!(&data[8..17], b"estimator");
        assert!(data[..8].iter().chain(&data[17..]).all(|&byte| byte == 0));
    }

    fn dirty(&mut self) {
        self.memory.data_mut(&mut self.store).fill(0xa5);
    }
}

#[test]
fn a_slot_returns_clean_at_the_same_address() {
    let recycler = Recycler::new(Wipe::Zero, KEEP);
    let module = module(&engine(&recycler), 3);
    let mut first = tenant(&module);
    first.dirty();
    let address = first.memory.data_ptr(&first.store);
    drop(first);
    let second = tenant(&module);
    assert_eq!(second.memory.data_ptr(&second.store), address);
    second.assert_new();
}

#[test]
fn sizes_keep_slots_of_their_own() {
    let recycler = Recycler::new(Wipe::Stream, KEEP);
    let engine = engine(&recycler);
    let (small, large) = (module(&engine, 1), module(&engine, 40));
    let idle = recycler.idle_slots();
    for _ in 0..3 {
        tenant(&small).dirty();
        let mut grown = tenant(&large);
        grown.memory.grow(&mut grown.store, 5).unwrap();
        grown.dirty();
    }
    // One page is also what the engine was checked with.
    assert_eq!(recycler.idle_slots(), idle.max(1) + 1);
}

#[test]
fn growth_is_zero_and_ends_where_it_must() {
    let recycler = Recycler::new(Wipe::Zero, KEEP);
    let module = module(&engine(&recycler), 1);
    for _ in 0..3 {
        let mut tenant = tenant(&module);
        assert!(tenant.memory.data(&tenant.store).len() == 65536);
        tenant.memory.grow(&mut tenant.store, 30).unwrap();
        tenant.assert_new();
        tenant.dirty();
        let out = tenant.instance.get_typed_func::<(), i32>(&mut tenant.store, "out").unwrap();
        let trap = out.call(&mut tenant.store, ()).unwrap_err();
        assert_eq!(trap.downcast_ref(), Some(&wasmtime::Trap::MemoryOutOfBounds));
    }
}

#[test]
fn the_first_byte_behind_a_shrunk_slot_traps() {
    // The slot held 40 pages before: nothing behind the first may have stayed accessible.
    let recycler = Recycler::new(Wipe::Zero, Bytes(40 * WASM_PAGE));
    let engine = engine(&recycler);
    tenant(&module(&engine, 40)).dirty();
    let mut small = tenant(&module(&engine, 1));
    small.assert_new();
    let out = small.instance.get_typed_func::<(), i32>(&mut small.store, "out").unwrap();
    assert!(out.call(&mut small.store, ()).is_err());
}

#[test]
fn what_exceeds_the_keep_limit_goes_back_to_the_kernel() {
    let recycler = Recycler::new(Wipe::Zero, Bytes(2 * WASM_PAGE));
    let module = module(&engine(&recycler), 2);
    let (mut first, mut second) = (tenant(&module), tenant(&module));
    first.dirty();
    second.dirty();
    drop(first);
    assert_eq!(recycler.kept(), Pages(2).bytes());
    drop(second);
    assert_eq!(recycler.kept(), Pages(2).bytes());
    let (first, second) = (tenant(&module), tenant(&module));
    assert_eq!(recycler.kept(), Bytes(0));
    first.assert_new();
    second.assert_new();
}

/// Slots that nobody asks for any more must not have every later tenant pay for new pages.
#[test]
fn idle_slots_that_waited_longest_make_room() {
    let recycler = Recycler::new(Wipe::Zero, Bytes(100 * WASM_PAGE));
    let engine = engine(&recycler);
    for pages in 1..=8 {
        let mut grown = tenant(&module(&engine, pages));
        grown.memory.grow(&mut grown.store, 12).unwrap();
        grown.dirty();
    }
    let large = module(&engine, 90);
    tenant(&large).dirty();
    let again = tenant(&large);
    assert_eq!(resident(again.memory.data_ptr(&again.store), 90 << 16), 90 << 16, "its pages stayed");
    again.assert_new();
    drop(again);
    assert!(recycler.kept() <= Bytes(100 * WASM_PAGE) && recycler.kept() >= Bytes(90 * WASM_PAGE));
}

/// Bytes of this range that are in physical memory.
fn resident(start: *const u8, length: usize) -> usize {
    let mut pages = vec![0u8; length.div_ceil(4096)];
    // SAFETY: the vector has a byte for each page, and the call only reads page tables.
    #[expect(unsafe_code, reason = "nix has no mincore")]
    let answer = unsafe { nix::libc::mincore(start.cast_mut().cast(), length, pages.as_mut_ptr()) };
    assert_eq!(answer, 0);
    pages.iter().filter(|&&page| page & 1 == 1).count() * 4096
}

#[test]
fn sixteen_idle_slots_stay_under_the_keep_limit() {
    let keep = Bytes(100 << 20);
    for recycler in [Recycler::new(Wipe::Stream, keep), Recycler::on_huge_pages(Wipe::Zero, keep)] {
        let engine = engine(&recycler);
        let module = module(&engine, 1024);
        let mut tenants: Vec<Tenant> = (0..16).map(|_| tenant(&module)).collect();
        // One at a time, or the test itself would need 1 GiB.
        while let Some(mut last) = tenants.pop() {
            last.dirty();
            drop(last);
            assert!(recycler.kept() <= keep);
        }
        let again = tenant(&module);
        let held = resident(again.memory.data_ptr(&again.store), 64 << 20);
        assert_eq!(held, 64 << 20, "one slot at least should have been kept");
        assert_eq!(recycler.kept(), Bytes(0), "and no other of that size has room beside it");
    }
}

#[test]
fn tenants_on_many_threads_never_meet() {
    let recycler = Recycler::new(Wipe::Adaptive(Thresholds::default()), Bytes(8 * WASM_PAGE));
    let engine = engine(&recycler);
    let modules: Vec<Module> = [1, 2, 5].map(|pages| module(&engine, pages)).into();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let modules = &modules;
            scope.spawn(move || {
                for round in 0..50 {
                    let mut here = tenant(&modules[(thread + round) % modules.len()]);
                    here.assert_new();
                    here.memory.grow(&mut here.store, 1).unwrap();
                    here.dirty();
                    // Half of them end on another thread than the one that made them.
                    if round % 2 == 0 {
                        scope.spawn(move || drop(here));
                    }
                }
            });
        }
    });
    assert!(recycler.kept().0 <= 8 * WASM_PAGE);
}

#[test]
fn the_pooling_allocator_is_refused() {
    let recycler = Recycler::new(Wipe::Zero, KEEP);
    let mut config = recycler.config();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(PoolingAllocationConfig::new()));
    let error = recycler.check(&Engine::new(&config).unwrap()).unwrap_err();
    assert!(matches!(error, RecycleError::Pooling), "{error}");
}

#[test]
fn copy_on_write_images_are_refused() {
    let recycler = Recycler::new(Wipe::Zero, KEEP);
    let mut config = recycler.config();
    config.memory_init_cow(true);
    let error = recycler.check(&Engine::new(&config).unwrap()).unwrap_err();
    assert!(matches!(error, RecycleError::CopyOnWrite), "{error}");
}

#[test]
fn memories_that_move_are_refused() {
    let recycler = Recycler::new(Wipe::Zero, KEEP);
    let mut config = recycler.config();
    config.memory_may_move(true);
    let error = recycler.check(&Engine::new(&config).unwrap()).unwrap_err();
    assert!(error.to_string().contains("memory_may_move to 1"), "{error}");
}

#[test]
fn an_engine_of_another_recycler_is_refused() {
    let recycler = Recycler::new(Wipe::Zero, KEEP);
    let other = engine(&Recycler::new(Wipe::Zero, KEEP));
    assert!(matches!(recycler.check(&other), Err(RecycleError::NotAsked)));
}

#[test]
fn a_larger_reservation_than_a_slot_is_refused() {
    let recycler = Recycler::new(Wipe::Zero, KEEP);
    let mut config = recycler.config();
    config.memory_reservation(8 << 30);
    let engine = Engine::new(&config).unwrap();
    assert!(matches!(recycler.check(&engine), Err(RecycleError::Setting { setting: "memory_reservation", .. })));
    // And where nobody checked, the memory itself is refused.
    let module = module(&engine, 1);
    let error = Instance::new(Store::new(&engine, ()), &module, &[]).unwrap_err();
    assert!(format!("{error:#}").contains("does not fit into a slot"), "{error:#}");
}

#[test]
fn other_kinds_of_memory_are_refused() {
    let recycler = Recycler::new(Wipe::Zero, KEEP);
    let mut config = recycler.config();
    config.wasm_memory64(true).wasm_custom_page_sizes(true);
    let engine = Engine::new(&config).unwrap();
    for (memory, kind) in [("(memory i64 1)", "64-bit"), ("(memory 1 (pagesize 1))", "custom-page-size")] {
        let module = Module::new(&engine, wat::parse_str(format!("(module {memory})")).unwrap()).unwrap();
        let error = Instance::new(Store::new(&engine, ()), &module, &[]).unwrap_err();
        assert!(format!("{error:#}").contains(&format!("{kind} memories are not recycled")), "{error:#}");
    }
}

#[test]
fn a_limiter_stops_growth_and_the_slot_stays_sound() {
    let recycler = Recycler::new(Wipe::Zero, KEEP);
    let module = module(&engine(&recycler), 1);
    let mut store = Store::new(module.engine(), StoreLimitsBuilder::new().memory_size(2 << 16).build());
    store.limiter(|limits| limits);
    let instance = Instance::new(&mut store, &module, &[]).unwrap();
    let memory = instance.get_memory(&mut store, "memory").unwrap();
    memory.grow(&mut store, 1).unwrap();
    assert!(memory.grow(&mut store, 1).is_err());
    drop(store);
    tenant(&module).assert_new();
}

#[test]
fn growth_beyond_the_reservation_is_an_error() {
    let recycler = Recycler::new(Wipe::Zero, KEEP);
    let request = Request { kind: None, minimum: 1 << 16, reserved: None, guard: 0 };
    let mut memory = recycler.memory(&request).unwrap();
    let error = memory.grow_to(usize::MAX & !0xffff).unwrap_err();
    assert!(error.to_string().contains("its slot reserves 4 GiB"), "{error}");
}
