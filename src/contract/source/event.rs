use std::path::Path;

/// What happens on the way, for a progress bar and its lines.
#[derive(Debug)]
pub enum CompileEvent<'a> {
    /// rustup is asked for the target; this takes as long as a download.
    AddingTarget {
        /// The target.
        target: &'a str,
        /// The compiler.
        toolchain: &'a str,
    },
    /// So many modules are to be made or checked.
    Started {
        /// How many.
        variants: usize,
    },
    /// One of them is done.
    Finished {
        /// Its contract.
        contract: &'a str,
        /// Its name.
        variant: &'a str,
        /// Whether it came from the cache.
        cached: bool,
    },
    /// A module could not be kept, so that it will be compiled again next time.
    NotCached {
        /// The folder of the cache.
        folder: &'a Path,
        /// The system's answer.
        error: &'a std::io::Error,
    },
}
