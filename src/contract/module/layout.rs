//! Where a linker put the stack of a module, and what its memory would be with another.

use super::facts::{ModuleFacts, StackPointer};
use crate::units::{Bytes, Pages};

/// The stack that `rustc` and most build scripts ask the linker for: 1 MiB
/// ([rust-lang/rust#50083](https://github.com/rust-lang/rust/pull/50083)).
pub const DEFAULT_STACK: Bytes = Bytes(1 << 20);

/// The stack is aligned to this many bytes
/// ([tool conventions](https://github.com/WebAssembly/tool-conventions/blob/main/BasicCABI.md)).
const ALIGNMENT: u64 = 16;

/// Where static data begins in a module whose data comes before its stack: LLVM's linker leaves the first KiB free.
const GLOBAL_BASE: u64 = 1024;

/// On which side of the static data the stack lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StackOrder {
    /// From address 0, the data behind it: an overflow traps.
    First,
    /// Behind the data: an overflow overwrites the data.
    AfterData,
}

impl StackOrder {
    /// The word used in tables: `first` or `after-data`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::AfterData => "after-data",
        }
    }
}

/// What is known of the stack in a module's first memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackLayout {
    /// Where it lies.
    pub order: StackOrder,
    /// Its size. An upper bound where the data's end is not exported, since zero-filled data leaves no trace in the module.
    pub stack: Bytes,
    /// Whether there is a stack pointer. Without one the linker dropped it as unused: the contract never uses its stack.
    pub used: bool,
    /// Bytes that the memory needs beside the stack: its data and, where the heap's base is exported, all up to it.
    pub others: Bytes,
}

impl StackLayout {
    /// Deduces the layout; `None` if the module does not tell.
    ///
    /// What it goes by: the stack pointer, the placed data, and the exports `__data_end` and `__heap_base` of LLVM's linker.
    /// A layout that contradicts itself or the declared memory is no layout.
    #[must_use]
    pub fn of(facts: &ModuleFacts) -> Option<Self> {
        let declared = facts.initial_pages?.bytes().0;
        let heap = facts.heap_base.map(u64::from);
        let placed = facts.data.start.zip(facts.data.end);
        let data_end = facts.data_end.map(u64::from).or(placed.map(|(_, end)| end));
        let layout = match facts.stack_pointer {
            Some(pointer) => Self::with_pointer(pointer, placed, data_end, heap)?,
            None if facts.mutable_i32.is_empty() => Self::without_pointer(placed, heap?)?,
            // One of the globals may be it.
            None => return None,
        };
        (layout.stack.0 > 0 && layout.needs(layout.stack)?.bytes().0 <= declared).then_some(layout)
    }

    fn with_pointer(
        pointer: StackPointer,
        placed: Option<(u64, u64)>,
        data_end: Option<u64>,
        heap: Option<u64>,
    ) -> Option<Self> {
        let Bytes(top) = pointer.value();
        let first = |end: u64| Self {
            order: StackOrder::First,
            stack: Bytes(top),
            used: true,
            others: Bytes(end.saturating_sub(top)),
        };
        match (placed, data_end, heap) {
            (Some((start, end)), _, heap) if start >= top => Some(first(heap.unwrap_or(end).max(end))),
            // No data at all, and its end is where the stack ends.
            (None, Some(end), heap) if end >= top => Some(first(heap.unwrap_or(end).max(end))),
            // Without data it is as good as first.
            (None, None, Some(heap)) if heap >= top => Some(first(heap)),
            (None, None, None) => Some(first(top)),
            (_, Some(end), heap) if end.next_multiple_of(ALIGNMENT) < top && heap.is_none_or(|heap| heap >= top) => {
                let bottom = end.next_multiple_of(ALIGNMENT);
                let others = Bytes(bottom + heap.map_or(0, |heap| heap - top));
                Some(Self { order: StackOrder::AfterData, stack: Bytes(top - bottom), used: true, others })
            }
            _ => None,
        }
    }

    /// An unused stack comes first: its end is where the data begins, or the heap where there is none.
    fn without_pointer(placed: Option<(u64, u64)>, heap: u64) -> Option<Self> {
        let stack = placed.map_or(heap, |(start, _)| start);
        let plausible = stack > GLOBAL_BASE && stack.is_multiple_of(ALIGNMENT) && heap >= stack;
        let layout = Self {
            order: StackOrder::First,
            stack: Bytes(stack),
            used: false,
            others: Bytes(heap.checked_sub(stack)?),
        };
        plausible.then_some(layout)
    }

    /// Pages that the memory needs at least with a stack of this size; `None` beyond 32 bits.
    ///
    /// A lower bound: what the contract allocates comes on top, whether by `memory.grow` or by a larger initial memory.
    #[must_use]
    pub fn needs(&self, stack: Bytes) -> Option<Pages> {
        Bytes(stack.0.checked_next_multiple_of(ALIGNMENT)?.checked_add(self.others.0)?).pages_up()
    }

    /// The largest stack that needs no page more than one of this size does; `None` beyond 32 bits.
    #[must_use]
    pub fn largest_like(&self, stack: Bytes) -> Option<Bytes> {
        let room = self.needs(stack)?.bytes().0.checked_sub(self.others.0)?;
        Some(Bytes(room - room % ALIGNMENT))
    }

