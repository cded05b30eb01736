//! The factors of a contract and their crossing into variants.

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

/// The levels of each factor, each list nonempty and free of duplicates.
#[derive(Debug, Clone, Default)]
pub(super) struct Factors {
    pub(super) initial_pages: Vec<Pages>,
    pub(super) stack_bytes: Vec<Bytes>,
    /// Empty if data is no factor.
    pub(super) data_bytes: Vec<Bytes>,
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
                unused("data_bytes", level.to_string(), variants.iter().any(|v| v.data_bytes == Some(level)))
            })
        };
        pages.or_else(stack).or_else(data)
    }
}

fn fits(pages: Pages, stack: Bytes, data: Option<Bytes>) -> bool {
    stack.0.checked_add(data.unwrap_or_default().0).is_some_and(|used| used <= pages.bytes().0)
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
            data_bytes: vec![Bytes(64 * KIB), Bytes(64 * KIB + 1), Bytes(u64::MAX)],
            touched_pages: vec![Pages(1), Pages(3)],
        };
        let variants = factors.cross();
        assert_eq!(variants.len(), 1);
        assert_eq!(variants[0].name, "pages2-stack64KiB-data64KiB");
        assert_eq!(variants[0].touched_pages, [Pages(1), Pages(3)]);
        assert_eq!(factors.never_fits(&variants), Some(NeverFits { key: "data_bytes", level: "65537 B".into() }));
    }
}
