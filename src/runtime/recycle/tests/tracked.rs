use std::sync::atomic::{AtomicU8, Ordering};

use nix::errno::Errno;

use super::*;
use crate::runtime::recycle::table::Entry;

const MIB: usize = 1 << 20;
const HUGE: usize = 2 * MIB;

/// Memories that are tracked from 4 MiB on, and the keep limit of the other tests.
fn recycler() -> Recycler {
    Recycler::tracked(Thresholds::default(), KEEP)
}

/// A module with 8 MiB and some data at its start, so in the first of four spans.
fn eight_mib(recycler: &Recycler) -> Module {
    module(&engine(recycler), 128)
}

impl Tenant {
    fn opened(&self) -> u32 {
        Entry::of(self.memory.data_ptr(&self.store).addr()).expect("it is tracked").0.opened()
    }

    fn data_mut(&mut self) -> &mut [u8] {
        self.memory.data_mut(&mut self.store)
    }

    fn call(&mut self, name: &str, at: usize) -> wasmtime::Result<()> {
        let function = self.instance.get_typed_func::<u32, ()>(&mut self.store, name)?;
        function.call(&mut self.store, u32::try_from(at)?)
    }
}

#[test]
fn a_write_opens_its_span_and_reading_none() {
    let recycler = recycler();
    let module = eight_mib(&recycler);
    for _ in 0..3 {
        let mut tenant = tenant(&module);
        tenant.assert_new();
        assert_eq!(tenant.opened(), 0b0001, "the data segment");
        tenant.data_mut()[3 * HUGE] = 1;
        assert_eq!(tenant.opened(), 0b1001);
        tenant.data_mut()[2 * HUGE - 1..=2 * HUGE].fill(1);
        assert_eq!(tenant.opened(), 0b1111, "both sides of a border");
    }
    assert_eq!(recycler.untracked(), 0);
}

#[test]
fn a_memory_that_does_not_begin_at_a_span_is_tracked_to_its_last_byte() {
    // 100 pages end at a border and begin 1.75 MiB behind one.
    let module = module(&engine(&recycler()), 100);
    for at in [0, 100 * 65536 - 1] {
        tenant(&module).data_mut()[at] = 0xa5;
        tenant(&module).assert_new();
    }
}

#[test]
fn what_nobody_wrote_is_not_even_backed() {
    let module = module(&engine(&recycler()), 1024);
    let mut first = tenant(&module);
    first.data_mut()[40 * MIB] = 1;
    let start = first.memory.data_ptr(&first.store);
    drop(first);
    let held = resident(start, 64 * MIB);
    assert!(held <= 2 * 4 * MIB, "two spans of 4 MiB were written, and {held} bytes are resident");
    tenant(&module).assert_new();
}

#[test]
fn atomic_writes_of_the_host_count() {
    let module = eight_mib(&recycler());
    let mut first = tenant(&module);
    let address = &raw mut first.data_mut()[HUGE];
    // SAFETY: the byte is the tenant's, and nobody else uses it.
    #[expect(unsafe_code, reason = "as a host may see a byte of a memory")]
    unsafe { AtomicU8::from_ptr(address) }.fetch_add(7, Ordering::Relaxed);
    assert_eq!((first.opened(), first.data_mut()[HUGE]), (0b0011, 7));
    drop(first);
    tenant(&module).assert_new();
}

#[test]
fn threads_that_write_at_once_open_all_that_they_write() {
    let module = eight_mib(&recycler());
    for _ in 0..20 {
        let mut tenant = tenant(&module);
        tenant.assert_new();
        std::thread::scope(|scope| {
            // Eight threads meet at the borders, and two in each span.
            for part in tenant.data_mut().chunks_mut(MIB) {
                scope.spawn(move || part.fill(0xa5));
            }
        });
        assert_eq!(tenant.opened(), 0b1111);
        assert!(tenant.data_mut().iter().all(|&byte| byte == 0xa5));
    }
}

#[test]
fn the_kernel_writes_only_where_it_was_opened() {
    let module = eight_mib(&recycler());
    let mut first = tenant(&module);
    let (from, to) = nix::unistd::pipe().unwrap();
    nix::unistd::write(&to, &[0xa5; 16]).unwrap();
    let buffer = &mut first.data_mut()[2 * HUGE - 8..2 * HUGE + 8];
    assert_eq!(nix::unistd::read(&from, buffer), Err(Errno::EFAULT));
    open(buffer).unwrap();
    assert_eq!(nix::unistd::read(&from, buffer), Ok(16));
    assert_eq!(first.opened(), 0b0111);
    drop(first);
    tenant(&module).assert_new();
    // Elsewhere there is nothing to open.
    open(&mut [1, 2, 3]).unwrap();
    open(&mut []).unwrap();
}

