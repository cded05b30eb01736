//! What is counted in a cycle beside its times.

use crate::units::Bytes;

/// Something that is counted in a cycle.
#[derive(Debug, PartialEq, Eq)]
pub struct Counter {
    /// Its name in files.
    pub name: &'static str,
    /// What it counts, for people.
    pub unit: &'static str,
    /// Where the number comes from.
    pub count: Count,
}

/// What can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Minor page faults of the thread.
    MinorFaults,
    /// How often the kernel took the processor from it.
    InvoluntarySwitches,
    /// Allocations of the thread, one that is moved or grows among them.
    Allocations,
    /// Bytes of these.
    AllocatedBytes,
    /// The most bytes that it held at once beyond what it held before.
    PeakBytes,
}

impl Count {
    /// Whether the program's allocator must count.
    #[must_use]
    pub const fn is_of_allocator(self) -> bool {
        matches!(self, Self::Allocations | Self::AllocatedBytes | Self::PeakBytes)
    }
}

impl Counter {
    /// A number of it, for people.
    #[must_use]
    pub fn shown(&self, number: u64) -> String {
        match self.count {
            Count::AllocatedBytes | Count::PeakBytes => Bytes(number).to_string(),
            _ => number.to_string(),
        }
    }
}

/// Of a whole cycle: page faults, preemptions and what is allocated.
pub(super) const ALLOCATING: &[Counter] = &[
    Counter { name: "minor_faults", unit: "page faults", count: Count::MinorFaults },
    Counter { name: "involuntary_switches", unit: "context switches", count: Count::InvoluntarySwitches },
    Counter { name: "allocations", unit: "allocations", count: Count::Allocations },
    Counter { name: "allocated_bytes", unit: "bytes allocated", count: Count::AllocatedBytes },
    Counter { name: "peak_bytes", unit: "bytes held at most", count: Count::PeakBytes },
];
