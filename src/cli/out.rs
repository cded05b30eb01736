//! The two ways out: results to standard output, everything else to standard error.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

use anyhow::Context;

/// Shows a result. Unlike `print!` it does not panic: a reader that has left, as in `estimator ... | head`, has what it wanted.
///
/// # Errors
/// Standard output cannot be written, for one because a disk is full.
pub fn show(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write to standard output"),
        _ => Ok(()),
    }
}

/// Says a line on standard error. If nobody can hear it, the work goes on.
pub fn say(line: Arguments<'_>) {
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// Formats a line and says it on standard error.
macro_rules! tell {
    ($($argument:tt)*) => { $crate::cli::out::say(format_args!($($argument)*)) };
}

pub(crate) use tell;
