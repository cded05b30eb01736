//! Pages that are made of the history, kept until it changes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;

/// What pages take of the memory at most.
const MOST: usize = 8 << 20;

/// What a page was made of: the history as it was, and the table.
pub(super) type State = (u64, (u64, i64), Option<String>);

/// The pages by path.
#[derive(Default)]
pub(super) struct Kept(Mutex<(State, HashMap<String, Bytes>)>);

impl Kept {
    /// The page, if it was made of this.
    pub(super) fn find(&self, path: &str, state: &State) -> Option<Bytes> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.1.get(path).filter(|_| kept.0 == *state).cloned()
    }

    /// Keeps a page, in place of all that were made of something else.
    pub(super) fn keep(&self, path: String, state: State, page: Bytes) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held: usize = kept.1.values().map(Bytes::len).sum();
        if kept.0 != state || held + page.len() > MOST {
            *kept = (state, HashMap::new());
        }
        kept.1.insert(path, page);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_until_what_it_was_made_of_changes() {
        let (kept, page) = (Kept::default(), |text: &'static str| Bytes::from_static(text.as_bytes()));
        let state = |change| (1, (change, 0), None);
        kept.keep("/".into(), state(1), page("one"));
        kept.keep("/fleet".into(), state(1), page("two"));
        assert_eq!(kept.find("/", &state(1)), Some(page("one")));
        assert_eq!((kept.find("/", &state(2)), kept.find("/runs", &state(1))), (None, None));
        kept.keep("/".into(), state(2), page("three"));
        assert_eq!((kept.find("/", &state(2)), kept.find("/fleet", &state(2))), (Some(page("three")), None));
    }

    #[test]
    fn pages_take_no_more_memory_than_they_may() {
        let kept = Kept::default();
        for number in 0..20 {
            kept.keep(number.to_string(), State::default(), Bytes::from(vec![0; 1 << 20]));
        }
        let held: usize = kept.0.lock().unwrap().1.values().map(Bytes::len).sum();
        assert!(held <= MOST && kept.find("19", &State::default()).is_some(), "{held}");
    }
}
