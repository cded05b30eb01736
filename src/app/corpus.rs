//! The contracts that paths lead to, read one after the other, so that a corpus of any size needs no more memory than one contract.

use std::io::BufRead;
use std::path::PathBuf;

use super::event::Event;
use super::session::Session;
use crate::contract::corpus::{CorpusError, Walk};
use crate::contract::sha256_hex;
use crate::contract::survey::Surveyed;

/// The contracts, found as they are asked for. What leads to none comes with its name, as tables show it, and the reason.
pub(super) struct Contracts<'a> {
    walk: Walk<'a>,
    session: &'a Session<'a>,
    ended: bool,
    /// The bytes of one contract after the other.
    buffer: Vec<u8>,
}

/// A contract, or the name of what is none and why.
type Read<T> = Result<T, (String, CorpusError)>;

impl<'a> Contracts<'a> {
    /// Of these paths; `list` is what `-` reads.
    pub(super) fn new(paths: &'a [PathBuf], list: impl BufRead + 'a, session: &'a Session<'a>) -> Self {
        Self { walk: Walk::new(paths, list), session, ended: false, buffer: Vec::new() }
    }

    /// The next contract, with what else is read from its bytes.
    pub(super) fn next_with<T>(&mut self, further: impl FnOnce(&[u8]) -> T) -> Option<Read<(Surveyed, T)>> {
        let Some(found) = self.walk.next() else {
            self.end();
            return None;
        };
        let name = found.as_ref().map_or_else(CorpusError::place, |found| found.name.clone());
        let read = found.and_then(|found| Surveyed::read_with(&found, &mut self.buffer, further));
        if let Some(missing) = read.as_ref().err().filter(|error| error.is_usage()) {
            self.session.tell(Event::Missing(missing));
        }
        Some(read.map_err(|error| (name, error)))
    }

    fn end(&mut self) {
        let links = self.walk.passed_by();
        if links > 0 && !self.ended {
            self.session.tell(Event::PassedBy { links });
        }
        self.ended = true;
    }
}

impl Iterator for Contracts<'_> {
    type Item = Read<Surveyed>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.next_with(sha256_hex)?.map(|(contract, hash)| Surveyed { sha256: Some(hash), ..contract }))
    }
}
