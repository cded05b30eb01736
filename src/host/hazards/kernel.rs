//! Settings and features of the kernel.

use super::Hazard;
use crate::host::fingerprint::kernel_at_least;
use crate::host::root::Root;

/// Bit of `/proc/self/personality` that `setarch -R` sets
/// ([personality(2)](https://man7.org/linux/man-pages/man2/personality.2.html)).
const ADDR_NO_RANDOMIZE: u32 = 0x0004_0000;

/// The layout of addresses differs from process to process, and with it the conflicts in caches and page tables. Several worker processes
/// average that out, as those of a node do, so that it is no hazard of a run.
pub(super) fn aslr(root: Root) -> Hazard {
    let level = root.value::<u8>("/proc/sys/kernel/randomize_va_space");
    let exempt = root
        .text("/proc/self/personality")
        .and_then(|text| u32::from_str_radix(&text, 16).ok())
        .is_some_and(|personality| personality & ADDR_NO_RANDOMIZE != 0);
    let (found, detail) = match level {
        Some(0) => (Some(false), "addresses are not randomised"),
        Some(_) if exempt => (Some(false), "addresses are not randomised for this process"),
        Some(_) => (Some(false), "addresses are randomised; several worker processes average it out, as a node's do"),
        None => (None, "kernel.randomize_va_space cannot be read"),
    };
    Hazard::new("aslr", found, detail)
}

/// Resetting a kept slot by what was written needs the `PAGEMAP_SCAN` ioctl of Linux 6.7
/// ([pagemap](https://docs.kernel.org/admin-guide/mm/pagemap.html)).
pub(super) fn pagemap_scan(kernel: Option<&str>) -> Hazard {
    let has = kernel.and_then(|kernel| kernel_at_least(kernel, 6, 7));
    let detail = match (kernel, has) {
        (Some(kernel), Some(true)) => format!("kernel {kernel} has the pagemap scan"),
        (Some(kernel), Some(false)) => {
            format!("kernel {kernel} lacks the pagemap scan of 6.7: pooled resets cost more")
        }
        _ => "the kernel's release cannot be read".into(),
    };
    Hazard::new("no-pagemap-scan", has.map(|has| !has), detail)
}

/// Mitigations of processor bugs make every entry into the kernel dearer, and each fault is one.
pub(super) fn mitigations(root: Root) -> Hazard {
    const FOLDER: &str = "/sys/devices/system/cpu/vulnerabilities";
    let states: Option<Vec<(String, String)>> = root.names(FOLDER).map(|names| {
        names.into_iter().filter_map(|name| root.text(&format!("{FOLDER}/{name}")).map(|state| (name, state))).collect()
    });
    let Some(states) = states.filter(|states| !states.is_empty()) else {
        return Hazard::new("mitigations", None, format!("{FOLDER} cannot be read"));
    };
    let active: Vec<_> =
        states.iter().filter(|(_, state)| state.contains("Mitigation")).map(|(name, _)| name.as_str()).collect();
    let detail = if active.is_empty() {
        "no mitigation is active".into()
    } else {
        format!("against {}; keep those that the node keeps", active.join(", "))
    };
    Hazard::new("mitigations", Some(!active.is_empty()), detail)
}
