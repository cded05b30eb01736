use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::host::{CpuTimes, Host};

/// Reads the machine and what makes its times noisy now, for a third of a second. Nothing is changed.
///
/// ```
/// let host = estimator::app::host();
/// for hazard in host.hazards.iter().filter(|hazard| hazard.is_present()) {
///     println!("{}: {}", hazard.name, hazard.detail);
/// }
/// ```
#[must_use]
pub fn host() -> Host {
    let root = Path::new("/");
    let before = CpuTimes::read(root);
    // Long enough for some ticks of the kernel's clock, so that theft can show.
    thread::sleep(Duration::from_millis(300));
    let mut host = Host::read(root);
    host.hazards.push(CpuTimes::steal(before, CpuTimes::read(root)));
    host
}
