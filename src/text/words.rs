use std::error::Error;
use std::fmt::Display;
use std::path::Path;

/// One after the other, with commas between.
#[must_use]
pub fn listed(all: &[impl Display]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// How many things: `1 round`, `2 rounds`.
pub fn counted(count: impl TryInto<u64>, one: &str, many: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// A path as a shell takes it.
#[must_use]
pub fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%,=".contains(c);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// An error and its causes in one line, each said once. Of a cause with several lines, such as a backtrace of Wasmtime, the first counts.
#[must_use]
pub fn with_causes(error: &dyn Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in std::iter::successors(Some(error), |&error| error.source()) {
        let said = cause.to_string();
        let line = said.lines().next().unwrap_or_default().trim_end_matches(':');
        if !line.starts_with("error while executing at wasm backtrace") && !parts.iter().any(|part| part.contains(line))
        {
            parts.push(line.to_owned());
        }
    }
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_no_things() {
        assert_eq!([1u32, 2, 0].map(|count| counted(count, "round", "rounds")), ["1 round", "2 rounds", "0 rounds"]);
    }

    #[test]
    fn a_path_with_a_space_or_a_quote_is_one_word_of_a_shell() {
        assert_eq!(quoted(Path::new("reports/latest")), "reports/latest");
        assert_eq!(quoted(Path::new("it's here")), r"'it'\''s here'");
    }
}
