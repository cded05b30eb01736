//! Tracked memories beside other handlers of SIGSEGV, and where the kernel has no more mappings to give: what concerns a whole process,
//! so each test runs in one of its own.
#![expect(unsafe_code, reason = "signal handlers and raw mappings are what is tested")]

use std::num::NonZeroUsize;
use std::process::Command;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use estimator::runtime::recycle::{RecycleError, Recycler, Thresholds, untracked};
use estimator::units::Bytes;
use nix::libc;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use wasmtime::{Engine, Instance, Memory, Module, Store, Trap};

const PAGE: usize = 4096;
const MIB: usize = 1 << 20;

/// Whether this is the process in which the test is to run; otherwise it has run in another one.
fn is_own_process(test: &str) -> bool {
    const OWN: &str = "ESTIMATOR_TEST_IN_OWN_PROCESS";
    if std::env::var_os(OWN).is_some() {
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args(["--exact", test, "--nocapture"]).env(OWN, "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
    false
}

fn recycler() -> Recycler {
    Recycler::tracked(Thresholds::default(), Bytes(64 << 20))
}

/// 64 MiB, so 16 spans, and a store.
fn module(engine: &Engine) -> Module {
    let text = r#"(module (memory (export "memory") 1024)
        (func (export "store") (param i32) (i32.store (local.get 0) (i32.const -1))))"#;
    Module::new(engine, wat::parse_str(text).unwrap()).unwrap()
}

struct Tenant {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

fn tenant(module: &Module) -> Tenant {
    let mut store = Store::new(module.engine(), ());
    let instance = Instance::new(&mut store, module, &[]).unwrap();
    let memory = instance.get_memory(&mut store, "memory").unwrap();
    Tenant { store, instance, memory }
}

impl Tenant {
    fn store(&mut self, at: usize) -> wasmtime::Result<()> {
        let function = self.instance.get_typed_func::<u32, ()>(&mut self.store, "store")?;
        function.call(&mut self.store, u32::try_from(at)?)
    }

    fn is_zero(&self) -> bool {
        self.memory.data(&self.store).iter().all(|&byte| byte == 0)
    }
}

/// A recycler whose engine was checked, with the module of its tenants.
fn ready() -> (Recycler, Module) {
    let recycler = recycler();
    let engine = Engine::new(&recycler.config()).unwrap();
    recycler.check(&engine).unwrap();
    let module = module(&engine);
    (recycler, module)
}

/// A page that may be read only, until the handler below opens it.
static FOREIGN: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static SEEN: AtomicUsize = AtomicUsize::new(0);

extern "C" fn open_foreign(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let page = FOREIGN.load(Ordering::Relaxed);
    // SAFETY: the kernel's.
    let address = unsafe { (*info).si_addr() };
    if SEEN.fetch_add(1, Ordering::Relaxed) > 0 || address.cast() != page {
        std::process::abort();
    }
    // SAFETY: the page is this test's.
    unsafe { libc::mprotect(page.cast(), PAGE, libc::PROT_READ | libc::PROT_WRITE) };
}

fn handle(handler: SigHandler) {
    let action = SigAction::new(handler, SaFlags::SA_SIGINFO | SaFlags::SA_ONSTACK, SigSet::empty());
    // SAFETY: the handlers of this file do only what is allowed in one.
    unsafe { sigaction(Signal::SIGSEGV, &action) }.unwrap();
}

fn map(length: usize, protection: ProtFlags) -> NonNull<libc::c_void> {
    let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE;
    // SAFETY: a new mapping.
    unsafe { mmap_anonymous(None, NonZeroUsize::new(length).unwrap(), protection, flags) }.unwrap()
}

#[test]
fn a_fault_of_others_reaches_the_handler_that_was_there_before() {
    if !is_own_process("a_fault_of_others_reaches_the_handler_that_was_there_before") {
        return;
    }
    handle(SigHandler::SigAction(open_foreign));
    let (recycler, module) = ready();
    let mut first = tenant(&module);
    first.store(33 * MIB).unwrap();
    let trap = first.store(64 * MIB).unwrap_err();
    assert_eq!(trap.downcast_ref(), Some(&Trap::MemoryOutOfBounds));
    assert_eq!(SEEN.load(Ordering::Relaxed), 0);

    let page = map(PAGE, ProtFlags::PROT_READ).cast::<u8>();
    FOREIGN.store(page.as_ptr(), Ordering::Relaxed);
    // SAFETY: the page is this test's, and its handler opens it.
    unsafe { page.write_volatile(7) };
    assert_eq!(SEEN.load(Ordering::Relaxed), 1);

    first.store(MIB).unwrap();
    drop(first);
    assert!(tenant(&module).is_zero());
    assert_eq!(recycler.untracked(), 0);
}

extern "C" fn abort(_: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    std::process::abort();
}

#[test]
fn under_a_handler_that_came_later_memories_are_open_and_wiped_whole() {
    if !is_own_process("under_a_handler_that_came_later_memories_are_open_and_wiped_whole") {
        return;
    }
    let (recycler, module) = ready();
    let mut first = tenant(&module);
    first.store(33 * MIB).unwrap();
    drop(first);
    // A smaller one that gets the slot of a tracked one is open as well.
    let tight = Recycler::tracked(Thresholds::default(), Bytes(4 << 20));
    let engine = Engine::new(&tight.config()).unwrap();
    tight.check(&engine).unwrap();
    let of = |pages: u32| {
        Module::new(
            &engine,
            wat::parse_str(format!(
                r#"(module (memory (export "memory") {pages})
        (func (export "store") (param i32) (i32.store (local.get 0) (i32.const -1))))"#
            ))
            .unwrap(),
        )
        .unwrap()
    };
    let (tracked, smaller) = (of(64), of(50));
    tenant(&tracked).store(MIB).unwrap();
    // Were anything still protected, this would end the process.
    handle(SigHandler::SigAction(abort));
    assert!(matches!(recycler.check(module.engine()), Err(RecycleError::Handler)));
    for _ in 0..2 {
        let mut next = tenant(&module);
        assert!(next.is_zero());
        next.memory.data_mut(&mut next.store).fill(0xa5);
    }
    assert_eq!((recycler.untracked(), untracked()), (2, 2));
    let mut smaller = tenant(&smaller);
    smaller.memory.data_mut(&mut smaller.store).fill(0xa5);
}

#[test]
fn an_engine_that_comes_later_traps_nothing_falsely() {
    if !is_own_process("an_engine_that_comes_later_traps_nothing_falsely") {
        return;
    }
    let recycler = recycler();
    let mut silent = recycler.config();
    silent.signals_based_traps(false);
    // Such an engine installs no handler, the next one does: over that of tracked memories, were Wasmtime's not there already.
    let first = module(&Engine::new(&silent).unwrap());
    let mut early = tenant(&first);
    early.store(5 * MIB).unwrap();
    let engine = Engine::new(&recycler.config()).unwrap();
    recycler.check(&engine).unwrap();
    early.store(50 * MIB).unwrap();
    assert!(early.store(64 * MIB).is_err());
    drop(early);
    let mut late = tenant(&module(&engine));
    assert!(late.is_zero());
    late.store(50 * MIB).unwrap();
    assert!(late.store(64 * MIB).is_err());
    assert_eq!(recycler.untracked(), 0);
}

/// Every other page of it becomes a mapping of its own, until there are no more.
fn take_all_mappings() -> (NonNull<libc::c_void>, usize) {
    let most: usize = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap().trim().parse().unwrap();
    let length = (most + 1) * 2 * PAGE;
    let pages = map(length, ProtFlags::PROT_NONE);
    let refused = (0..length).step_by(2 * PAGE).find(|&at| {
        // SAFETY: the page is the test's.
        unsafe { mprotect(pages.cast::<u8>().add(at).cast(), PAGE, ProtFlags::PROT_READ) }.is_err()
    });
    assert!(refused.is_some(), "the kernel gives more than {most} mappings");
    (pages, length)
}

/// A contract whose memory grows on every other node must not find that it does not on this one.
#[test]
fn where_the_kernel_has_no_more_mappings_a_memory_grows_all_the_same() {
    if !is_own_process("where_the_kernel_has_no_more_mappings_a_memory_grows_all_the_same") {
        return;
    }
    let (_recycler, module) = ready();
    let mut first = tenant(&module);
    let (pages, length) = take_all_mappings();
    let grown = first.memory.grow(&mut first.store, 1);
    // SAFETY: the mapping is this test's.
    unsafe { munmap(pages, length) }.unwrap();
    assert_eq!(grown.unwrap(), 1024);
    first.store(3 * MIB).unwrap();
    first.store(64 * MIB).unwrap();
    drop(first);
    assert!(tenant(&module).is_zero());
}

#[test]
fn where_the_kernel_has_no_more_mappings_all_is_opened() {
    if !is_own_process("where_the_kernel_has_no_more_mappings_all_is_opened") {
        return;
    }
    let (_recycler, module) = ready();
    let mut first = tenant(&module);
    // The first call on a thread maps a stack for signals.
    first.store(MIB).unwrap();
    let (pages, length) = take_all_mappings();
    for at in [33, 5, 61] {
        first.store(at * MIB).unwrap();
    }
    drop(first);
    let mut second = tenant(&module);
    assert!(second.is_zero());
    second.store(17 * MIB).unwrap();
    drop(second);
    // SAFETY: the mapping is this test's.
    unsafe { munmap(pages, length) }.unwrap();
    let mut third = tenant(&module);
    assert!(third.is_zero());
    third.store(17 * MIB).unwrap();
    drop(third);
    assert!(tenant(&module).is_zero());
}
