//! The two ways out: results to standard output, everything else to standard error.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Shows a result. Unlike `print!` it reports a full disk or a closed pipe as an error rather than by a panic.
///
/// # Errors
/// Standard output cannot be written.
pub fn show(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
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
