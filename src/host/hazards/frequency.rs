//! Clocks that change during a run.

use std::collections::BTreeSet;

use super::Hazard;
use crate::host::root::Root;

const CPUS: &str = "/sys/devices/system/cpu";

/// A governor other than `performance` lowers and raises the clock with the load
/// ([cpufreq](https://docs.kernel.org/admin-guide/pm/cpufreq.html)).
pub(super) fn governor(root: Root) -> Hazard {
    let folder = format!("{CPUS}/cpufreq");
    let governors: BTreeSet<String> = root
        .names(&folder)
        .unwrap_or_default()
        .iter()
        .filter(|name| name.starts_with("policy"))
        .filter_map(|policy| root.word(&format!("{folder}/{policy}/scaling_governor")))
        .collect();
    let found = governors.iter().any(|governor| governor != "performance");
    let (found, detail) = if governors.is_empty() {
        (None, "cpufreq is missing: the clock may change without the kernel's knowing, as on most guests".into())
    } else {
        (Some(found), format!("scaling governor {}", governors.into_iter().collect::<Vec<_>>().join(", ")))
    };
    Hazard::new("frequency-scaling", found, detail)
        .quiet(format!("echo performance | sudo tee {CPUS}/cpufreq/policy*/scaling_governor"))
}

/// Turbo makes the clock depend on temperature and on what the other cores do.
pub(super) fn turbo(root: Root) -> Hazard {
    let (intel, other) = (format!("{CPUS}/intel_pstate/no_turbo"), format!("{CPUS}/cpufreq/boost"));
    let hazard =
        |on: bool| Hazard::new("turbo", Some(on), if on { "the clock may rise above its base" } else { "off" });
    match (root.value::<u8>(&intel), root.value::<u8>(&other)) {
        (Some(no_turbo), _) => hazard(no_turbo == 0).quiet(format!("echo 1 | sudo tee {intel}")),
        (None, Some(boost)) => hazard(boost != 0).quiet(format!("echo 0 | sudo tee {other}")),
        (None, None) => Hazard::new("turbo", None, "neither intel_pstate/no_turbo nor cpufreq/boost can be read"),
    }
}

/// On battery power the firmware caps the clock.
pub(super) fn battery(root: Root) -> Hazard {
    const SUPPLIES: &str = "/sys/class/power_supply";
    let Some(names) = root.names(SUPPLIES) else {
        return Hazard::new("battery", None, format!("{SUPPLIES} cannot be read"));
    };
    let discharging = names.iter().find(|name| {
        let file = |file: &str| root.text(&format!("{SUPPLIES}/{name}/{file}")).unwrap_or_default();
        // A battery of scope Device powers a mouse or a keyboard.
        file("type") == "Battery" && file("scope") != "Device" && file("status") == "Discharging"
    });
    let detail =
        discharging.map_or("not running on battery".into(), |name| format!("{name} is discharging: plug it in"));
    Hazard::new("battery", Some(discharging.is_some()), detail)
}
