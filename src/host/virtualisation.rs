//! Whether the machine is a guest, and of what.

use serde::{Deserialize, Serialize};

use super::root::{Root, field};

/// What is known of a hypervisor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Virtualisation {
    /// Whether the machine is a guest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest: Option<bool>,
    /// The hypervisor's name in `/sys/hypervisor/type`, which Xen fills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypervisor: Option<String>,
    /// The vendor and product of the machine in its DMI table, where the firmware has one and it may be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
}

/// Firmware vendors and products of virtual machines, as systemd-detect-virt knows them
/// ([virt.c](https://github.com/systemd/systemd/blob/main/src/basic/virt.c)). `Amazon EC2` is not among them, since bare
/// metal instances carry it too.
const VIRTUAL_PRODUCTS: [&str; 10] = [
    "KVM",
    "QEMU",
    "OpenStack",
    "Google Compute Engine",
    "VMware",
    "innotek GmbH",
    "VirtualBox",
    "Xen",
    "Bochs",
    "Parallels",
];

impl Virtualisation {
    pub(super) fn read(root: Root) -> Self {
        let hypervisor = root.word("/sys/hypervisor/type");
        let dmi = |name| root.word(&format!("/sys/class/dmi/id/{name}"));
        let product = match (dmi("sys_vendor"), dmi("product_name")) {
            (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
            (vendor, product) => vendor.or(product),
        };
        // The processor announces a hypervisor by a flag (CPUID leaf 1, ECX bit 31) on x86; ARM has no such flag.
        let flag = root
            .text("/proc/cpuinfo")
            .as_deref()
            .and_then(|info| field(info, "flags"))
            .map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
        let named = hypervisor.is_some()
            || product.as_deref().is_some_and(|product| VIRTUAL_PRODUCTS.iter().any(|known| product.contains(known)));
        Self { guest: if named { Some(true) } else { flag }, hypervisor, product }
    }
}
