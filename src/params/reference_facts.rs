//! What a table says of the machine that its times are stated on.

use super::section::Section;
use crate::contract::sha256_hex;
use crate::measure::Plan;
use crate::model::{Estimate, ProbeTime, Reference, Surcharge};
use crate::units::{Bytes, Pages, group_digits};
use crate::versioned::{Faults, VersionedError};

/// The reference machine behind a table: enough to tell whether two tables are stated on the same one, and to state other costs on it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceFacts {
    /// Its name and its probes, in whole nanoseconds.
    pub reference: Reference,
    /// What it charges small calls for their surroundings, a line each.
    pub surcharges: Vec<String>,
    /// The machine class.
    pub machine: String,
    /// Which definition of the probe it is.
    pub probe: u32,
    /// Bytes written before each probe.
    pub evict: Bytes,
}

const KEYS: [&str; 6] = ["name", "machine", "probe", "evict_bytes", "times", "surcharges"];

impl ReferenceFacts {
    /// What a table keeps of a reference: medians in whole nanoseconds, without their intervals.
    #[must_use]
    pub fn new(reference: &Reference, machine: &str, probe: u32, evict: Bytes) -> Self {
        let whole = |time: &ProbeTime| ProbeTime { nanos: exactly(time.nanos.value.round()), ..*time };
        let probes = reference.probes.iter().map(whole).collect();
        let surcharges = reference.surcharges.iter().map(Surcharge::line).collect();
        let reference = Reference { name: reference.name.clone(), probes, surcharges: Vec::new() };
        Self { reference, surcharges, machine: machine.into(), probe, evict }
    }

    /// What tells it from others in a word: its name, and a hash of its medians.
    #[must_use]
    pub fn id(&self) -> String {
        let name = &self.reference.name;
        if self.reference.is_own() {
            return name.clone();
        }
        let facts = format!("{}|{}|{:?}|{:?}", self.probe, self.evict.0, self.times(), self.surcharges);
        format!("{name}#{}", &sha256_hex(facts.as_bytes())[..8])
    }

    /// Why times on one and on the other are of two units; `None` if they are of one.
    #[must_use]
    pub fn differs_from(&self, other: &Self) -> Option<String> {
        let (one, two) = (&self.reference.name, &other.reference.name);
        if one != two {
            return Some(format!("the old table is stated on {one}, the new one on {two}"));
        }
        if self.reference.is_own() {
            return Some("each table is stated on the time of its own run, which does not repeat".into());
        }
        if (self.probe, self.evict) != (other.probe, other.evict) {
            return Some(format!("{one} was measured with another probe or eviction"));
        }
        if self.surcharges != other.surcharges {
            return Some(format!("the surcharges of {one} for small calls are others"));
        }
        (self.reference.probes != other.reference.probes).then(|| format!("the medians of {one} are others"))
    }

    /// Why what was measured so cannot be stated on it; `None` if it can.
    #[must_use]
    pub fn does_not_fit(&self, plan: &Plan) -> Option<String> {
        let name = &self.reference.name;
        let (probe, evict) = (plan.probe, plan.evict);
        if self.probe != probe {
            return Some(format!("{name} is of probe {}, and the run of probe {probe}", self.probe));
        }
        (self.evict != evict).then(|| format!("{name} evicts {} before a probe, and the run {evict}", self.evict))
    }

    /// The times of the probes, a line each.
    #[must_use]
    pub fn times(&self) -> Vec<String> {
        let line = |time: &ProbeTime| {
            let data = match time.data_bytes {
                Bytes(0) => String::new(),
                Bytes(bytes) => format!(", {bytes} bytes of data"),
            };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole nanoseconds above 0")]
            let nanos = group_digits(time.nanos.value as u64);
            format!("{}{data}: {nanos} ns", time.touched_pages)
        };
        self.reference.probes.iter().map(line).collect()
    }

    pub(super) fn from_section(section: &Section) -> Result<Self, VersionedError> {
        let mut faults = Faults::of(section.unknown(&KEYS));
        let probes = faults.without(times(section)).unwrap_or_default();
        let mut text = |key| faults.without(section.text(key)).unwrap_or_default();
        let (name, machine) = (text("name"), text("machine"));
        let surcharges = section.has("surcharges").then(|| section.texts("surcharges")).transpose();
        let surcharges = faults.without(surcharges).flatten().unwrap_or_default();
        let probe = faults.without(section.integer("probe", 1..=u32::MAX)).unwrap_or_default();
        let evict = faults.without(section.integer("evict_bytes", 0..=i64::MAX.unsigned_abs())).unwrap_or_default();
        let reference = Reference { name, probes, surcharges: Vec::new() };
        faults.or(Some(Self { reference, surcharges, machine, probe, evict: Bytes(evict) }))
    }
}

fn times(section: &Section) -> Result<Vec<ProbeTime>, VersionedError> {
    let mut probes = Vec::new();
    for line in section.texts("times")? {
        let expected = "expected a time such as \"17 pages, 65536 bytes of data: 462_310 ns\"";
        let time = time_of(&line).ok_or_else(|| section.fault("times", format!("{expected}, found {line:?}")))?;
        probes.push(time);
    }
    let size = |time: &ProbeTime| (time.touched_pages, time.data_bytes);
    if probes.is_empty() || !probes.is_sorted_by(|one, other| size(one) < size(other)) {
        return Err(section.fault("times", "expected a time for each size once, the smallest first"));
    }
    Ok(probes)
}

const fn exactly(value: f64) -> Estimate {
    Estimate { value, low: value, high: value }
}

fn time_of(line: &str) -> Option<ProbeTime> {
    let (size, nanos) = line.split_once(": ")?;
    let nanos: u32 = nanos.strip_suffix(" ns")?.replace('_', "").parse().ok()?;
    let (pages, data) = match size.split_once(", ") {
        Some((pages, data)) => (pages, data.strip_suffix(" bytes of data")?.parse().ok()?),
        None => (size, 0),
    };
    let pages = pages.strip_suffix(" pages").or_else(|| pages.strip_suffix(" page"))?.parse().ok()?;
    Some(ProbeTime { touched_pages: Pages(pages), data_bytes: Bytes(data), nanos: exactly(nanos.into()) })
        .filter(|_| nanos > 0)
}
