use crate::units::Bytes;

/// Which wipe is the cheapest for which size: `memset` at first, then the blend, then non-temporal stores alone; and from which size on
/// it pays to note what is written.
///
/// `memset` is fast while the memory waits in the caches. Otherwise it reads every line before it overwrites it and writes all of
/// them back, which the others spare. Where one overtakes the other depends on the machine, so it is best measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// The size from which on the blend is used, up to `stream_from`; `None` where it never is.
    pub blend_from: Option<Bytes>,
    /// The size from which on non-temporal stores alone are used; `None` where they never are.
    pub stream_from: Option<Bytes>,
    /// The size from which on the writes to tracked memories are noted; `None` where they never are.
    pub track_from: Option<Bytes>,
}

impl Default for Thresholds {
    /// For where nothing was measured: the blend from 256 KiB on, where it began to pay on an Emerald Rapids Xeon, and tracking from 4 MiB
    /// on, where it adds a fifth to a call that writes everything and spares nine tenths of one that writes nothing on an AMD EPYC.
    fn default() -> Self {
        Self { blend_from: Some(Bytes(256 << 10)), stream_from: None, track_from: Some(Bytes(4 << 20)) }
    }
}

impl Thresholds {
    /// Always `memset`, over all that is declared.
    pub const NEVER: Self = Self { blend_from: None, stream_from: None, track_from: None };
}
