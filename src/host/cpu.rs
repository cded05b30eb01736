//! The processor and its caches.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::root::{Root, count_list, field, kernel_size};
use crate::units::Bytes;

/// The processor. Fields that the kernel does not give are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cpu {
    /// The name that people know it by. On ARM, where the kernel gives none, the implementer and part numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `GenuineIntel`, `AuthenticAMD`, or the implementer's number on ARM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// Family, model and stepping numbers, joined by `/`; variant, part and revision on ARM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Hardware threads that are online.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logical_cores: Option<u32>,
    /// Cores that these threads belong to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_cores: Option<u32>,
    /// The data and unified caches of CPU 0, nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<Cache>,
}

/// A cache that holds data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// 1 is nearest to the core.
    pub level: u8,
    /// Its size.
    pub size: Bytes,
    /// Hardware threads that share it.
    pub shared_by: u32,
}

const FOLDER: &str = "/sys/devices/system/cpu";

impl Cpu {
    pub(super) fn read(root: Root) -> Self {
        let info = root.text("/proc/cpuinfo").unwrap_or_default();
        let get = |key: &'static str| field(&info, key).filter(|value| !value.is_empty());
        let join = |keys: [&'static str; 3]| Some(keys.map(get).into_iter().collect::<Option<Vec<_>>>()?.join("/"));
        let arm = || Some(format!("implementer {} part {}", get("CPU implementer")?, get("CPU part")?));
        let processors = info.lines().filter(|line| line.starts_with("processor")).count();
        Self {
            model: get("model name").map(str::to_owned).or_else(arm),
            vendor: get("vendor_id").or_else(|| get("CPU implementer")).map(str::to_owned),
            revision: join(["cpu family", "model", "stepping"])
                .or_else(|| join(["CPU variant", "CPU part", "CPU revision"])),
            logical_cores: root
                .text(&format!("{FOLDER}/online"))
                .and_then(|list| count_list(&list))
                .or_else(|| u32::try_from(processors).ok().filter(|&count| count > 0)),
            physical_cores: topology_cores(root).or_else(|| cpuinfo_cores(&info)),
            caches: caches(root),
        }
    }
}

/// Threads of one core name the same list of siblings, so the distinct lists are the cores.
fn topology_cores(root: Root) -> Option<u32> {
    let siblings: BTreeSet<String> = root
        .names(FOLDER)?
        .into_iter()
        .filter(|name| name.strip_prefix("cpu").is_some_and(|digits| digits.parse::<u32>().is_ok()))
        .filter_map(|cpu| {
            // The second is the name before Linux 5.3.
            ["core_cpus_list", "thread_siblings_list"]
                .into_iter()
                .find_map(|file| root.word(&format!("{FOLDER}/{cpu}/topology/{file}")))
        })
        .collect();
    u32::try_from(siblings.len()).ok().filter(|&count| count > 0)
}

fn cpuinfo_cores(info: &str) -> Option<u32> {
    let cores: BTreeSet<_> =
        info.split("\n\n").filter_map(|block| Some((field(block, "physical id")?, field(block, "core id")?))).collect();
    u32::try_from(cores.len()).ok().filter(|&count| count > 0)
}

fn caches(root: Root) -> Vec<Cache> {
    let folder = format!("{FOLDER}/cpu0/cache");
    let mut caches: Vec<Cache> = root
        .names(&folder)
        .unwrap_or_default()
        .iter()
        .filter_map(|index| {
            let file = |name: &str| root.text(&format!("{folder}/{index}/{name}"));
            if file("type")? == "Instruction" {
                return None;
            }
            Some(Cache {
                level: file("level")?.parse().ok()?,
                size: Bytes(kernel_size(&file("size")?)?),
                shared_by: count_list(&file("shared_cpu_list")?)?,
            })
        })
        .collect();
    caches.sort_by_key(|cache| cache.level);
    caches
}
