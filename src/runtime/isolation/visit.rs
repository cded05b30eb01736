use std::fmt;

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
    /// What it writes.
    pub byte: u8,
    /// How it goes.
    pub ending: Ending,
}

impl Visit {
    /// It writes every byte.
    #[must_use]
    pub const fn of_all(size: Pages, ending: Ending) -> Self {
        Self { size, grow: Pages(0), start: 0, length: u32::MAX, byte: 0xa5, ending }
    }

    /// It writes nothing.
    #[must_use]
    pub const fn of_nothing(size: Pages) -> Self {
        Self { size, grow: Pages(0), start: 0, length: 0, byte: 0, ending: Ending::Returned }
    }
}
