//! Names of many points in a narrow column.

use std::collections::BTreeSet;

/// What all names begin with and what they end in, up to where a part of a name begins; neither of fewer than two names, and
/// something is left of each.
pub(super) fn common(names: &[String]) -> (String, String) {
    let [first, rest @ ..] = names else { return Default::default() };
    if rest.is_empty() {
        return Default::default();
    }
    let mut start = first.as_str();
    let mut end = first.as_str();
    for name in rest {
        let same = start.char_indices().zip(name.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
        start = &start[..same.unwrap_or(start.len().min(name.len()))];
        let same = end.char_indices().rev().zip(name.chars().rev()).find(|((_, a), b)| a != b);
        end = &end[same.map_or(end.len() - end.len().min(name.len()), |((at, a), _)| at + a.len_utf8())..];
    }
    let begins = |c: char| matches!(c, '/' | '-' | ' ');
    start = &start[..start.rfind(begins).map_or(0, |at| at + 1)];
    end = end.find(begins).map_or("", |at| &end[at..]);
    let leaves = |parts: usize| names.iter().all(|name| name.len() > parts);
    if !leaves(start.len() + end.len()) {
        end = "";
    }
    if !leaves(start.len() + end.len()) {
        start = "";
    }
    (start.to_owned(), end.to_owned())
}

/// The names in at most `room` characters each, their middles cut out, and no two alike.
pub(super) fn distinct(names: &[String], room: usize) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let whole: BTreeSet<&String> = names.iter().filter(|name| name.chars().count() <= room).collect();
    let one = |name: &String| {
        let chars: Vec<char> = name.chars().collect();
        if chars.len() <= room {
            return name.clone();
        }
        let kept = room.saturating_sub(1);
        let cut = |head: usize, mark: &str, kept: usize| {
            let tail = chars[chars.len() - (kept - head)..].iter();
            chars[..head].iter().copied().chain(mark.chars()).chain(tail.copied()).collect::<String>()
        };
        // What a name begins with says more of it: the contract, its pages.
        let usual = kept * 2 / 3;
        let heads =
            (0..=kept).flat_map(|away| [usual.checked_sub(away), Some(usual + away).filter(|&head| head <= kept)]);
        let cuts = heads.flatten().map(|head| cut(head, "…", kept));
        // Of names that differ where no cut shows it, all but the first have a number.
        let numbered = (2..).map(|number| {
            let mark = format!("…{number}…");
            let kept = room.saturating_sub(mark.chars().count());
            cut(kept / 2, &mark, kept)
        });
        let mut free = cuts.chain(numbered.take(names.len())).filter(|cut| !whole.contains(cut));
        let chosen = free.find(|cut| taken.insert(cut.clone()));
        chosen.unwrap_or_else(|| name.clone())
    };
    names.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn what_names_have_in_common_ends_where_a_part_does() {
        let both = |names: &[&str]| common(&owned(names));
        let parts = |start: &str, end: &str| (start.to_owned(), end.to_owned());
        assert_eq!(both(&["touch/pages1-stack16", "touch/pages17-stack16"]), parts("touch/", "-stack16"));
        assert_eq!(both(&["a-b-c", "a-b-c-d"]), parts("a-b-", ""));
        assert_eq!(both(&["a-b", "a-a-b"]), parts("a-", ""), "something is left of each");
        assert_eq!(both(&["é-x", "è-x"]), parts("", "-x"));
        assert_eq!(both(&["alone/one"]), parts("", ""));
        assert_eq!(both(&[]), parts("", ""));
    }

    #[test]
    fn names_that_differ_stay_different() {
        let names = owned(&["abcdefgh-1-xyz", "abcdefgh-2-xyz", "abcdefgh-1-xyw", "abcdefghijk1klmnopxyz", "short"]);
        for room in 6..16 {
            let cut = distinct(&names, room);
            let all: BTreeSet<&String> = cut.iter().collect();
            assert_eq!(all.len(), names.len(), "{room}: {cut:?}");
            assert!(cut.iter().all(|name| name.chars().count() <= room), "{room}: {cut:?}");
        }
        assert_eq!(distinct(&owned(&["abcdefghij"]), 5), ["ab…ij"]);
    }
}