    /// Whether this is what linkers give when nobody asks for anything else: a stack of [`DEFAULT_STACK`], and no page more
    /// than it and the data need.
    #[must_use]
    pub fn is_default(&self, initial: Pages) -> bool {
        self.stack == DEFAULT_STACK && self.needs(self.stack) == Some(initial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(wat: &str) -> Option<StackLayout> {
        StackLayout::of(&ModuleFacts::read(&wat::parse_str(wat).unwrap()).unwrap())
    }

    fn linked(pages: u32, pointer: u32, data: Option<u32>, data_end: u32, heap: u32) -> Option<StackLayout> {
        let data = data.map_or_else(String::new, |at| format!("(data (i32.const {at}) \"abcd\")"));
        layout(&format!(
            "(module (memory {pages}) (global (mut i32) (i32.const {pointer}))
               (global (export \"__data_end\") i32 (i32.const {data_end}))
               (global (export \"__heap_base\") i32 (i32.const {heap})) {data})"
        ))
    }

    #[test]
    fn a_stack_before_the_data() {
        let found = linked(17, 1 << 20, Some(1 << 20), (1 << 20) + 4, (1 << 20) + 16).unwrap();
        assert_eq!((found.order, found.stack, found.others), (StackOrder::First, DEFAULT_STACK, Bytes(16)));
        assert!(found.is_default(Pages(17)) && !found.is_default(Pages(18)));
        let at = [16, 64, 256].map(|kib| found.needs(Bytes(kib << 10)).unwrap().0);
        assert_eq!(at, [1, 2, 5]);
    }

    #[test]
    fn the_largest_stack_fills_the_last_page() {
        let found = linked(17, 1 << 20, Some(1 << 20), (1 << 20) + 4, (1 << 20) + 16).unwrap();
        let largest = found.largest_like(Bytes(16 << 10)).unwrap();
        assert_eq!(largest, Bytes(65_536 - 16));
        let page = |stack: u64| found.needs(Bytes(stack));
        assert_eq!((page(largest.0), page(largest.0 + 1)), (Some(Pages(1)), Some(Pages(2))));
        assert_eq!(found.largest_like(Bytes(1 << 20)), Some(Bytes((17 << 16) - 16)));
    }

    #[test]
    fn a_stack_behind_the_data_is_told_by_the_end_of_the_data() {
        let found = linked(2, 66_576, Some(1024), 1030, 66_576).unwrap();
        assert_eq!((found.order, found.stack, found.others), (StackOrder::AfterData, Bytes(65_536), Bytes(1040)));
        assert_eq!(found.needs(Bytes(16 << 10)), Some(Pages(1)));
    }

    #[test]
    fn a_stack_without_data_fills_all_below_the_heap() {
        let found = linked(16, 1 << 20, None, 1 << 20, 1 << 20).unwrap();
        assert_eq!((found.order, found.stack, found.others), (StackOrder::First, DEFAULT_STACK, Bytes(0)));
        assert!(found.is_default(Pages(16)));
    }

    #[test]
    fn a_named_stack_pointer_tells_without_data() {
        let found = layout("(module (memory 16) (global $__stack_pointer (mut i32) (i32.const 1048576)))").unwrap();
        assert_eq!((found.order, found.stack, found.used), (StackOrder::First, DEFAULT_STACK, true));
    }

    #[test]
    fn a_counter_is_neither_a_stack_nor_a_sign_that_there_is_none() {
        let heap = "(global (export \"__heap_base\") i32 (i32.const 1048592))";
        let counter = "(global (mut i32) (i32.const 4096))";
        assert_eq!(layout(&format!("(module (memory 17) {counter} {heap} (data (i32.const 1048576) \"ab\"))")), None);
        // As Motoko lays it out.
        let third = format!("{counter} (global (mut i32) (i32.const 0)) (global (mut i32) (i32.const 2097152))");
        let found = layout(&format!("(module (memory 33) {third} (data (i32.const 2097152) \"ab\"))")).unwrap();
        assert_eq!(
            (found.order, found.stack, found.needs(Bytes(0))),
            (StackOrder::First, Bytes(2 << 20), Some(Pages(1)))
        );
    }

    #[test]
    fn a_stack_that_nobody_points_at_is_unused() {
        let found = layout("(module (memory 16) (global (export \"__heap_base\") i32 (i32.const 1048576)))").unwrap();
        assert!(!found.used && found.stack == DEFAULT_STACK);
    }

    #[test]
    fn what_does_not_fit_together_is_no_layout() {
        assert_eq!(linked(1, 1 << 20, Some(1 << 20), (1 << 20) + 4, (1 << 20) + 16), None, "beyond the memory");
        assert_eq!(linked(17, 1001, Some(1 << 20), 1 << 20, 1 << 20), None, "not aligned");
        assert_eq!(layout("(module (memory 1) (global (mut i32) (i32.const 0)))"), None, "a counter");
        assert_eq!(layout("(module (memory 1) (global (mut i32) (i32.const 4096)))"), None, "no data to tell by");
        assert_eq!(layout("(module (memory 1))"), None);
        assert_eq!(layout("(module (global (mut i32) (i32.const 65536)))"), None, "no memory");
    }
}
