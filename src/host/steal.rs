//! Processor time that the hypervisor gave to others.

use std::path::Path;

use super::hazards::Hazard;
use super::root::Root;

/// Processor time since boot, over all processors, in the kernel's ticks
/// ([/proc/stat](https://docs.kernel.org/filesystems/proc.html#miscellaneous-kernel-statistics-in-proc-stat)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTimes {
    total: u64,
    steal: u64,
}

/// From 0.1 % on, theft is visible: a thousandth of a run is some thousand cycles of one page.
const NOTICED: f64 = 0.001;

impl CpuTimes {
    /// Name of the hazard of steal.
    pub const HAZARD: &'static str = "steal";

    /// Reads the times now from the machine at `root`; `None` where they cannot be read.
    #[must_use]
    pub fn read(root: &Path) -> Option<Self> {
        let text = Root(root).text("/proc/stat")?;
        let times: Vec<u64> = text
            .lines()
            .find_map(|line| line.strip_prefix("cpu "))?
            .split_whitespace()
            .map(|field| field.parse().ok())
            .collect::<Option<_>>()?;
        // user nice system idle iowait irq softirq steal; guest times follow and are contained in user and nice.
        let times = times.get(..8)?;
        let total = times.iter().try_fold(0u64, |sum, &time| sum.checked_add(time))?;
        Some(Self { total, steal: times[7] })
    }

    /// The hazard of steal between two readings, which the caller spaces: before and after a run.
    ///
    /// It is unknown if a reading is missing, if no time passed, or if the later reading is the smaller one, as after a
    /// migration of the guest.
    #[must_use]
    pub fn steal(before: Option<Self>, after: Option<Self>) -> Hazard {
        let share = before.zip(after).and_then(|(before, after)| {
            let total = after.total.checked_sub(before.total).filter(|&total| total > 0)?;
            Some(ratio(after.steal.checked_sub(before.steal)?, total))
        });
        let detail = share.map_or("the processor times cannot be read or did not pass".into(), |share| {
            format!("{:.2} % of the processor time went to other guests", share * 100.0)
        });
        Hazard::new(Self::HAZARD, share.map(|share| share >= NOTICED), detail)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share of time needs no more than 53 bits")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}
