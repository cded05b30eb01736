//! What the kernel refuses for the moment.

use std::io;

/// Tries again what the kernel refuses for the moment: it seals the file in memory that holds a module's data only while nobody else has a page of
/// it, as whoever reclaims or moves memory has for an instant (`F_SEAL_WRITE` in `fcntl(2)`, EBUSY). It waits some tenths of a second itself.
pub(super) fn while_busy(mut attempt: impl FnMut() -> wasmtime::Result<()>) -> wasmtime::Result<()> {
    const ATTEMPTS: usize = 10;
    let is_busy = |error: &wasmtime::Error| {
        let found = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
        found.is_some_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
    };
    for _ in 1..ATTEMPTS {
        match attempt() {
            Err(error) if is_busy(&error) => {}
            done => return done,
        }
    }
    attempt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of three minutes ended by it.
    #[test]
    fn what_is_busy_for_a_moment_is_tried_again() {
        let tried = |times: usize, code: i32| {
            let mut count = 0;
            let result = while_busy(|| {
                count += 1;
                let refused = || wasmtime::Error::new(io::Error::from_raw_os_error(code)).context("sealing");
                if count <= times { Err(refused()) } else { Ok(()) }
            });
            (count, result.is_ok())
        };
        let (busy, other) = (nix::libc::EBUSY, nix::libc::ENOMEM);
        assert_eq!(
            [tried(0, busy), tried(3, busy), tried(99, busy), tried(1, other)],
            [(1, true), (4, true), (10, false), (1, false)]
        );
    }
}
