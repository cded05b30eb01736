//! The allocations of a thread, counted while somebody asks.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::marker::PhantomData;

/// The system's allocator. What a thread allocates is counted while it has a [`Counting`]; otherwise an allocation takes one look at a
/// variable of the thread more.
///
/// A program whose workers are to count makes it its own: `#[global_allocator] static ALLOCATOR: CountingAllocator = CountingAllocator;`.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator;

/// What a thread allocated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allocations {
    /// How often it asked for memory: for new one, or for more or less in the place of what it had.
    pub count: u64,
    /// How many bytes, each time the whole of what it asked for.
    pub bytes: u64,
    /// The most bytes that it held at once beyond what it held at the beginning.
    pub peak: u64,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    of: Allocations,
    /// Below 0 where more was given back than taken.
    held: i64,
}

thread_local! {
    /// `None` while nobody counts. It has no destructor, so that an allocator may use it at any time.
    static COUNTS: Cell<Option<Counts>> = const { Cell::new(None) };
}

/// Has the system's allocator take blocks of 128 KiB and more from the kernel each time, as it does in a process that has freed none yet.
///
/// The GNU C library takes larger and larger ones from what it has, up to the largest that was ever freed (`mallopt(3)`): what a block costs would
/// depend on which others were measured before.
pub(super) fn as_if_nothing_was_freed() {
    #[cfg(target_env = "gnu")]
    #[expect(unsafe_code, reason = "nix has no mallopt")]
    // SAFETY: it sets a number of the allocator.
    unsafe {
        nix::libc::mallopt(nix::libc::M_MMAP_THRESHOLD, 128 << 10);
    }
}

/// Counts the allocations of this thread for as long as it lives.
#[derive(Debug)]
pub struct Counting(PhantomData<*const ()>);

impl Counting {
    /// Begins at nothing.
    #[must_use]
    pub fn begin() -> Self {
        COUNTS.set(Some(Counts::default()));
        Self(PhantomData)
    }

    /// What was allocated since. Nothing, where the program has another allocator than [`CountingAllocator`].
    #[must_use]
    pub fn end(self) -> Allocations {
        COUNTS.get().unwrap_or_default().of
    }

    /// Whether the program's allocator counts.
    #[must_use]
    pub fn is_possible() -> bool {
        let counting = Self::begin();
        drop(black_box(Box::new(0_u8)));
        counting.end().count > 0
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        COUNTS.set(None);
    }
}

/// Notes that so many bytes were taken, if any, and so many given back.
fn note(taken: usize, given: usize) {
    let Some(mut counts) = COUNTS.get() else { return };
    let signed = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
    counts.held = counts.held.saturating_add(signed(taken)).saturating_sub(signed(given));
    if taken > 0 {
        counts.of.count += 1;
        counts.of.bytes += taken as u64;
        counts.of.peak = counts.of.peak.max(u64::try_from(counts.held).unwrap_or(0));
    }
    COUNTS.set(Some(counts));
}

// SAFETY: it hands everything to the system's allocator as it is.
#[expect(unsafe_code, reason = "an allocator")]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: as promised to this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: as promised to this function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size, layout.size());
        // SAFETY: as promised to this function.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(0, layout.size());
        // SAFETY: as promised to this function.
        unsafe { System.dealloc(at, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_takes_is_counted_with_what_it_holds_at_once() {
        let before = black_box(vec![0_u8; 1000]);
        let counting = Counting::begin();
        drop(before);
        let kept = black_box(vec![0_u8; 3000]);
        drop(black_box(vec![0_u8; 500]));
        let mut grown = black_box(Vec::<u8>::with_capacity(100));
        grown.reserve_exact(200);
        let found = counting.end();
        assert_eq!(found, Allocations { count: 4, bytes: 3000 + 500 + 100 + 200, peak: 2500 });
        drop((kept, grown));
    }

    #[test]
    fn nothing_is_counted_of_other_threads_or_after_the_end() {
        let counting = Counting::begin();
        std::thread::scope(|scope| {
            // Starting a thread allocates here; what it does itself is its own.
            scope.spawn(|| drop(black_box(vec![0_u8; 1 << 20])));
        });
        assert!(counting.end().bytes < 1 << 20);
        drop(black_box(vec![0_u8; 10]));
        assert_eq!(COUNTS.get().map(|counts| counts.of), None);
        assert!(Counting::is_possible());
    }
}
