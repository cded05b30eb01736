//! Limits that a container or a service puts on this process, in control groups of
//! [version 2](https://docs.kernel.org/admin-guide/cgroup-v2.html) and of
//! [version 1](https://docs.kernel.org/admin-guide/cgroup-v1/cgroups.html).

use super::Hazard;
use crate::host::root::Root;
use crate::units::Bytes;

const MOUNT: &str = "/sys/fs/cgroup";

/// A limit of memory above this is none: version 1 writes "unlimited" as the largest count of pages.
const UNLIMITED: u64 = 1 << 62;

/// What the control groups of a process say about one resource.
enum Limits<T> {
    /// The limits found, each with its file. Empty if nothing is limited.
    Known(Vec<(String, T)>),
    Unknown,
}

/// Reaching a quota of processor time stops the process until the next period.
pub(super) fn cpu_quota(root: Root) -> Hazard {
    let limits = limits(root, "cpu", |folder| {
        let version2 = format!("{folder}/cpu.max");
        if let Some(text) = root.text(&version2) {
            let (quota, period) = text.split_once(' ')?;
            return Some((version2, processors(quota, period.trim())));
        }
        let version1 = format!("{folder}/cpu.cfs_quota_us");
        let quota = root.text(&version1)?;
        let period = root.text(&format!("{folder}/cpu.cfs_period_us"))?;
        Some((version1, processors(&quota, &period)))
    });
    hazard("cpu-quota", limits, |processors| format!("{processors:.2} processors"))
}

/// The quota as a number of processors; `None` for `max` of version 2 and `-1` of version 1.
fn processors(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (u32, u32) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0).then(|| f64::from(quota) / f64::from(period))
}

/// Near its limit a group reclaims its own pages while they are touched.
pub(super) fn memory_limit(root: Root) -> Hazard {
    let limits = limits(root, "memory", |folder| {
        ["memory.max", "memory.limit_in_bytes"].into_iter().find_map(|name| {
            let file = format!("{folder}/{name}");
            let limit = root.text(&file)?;
            Some((file, limit.parse().ok().filter(|&bytes: &u64| bytes < UNLIMITED).map(Bytes)))
        })
    });
    hazard("memory-limit", limits, Bytes::to_string)
}

fn hazard<T: PartialOrd>(name: &str, limits: Limits<T>, show: impl Fn(&T) -> String) -> Hazard {
    match limits {
        Limits::Unknown => Hazard::new(name, None, "the control group of this process cannot be read"),
        Limits::Known(found) => {
            let tightest = found.iter().min_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(std::cmp::Ordering::Equal));
            match tightest {
                None => Hazard::new(name, Some(false), "no limit"),
                Some((file, limit)) => {
                    let version1 = file.contains("/cpu.cfs_quota_us") || file.contains("/memory.limit_in_bytes");
                    let none = if version1 { "-1" } else { "max" };
                    Hazard::new(name, Some(true), format!("limited to {}", show(limit)))
                        .quiet(format!("echo {none} | sudo tee '{file}'"))
                }
            }
        }
    }
}

/// Collects the limits on `controller` from the group of this process up to the mount: every ancestor binds.
///
/// `read` returns a folder's file and its limit, `None` within for "unlimited", or `None` if there is no such file.
fn limits<T>(root: Root, controller: &str, read: impl Fn(&str) -> Option<(String, Option<T>)>) -> Limits<T> {
    let Some(groups) = root.text("/proc/self/cgroup") else { return Limits::Unknown };
    let mut known = false;
    let mut found = Vec::new();
    for group in groups.lines() {
        let mut fields = group.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        // Outside the namespace's root the path climbs with `..`, and the folder is not visible here.
        if path.split('/').any(|part| part == "..") {
            continue;
        }
        let mounts: Vec<String> = if controllers.is_empty() {
            vec![MOUNT.into(), format!("{MOUNT}/unified")]
        } else if controllers.split(',').any(|name| name == controller) {
            vec![format!("{MOUNT}/{controllers}"), format!("{MOUNT}/{controller}")]
        } else {
            continue;
        };
        let Some(mount) = mounts.into_iter().find(|mount| root.path(mount).is_dir()) else { continue };
        let mut folder = format!("{mount}{}", path.trim_end_matches('/'));
        // The root group of version 2 and groups without the controller have no limit file, but list controllers.
        known |= controllers.is_empty()
            && root
                .text(&format!("{folder}/cgroup.controllers"))
                .is_some_and(|_| root.text(&format!("{MOUNT}/cgroup.controllers")).is_some());
        loop {
            if let Some((file, limit)) = read(&folder) {
                known = true;
                found.extend(limit.map(|limit| (file, limit)));
            }
            if folder.len() <= mount.len() {
                break;
            }
            folder.truncate(folder.rfind('/').unwrap_or(0));
        }
    }
    if known { Limits::Known(found) } else { Limits::Unknown }
}
