//! The one place where clocks are read and the kernel is asked for memory.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::time::Instant;

use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
use nix::sys::resource::{Usage, UsageWho, getrusage};

use crate::host::Fingerprint;
use crate::units::{Bytes, HOST_PAGE, HOST_PAGE_SIZE};

/// Which definition of the reference probe this is. To be raised with any change of what [`Machine::probe`] does on [`HostMachine`]: times
/// relative to another probe, or to one in another place between the cycles, are of another unit. 1 copied from images that several modules
/// shared, and 2 came right after its cycle whatever its size.
pub const PROBE: u32 = 3;

/// What a cycle is measured with. Tests put a simulated machine in the place of the real one.
pub trait Machine {
    /// Nanoseconds since some fixed moment; never goes back.
    fn now_ns(&self) -> u64;

    /// Minor page faults of this thread so far.
    fn minor_faults(&self) -> u64;

    /// How often the kernel has taken the processor from this thread so far.
    fn involuntary_switches(&self) -> u64;

    /// The grain at which the kernel faults memory in.
    fn host_page(&self) -> Bytes;

    /// Brings the caches into the one state that is priced: cold.
    fn chill(&mut self);

    /// Lets this much time pass, computing, without a system call or a write to memory.
    fn pass(&mut self, nanos: u64);

    /// Makes what the probes beside a module with this much data copy.
    ///
    /// It is for that module alone, so that it is read as often as the module's own data: an image in common would be the warmer in the
    /// shared cache.
    ///
    /// # Errors
    /// The kernel refuses the image.
    fn image(&mut self, data: Bytes) -> io::Result<Image>;

    /// The reference probe: misses the caches a few hundred times, as a runtime does that comes out of the cold, maps `length` bytes,
    /// writes one byte per 4 KiB, unmaps. The first bytes are mapped from the image, so that the kernel copies their pages instead of
    /// zero-filling them, as it does for a module with data segments.
    ///
    /// # Errors
    /// The kernel refuses a mapping.
    fn probe(&mut self, length: Bytes, image: &Image) -> io::Result<()>;
}

/// Data that probes copy, as Wasmtime keeps that of a module: a file in memory (`memfd_create(2)`).
#[derive(Debug, Default)]
pub struct Image {
    size: Bytes,
    file: Option<File>,
}

/// The machine this process runs on.
#[derive(Debug)]
pub struct HostMachine {
    start: Instant,
    evictor: Vec<u64>,
}

/// How many bytes to write so that no private cache of this machine keeps anything: twice the second level, or twice 2 MiB
/// where the machine does not say how large that is.
#[must_use]
pub fn evicting(machine: &Fingerprint) -> Bytes {
    const USUAL: Bytes = Bytes(2 << 20);
    let second = machine.cpu.caches.iter().find(|cache| cache.level == 2).map_or(USUAL, |cache| cache.size);
    Bytes(second.0 * 2)
}

fn counted(counter: impl Fn(&Usage) -> i64) -> u64 {
    getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| u64::try_from(counter(&usage)).unwrap_or(0))
}

const CACHE_LINE_WORDS: usize = 64 / size_of::<u64>();

impl HostMachine {
    /// `evict` is how many bytes are written to make the caches cold: twice the private caches, so that nothing of an earlier
    /// cycle stays in them. A shared last-level cache cannot be emptied from here; it is as the neighbours leave it.
    #[must_use]
    pub fn new(evict: Bytes) -> Self {
        let words = evict.host_size() / size_of::<u64>();
        Self { start: Instant::now(), evictor: vec![1; words] }
    }
}

/// Cache misses of a probe, one after the other. They take as long as a runtime takes over the kernel to instantiate a module and
/// to drop it with cold caches, some 20 µs: that time goes with the latency of the shared cache, zero-filling with its bandwidth, and
/// on a shared machine the two drift apart.
const MISSES: usize = 256;

