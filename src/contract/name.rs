//! Names of contracts and variants, which go into file names, tables and messages.

/// Letters, digits, `-`, `_` and `.`, the first a letter or digit.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}
