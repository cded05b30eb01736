//! Patterns such as `near/*.wasm`.

use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use glob::Pattern;

use super::CorpusError;

/// What stands between two slashes of a pattern.
enum Part {
    /// This name.
    Name(PathBuf),
    /// Every name that the pattern finds.
    Any(Pattern),
    /// Any number of folders, links apart.
    Deep,
}

/// What a pattern finds, in alphabetical order, folders that cannot be read among it as errors.
///
/// The crate `glob` leaves out every name that is not UTF-8, so that it matches here and folders are listed by hand.
pub(super) fn matches(pattern: &str) -> Result<Vec<Result<PathBuf, CorpusError>>, CorpusError> {
    let wrong = |source| CorpusError::Pattern { pattern: pattern.into(), source };
    Pattern::new(pattern).map_err(wrong)?;
    let mut parts: Vec<Part> = Vec::new();
    for component in Path::new(pattern).components() {
        let name = component.as_os_str().to_string_lossy();
        parts.push(match component {
            Component::Normal(_) if name == "**" => Part::Deep,
            Component::Normal(_) if is_pattern(&name) => Part::Any(Pattern::new(&name).map_err(wrong)?),
            other => Part::Name(other.as_os_str().into()),
        });
    }
    parts.dedup_by(|one, other| matches!((one, other), (Part::Deep, Part::Deep)));
    let mut found = Vec::new();
    find(Path::new(""), &parts, &mut found);
    found.sort_by(|one, other| place(one).cmp(place(other)));
    Ok(found)
}

fn place(found: &Result<PathBuf, CorpusError>) -> &Path {
    match found {
        Ok(path) | Err(CorpusError::Io { path, .. }) => path,
        Err(_) => Path::new(""),
    }
}

/// Whether a text is more than a name.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn find(folder: &Path, parts: &[Part], found: &mut Vec<Result<PathBuf, CorpusError>>) {
    let Some((part, rest)) = parts.split_first() else {
        found.push(Ok(folder.to_owned()));
        return;
    };
    match part {
        Part::Name(name) => {
            let path = folder.join(name);
            if path.symlink_metadata().is_ok() {
                find(&path, rest, found);
            }
        }
        Part::Any(pattern) => {
            for path in listed(folder, found) {
                let matches = path.file_name().is_some_and(|name| pattern.matches(&name.to_string_lossy()));
                if matches && (rest.is_empty() || path.is_dir()) {
                    find(&path, rest, found);
                }
            }
        }
        Part::Deep => {
            if !rest.is_empty() {
                find(folder, rest, found);
            }
            for path in listed(folder, found) {
                if path.is_dir() && !path.is_symlink() {
                    find(&path, parts, found);
                } else if rest.is_empty() {
                    found.push(Ok(path));
                }
            }
        }
    }
}

/// What is in a folder by name. A folder that cannot be listed is added to what is found.
fn listed(folder: &Path, found: &mut Vec<Result<PathBuf, CorpusError>>) -> Vec<PathBuf> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let names = || -> io::Result<Vec<PathBuf>> {
        std::fs::read_dir(here)?.map(|entry| Ok(folder.join(entry?.file_name()))).collect()
    };
    match names() {
        Ok(mut paths) => {
            paths.sort_unstable();
            paths
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Vec::new(),
        Err(source) => {
            found.push(Err(CorpusError::Io { path: here.into(), source }));
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(folder: &Path, pattern: &str) -> Vec<String> {
        let whole = folder.join(pattern);
        let short = |path: PathBuf| crate::text::name_of(path.strip_prefix(folder).unwrap());
        let found = matches(whole.to_str().unwrap()).unwrap();
        found.into_iter().map(|path| path.map_or_else(|error| error.to_string(), short)).collect()
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b/c/d.wasm", "b/e.wasm", "a.wasm", "f.txt"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn patterns_find_in_alphabetical_order() {
        let folder = folder();
        let found = |pattern| found(folder.path(), pattern);
        assert_eq!(found("*.wasm"), ["a.wasm"]);
        assert_eq!(found("[a-b]*"), ["a.wasm", "b"]);
        assert_eq!(found("*/?.wasm"), ["b/e.wasm"]);
        assert_eq!(found("b/../*.txt"), ["b/../f.txt"]);
        assert_eq!(found("**/*.wasm"), ["a.wasm", "b/c/d.wasm", "b/e.wasm"]);
        assert_eq!(found("b/**"), ["b/c/d.wasm", "b/e.wasm"]);
        assert_eq!(found("*/*/*/*"), [""; 0]);
        assert!(matches("a[").is_err() && matches("a**/b").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf_8_are_found() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = folder();
        std::fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.wasm")), "").unwrap();
        assert_eq!(found(folder.path(), "*.wasm"), ["a.wasm", r"\xff.wasm"]);
    }

    #[cfg(unix)]
    #[test]
    fn loops_of_links_end() {
        let folder = folder();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("b/again")).unwrap();
        assert_eq!(found(folder.path(), "**/d.wasm"), ["b/c/d.wasm"]);
    }
}