impl HostMachine {
    /// Reads lines that [`Machine::chill`] wrote first and therefore evicted, each at a place that depends on the one before.
    fn miss(&self) {
        let lines = self.evictor.len() / CACHE_LINE_WORDS / 2;
        let mut line = 0;
        for _ in 0..MISSES.min(lines) {
            let read = black_box(self.evictor[line * CACHE_LINE_WORDS]);
            // A full period over a power of two (Hull and Dobell, 1962), and far enough apart elsewhere; what is read is no more than
            // a reason to wait for it.
            line = (line * 1_664_525 + 1_013_904_223 + usize::from(read == u64::MAX)) % lines;
        }
        black_box(line);
    }
}

impl Machine for HostMachine {
    fn now_ns(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn minor_faults(&self) -> u64 {
        counted(Usage::minor_page_faults)
    }

    fn involuntary_switches(&self) -> u64 {
        counted(Usage::involuntary_context_switches)
    }

    fn host_page(&self) -> Bytes {
        use nix::unistd::{SysconfVar, sysconf};
        let size = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().and_then(|size| u64::try_from(size).ok());
        Bytes(size.unwrap_or(HOST_PAGE))
    }

    fn chill(&mut self) {
        for word in self.evictor.iter_mut().step_by(CACHE_LINE_WORDS) {
            *word = word.wrapping_add(1);
        }
        black_box(&mut self.evictor);
    }

    fn pass(&mut self, nanos: u64) {
        let end = self.now_ns() + nanos;
        while self.now_ns() < end {
            std::hint::spin_loop();
        }
    }

    fn image(&mut self, data: Bytes) -> io::Result<Image> {
        if data == Bytes(0) {
            return Ok(Image::default());
        }
        let mut file: File = memfd_create(c"probe", MFdFlags::MFD_CLOEXEC)?.into();
        file.write_all(&vec![1; usize::try_from(data.0).map_err(|_| io::ErrorKind::FileTooLarge)?])?;
        Ok(Image { size: data, file: Some(file) })
    }

    #[expect(unsafe_code, reason = "the probe is a raw mapping")]
    fn probe(&mut self, length: Bytes, image: &Image) -> io::Result<()> {
        let size = |length: Bytes| usize::try_from(length.0).ok().and_then(NonZeroUsize::new);
        // Nothing touched still takes the system calls.
        let whole = size(length).or(size(Bytes(HOST_PAGE))).ok_or(io::ErrorKind::FileTooLarge)?;
        self.miss();
        let image = image.file.as_ref().zip(size(image.size.min(length)));
        let touched = size(length).map_or(0, NonZeroUsize::get);
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: fresh private mappings that nothing else knows of, the second within the first and no longer than its file;
        // every write is inside them, and they are unmapped once.
        unsafe {
            let start = mmap_anonymous(None, whole, access, MapFlags::MAP_PRIVATE)?;
            if let Some((image, size)) = image {
                let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_FIXED;
                mmap(NonZeroUsize::new(start.as_ptr() as usize), size, access, flags, image, 0)?;
            }
            let bytes = start.cast::<u8>();
            for offset in (0..touched).step_by(HOST_PAGE_SIZE) {
                bytes.add(offset).write_volatile(1);
            }
            munmap(start, whole.get())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probe_faults_once_a_host_page() {
        let mut machine = HostMachine::new(Bytes(1 << 16));
        for data in [0, 1 << 16, 1 << 19, 1 << 20] {
            let image = machine.image(Bytes(data)).unwrap();
            machine.probe(Bytes(1 << 20), &image).unwrap();
            let before = machine.minor_faults();
            machine.probe(Bytes(1 << 20), &image).unwrap();
            let faults = machine.minor_faults() - before;
            assert!(faults >= (1 << 20) / machine.host_page().0, "{faults} faults, {data} bytes copied");
        }
    }

    #[test]
    fn probe_of_nothing_is_fine() {
        let mut machine = HostMachine::new(Bytes(0));
        let image = machine.image(Bytes(7)).unwrap();
        machine.probe(Bytes(0), &image).unwrap();
    }
}
