//! All that is wrong with a file, so that nobody has to try once for each fault.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeArray, DeInteger, DeTable, DeValue, Deserializer};

use super::error::missing;
use super::{Formats, Source, VersionedError, key_at, within};

/// What is wrong with a file.
#[derive(Debug, Default)]
pub struct Faults(Vec<VersionedError>);

impl Faults {
    /// These.
    #[must_use]
    pub const fn of(faults: Vec<VersionedError>) -> Self {
        Self(faults)
    }

    /// What was read; `None` if that is a fault. It is kept, unless another of the same key, or of one around it or within, may be behind it.
    pub fn without<T>(&mut self, read: Result<T, VersionedError>) -> Option<T> {
        match read {
            Ok(read) => return Some(read),
            Err(VersionedError::Several(all)) => all.into_iter().for_each(|fault| self.keep(fault)),
            Err(fault) => self.keep(fault),
        }
        None
    }

    fn keep(&mut self, fault: VersionedError) {
        let is_around = |one: &str, other: &str| {
            other.strip_prefix(one).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let follows = |known: &VersionedError| {
            fault.key().zip(known.key()).is_some_and(|(one, other)| is_around(&one, &other) || is_around(&other, &one))
        };
        if !self.0.iter().any(follows) {
            self.0.push(fault);
        }
    }

    /// What was made of all that was read, which is there if there was no fault.
    ///
    /// # Errors
    /// The fault, or [`VersionedError::Several`].
    pub fn or<T>(mut self, made: Option<T>) -> Result<T, VersionedError> {
        match (self.0.len(), made) {
            (0, Some(made)) => Ok(made),
            (1, _) => Err(self.0.remove(0)),
            _ => Err(VersionedError::Several(self.0)),
        }
    }
}

/// The keys down to one.
type Place = Vec<String>;

/// What was read, or what is wrong first, with its place.
type Attempt<T> = Result<T, (Place, VersionedError)>;

/// Places that are tried at most, two for each fault: more faults than anybody reads.
const MOST: usize = 200;

/// Where the stand-in for the nth fault stands: behind the end of every text, each in a place of its own, by which a fault of it is known.
const fn nowhere(nth: usize) -> Range<usize> {
    let start = usize::MAX - 1 - nth;
    start..start + 1
}

/// What may stand in the place of a value that is wrong or missing, so that what else is wrong is found: none first.
fn stand_ins() -> [Option<DeValue<'static>>; 6] {
    [
        None,
        Some(DeValue::String("".into())),
        Some(DeValue::Integer(DeInteger::default())),
        Some(DeValue::Array(DeArray::new())),
        Some(DeValue::Table(DeTable::new())),
        Some(DeValue::Boolean(false)),
    ]
}

impl<'a> Source<'a> {
    /// As [`Source::read`], with whatever stands in the place of what is wrong. It is worth nothing unless there are no faults, but for finding
    /// more of them.
    ///
    /// # Errors
    /// As there, if nothing can be made of the text.
    pub fn read_with_faults<T: DeserializeOwned>(self, formats: Formats) -> Result<(T, Faults), VersionedError> {
        let document = self.parse()?;
        self.check(document.get_ref(), formats)?;
        let (mut table, mut found, mut next) = (document.into_inner(), Vec::new(), None);
        let mut places: Vec<Place> = Vec::new();
        let read = loop {
            match next.take().unwrap_or_else(|| self.attempt(&table)) {
                Ok(read) => break Some(read),
                Err((place, fault)) => {
                    // What was taken out as wrong is not told as missing too.
                    if !places.contains(&place) {
                        found.push(fault);
                    }
                    places.push(place.clone());
                    let nth = places.len();
                    next = self.repaired(&mut table, place, nth).map(|(replaced, found)| {
                        places.push(replaced);
                        found
                    });
                }
            }
            if next.is_none() || places.len() >= MOST {
                break None;
            }
        };
        found.sort_by_key(VersionedError::line_and_column);
        if matches!(next, Some(Err(_))) {
            found.push(VersionedError::More { file: self.file.to_owned() });
        }
        let faults = Faults(found);
        match read {
            Some(read) => Ok((read, faults)),
            None => faults.or(None),
        }
    }

    /// A value of a table, or what is wrong first, with its place; that of a missing key too.
    fn attempt<T: DeserializeOwned>(self, table: &DeTable<'a>) -> Attempt<T> {
        let document = Spanned::new(0..self.text.len(), table.clone());
        T::deserialize(Deserializer::from(document)).map_err(|error| {
            let missing = missing(error.message());
            // What is missing in the whole document stands at its beginning, where another key is.
            let span = error.span().filter(|span| span.start > 0 || missing.is_none());
            let key = span.as_ref().and_then(|span| key_at(table, span.start));
            let mut place = span.and_then(|span| place_at(table, span.start)).unwrap_or_default();
            place.extend(missing.map(str::to_owned));
            (place, self.fault(error.span(), key, error.message()))
        })
    }

