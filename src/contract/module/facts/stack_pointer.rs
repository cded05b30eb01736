//! Which global is the stack pointer.

use crate::units::Bytes;

/// What LLVM's linker and those who follow it call it
/// ([tool conventions](https://github.com/WebAssembly/tool-conventions/blob/main/BasicCABI.md)).
pub(super) const NAME: &str = "__stack_pointer";

/// The stack is aligned to this many bytes (the same conventions).
const ALIGNMENT: u64 = 16;

/// Static data begins here at the earliest where it comes before the stack: LLVM's linker leaves the first KiB free. A global
/// with this value is no stack of a KiB but points at data.
const GLOBAL_BASE: u64 = 1024;

/// How a module tells its stack pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackPointer {
    /// A mutable global that an export or the name section calls so.
    Named(Bytes),
    /// The mutable global at whose value data or heap begin, as they do at the end of a stack that a linker placed.
    Evident(Bytes),
}

impl StackPointer {
    /// Its initial value.
    #[must_use]
    pub const fn value(self) -> Bytes {
        match self {
            Self::Named(value) | Self::Evident(value) => value,
        }
    }
}

/// What is known of the first memory.
pub(super) struct Layout {
    /// Its size at instantiation.
    pub(super) size: u64,
    /// Where placed data begins and ends.
    pub(super) data: Option<(u64, u64)>,
    pub(super) heap_base: Option<u64>,
    pub(super) data_end: Option<u64>,
}

impl Layout {
    /// A named global that cannot be a stack pointer here is none.
    pub(super) fn named(&self, value: u32) -> Option<StackPointer> {
        let value = u64::from(value);
        self.can_be(value).then_some(StackPointer::Named(Bytes(value)))
    }

    /// Of the values of all mutable globals the one that data or heap speak for; `None` if that is none of them.
    pub(super) fn evident(&self, values: &[u32]) -> Option<StackPointer> {
        let values = || values.iter().map(|&value| u64::from(value)).filter(|&value| self.can_be(value));
        let found =
            values().find(|&top| self.is_below_data(top)).or_else(|| values().find(|&top| self.is_above(top)))?;
        Some(StackPointer::Evident(Bytes(found)))
    }

    const fn can_be(&self, value: u64) -> bool {
        value > 0 && value.is_multiple_of(ALIGNMENT) && value <= self.size
    }

    /// A stack that comes first ends where the data begins, or all of it and the heap where nothing is placed. What begins there may
    /// have lost leading zeros of less than an alignment.
    fn is_below_data(&self, top: u64) -> bool {
        let begins = match self.data {
            Some((start, _)) => Some(start),
            None => self.data_end.or(self.heap_base),
        };
        top > GLOBAL_BASE && begins.is_some_and(|begins| (top..top + ALIGNMENT).contains(&begins))
    }

    /// A stack that comes after the data ends where the heap begins.
    fn is_above(&self, top: u64) -> bool {
        self.data.is_some_and(|(_, end)| end < top) && self.heap_base == Some(top)
    }
}
