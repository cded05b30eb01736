//! Terms for the pages beyond a number: the costs of a page rise where memories outgrow caches, and a chain may charge for that.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::memory::INITIAL_PAGES;
use super::{Column, Parameter, Regressor, Term};

/// The numbers of pages beyond which there can be a price. A 32-bit memory has no more than 65536.
pub const TIERS: RangeInclusive<u32> = 1..=65_535;

const TERM: &str = "page_beyond_";
const PARAMETER: &str = "memory_init_per_page_beyond_";

/// Each is made once and kept, since files name few of them.
static KNOWN: LazyLock<Mutex<BTreeMap<u32, &'static (Term, Regressor)>>> = LazyLock::new(Mutex::default);

/// The term for declared pages beyond so many; `None` outside of [`TIERS`].
#[must_use]
pub fn page_beyond(pages: u32) -> Option<&'static Term> {
    tier(pages).map(|(term, _)| term)
}

/// What a line of least error is drawn through beside the pages where a chain charges for this term: it bends where the price does. `None`
/// for what is no tier.
#[must_use]
pub fn bend_of(term: &Term) -> Option<&'static Regressor> {
    let Column::Beyond(_, pages) = term.column else { return None };
    tier(u32::try_from(pages).ok()?).map(|(_, regressor)| regressor)
}

/// The bend of this name.
pub(super) fn find_bend(name: &str) -> Option<&'static Regressor> {
    find(name).and_then(bend_of)
}

fn tier(pages: u32) -> Option<&'static (Term, Regressor)> {
    if !TIERS.contains(&pages) {
        return None;
    }
    let leaked = |text: String| &*text.leak();
    let new = || {
        let (name, column) = (leaked(format!("{TERM}{pages}")), Column::Beyond(&INITIAL_PAGES, pages.into()));
        let parameter = Parameter {
            name: leaked(format!("{PARAMETER}{pages}")),
            unit: "gas per initial page of 64 KiB beyond these",
        };
        let words = leaked(format!("pages beyond {pages}"));
        &*Box::leak(Box::new((Term { name, column, per: 1, parameter }, Regressor { name, words, column, per: 1 })))
    };
    Some(*KNOWN.lock().unwrap_or_else(PoisonError::into_inner).entry(pages).or_insert_with(new))
}

/// The term of this name.
pub(super) fn find(name: &str) -> Option<&'static Term> {
    numbered(name, TERM)
}

/// The term that sets the parameter of this name.
pub(super) fn of_parameter(name: &str) -> Option<&'static Term> {
    numbered(name, PARAMETER)
}

fn numbered(name: &str, prefix: &str) -> Option<&'static Term> {
    let digits = name.strip_prefix(prefix)?;
    let pages: u32 = digits.parse().ok()?;
    // No term has two names.
    (pages.to_string() == digits).then(|| page_beyond(pages))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Point;
    use crate::units::{Gas, Pages};

    #[test]
    fn a_tier_has_one_name_and_charges_what_is_beyond_it() {
        let term = find("page_beyond_16").unwrap();
        assert!(std::ptr::eq(term, of_parameter("memory_init_per_page_beyond_16").unwrap()));
        for other in ["page_beyond_016", "page_beyond_0", "page_beyond_65536", "page_beyond_", "page_beyond_+1"] {
            assert!(find(other).is_none(), "{other}");
        }
        assert_eq!(find_bend(term.name).map(|bend| (bend.name, bend.column)), Some((term.name, term.column)));
        assert!(find_bend("page").is_none());
        let charge = |pages| term.charge(Gas(5), &Point::of_memory("", "", "", Pages(pages)));
        assert_eq!([1, 16, 17, 20].map(charge), [0, 0, 5, 20].map(|gas| Some(Gas(gas))));
    }
}
