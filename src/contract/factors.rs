//! The factors of a contract and their crossing into variants.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};

use crate::units::{Bytes, Pages};

/// What the chain allows a contract's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most pages at instantiation.
    pub initial_pages_max: Pages,
    /// Most pages after growing.
    pub pages_max: Pages,
}

impl Limits {
    /// What the entry can name: its range has a 32-bit length, so the last of the 65,536 pages is out of its reach.
    pub(super) const REACHABLE: Self = Self { initial_pages_max: Pages(65_535), pages_max: Pages(65_535) };
}

/// One combination of levels: what one module is asked to be, and how it is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// Unique in the contract, such as `pages17-stack64KiB`.
    pub name: String,
    /// Declared pages.
    pub initial_pages: Pages,
    /// Size of the stack, which is also the initial stack pointer where the stack comes first.
    pub stack_bytes: Bytes,
    /// Bytes of active data, where that is a factor.
    pub data_bytes: Option<Bytes>,
    /// The ranges to touch, each from address 0.
    pub touched_pages: Vec<Pages>,
}

/// How much active data a variant carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DataLevel {
    /// So many bytes, whatever the pages.
    Bytes(Bytes),
    /// All that the stack leaves of the initial pages: every page of the memory then begins with data.
    Fill,
}

impl DataLevel {
    /// How it is written in a manifest.
    const FILL: &str = "fill";

    /// The bytes, where the other factors have these levels. None of them are filled where the stack takes all.
    fn bytes(self, pages: Pages, stack: Bytes) -> Bytes {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Fill => Bytes(pages.bytes().0.saturating_sub(stack.0)),
        }
    }
}

impl std::fmt::Display for DataLevel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::Fill => f.write_str(Self::FILL),
        }
    }
}

impl<'de> Deserialize<'de> for DataLevel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a size: a whole number of bytes, a text such as \"64 KiB\", or \"fill\"")]
        enum Raw {
            Number(u64),
            Text(String),
        }
        match Raw::deserialize(deserializer)? {
            Raw::Number(bytes) => Ok(Self::Bytes(Bytes(bytes))),
            Raw::Text(text) if text == Self::FILL => Ok(Self::Fill),
            Raw::Text(text) => text.parse().map(Self::Bytes).map_err(serde::de::Error::custom),
        }
    }
}

/// The levels of each factor, each list nonempty and free of duplicates.
#[derive(Debug, Clone, Default)]
pub(super) struct Factors {
    pub(super) initial_pages: Vec<Pages>,
    pub(super) stack_bytes: Vec<Bytes>,
    /// Empty if data is no factor.
    pub(super) data_bytes: Vec<DataLevel>,
    /// Empty for all of the initial pages.
    pub(super) touched_pages: Vec<Pages>,
}

/// A level that fits with no level of the other factors: its key and its text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NeverFits {
    pub(super) key: &'static str,
    pub(super) level: String,
}

impl Factors {
    /// How many combinations there are, fitting or not.
    pub(super) fn combinations(&self) -> usize {
        [self.stack_bytes.len(), self.data_bytes.len().max(1)]
            .into_iter()
            .fold(self.initial_pages.len(), usize::saturating_mul)
    }

    /// The combinations whose stack and data fit in the initial pages, in the order of the levels.
    pub(super) fn cross(&self) -> Vec<Variant> {
        let data_levels: Vec<_> =
            if self.data_bytes.is_empty() { vec![None] } else { self.data_bytes.iter().copied().map(Some).collect() };
        let mut variants = Vec::new();
        for &initial_pages in &self.initial_pages {
            for &stack_bytes in &self.stack_bytes {
                for &data_bytes in &data_levels {
                    let data_bytes = data_bytes.map(|level: DataLevel| level.bytes(initial_pages, stack_bytes));
                    if fits(initial_pages, stack_bytes, data_bytes) {
                        variants.push(Variant {
                            name: variant_name(initial_pages, stack_bytes, data_bytes),
                            initial_pages,
                            stack_bytes,
                            data_bytes,
                            touched_pages: touched_or_all(&self.touched_pages, initial_pages),
                        });
                    }
                }
            }
        }
        variants
    }

    /// Lowers the levels to what the chain allows: those beyond are left out, and the limit itself takes their place. A
    /// sentence for each factor that lost levels.
    pub(super) fn cap(&mut self, limits: Limits) -> Vec<String> {
        let initial = cap(&mut self.initial_pages, limits.initial_pages_max.min(limits.pages_max), "initial pages");
        let touched = cap(&mut self.touched_pages, limits.pages_max, "pages to touch");
        initial.into_iter().chain(touched).collect()
    }

    /// The first level that is in none of `variants`.
    pub(super) fn never_fits(&self, variants: &[Variant]) -> Option<NeverFits> {
        let unused = |key, level: String, used: bool| (!used).then_some(NeverFits { key, level });
        let pages = self.initial_pages.iter().find_map(|&level| {
            unused("initial_pages", level.0.to_string(), variants.iter().any(|v| v.initial_pages == level))
        });
        let stack = || {
            self.stack_bytes.iter().find_map(|&level| {
                unused("stack_bytes", level.to_string(), variants.iter().any(|v| v.stack_bytes == level))
            })
        };
        let data = || {
            self.data_bytes.iter().find_map(|&level| {
                let has = |v: &Variant| v.data_bytes == Some(level.bytes(v.initial_pages, v.stack_bytes));
                unused("data_bytes", level.to_string(), variants.iter().any(has))
            })
        };
        pages.or_else(stack).or_else(data)
    }
}

