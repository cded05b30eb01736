//! In what the metadata of a compiled module is best kept: maps that are made anew for each load, entry by entry, can take longer than all else.

use strum::{Display, FromRepr, VariantNames};

use super::counter::ALLOCATING;
use super::factor::{planned, ways};
use super::memory::SPEC;
use super::{Experiment, Factor, Phase, Point, Price, Unit};

/// What the entries are read into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum Kept {
    /// An ordered map, into which each is put (`BTreeMap::insert`).
    #[default]
    OrderedMap,
    /// A hash map with room for all (`HashMap::with_capacity`), into which each is put.
    HashMap,
    /// A vector with room for all, in the order in which they are stored.
    SortedVector,
    /// Nothing: they are passed over.
    LeftOut,
}

/// What the entries are read into: [`Kept`].
pub static KEPT: Factor = ways("kept", Kept::VARIANTS);
/// Entries of the metadata, each a key of 32 bits with a value of 64.
pub static ENTRIES: Factor = planned("entries", Unit::Count);

/// In what the metadata of a compiled module is best kept.
pub static CACHE: Experiment = Experiment {
    name: "cache",
    about: "in what the metadata of a compiled module is best kept",
    factors: &[&KEPT, &ENTRIES],
    phases: &[
        Phase { name: "deserialize", price: Price::Added, touches: true },
        Phase { name: "drop", price: Price::Added, touches: true },
    ],
    counters: ALLOCATING,
    terms: &[],
    line: &[],
    leading: &ENTRIES,
    beyond_line: None,
    control: None,
    checks: &[],
    proposes: false,
    compares: &[&KEPT],
    beside: false,
    title: "Metadata of a module",
    worst_case: "private caches cold",
    reference: None,
    ..SPEC
};

impl Point {
    /// What the entries are read into.
    #[must_use]
    pub fn kept(&self) -> Kept {
        Kept::from_repr(self.level(&KEPT)).unwrap_or_default()
    }
}