    /// Puts something in the place of what is wrong, or of what is around it, and tries again; with the place that it was. `None` if nothing helps.
    fn repaired<T: DeserializeOwned>(
        self,
        table: &mut DeTable<'a>,
        mut place: Place,
        nth: usize,
    ) -> Option<(Place, Attempt<T>)> {
        while !place.is_empty() {
            for stand_in in stand_ins() {
                let mut tried = table.clone();
                let is_none = stand_in.is_none();
                if put(&mut tried, &place, stand_in.map(|value| Spanned::new(nowhere(nth), value))).is_none() {
                    continue;
                }
                let found = self.attempt(&tried);
                let is_other = match &found {
                    Ok(_) => true,
                    Err((at, _)) if is_none => *at != place,
                    // A stand-in may itself be what is wrong with what is around it.
                    Err((at, _)) => !place.starts_with(at) && !at.starts_with(&place),
                };
                if is_other {
                    *table = tried;
                    return Some((place, found));
                }
            }
            place.pop();
        }
        None
    }
}

/// The keys down to the one that is at `offset`, or whose value is. A list is one value.
fn place_at(table: &DeTable<'_>, offset: usize) -> Option<Place> {
    table.iter().find_map(|(key, value)| {
        let inner = value.get_ref().as_table().and_then(|table| place_at(table, offset));
        let is_own = || key.span().contains(&offset) || within("", value, offset).is_some();
        let mut place = inner.or_else(|| is_own().then(Place::new))?;
        place.insert(0, key.get_ref().to_string());
        Some(place)
    })
}

/// `None` if there is no such place.
fn put<'a>(table: &mut DeTable<'a>, place: &[String], value: Option<Spanned<DeValue<'a>>>) -> Option<()> {
    let (name, parents) = place.split_last()?;
    let parent = parents.iter().try_fold(table, |table, name| match table.get_mut(name.as_str())?.get_mut() {
        DeValue::Table(inner) => Some(inner),
        _ => None,
    })?;
    parent.remove(name.as_str());
    if let Some(value) = value {
        parent.insert(Spanned::new(value.span(), Cow::Owned(name.clone())), value);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "read for its faults")]
    struct Sample {
        format: i64,
        name: String,
        part: Part,
        other: Option<Part>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "read for its faults")]
    struct Part {
        number: u8,
        names: Vec<String>,
    }

    fn said(text: &str) -> Vec<String> {
        let source = Source { file: Path::new("s.toml"), text };
        let found = source.read::<Sample>(Formats::first(1));
        found.map_or_else(|error| error.to_string().lines().map(str::to_owned).collect(), |_| Vec::new())
    }

    #[test]
    fn wrong_unknown_and_missing_keys_are_told_at_once() {
        let good = "format = 1\nname = \"a\"\n[part]\nnumber = 1\nnames = []\n";
        assert!(said(good).is_empty());
        let said = said("format = 1\nnam = \"a\"\n[part]\nnumber = 256\nnamed = []\n[other]\nnames = [1]\n");
        let starts = [
            "s.toml:1:1: missing field `name`",
            "s.toml:2:1: `nam`: unknown field",
            "s.toml:3:1: `part`: missing field `names`",
            "s.toml:4:10: `part.number`: ",
            "s.toml:5:1: `part.named`: unknown field",
            "s.toml:6:1: `other`: missing field `number`",
            "s.toml:7:10: `other.names`: ",
        ];
        assert_eq!(said.len(), starts.len(), "{said:#?}");
        assert!(said.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{said:#?}");
    }

    #[test]
    fn what_nothing_can_stand_for_is_told_with_what_was_found_before() {
        let said = said("format = 1\nunknown = 1\nname = \"a\"\n");
        assert_eq!(said.len(), 2, "{said:#?}");
        assert!(said[0].contains("missing field `part`") && said[1].contains("`unknown`"), "{said:#?}");
    }

    #[test]
    fn that_there_may_be_more_faults_than_were_looked_for_is_told() {
        let unknown = |count: usize| (0..count).map(|nth| format!("unknown{nth} = 1")).collect::<Vec<_>>().join("\n");
        let with = |count: usize| {
            said(&format!("format = 1\nname = \"a\"\n{}\n[part]\nnumber = 1\nnames = []\n", unknown(count)))
        };
        assert_eq!([99, 100].map(|count| with(count).len()), [99, 100]);
        let many = with(300);
        assert_eq!(many.len(), MOST / 2 + 1);
        assert!(many.last().unwrap().contains("there may be more"), "{many:?}");
    }

    #[test]
    fn a_fault_that_may_follow_from_another_is_not_told() {
        let source = Source { file: Path::new("s.toml"), text: "" };
        let fault = |key: &str| Err::<(), _>(source.fault(None, Some(key.into()), "wrong"));
        let mut faults = Faults::default();
        for key in ["a.b", "a", "a.b.c", "a.bc", "a.b"] {
            assert_eq!(faults.without(fault(key)), None);
        }
        assert_eq!(faults.or(Some(())).unwrap_err().to_string().lines().count(), 2);
    }
}
