//! The ways out: results to standard output, everything else to standard error. Nothing that others wrote commands a terminal there.
//!
//! A reader that has left, as in `estimator ... | head`, has what it wanted: that is no error, and no panic as with `print!`.

use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};

use anyhow::Context;
use serde::Serialize;

use crate::text::{escaped_string, shown_lines, shown_styled};

/// How control characters of others are made visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For people: with styles where they are wanted.
    People,
    /// Programs take it, or files: the same bytes to a terminal, a pipe and a file.
    Data,
    /// The same in JSON or TOML, whose strings have a form for control characters and read back as they were.
    Strings,
}

/// Writes a part of a result; `false` if the reader has left, so that nothing more need be made for it.
///
/// # Errors
/// Standard output cannot be written, for one because a disk is full.
pub fn put(kind: Kind, text: &str) -> anyhow::Result<bool> {
    let text = safe(kind, text);
    let written = match kind {
        Kind::People => write(anstream::stdout().lock(), &text),
        Kind::Data | Kind::Strings => write(io::stdout().lock(), &text),
    };
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error).context("cannot write to standard output"),
    }
}

/// The text as it is written, to standard output or to a file that stands for it.
pub fn safe(kind: Kind, text: &str) -> Cow<'_, str> {
    match kind {
        Kind::People => shown_styled(text),
        Kind::Data => shown_lines(text),
        Kind::Strings => escaped_string(text),
    }
}

fn write(mut out: impl Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// Shows a whole result to people.
///
/// # Errors
/// As [`put`].
pub fn show(text: &str) -> anyhow::Result<()> {
    put(Kind::People, text).map(|_| ())
}

/// Writes a whole result for programs.
///
/// # Errors
/// As [`put`].
pub fn data(text: &str) -> anyhow::Result<()> {
    put(Kind::Data, text).map(|_| ())
}

/// Writes a whole result as JSON.
///
/// # Errors
/// As [`put`].
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    put(Kind::Strings, &(serde_json::to_string_pretty(value)? + "\n")).map(|_| ())
}

/// The same with the number of its format before its own keys.
///
/// # Errors
/// As [`put`].
pub fn versioned_json(format: u32, value: &impl Serialize) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Versioned<'a, T> {
        format: u32,
        #[serde(flatten)]
        value: &'a T,
    }
    json(&Versioned { format, value })
}

/// Says a line on standard error. If nobody can hear it, the work goes on.
pub fn say(line: Arguments<'_>) {
    let said = line.to_string();
    let shown = shown_lines(&said);
    let lines: Vec<Cow<'_, str>> = shown.lines().map(short).collect();
    let _ = writeln!(io::stderr().lock(), "{}", lines.join("\n"));
}

/// A line without its end where that is longer than anybody reads: values of files stand in messages.
fn short(line: &str) -> Cow<'_, str> {
    // More than the longest path of Linux (`PATH_MAX`).
    const MOST: usize = 5000;
    let left = line.chars().count().saturating_sub(MOST);
    if left == 0 {
        return line.into();
    }
    let start: String = line.chars().take(MOST).collect();
    format!("{start} … ({left} characters more)").into()
}

/// Writes a line of JSON on standard error. If nobody can hear it, the work goes on.
pub fn log(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escaped_string(line));
}

/// Formats a line and says it on standard error.
macro_rules! tell {
    ($($argument:tt)*) => { $crate::cli::out::say(format_args!($($argument)*)) };
}

pub(crate) use tell;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_a_megabyte_is_not_echoed_as_a_whole() {
        assert_eq!(short("a line"), "a line");
        let said = short(&"é".repeat(1 << 20)).into_owned();
        assert!(said.chars().count() < 6000 && said.ends_with("… (1043576 characters more)"), "{}", said.len());
    }
}
