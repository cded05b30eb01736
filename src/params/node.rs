//! `[node]` of the chain settings: what a call meets on the chain's nodes.

use super::section::Section;
use crate::experiment::conditions::PREVIOUS;
use crate::experiment::node::{IDLE_THREADS, MAPPINGS, MODULES, PROPERTIES, RESIDENT, SPINNING_THREADS};
use crate::experiment::{Factor, Levels, Previous, Unit};
use crate::units::Bytes;
use crate::versioned::{Faults, VersionedError};

/// What is meant where a chain file does not say: an unlike tenant before, some of a validator's threads, one of them at work on another processor, and enough of its
/// mappings, memory and contracts to show what they cost, if anything (docs/process.md).
pub(super) fn validator() -> Levels {
    Levels::default()
        .with(&PREVIOUS, Previous::Dirty as u64)
        .with(&IDLE_THREADS, 16)
        .with(&SPINNING_THREADS, 1)
        .with(&MAPPINGS, 1000)
        .with(&RESIDENT, 128 << 20)
        .with(&MODULES, 20)
}

/// The most that a worker process can be asked to have of a property.
fn most(factor: &Factor) -> u64 {
    match factor.unit {
        Unit::Bytes => 1 << 46,
        _ if factor.name.ends_with("threads") => 1024,
        // Below the `vm.max_map_count` that Linux comes with.
        _ => 60_000,
    }
}

/// The levels that a section gives; a property that it does not name is not there.
pub(super) fn node(section: &Section<'_, '_>) -> Result<Levels, VersionedError> {
    let names: Vec<&str> = PROPERTIES.iter().map(|factor| factor.name).collect();
    let mut faults = Faults::of(section.unknown(&names));
    let mut levels = Levels::default();
    for factor in PROPERTIES.into_iter().filter(|factor| section.has(factor.name)) {
        levels.set(factor, faults.without(level(section, factor)).unwrap_or_default());
    }
    faults.or(Some(levels))
}

fn level(section: &Section<'_, '_>, factor: &Factor) -> Result<u64, VersionedError> {
    let name = factor.name;
    if factor.unit == Unit::Name {
        return factor.parse(&section.text(name)?).map_err(|error| section.fault(name, error));
    }
    if factor.unit != Unit::Bytes || section.is_integer(name) {
        return section.integer(name, 0..=most(factor));
    }
    let size: Bytes = section.text(name)?.parse().map_err(|error| section.fault(name, error))?;
    if size.0 > most(factor) {
        return Err(section.fault(name, format!("{size} is more than {}", Bytes(most(factor)))));
    }
    Ok(size.0)
}
