use crate::units::Bytes;

/// Which wipe is the cheapest for which size: `memset` at first, then the blend, then non-temporal stores alone; and from which size on
/// it pays to note what is written.
///
/// `memset` is fast while the memory waits in the caches. Otherwise it reads every line before it overwrites it and writes all of
/// them back, which the others spare. Where one overtakes the other depends on the machine, so it is best measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// [`NEVER`] where it never pays.
    blend: usize,
    stream: usize,
    track: usize,
}

const NEVER: usize = usize::MAX;

const TRACK_FROM: usize = 4 << 20;

impl Default for Thresholds {
    /// For where nothing was measured: the blend from 256 KiB on, where it began to pay on an Emerald Rapids Xeon, and tracking from 4 MiB
    /// on, where it adds a fifth to a call that writes everything and spares nine tenths of one that writes nothing on an AMD EPYC.
    fn default() -> Self {
        Self { blend: 256 << 10, stream: NEVER, track: TRACK_FROM }
    }
}

impl Thresholds {
    /// Always `memset`, over all that is declared.
    pub const NEVER: Self = Self { blend: NEVER, stream: NEVER, track: NEVER };

    /// The blend from the first size on, and non-temporal stores alone from the second; `None` for never. Tracking is by default.
    #[must_use]
    pub fn from_sizes(blend: Option<Bytes>, stream: Option<Bytes>) -> Self {
        Self { blend: or_never(blend), stream: or_never(stream), track: TRACK_FROM }
    }

    /// The same with writes tracked from this size on; `None` for never.
    #[must_use]
    pub fn tracking_from(self, size: Option<Bytes>) -> Self {
        Self { track: or_never(size), ..self }
    }

    /// The size from which on the blend is used, up to [`Self::stream_from`]; `None` where it never is.
    #[must_use]
    pub fn blend_from(self) -> Option<Bytes> {
        unless_never(self.blend)
    }

    /// The size from which on non-temporal stores alone are used; `None` where they never are.
    #[must_use]
    pub fn stream_from(self) -> Option<Bytes> {
        unless_never(self.stream)
    }

    /// The size from which on the writes to tracked memories are noted; `None` where they never are.
    #[must_use]
    pub fn track_from(self) -> Option<Bytes> {
        unless_never(self.track)
    }
}

fn or_never(size: Option<Bytes>) -> usize {
    size.and_then(|size| usize::try_from(size.0).ok()).unwrap_or(NEVER)
}

fn unless_never(size: usize) -> Option<Bytes> {
    (size < NEVER).then_some(Bytes(size as u64))
}
