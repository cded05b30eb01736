//! How the files of a contract are best read: how often their bytes are copied, and what is allocated for it.

use strum::{Display, FromRepr, VariantNames};

use super::counter::ALLOCATING;
use super::factor::{planned, ways};
use super::memory::SPEC;
use super::{Experiment, Factor, Phase, Point, Price, Unit};

/// How a file becomes text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum Reading {
    /// It is read, and its bytes are copied into a text (`String::from_utf8_lossy(..).into_owned()`).
    #[default]
    Twice,
    /// It is read, and its bytes become the text (`String::from_utf8`).
    Once,
    /// It is read into a buffer that all files share.
    Reused,
    /// It is mapped into memory (`mmap(2)`).
    Mapped,
}

/// How files become text: [`Reading`].
pub static READING: Factor = ways("reading", Reading::VARIANTS);
/// Files of the contract.
pub static FILES: Factor = planned("files", Unit::Count);
/// Bytes of each of them.
pub static FILE_BYTES: Factor = planned("file_bytes", Unit::Bytes);

/// How the files of a contract are best read.
pub static SOURCE: Experiment = Experiment {
    name: "source",
    about: "how the files of a contract are best read",
    factors: &[&READING, &FILES, &FILE_BYTES],
    phases: &[
        Phase { name: "read", price: Price::Added, touches: false },
        Phase { name: "drop", price: Price::Added, touches: true },
    ],
    counters: ALLOCATING,
    terms: &[],
    line: &[],
    leading: &FILE_BYTES,
    beyond_line: None,
    control: None,
    checks: &[],
    proposes: false,
    compares: &[&READING],
    beside: false,
    title: "Reading a contract's files",
    worst_case: "files in the page cache, private caches cold",
    reference: None,
    ..SPEC
};

impl Point {
    /// How files become text.
    #[must_use]
    pub fn reading(&self) -> Reading {
        Reading::from_repr(self.level(&READING)).unwrap_or_default()
    }
}
