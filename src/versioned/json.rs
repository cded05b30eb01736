use std::path::Path;

use super::VersionedError;

/// What is wrong with a text in JSON that begins in line `first` of a file, with its place and its key, as of a text in TOML.
#[must_use]
pub fn json_fault(file: &Path, first: usize, text: &str, error: &serde_json::Error) -> VersionedError {
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    let reason = said.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&said);
    // A message about a field names it itself.
    let key = (!reason.contains(" field `")).then(|| key_before(text, line, column)).flatten();
    VersionedError::Fault {
        file: file.into(),
        line: first + line.saturating_sub(1),
        column: column.max(1),
        key,
        reason: reason.into(),
    }
}

/// The dotted key whose value ends at a place, which is counted in bytes.
fn key_before(text: &str, line: usize, column: usize) -> Option<String> {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let before = text.get(..start + column).unwrap_or(text);
    let (mut open, mut last, mut string, mut escaped) = (Vec::new(), "", None, false);
    for (at, c) in before.char_indices() {
        match (string, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(from), '"') => (last, string) = (&before[from..at], None),
            (None, '"') => string = Some(at + 1),
            (None, '{') => open.push(""),
            (None, '}') => _ = open.pop(),
            (None, ':') => open.last_mut().into_iter().for_each(|key| *key = last),
            _ => {}
        }
    }
    open.retain(|key| !key.is_empty());
    (!open.is_empty()).then(|| open.join("."))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_fault_in_json_has_its_file_line_column_and_key() {
        type Nested = BTreeMap<String, BTreeMap<String, u8>>;
        let said = |text: &str| {
            let error = serde_json::from_str::<Nested>(text).unwrap_err();
            json_fault(Path::new("a.json"), 3, text, &error).to_string()
        };
        assert!(said("{\"a\":{\"b\":\"x\"}}").starts_with("a.json:3:13: `a.b`: invalid type"));
        assert!(said("{\"a\":{\"b\\\":\":1},\n\"c\": 7}").starts_with("a.json:4:6: `c`: invalid type"));
        assert_eq!(said("").split(": ").next(), Some("a.json:3:1"));
    }
}
