//! The reference machine that a fee is stated on: `params/reference.toml`.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::error::ParamsError;
use super::reference_facts::ReferenceFacts;
use crate::files::write_whole;
use crate::host::Fingerprint;
use crate::model::{Estimate, ProbeTime, Reference, Surcharge};
use crate::runtime::Known;
use crate::text::read_text;
use crate::units::Bytes;
use crate::versioned::{Formats, Source};

/// In format 1, calls that met something wrote a byte to each host page, and a surcharge knew what every byte is more.
const FORMATS: Formats = Formats {
    oldest: 2,
    newest: 2,
    way_out: "its surcharges are of other calls: pin one anew with `estimator reference pin`, and read runs that keep it by `--reference`",
};

/// The beginning of a new file.
const NEW: &str = "\
# The machine that the fee is stated on: gas is the ratio of a call to the probe beside it, times what the probe takes here.
# Written by `estimator reference pin` from quiet runs; changing it changes every fee: docs/params-format.md
";

/// A reference machine with where it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceMachine {
    format: u32,
    /// Its name, which tables carry.
    pub name: String,
    /// The machine class of the runs.
    pub machine: String,
    /// The machine in a line for readers.
    pub cpu: String,
    /// The architecture.
    pub architecture: String,
    /// The kernel's release line, such as `6.18`: its memory management is that of others of the same line.
    pub kernel: String,
    /// The grain of a page fault.
    pub host_page: Bytes,
    /// Which definition of the probe it is: [`PROBE`](crate::measure::PROBE) of the version that measured.
    pub probe: u32,
    /// Bytes written before each probe to make the caches cold.
    pub evict_bytes: Bytes,
    /// The runs that the medians come from, each with its time.
    pub runs: Vec<String>,
    /// The medians by size.
    pub probes: Vec<ProbeTime>,
    /// What surroundings add to small calls, each strategy and surroundings once.
    #[serde(default)]
    pub surcharges: Vec<Surcharge>,
}

/// The first entry that does not come after the one before it.
fn unsorted<T, K: PartialOrd>(entries: &[T], key: impl Fn(&T) -> K) -> Option<usize> {
    entries.windows(2).position(|pair| key(&pair[0]) >= key(&pair[1])).map(|at| at + 1)
}

/// To tenths of a nanosecond, which is more than any clock tells.
fn rounded(time: ProbeTime) -> ProbeTime {
    let tenths = |nanos: f64| (nanos * 10.0).round() / 10.0;
    let Estimate { value, low, high } = time.nanos;
    ProbeTime { nanos: Estimate { value: tenths(value), low: tenths(low), high: tenths(high) }, ..time }
}

/// What a reference is made on.
#[derive(Debug, Clone)]
pub struct Measured<'a> {
    /// The machine.
    pub machine: &'a Fingerprint,
    /// Which definition of the probe it is.
    pub probe: u32,
    /// Bytes written before each probe.
    pub evict: Bytes,
    /// The runs, each with its time.
    pub runs: Vec<String>,
}

impl ReferenceMachine {
    /// The shipped `params/reference.toml`, to be used where no file is.
    pub const DEFAULT_TEXT: &str = include_str!("../../params/reference.toml");

    /// A reference of these medians; `None` on a machine that does not say what it is.
    #[must_use]
    pub fn new(reference: Reference, on: Measured<'_>) -> Option<Self> {
        Some(Self {
            format: 2,
            name: reference.name,
            machine: on.machine.class()?,
            cpu: on.machine.summary(),
            architecture: on.machine.architecture.clone(),
            kernel: on.machine.kernel_line()?,
            host_page: on.machine.page_size?,
            probe: on.probe,
            evict_bytes: on.evict,
            runs: on.runs,
            probes: reference.probes.into_iter().map(rounded).collect(),
            surcharges: reference.surcharges.into_iter().map(Surcharge::rounded).collect(),
        })
    }

    /// Reads one from `file`.
    ///
    /// # Errors
    /// [`ParamsError::Read`] if the file cannot be read, or as for [`ReferenceMachine::parse`].
    pub fn load(file: &Path) -> Result<Self, ParamsError> {
        Self::parse(&read_text(file).map_err(ParamsError::read(file))?, file)
    }

