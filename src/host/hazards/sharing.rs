//! Others that use the same cores, caches and memory.

use super::Hazard;
use crate::host::root::{Root, count_list};
use crate::host::virtualisation::Virtualisation;

/// A guest shares its caches and memory with neighbours, and its faults walk two levels of page tables.
pub(super) fn guest(virtualisation: &Virtualisation) -> Hazard {
    let name = virtualisation.hypervisor.as_deref().or(virtualisation.product.as_deref());
    let detail = match (virtualisation.guest, name) {
        (Some(true), Some(name)) => format!("guest on {name}: neighbours share caches and memory"),
        (Some(true), None) => "guest on an unnamed hypervisor: neighbours share caches and memory".into(),
        (Some(false), _) => "no sign of a hypervisor".into(),
        (None, _) => "the processor does not say whether there is a hypervisor".into(),
    };
    Hazard::new("virtualised", virtualisation.guest, detail)
}

/// Two threads on a core share its first-level caches and its execution units.
pub(super) fn smt(root: Root, guest: Option<bool>) -> Hazard {
    const SMT: &str = "/sys/devices/system/cpu/smt";
    let active = root.value::<u8>(&format!("{SMT}/active"));
    match active {
        Some(0) if guest != Some(false) => {
            Hazard::new("smt", None, "off as seen from a guest; the machine below may share its cores")
        }
        Some(0) => Hazard::new("smt", Some(false), "each core runs one thread"),
        Some(_) => {
            Hazard::new("smt", Some(true), "threads share cores").quiet(format!("echo off | sudo tee {SMT}/control"))
        }
        None => Hazard::new("smt", None, format!("{SMT}/active cannot be read")),
    }
}

/// With one processor everything else on the machine interrupts the measurement.
pub(super) fn few_cpus(root: Root, cores: Option<u32>) -> Hazard {
    // The list of this process counts, not the machine's: containers and `taskset` narrow it.
    let allowed = root.field("/proc/self/status", "Cpus_allowed_list").and_then(|list| count_list(&list)).or(cores);
    let detail = allowed.map_or("the number of processors cannot be read".into(), |count| match count {
        1 => "1 processor for this process".into(),
        _ => format!("{count} processors for this process"),
    });
    Hazard::new("few-cpus", allowed.map(|count| count < 2), detail)
}

/// A measurement needs one free processor and quiet memory. From half of the processors busy on, it gets neither.
pub(super) fn load(root: Root, cores: Option<u32>) -> Hazard {
    let load = root
        .text("/proc/loadavg")
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .filter(|load| load.is_finite());
    match (load, cores) {
        (Some(load), Some(cores)) => Hazard::new(
            "load",
            Some(load >= f64::from(cores) / 2.0),
            format!("load average {load:.2} over the last minute on {cores} processors"),
        ),
        _ => Hazard::new("load", None, "the load or the number of processors cannot be read"),
    }
}
