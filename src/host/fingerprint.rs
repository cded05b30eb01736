//! What a machine is, and which machines are alike.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::cpu::Cpu;
use super::root::{Root, kernel_size};
use super::virtualisation::Virtualisation;
use crate::units::Bytes;

/// What a machine is. It goes into `run.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fingerprint {
    /// The operating system's name and release, from `/etc/os-release`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The architecture this program was built for.
    pub architecture: String,
    /// The kernel's release, such as `6.18.44`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Total memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Bytes>,
    /// The kernel's page, the grain of a fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<Bytes>,
    /// Whether it is a guest.
    pub virtualisation: Virtualisation,
    /// The processor and its caches.
    pub cpu: Cpu,
}

impl Fingerprint {
    pub(super) fn read(root: Root) -> Self {
        let size = |file, key| root.field(file, key).and_then(|text| kernel_size(&text)).map(Bytes);
        Self {
            os: root.text("/etc/os-release").as_deref().and_then(os_name),
            architecture: std::env::consts::ARCH.to_owned(),
            kernel: root.word("/proc/sys/kernel/osrelease"),
            memory: size("/proc/meminfo", "MemTotal"),
            // The first mapping is the program itself, which is never on huge pages.
            page_size: size("/proc/self/smaps", "KernelPageSize"),
            virtualisation: Virtualisation::read(root),
            cpu: Cpu::read(root),
        }
    }

    /// The machine class: twelve hexadecimal digits that are equal where times may be compared, `None` where the
    /// processor or the kernel is unknown, because two unknown machines are not alike.
    ///
    /// In it is what sets the cost of a page fault, a zero-fill, an unmap or a memset, and stays as it is until somebody
    /// changes the machine: architecture, processor with its revision, cores and caches with their sharing, whether it
    /// is a guest, the kernel's page, and the kernel's major and minor release, since the memory management changes
    /// between releases and hardly within one.
    ///
    /// Left out is what changes without the cost changing, so that tomorrow's run still compares with today's: names and
    /// addresses, the kernel's patch level, the distribution, the amount of memory, which differs by a few pages from
    /// boot to boot, and the DMI product, which containers hide. Left out as well is the state of the moment, such as
    /// load, governor or huge pages: those are hazards.
    #[must_use]
    pub fn class(&self) -> Option<String> {
        let (major, minor) = release(self.kernel.as_deref()?)?;
        let model = self.cpu.model.as_deref()?;
        let cores = self.cpu.logical_cores?;
        // The leading word is the version of this recipe: change it with the recipe, so that old classes never match.
        let mut facts = format!(
            "1|{}|{model}|{:?}|{:?}|{cores}|{:?}|{major}.{minor}|{:?}|{:?}",
            self.architecture,
            self.cpu.vendor,
            self.cpu.revision,
            self.cpu.physical_cores,
            self.virtualisation.guest,
            self.page_size.map(|size| size.0),
        );
        let caches = self.cpu.caches.iter().fold(String::new(), |mut text, cache| {
            let _ = write!(text, "|L{}:{}:{}", cache.level, cache.size.0, cache.shared_by);
            text
        });
        facts.push_str(&caches);
        let digest = Sha256::digest(facts.as_bytes());
        Some(digest.iter().take(6).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }

    /// The kernel's release line, such as `6.18`; `None` where the kernel is unknown.
    #[must_use]
    pub fn kernel_line(&self) -> Option<String> {
        release(self.kernel.as_deref()?).map(|(major, minor)| format!("{major}.{minor}"))
    }

    /// The machine in a line for readers: `Intel(R) Xeon(R) Processor, 2 cores, guest, Linux 6.18.44`.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut parts = vec![self.cpu.model.clone().unwrap_or_else(|| "unknown processor".into())];
        parts.extend(self.cpu.logical_cores.map(|cores| match cores {
            1 => "1 logical core".into(),
            _ => format!("{cores} logical cores"),
        }));
        if self.virtualisation.guest == Some(true) {
            parts.push("guest".into());
        }
        parts.extend(self.kernel.as_ref().map(|kernel| format!("Linux {kernel}")));
        parts.join(", ")
    }
}

/// Major and minor number of a kernel release: `6.18.44-generic` is 6 and 18.
fn release(text: &str) -> Option<(u32, u32)> {
    let (major, rest) = text.split_once('.')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((major.parse().ok()?, rest[..digits].parse().ok()?))
}

/// Whether a kernel release is `major.minor` or later; `None` if it does not begin with two numbers.
pub(super) fn kernel_at_least(kernel: &str, major: u32, minor: u32) -> Option<bool> {
    release(kernel).map(|found| found >= (major, minor))
}

/// `PRETTY_NAME` of [os-release](https://www.freedesktop.org/software/systemd/man/latest/os-release.html).
fn os_name(text: &str) -> Option<String> {
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches(['"', '\'']).to_owned()).filter(|name| !name.is_empty())
}
