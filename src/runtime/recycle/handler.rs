//! The process's handler of SIGSEGV that opens spans of tracked memories when they are written to.
//!
//! It is installed over Wasmtime's, which takes every fault of compiled code for a trap, and hands on what does not concern it.
#![expect(unsafe_code, reason = "signal handlers take raw pointers")]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

use nix::errno::Errno;
use nix::libc;
use wasmtime::{Config, Engine};

use super::watch::open_at;

/// Whether writes are told apart from other faults on this architecture. Elsewhere all memories are wiped whole.
pub const TRACKS_WRITES: bool = cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));

/// The page is mapped, but protected: `asm-generic/siginfo.h` of Linux.
const SEGV_ACCERR: libc::c_int = 2;

/// What handled the signal before.
static BELOW: OnceLock<libc::sigaction> = OnceLock::new();

static INSTALLED: AtomicBool = AtomicBool::new(false);

/// Installs Wasmtime's handler, where no engine has yet, and this one over it: the first time that it is called.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if Engine::new(&Config::new()).is_err() {
            return;
        }
        let Some(below) = current().filter(|_| TRACKS_WRITES) else { return };
        // Before the handler is there, since it may be called at once.
        BELOW.get_or_init(|| below);
        let mut own = nothing();
        own.sa_sigaction = address();
        // As Wasmtime's: on the alternate stack, since the stack may have overflowed, and again within itself, for what is below.
        own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        // SAFETY: the handler does only what is allowed in one.
        let answer = unsafe { libc::sigaction(libc::SIGSEGV, &raw const own, null_mut()) };
        INSTALLED.store(answer == 0, Ordering::Release);
    });
}

/// Whether [`install`] could.
pub(super) fn is_installed() -> bool {
    INSTALLED.load(Ordering::Acquire)
}

/// Whether a fault comes here first: one system call, some 100 ns.
pub(super) fn is_on_top() -> bool {
    current().is_some_and(|current| current.sa_sigaction == address())
}

fn address() -> libc::sighandler_t {
    (handle as *const ()).addr()
}

fn current() -> Option<libc::sigaction> {
    let mut current = nothing();
    // SAFETY: only the present handler is asked for.
    let answer = unsafe { libc::sigaction(libc::SIGSEGV, std::ptr::null(), &raw mut current) };
    (answer == 0).then_some(current)
}

/// No flags, and no signal masked.
fn nothing() -> libc::sigaction {
    // SAFETY: all of it are numbers and a pointer that may be null.
    unsafe { std::mem::zeroed() }
}

unsafe extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // The code that was interrupted may be about to read it.
    let errno = Errno::last_raw();
    // SAFETY: the kernel's, of a signal with SA_SIGINFO.
    let is_write = unsafe { (*info).si_code == SEGV_ACCERR && is_write(context) };
    // SAFETY: as above.
    let opened = is_write && open_at(unsafe { (*info).si_addr() }.addr()).unwrap_or_else(|_| give_up());
    Errno::set_raw(errno);
    if !opened {
        // SAFETY: handed on as it came.
        unsafe { pass_on(signal, info, context) }
    }
}

/// A fault that nobody can mend would be taken for a trap, and the contract would do on this node what it does on no other.
fn give_up() -> ! {
    const WHY: &[u8] = b"estimator: the kernel refuses to make a recycled memory writable; the process is aborted\n";
    // SAFETY: both may be called in a handler.
    unsafe {
        libc::write(libc::STDERR_FILENO, WHY.as_ptr().cast(), WHY.len());
        libc::abort()
    }
}

/// # Safety
/// The arguments are those of a signal handler.
unsafe fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some(below) = BELOW.get() else { return };
    match below.sa_sigaction {
        // The instruction is tried again and ends the process as it would have.
        // SAFETY: what was there before is put back.
        libc::SIG_DFL | libc::SIG_IGN => unsafe {
            libc::sigaction(signal, below, null_mut());
        },
        // SAFETY: with this flag the address is that of a function that takes these three.
        handler if below.sa_flags & libc::SA_SIGINFO != 0 => unsafe {
            type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
            std::mem::transmute::<libc::sighandler_t, Handler>(handler)(signal, info, context);
        },
        // SAFETY: without it, of one that takes the number.
        handler => unsafe {
            std::mem::transmute::<libc::sighandler_t, extern "C" fn(libc::c_int)>(handler)(signal);
        },
    }
}

/// Whether the access that faulted was a write: bit 1 of the page fault's error code (Intel 64 and IA-32 Architectures Software
/// Developer's Manual, volume 3, "Page-Fault Exception").
///
/// # Safety
/// `context` is that of a signal handler.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
unsafe fn is_write(context: *const libc::c_void) -> bool {
    const WRITE: i64 = 1 << 1;
    // SAFETY: the caller's promise.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    usize::try_from(libc::REG_ERR).ok().and_then(|at| registers.get(at)).is_some_and(|error| error & WRITE != 0)
}

/// Whether the access that faulted was a write: the bit `WnR` of a data abort in the exception's syndrome, which the kernel adds to the
/// context as a record (`arch/arm64/include/uapi/asm/sigcontext.h`). Atomic instructions set it where a read would not have faulted,
/// which it does not here.
///
/// # Safety
/// `context` is that of a signal handler.
#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
unsafe fn is_write(context: *const libc::c_void) -> bool {
    const WRITE: u64 = 1 << 6;
    const SYNDROME: u32 = 0x4553_5201;
    /// Behind the address, 31 registers, the stack pointer, the program counter and the state, at a multiple of 16.
    const RECORDS: usize = 288;
    const END: usize = RECORDS + 4096;
    // SAFETY: the caller's promise.
    let machine = unsafe { &raw const (*context.cast::<libc::ucontext_t>()).uc_mcontext }.cast::<u8>();
    let mut at = RECORDS;
    while at + 16 <= END {
        // SAFETY: every record lies in these 4096 bytes and begins with its kind and its length.
        let [kind, length] = unsafe { machine.add(at).cast::<[u32; 2]>().read_unaligned() };
        match (kind, length) {
            // SAFETY: as above; the syndrome follows.
            (SYNDROME, _) => return unsafe { machine.add(at + 8).cast::<u64>().read_unaligned() } & WRITE != 0,
            (0, _) | (_, 0) => return false,
            (_, length) => at += length as usize,
        }
    }
    false
}

/// # Safety
/// None is needed.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
unsafe fn is_write(_: *const libc::c_void) -> bool {
    false
}
