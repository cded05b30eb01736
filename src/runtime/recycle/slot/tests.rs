use std::os::fd::{AsRawFd, OwnedFd};

use super::*;

const PAGE: usize = 64 << 10;
const LAYOUT: Layout = Layout { reservation: 16 << 20, guard: 1 << 20 };

/// Tells whether a byte can be read, by having the kernel copy it: it answers with an error where a load would end the process.
struct Reader {
    from: OwnedFd,
    to: OwnedFd,
}

impl Reader {
    fn new() -> Self {
        let (from, to) = nix::unistd::pipe().unwrap();
        Self { from, to }
    }

    fn read(&self, address: *const u8) -> Option<u8> {
        // SAFETY: the kernel checks the address.
        let written = unsafe { nix::libc::write(self.to.as_raw_fd(), address.cast(), 1) };
        let mut byte = [0];
        (written == 1).then(|| {
            nix::unistd::read(&self.from, &mut byte).unwrap();
            byte[0]
        })
    }
}

/// The lead is zero. The first and the last byte are there and zero, and the next is not; beyond the guard lies what is not the slot's.
fn assert_bounds(reader: &Reader, slot: &Slot, size: usize) {
    assert_eq!(slot.accessible(), size);
    let at = |offset: usize| reader.read(slot.base().wrapping_add(offset));
    for offset in (0..slot.lead).step_by(4096) {
        assert_eq!(reader.read(slot.base().wrapping_sub(slot.lead - offset)), Some(0), "byte {offset} of the lead");
    }
    for offset in (0..size).step_by(4096).chain([size - 1]) {
        assert_eq!(at(offset), Some(0), "byte {offset} of {size}");
    }
    for offset in (size..LAYOUT.reservation + LAYOUT.guard).step_by(4096) {
        assert_eq!(at(offset), None, "byte {offset} behind {size}");
    }
}

#[test]
fn nothing_behind_the_memory_is_accessible_whatever_the_slot_held_before() {
    let reader = Reader::new();
    for huge in [false, true] {
        let mut slot = Slot::map(LAYOUT, 17 * PAGE, huge).unwrap();
        for pages in [17, 1, 8, 33, 7, 32, 64, 17] {
            slot.fit(pages * PAGE).unwrap();
            assert_bounds(&reader, &slot, pages * PAGE);
            slot.grow((pages + 3) * PAGE).unwrap();
            assert_bounds(&reader, &slot, (pages + 3) * PAGE);
            // A tenant that writes all it can reach.
            // SAFETY: the range is accessible.
            unsafe { slot.base().write_bytes(0xa5, slot.accessible()) };
            slot.vacate();
            slot.wipe(&Wipe::Blend);
            assert!(slot.resident() >= slot.accessible());
        }
    }
}

#[test]
fn under_huge_pages_a_memory_ends_at_a_boundary_and_others_begin_at_one() {
    for (pages, huge, boundary_at_end) in
        [(17, true, true), (32, true, true), (40, true, true), (7, true, false), (17, false, false)]
    {
        let slot = Slot::map(LAYOUT, pages * PAGE, huge).unwrap();
        let end = slot.base().addr() + slot.accessible();
        let boundary = if boundary_at_end { end } else { slot.base().addr() };
        assert!(boundary.is_multiple_of(HUGE_PAGE), "{pages} pages, huge: {huge}");
        assert_eq!(Slot::footprint(pages * PAGE, huge), slot.open);
    }
}

#[test]
fn a_decommitted_slot_holds_nothing_and_reads_zero() {
    let mut slot = Slot::map(LAYOUT, 17 * PAGE, true).unwrap();
    // SAFETY: the range is accessible.
    unsafe { slot.base().write_bytes(0xa5, slot.accessible()) };
    slot.vacate();
    slot.decommit().unwrap();
    assert_eq!(slot.resident(), 0);
    assert_bounds(&Reader::new(), &slot, 17 * PAGE);
}