    /// Reads one from a text; `file` is named in errors.
    ///
    /// # Errors
    /// [`ParamsError::Format`] for what breaks the format, for a later one, and for times that are none.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ParamsError> {
        let source = Source { file, text };
        let read: Self = source.read(FORMATS)?;
        let document = source.parse()?;
        // Where a list has the entry, or where the key is if it has none.
        let fault = |key: &str, entry: usize, reason: &str| {
            let item = document.get_ref().get(key);
            let entry = item.and_then(|item| item.get_ref().as_array()?.get(entry)).or(item);
            Err(source.fault(entry.map(Spanned::span), Some(key.into()), reason).into())
        };
        let size = |time: &ProbeTime| (time.touched_pages, time.data_bytes);
        if let Some(at) = unsorted(&read.probes, size).or_else(|| read.probes.is_empty().then_some(0)) {
            return fault("probes", at, "expected a time for each size once, the smallest first");
        }
        let is_time = |time: &ProbeTime| time.nanos.is_finite() && (1.0..4e9).contains(&time.nanos.value);
        if let Some(at) = read.probes.iter().position(|time| !is_time(time)) {
            return fault("probes", at, "a time is none from 1 ns to 4 s");
        }
        if let Some(at) = unsorted(&read.surcharges, |of| (of.strategy.clone(), of.met.clone())) {
            return fault("surcharges", at, "expected each strategy and surroundings once, in ascending order");
        }
        let is_price = |price: f64| (-1e9..1e9).contains(&price);
        let is_sound = |of: &Surcharge| of.prices().into_iter().all(is_price) && (0.0..1e3).contains(&of.half_width);
        if let Some(at) = read.surcharges.iter().position(|of| !is_sound(of)) {
            return fault("surcharges", at, "a price is none within ± 1 s, or a `half_width` none from 0 to 1000");
        }
        if let Some(at) = read.surcharges.iter().position(|of| Known::named(&of.strategy).is_none()) {
            return fault("surcharges", at, "this version has no strategy of that name");
        }
        if read.name.trim().is_empty() || read.name == Reference::THIS_RUN {
            return fault("name", 0, "expected a name of its own");
        }
        Ok(read)
    }

    /// The file.
    ///
    /// # Errors
    /// [`ParamsError::Outcome`] if it cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String, ParamsError> {
        let failed =
            |error: toml::ser::Error| ParamsError::Param { param: "reference".into(), reason: error.to_string() };
        Ok(format!("{NEW}{}", toml::to_string(self).map_err(failed)?))
    }

    /// Writes it to `file`, whole or not at all.
    ///
    /// # Errors
    /// As [`ReferenceMachine::to_toml`], or [`ParamsError::Write`].
    pub fn save(&self, file: &Path) -> Result<(), ParamsError> {
        write_whole(file, self.to_toml()?.as_bytes()).map_err(ParamsError::Write)
    }

    /// The medians.
    #[must_use]
    pub fn reference(&self) -> Reference {
        Reference { name: self.name.clone(), probes: self.probes.clone(), surcharges: self.surcharges.clone() }
    }

    /// What a table keeps of it.
    #[must_use]
    pub fn facts(&self) -> ReferenceFacts {
        ReferenceFacts::new(&self.reference(), &self.machine, self.probe, self.evict_bytes)
    }

    /// What a machine is unlike it in, so that the ratio of a call to the probe may be another; a part of a sentence each.
    #[must_use]
    pub fn unlike(&self, machine: &Fingerprint) -> Vec<String> {
        let unknown = || "unknown".to_owned();
        let page = machine.page_size.map_or_else(unknown, |size| size.to_string());
        [
            ("the architecture", &self.architecture, machine.architecture.clone()),
            ("the kernel line", &self.kernel, machine.kernel_line().unwrap_or_else(unknown)),
            ("the kernel's page", &self.host_page.to_string(), page),
        ]
        .into_iter()
        .filter(|(_, its, here)| *its != here)
        .map(|(what, its, here)| format!("{what} is {here} here and {its} there"))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(old: &str, new: &str) -> String {
        assert!(ReferenceMachine::DEFAULT_TEXT.contains(old), "{old}");
        let text = ReferenceMachine::DEFAULT_TEXT.replacen(old, new, 1);
        ReferenceMachine::parse(&text, Path::new("reference.toml")).unwrap_err().to_string()
    }

    /// The line of the second entry of a list.
    fn second(list: &str) -> usize {
        let header = format!("[[{list}]]");
        let lines = ReferenceMachine::DEFAULT_TEXT.lines().enumerate().filter(|(_, line)| *line == header);
        lines.map(|(number, _)| number + 1).nth(1).unwrap()
    }

    #[test]
    fn a_fault_in_a_list_names_the_entry_by_its_line() {
        let text = ReferenceMachine::DEFAULT_TEXT;
        let entries: Vec<&str> = text.split("[[probes]]").collect();
        let nanos = |entry: &str| entry.lines().find(|line| line.starts_with("value")).unwrap().to_owned();
        let twice = said(entries[2], entries[1]);
        assert!(twice.contains(&format!("reference.toml:{}:", second("probes"))), "{twice}");
        assert!(twice.contains("`probes`: expected a time for each size once"), "{twice}");
        let none = said(&nanos(entries[2]), "value = 0.0");
        assert!(none.contains(&format!("reference.toml:{}:", second("probes"))), "{none}");
    }

    #[test]
    fn a_surcharge_of_no_strategy_is_refused() {
        let unknown = said("strategy = \"", "strategy = \"a");
        assert!(unknown.contains("`surcharges`: this version has no strategy of that name"), "{unknown}");
    }
}