/// Data that was asked for and is none does not fit.
fn fits(pages: Pages, stack: Bytes, data: Option<Bytes>) -> bool {
    data != Some(Bytes(0))
        && stack.0.checked_add(data.unwrap_or_default().0).is_some_and(|used| used <= pages.bytes().0)
}

/// Lowers `levels` to `limit`, and says which gave way to it.
fn cap(levels: &mut Vec<Pages>, limit: Pages, what: &str) -> Option<String> {
    let beyond: BTreeSet<Pages> = levels.extract_if(.., |level| *level > limit).collect();
    let listed: Vec<String> = beyond.iter().map(|level| level.0.to_string()).collect();
    let (last, others) = listed.split_last()?;
    let all = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    let place = if levels.contains(&limit) {
        String::new()
    } else {
        levels.push(limit);
        ", which is measured in their place".to_owned()
    };
    Some(format!("{all} {what}, beyond the chain's limit of {limit}{place}"))
}

/// The ranges to touch: those given, or the whole declared memory.
pub(super) fn touched_or_all(given: &[Pages], initial: Pages) -> Vec<Pages> {
    if given.is_empty() { vec![initial] } else { given.to_vec() }
}

/// The name of a combination: `pages17-stack64KiB-data1MiB`, without what is no factor or, as in some ready modules, absent.
pub(super) fn variant_name(pages: Pages, stack: Bytes, data: Option<Bytes>) -> String {
    let compact = |bytes: Bytes| bytes.to_string().replace(' ', "");
    let stack = if stack.0 > 0 { format!("-stack{}", compact(stack)) } else { String::new() };
    let data = data.map_or_else(String::new, |data| format!("-data{}", compact(data)));
    format!("pages{}{stack}{data}", pages.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;

    #[test]
    fn the_crossing_keeps_what_fits() {
        let factors = Factors {
            initial_pages: [1, 2, 4, 8, 16, 17, 32, 64, 128, 256, 512, 1024].map(Pages).into(),
            stack_bytes: [16 * KIB, 64 * KIB, 256 * KIB, 1024 * KIB].map(Bytes).into(),
            ..Factors::default()
        };
        let variants = factors.cross();
        assert_eq!(variants.len(), 42);
        assert_eq!(variants[0].name, "pages1-stack16KiB");
        assert_eq!(variants[41].name, "pages1024-stack1MiB");
        assert_eq!(variants[41].touched_pages, [Pages(1024)]);
        assert_eq!(factors.never_fits(&variants), None);
    }

    #[test]
    fn stack_and_data_share_the_pages() {
        let factors = Factors {
            initial_pages: vec![Pages(2)],
            stack_bytes: vec![Bytes(64 * KIB)],
            data_bytes: [64 * KIB, 64 * KIB + 1, u64::MAX].map(|size| DataLevel::Bytes(Bytes(size))).into(),
            touched_pages: vec![Pages(1), Pages(3)],
        };
        let variants = factors.cross();
        assert_eq!(variants.len(), 1);
        assert_eq!(variants[0].name, "pages2-stack64KiB-data64KiB");
        assert_eq!(variants[0].touched_pages, [Pages(1), Pages(3)]);
        assert_eq!(factors.never_fits(&variants), Some(NeverFits { key: "data_bytes", level: "65537 B".into() }));
    }

    #[test]
    fn data_fills_what_the_stack_leaves() {
        let factors = Factors {
            initial_pages: vec![Pages(1), Pages(2)],
            stack_bytes: vec![Bytes(16), Bytes(64 * KIB)],
            data_bytes: vec![DataLevel::Fill],
            ..Factors::default()
        };
        let variants = factors.cross();
        let names: Vec<_> = variants.iter().map(|variant| variant.name.as_str()).collect();
        assert_eq!(names, ["pages1-stack16B-data65520B", "pages2-stack16B-data131056B", "pages2-stack64KiB-data64KiB"]);
        assert_eq!(factors.never_fits(&variants), None);
    }

    #[test]
    fn levels_beyond_the_limit_give_way_to_it() {
        let capped = |levels: &[u32], limit| {
            let mut levels: Vec<Pages> = levels.iter().copied().map(Pages).collect();
            let said = cap(&mut levels, Pages(limit), "initial pages");
            (levels.into_iter().map(|pages| pages.0).collect::<Vec<_>>(), said)
        };
        assert_eq!(capped(&[1, 17, 1024], 1024), (vec![1, 17, 1024], None));
        let said = "512 and 1024 initial pages, beyond the chain's limit of 256 pages";
        assert_eq!(capped(&[1, 256, 512, 1024], 256), (vec![1, 256], Some(said.into())));
        let said = "17 initial pages, beyond the chain's limit of 12 pages, which is measured in their place";
        assert_eq!(capped(&[1, 17], 12), (vec![1, 12], Some(said.into())));
        assert_eq!(capped(&[17, 64], 1).0, [1]);
    }
}
