use crate::units::Bytes;

/// Which wipe is the cheapest for which size: `memset` at first, then the blend, then non-temporal stores alone.
///
/// `memset` is fast while the memory waits in the caches. Otherwise it reads every line before it overwrites it and writes all of
/// them back, which the others spare. Where one overtakes the other depends on the machine, so it is best measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// [`NEVER`] where it never pays.
    blend_from: usize,
    stream_from: usize,
}

const NEVER: usize = usize::MAX;

impl Default for Thresholds {
    /// The blend from 256 KiB on, where it began to pay on an Emerald Rapids Xeon: for where nothing was measured.
    fn default() -> Self {
        Self { blend_from: 256 << 10, stream_from: NEVER }
    }
}

impl Thresholds {
    /// The blend from the first size on, and non-temporal stores alone from the second; `None` for never.
    #[must_use]
    pub fn from_sizes(blend: Option<Bytes>, stream: Option<Bytes>) -> Self {
        let size = |size: Option<Bytes>| size.and_then(|size| usize::try_from(size.0).ok()).unwrap_or(NEVER);
        Self { blend_from: size(blend), stream_from: size(stream) }
    }

    /// The size from which on the blend is used, up to [`Self::stream_from`]; `None` where it never is.
    #[must_use]
    pub fn blend_from(self) -> Option<Bytes> {
        (self.blend_from < NEVER).then_some(Bytes(self.blend_from as u64))
    }

    /// The size from which on non-temporal stores alone are used; `None` where they never are.
    #[must_use]
    pub fn stream_from(self) -> Option<Bytes> {
        (self.stream_from < NEVER).then_some(Bytes(self.stream_from as u64))
    }
}
