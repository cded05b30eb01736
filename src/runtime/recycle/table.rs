//! Which addresses are tracked: what the signal handler looks up.
//!
//! It may interrupt any code, so it takes no lock, allocates nothing, and reads atomics that are never freed.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::spans::Spans;

/// Slots that can be tracked at once in a process. Each has 4 GiB of address space to itself, of which there are 32,768 on x86-64.
const ENTRIES: usize = 4096;

static TABLE: [Entry; ENTRIES] = [const { Entry::free() }; ENTRIES];

/// A slot, as far as it is tracked, and which of its spans were opened.
///
/// Apart from [`Entry::note`], only the owner of the slot changes it, and only while no tenant is in the slot.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Entry {
    /// Address of the first span; 0 while no slot has this entry.
    start: AtomicUsize,
    /// Bytes from there that are tracked; 0 while all of the slot is open.
    length: AtomicUsize,
    opened: AtomicU32,
}

impl Entry {
    const fn free() -> Self {
        Self { start: AtomicUsize::new(0), length: AtomicUsize::new(0), opened: AtomicU32::new(0) }
    }

    /// The place of the slot that starts here; `None` where another slot has it, as happens to some once thousands are tracked.
    pub(super) fn claim(start: usize) -> Option<&'static Self> {
        let entry = &TABLE[place(start)];
        entry.start.compare_exchange(0, start, Ordering::AcqRel, Ordering::Relaxed).is_ok().then_some(entry)
    }

    /// The entry that tracks an address, and how far behind its start that is.
    pub(super) fn of(address: usize) -> Option<(&'static Self, usize)> {
        // A slot begins in these 4 GiB or in those before.
        [place(address), place(address).wrapping_sub(1) % ENTRIES].into_iter().find_map(|place| {
            let entry = &TABLE[place];
            let start = entry.start.load(Ordering::Acquire);
            let offset = address.checked_sub(start).filter(|_| start != 0)?;
            (offset < entry.length.load(Ordering::Acquire)).then_some((entry, offset))
        })
    }

    pub(super) fn start(&self) -> usize {
        self.start.load(Ordering::Acquire)
    }

    pub(super) fn spans(&self) -> Spans {
        Spans::over(self.length.load(Ordering::Acquire))
    }

    /// Tracks this many bytes from the start on, of which no span was opened.
    pub(super) fn track(&self, length: usize) {
        self.opened.store(0, Ordering::Release);
        self.length.store(length, Ordering::Release);
    }

    /// Takes note that these spans are open.
    pub(super) fn note(&self, spans: u32) {
        self.opened.fetch_or(spans, Ordering::AcqRel);
    }

    pub(super) fn opened(&self) -> u32 {
        self.opened.load(Ordering::Acquire)
    }

    /// Leaves it to another slot.
    pub(super) fn release(&self) {
        self.track(0);
        self.start.store(0, Ordering::Release);
    }
}

/// No two tracked slots have the same in the same address space of 16 TiB, since each reserves more than 4 GiB.
const fn place(address: usize) -> usize {
    address.unbounded_shr(32) % ENTRIES
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUGE: usize = 2 << 20;

    // No mapping is that low, and each test has addresses of its own.
    const fn address(number: usize) -> usize {
        (number << 32) + 5 * HUGE
    }

    #[test]
    fn an_address_leads_to_its_slot_and_no_further() {
        let (start, length) = (address(3), 4 * HUGE);
        let entry = Entry::claim(start).unwrap();
        assert!(Entry::of(start).is_none(), "nothing is tracked yet");
        entry.track(length);
        let found = |address| Entry::of(address).map(|(found, offset)| (std::ptr::eq(found, entry), offset));
        assert_eq!(found(start), Some((true, 0)));
        assert_eq!(found(start + length - 1), Some((true, length - 1)));
        assert_eq!([found(start - 1), found(start + length), found(0), found(usize::MAX)], [None; 4]);
        entry.release();
        assert!(found(start).is_none());
    }

    #[test]
    fn a_slot_over_a_border_of_four_gibibytes_is_found_on_both_sides() {
        let start = (9usize << 32) - HUGE;
        let entry = Entry::claim(start).unwrap();
        entry.track(2 * HUGE);
        assert_eq!(Entry::of(start + 2 * HUGE - 1).map(|(_, offset)| offset), Some(2 * HUGE - 1));
        entry.release();
    }

    #[test]
    fn a_place_that_is_taken_is_refused_until_it_is_free() {
        let (first, second) = (address(20), address(20 + ENTRIES));
        let entry = Entry::claim(first).unwrap();
        entry.track(HUGE);
        assert!(Entry::claim(second).is_none());
        assert!(Entry::of(second).is_none(), "the other slot's address is not taken for this one's");
        entry.release();
        Entry::claim(second).unwrap().release();
    }

    #[test]
    fn what_threads_note_at_once_is_all_there() {
        let entry = Entry::claim(address(30)).unwrap();
        entry.track(16 * HUGE);
        std::thread::scope(|scope| {
            for span in 0..16 {
                scope.spawn(move || entry.note(1 << span));
            }
        });
        assert_eq!(entry.opened(), 0xffff);
        entry.track(16 * HUGE);
        assert_eq!(entry.opened(), 0, "the next tenant's begin anew");
        entry.release();
    }
}
