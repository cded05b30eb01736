//! Transparent huge pages: whether the kernel gives them to those who ask, and to nobody else.
//!
//! [Kernel documentation](https://docs.kernel.org/admin-guide/mm/transhuge.html).

use std::fs;
use std::io;

use nix::libc;

use super::error::Unavailable;

const SETTING: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// From `linux/prctl.h`, Linux 6.18: huge pages only where `MADV_HUGEPAGE` asks for them.
const PR_THP_DISABLE_EXCEPT_ADVISED: libc::c_ulong = 1 << 1;

/// What the kernel is set to: the word in brackets.
fn setting() -> Option<String> {
    let text = fs::read_to_string(SETTING).ok()?;
    let word = text.split_once('[')?.1.split_once(']')?.0;
    Some(word.to_owned())
}

/// Whether this process can get huge pages for what asks for them, whatever else gets some.
pub(super) fn are_given() -> bool {
    setting().is_some_and(|setting| setting != "never")
}

/// Whether memory that asks for huge pages can get them in a worker process, in which all other memory gets none.
pub(super) fn available() -> Result<(), Unavailable> {
    match setting().as_deref() {
        None => Err(Unavailable(format!("this kernel has no transparent huge pages: {SETTING} is missing"))),
        Some("never") => Err(Unavailable(format!("the kernel gives no huge pages: write `madvise` to {SETTING}"))),
        Some("always") if !can_tell_advised_apart() => Err(Unavailable(format!(
            "this kernel cannot give huge pages to those alone who ask: write `madvise` to {SETTING}, or use Linux 6.18"
        ))),
        Some(_) => Ok(()),
    }
}

/// Takes huge pages from this process except where it asks for them.
///
/// Where the kernel cannot tell these apart (before Linux 6.18), its setting `madvise` says the same, and under any other one all
/// huge pages are given up; `available` knows.
///
/// # Errors
/// The kernel refuses.
pub fn only_where_advised() -> io::Result<()> {
    if tells_advised_apart() || setting().as_deref() == Some("madvise") {
        return Ok(());
    }
    nix::sys::prctl::set_thp_disable(true).map_err(Into::into)
}

/// Tries it, and leaves the process as it was: an embedder's other memories are none of ours.
#[expect(unsafe_code, reason = "nix does not know this flag yet")]
fn can_tell_advised_apart() -> bool {
    const UNUSED: libc::c_ulong = 0;
    // SAFETY: the call takes numbers and changes nothing.
    let before = unsafe { libc::prctl(libc::PR_GET_THP_DISABLE, UNUSED, UNUSED, UNUSED, UNUSED) };
    let can = tells_advised_apart();
    if let (true, Ok(before)) = (can, libc::c_ulong::try_from(before)) {
        // SAFETY: as below; the value is the one that was found: whether disabled, and the flags above that bit.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, before & 1, before & !1, UNUSED, UNUSED) };
    }
    can
}

/// Asks for it.
#[expect(unsafe_code, reason = "nix does not know this flag yet")]
fn tells_advised_apart() -> bool {
    let unused: libc::c_ulong = 0;
    let on: libc::c_ulong = 1;
    // SAFETY: the call takes numbers and changes only how the kernel backs memory.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, on, PR_THP_DISABLE_EXCEPT_ADVISED, unused, unused) == 0 }
}
