use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;

use super::{Choice, WorkProcedure, point};
use crate::experiment::Levels;
use crate::experiment::cache::{CACHE, ENTRIES, KEPT, Kept};
use crate::measure::work::Work;
use crate::measure::{MeasureError, PlannedPoint};

pub(super) const WORK: WorkProcedure = WorkProcedure {
    of: &CACHE,
    points,
    ready: |_, point| Ok(Box::new(Metadata::new(point.level(&ENTRIES), point.kept()))),
};

/// As many as a small contract has functions, a large one, and one that has an entry for each instruction.
const LEVELS: [u64; 3] = [100, 3_000, 100_000];

const ALL: [Kept; 4] = [Kept::OrderedMap, Kept::HashMap, Kept::SortedVector, Kept::LeftOut];

fn points(choice: &Choice<'_>) -> Vec<PlannedPoint> {
    let of = |kept: Kept| {
        LEVELS.map(|entries| {
            let levels = Levels::default().with(&KEPT, kept as u64).with(&ENTRIES, entries);
            let repeats = if entries > 10_000 { 1 } else { 4 };
            PlannedPoint { point: point(choice, &CACHE, format!("{entries}-{kept}"), levels), repeats }
        })
    };
    ALL.into_iter().flat_map(of).collect()
}

/// Entries as they are stored: a key of 32 bits and a value of 64 each, by ascending keys.
struct Metadata {
    stored: Vec<u8>,
    kept: Kept,
}

/// Bytes of an entry.
const ENTRY: usize = size_of::<u32>() + size_of::<u64>();

enum Made {
    Ordered(BTreeMap<u32, u64>),
    Hashed(HashMap<u32, u64>),
    Sorted(Vec<(u32, u64)>),
    /// The bytes that were passed over.
    Nothing(usize),
}

impl Made {
    fn len(&self) -> usize {
        match self {
            Self::Ordered(map) => map.len(),
            Self::Hashed(map) => map.len(),
            Self::Sorted(all) => all.len(),
            Self::Nothing(bytes) => bytes / ENTRY,
        }
    }
}

impl Metadata {
    fn new(entries: u64, kept: Kept) -> Self {
        let entry = |number: u64| {
            let key = u32::try_from(number * 7).unwrap_or(u32::MAX).to_le_bytes();
            key.into_iter().chain((number * number).to_le_bytes())
        };
        Self { stored: (0..entries).flat_map(entry).collect(), kept }
    }

    fn deserialize(&self) -> Made {
        let entries = self
            .stored
            .as_chunks::<ENTRY>()
            .0
            .iter()
            .map(|[a, b, c, d, value @ ..]| (u32::from_le_bytes([*a, *b, *c, *d]), u64::from_le_bytes(*value)));
        match self.kept {
            Kept::OrderedMap => {
                // One by one, as deserializers do it, and not `collect`, which sorts and builds the tree at once.
                let mut map = BTreeMap::new();
                for (key, value) in entries {
                    map.insert(key, value);
                }
                Made::Ordered(map)
            }
            Kept::HashMap => {
                let mut map = HashMap::with_capacity(entries.len());
                for (key, value) in entries {
                    map.insert(key, value);
                }
                Made::Hashed(map)
            }
            Kept::SortedVector => Made::Sorted(entries.collect()),
            Kept::LeftOut => Made::Nothing(self.stored.len()),
        }
    }
}

impl Work for Metadata {
    fn once(&mut self, lap: &mut dyn FnMut()) -> Result<(), MeasureError> {
        lap();
        let made = self.deserialize();
        lap();
        black_box(black_box(&made).len());
        drop(made);
        lap();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_it_is_kept_in_holds_every_entry() {
        for kept in ALL {
            let value = |number: u64| (u32::try_from(number * 7).unwrap(), number * number);
            let made = Metadata::new(1000, kept).deserialize();
            assert_eq!(made.len(), 1000, "{kept}");
            let held: Vec<_> = match made {
                Made::Ordered(map) => map.into_iter().collect(),
                Made::Hashed(map) => {
                    let mut all: Vec<_> = map.into_iter().collect();
                    all.sort_unstable();
                    all
                }
                Made::Sorted(all) => all,
                Made::Nothing(_) => continue,
            };
            assert!(held.into_iter().eq((0..1000).map(value)), "{kept}");
        }
    }
}