#[test]
fn growth_is_wiped_and_the_spans_before_it_stay_tracked() {
    let module = eight_mib(&recycler());
    for _ in 0..3 {
        let mut tenant = tenant(&module);
        tenant.memory.grow(&mut tenant.store, 3).unwrap();
        tenant.assert_new();
        assert_eq!(tenant.opened(), 0b0001);
        // Over the border of what is tracked.
        tenant.data_mut()[8 * MIB - 4..].fill(0xa5);
        assert_eq!(tenant.opened(), 0b1001);
    }
}

#[test]
fn a_store_behind_the_memory_traps_and_what_it_wrote_before_is_wiped() {
    let text = r#"(module (memory (export "memory") 128) (data (i32.const 8) "estimator")
        (func (export "store") (param i32) (i64.store align=1 (local.get 0) (i64.const -1)))
        (func (export "stores") (param i32) (loop $forever
          (i32.store8 (local.get 0) (i32.const 1))
          (local.set 0 (i32.add (local.get 0) (i32.const 1000)))
          (br $forever))))"#;
    let module = Module::new(&engine(&recycler()), wat::parse_str(text).unwrap()).unwrap();
    for (name, at) in [("store", 8 * MIB), ("store", 8 * MIB - 4), ("store", 9 * MIB), ("stores", 5 * MIB)] {
        let mut tenant = tenant(&module);
        tenant.assert_new();
        let trap = tenant.call(name, at).unwrap_err();
        assert_eq!(trap.downcast_ref(), Some(&wasmtime::Trap::MemoryOutOfBounds), "{name} at {at}");
        tenant.call("store", HUGE - 4).unwrap();
        tenant.call("store", 8 * MIB - 8).unwrap();
        assert_eq!(tenant.opened() & 0b0011, 0b0011);
    }
    tenant(&module).assert_new();
}

#[test]
fn slots_that_change_their_size_are_tracked_anew() {
    // It keeps one slot, so each tenant finds that of the last one.
    let recycler = Recycler::tracked(Thresholds::default(), Bytes(9 << 20));
    let engine = engine(&recycler);
    let modules = [128, 64, 2, 100, 96, 128, 33].map(|pages| module(&engine, pages));
    for module in modules.iter().cycle().take(21) {
        let mut tenant = tenant(module);
        tenant.assert_new();
        tenant.dirty();
    }
    assert_eq!(recycler.untracked(), 0);
}

#[test]
fn tenants_that_end_on_other_threads_leave_nothing() {
    let recycler = recycler();
    let module = eight_mib(&recycler);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let module = &module;
            scope.spawn(move || {
                for round in 0..10 {
                    let mut here = tenant(module);
                    here.assert_new();
                    here.data_mut()[(thread + round) % 4 * HUGE..][..HUGE].fill(0xa5);
                    scope.spawn(move || drop(here));
                }
            });
        }
    });
    assert_eq!(recycler.untracked(), 0);
}

#[test]
fn a_slot_for_which_the_table_has_no_place_is_open_and_wiped_whole() {
    let layout = Layout { reservation: 16 << 20, guard: 0 };
    let mut slot = Slot::map(layout, 8 * MIB, true).unwrap();
    // 16 TiB further lies the next slot with the same place.
    let other = Entry::claim(slot.base().addr() ^ (1 << 44)).expect("no slot has that place");
    assert!(!slot.track().unwrap());
    slot.touch_huge_pages();
    slot.vacate();
    slot.wipe(&Wipe::Zero);
    slot.protect_again();
    // SAFETY: nobody has the slot.
    #[expect(unsafe_code, reason = "the slot is looked at")]
    let bytes = unsafe { std::slice::from_raw_parts(slot.base(), slot.accessible()) };
    assert!(bytes.iter().all(|&byte| byte == 0));
    other.release();
}

#[test]
fn engines_without_signals_are_refused() {
    let recycler = recycler();
    let mut config = recycler.config();
    config.signals_based_traps(false);
    let error = recycler.check(&Engine::new(&config).unwrap()).unwrap_err();
    assert!(error.to_string().contains("signals_based_traps to 0"), "{error}");
}
