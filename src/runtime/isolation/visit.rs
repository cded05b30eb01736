use std::fmt;

use super::writer::Writer;
use crate::units::Pages;

/// How a tenant goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It returns.
    Returned,
    /// It grows to its maximum, writes all of that too, and returns.
    Grew,
    /// It writes behind its memory and traps.
    Trapped,
    /// It never returns, and its epoch ends.
    Interrupted,
}

impl Ending {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Returned, Self::Grew, Self::Trapped, Self::Interrupted];
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Returned => "returned",
            Self::Grew => "grew to its maximum",
            Self::Trapped => "trapped",
            Self::Interrupted => "was interrupted",
        })
    }
}

/// A tenant: what it declares and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit {
    /// Pages that it declares: one of the sizes of the inspection.
    pub size: Pages,
    /// Pages that it grows by before it writes.
    pub grow: Pages,
    /// First address that it writes.
    pub start: u32,
    /// Bytes that it writes, as far as its memory goes.
    pub length: u32,
    /// After how many bytes it writes as many again, to the end of its memory; 0 for not again.
    pub stride: u32,
    /// What it writes, but for `memory.init`.
    pub byte: u8,
    /// How it writes.
    pub writer: Writer,
    /// How it goes.
    pub ending: Ending,
}

impl Visit {
    /// It writes every byte.
    #[must_use]
    pub const fn of_all(size: Pages, ending: Ending) -> Self {
        Self { size, grow: Pages(0), start: 0, length: u32::MAX, stride: 0, byte: 0xa5, writer: Writer::Fill, ending }
    }

    /// It writes nothing.
    #[must_use]
    pub const fn of_nothing(size: Pages) -> Self {
        Self { length: 0, ..Self::of_all(size, Ending::Returned) }
    }

    /// It writes over every border between huge pages, four bytes on either side, if its memory ends at one.
    #[must_use]
    pub fn over_borders(size: Pages, writer: Writer) -> Self {
        const HUGE_PAGE: u32 = 2 << 20;
        let end = u32::try_from(size.bytes().0).unwrap_or(u32::MAX);
        let start = (end % HUGE_PAGE).checked_sub(4).unwrap_or(HUGE_PAGE - 4);
        Self { start, length: 8, stride: HUGE_PAGE, writer, ..Self::of_all(size, Ending::Returned) }
    }
}
