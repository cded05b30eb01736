//! Memory that is scarce, swapped or mapped in huge pages.

use super::Hazard;
use crate::host::root::{Root, field, kernel_size};
use crate::units::Bytes;

/// Below 1 GiB, eight times the largest memory of a contract at NEAR's limit of 2048 pages, a fault may have to reclaim
/// or compact first, which is no part of what a contract should pay.
const ENOUGH: Bytes = Bytes(1 << 30);

/// Little memory is available.
pub(super) fn low(root: Root) -> Hazard {
    let available = root.field("/proc/meminfo", "MemAvailable").and_then(|text| kernel_size(&text)).map(Bytes);
    let detail = available.map_or("the available memory cannot be read".into(), |bytes| {
        format!("{} MiB available, {ENOUGH} wanted", bytes.0 >> 20)
    });
    Hazard::new("low-memory", available.map(|bytes| bytes < ENOUGH), detail)
}

/// Pages that are on disk come back in the middle of a run.
pub(super) fn swap(root: Root) -> Hazard {
    let used = root.text("/proc/meminfo").and_then(|text| {
        let size = |key| kernel_size(field(&text, key)?);
        size("SwapTotal")?.checked_sub(size("SwapFree")?)
    });
    let detail = used.map_or("the use of swap cannot be read".into(), |used| format!("{} MiB swapped out", used >> 20));
    Hazard::new("swap", used.map(|used| used > 0), detail).quiet("sudo swapoff -a")
}

/// With `always`, the kernel may back a memory with 2 MiB pages: fewer and longer faults, depending on fragmentation
/// ([transhuge](https://docs.kernel.org/admin-guide/mm/transhuge.html)).
pub(super) fn huge_pages(root: Root) -> Hazard {
    const ENABLED: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    let mode = root.text(ENABLED).and_then(|text| {
        let (_, rest) = text.split_once('[')?;
        Some(rest.split_once(']')?.0.to_owned())
    });
    let detail = mode.as_deref().map_or(format!("{ENABLED} cannot be read"), |mode| {
        format!("transparent huge pages: {mode}; measure with the node's own setting")
    });
    Hazard::new("huge-pages", mode.map(|mode| mode == "always"), detail)
        .quiet(format!("echo madvise | sudo tee {ENABLED}"))
}
