use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::CorpusError;

/// A file that may be a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// How tables name it: relative to the folder if only one folder was given, otherwise as the path.
    pub name: String,
}

/// The files that the paths of a command line lead to, one after the other, found as they are asked for.
///
/// A path is a file of any name, a folder of `.wasm` and `.wasm.gz` files at any depth, a pattern such as `near/*.wasm`, or
/// `-` for a list of such paths, one a line. Folders and patterns are in alphabetical order. Links to folders are not followed
/// below the paths given, so that no loop is.
pub struct Walk<'a> {
    pending: Box<dyn Iterator<Item = Result<PathBuf, CorpusError>> + 'a>,
    current: Option<Box<dyn Iterator<Item = Result<PathBuf, CorpusError>>>>,
    root: Option<PathBuf>,
}

impl<'a> Walk<'a> {
    /// Of these paths; `list` is what `-` reads.
    pub fn new(paths: &'a [PathBuf], list: impl BufRead + 'a) -> Self {
        let root = match paths {
            [only] if only.is_dir() => Some(only.clone()),
            _ => None,
        };
        let mut list = Some(list);
        let pending = paths.iter().flat_map(move |path| {
            let lines = (path == Path::new("-")).then(|| list.take()).flatten();
            let own = (path != Path::new("-")).then(|| Ok(path.clone()));
            own.into_iter().chain(lines.into_iter().flat_map(listed))
        });
        Self { pending: Box::new(pending), current: None, root }
    }

    fn found(&self, path: PathBuf) -> Found {
        let name = self.root.as_ref().and_then(|root| path.strip_prefix(root).ok()).unwrap_or(&path);
        Found { name: name.display().to_string(), path }
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<Found, CorpusError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(file) = self.current.as_mut().and_then(Iterator::next) {
                return Some(file.map(|path| self.found(path)));
            }
            match self.pending.next()?.and_then(|path| expanded(&path)) {
                Ok(files) => self.current = Some(files),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn listed(list: impl BufRead) -> impl Iterator<Item = Result<PathBuf, CorpusError>> {
    let error = |source| CorpusError::Io { path: "standard input".into(), source };
    let mut failed = false;
    list.lines()
        // A reader that fails may do so for ever.
        .take_while(move |line| !std::mem::replace(&mut failed, line.is_err()))
        .filter(|line| line.as_ref().map_or(true, |line| !line.trim().is_empty()))
        .map(move |line| line.map(|line| PathBuf::from(line.trim_end_matches('\r'))).map_err(error))
}

type Files = Box<dyn Iterator<Item = Result<PathBuf, CorpusError>>>;

fn expanded(path: &Path) -> Result<Files, CorpusError> {
    if path.is_dir() {
        return folder(path);
    }
    // A link that leads nowhere is a file that is missing, and named as one.
    if path.exists() || path.is_symlink() {
        return Ok(Box::new(std::iter::once(Ok(path.to_owned()))));
    }
    let nothing = || CorpusError::Nothing(path.to_owned());
    let pattern = path.to_str().filter(|text| text.contains(['*', '?', '['])).ok_or_else(nothing)?;
    let matches = glob::glob(pattern).map_err(|source| CorpusError::Pattern { pattern: pattern.into(), source })?;
    let files = matches.filter_map(|entry| match entry {
        // Nobody writes into a pipe that lies about: reading it would never end. One that is named itself is meant.
        Ok(path) if path.exists() && !path.is_file() => None,
        Ok(path) => Some(Ok(path)),
        Err(error) => Some(Err(CorpusError::Io { path: error.path().into(), source: error.into() })),
    });
    some(files, nothing)
}

fn folder(path: &Path) -> Result<Files, CorpusError> {
    let folder = path.to_owned();
    let empty = || CorpusError::Empty(path.to_owned());
    let files = WalkDir::new(path).sort_by_file_name().into_iter().filter_map(move |entry| match entry {
        Ok(entry) if !is_module(entry.path()) => None,
        Ok(entry) if entry.path().exists() && !entry.path().is_file() => None,
        Ok(entry) => Some(Ok(entry.into_path())),
        Err(error) => {
            let path = error.path().unwrap_or(&folder).to_owned();
            let source = error.into_io_error().unwrap_or_else(|| io::Error::other("a loop of links"));
            Some(Err(CorpusError::Io { path, source }))
        }
    });
    some(files, empty)
}

fn is_module(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let module = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
    module.extension().is_some_and(|extension| extension == "wasm")
}

/// The files, if there is at least one.
fn some(
    files: impl Iterator<Item = Result<PathBuf, CorpusError>> + 'static,
    none: impl FnOnce() -> CorpusError,
) -> Result<Files, CorpusError> {
    let mut files = files.peekable();
    if files.peek().is_none() { Err(none()) } else { Ok(Box::new(files)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[PathBuf], list: &str) -> Vec<String> {
        let name = |found: Result<Found, CorpusError>| found.map_or_else(|error| error.reason(), |found| found.name);
        Walk::new(paths, list.as_bytes()).map(name).collect()
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("b")).unwrap();
        for name in ["c.wasm", "a.wasm", "b/d.wasm.gz", "b/notes.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_is_walked_in_order_and_names_are_relative_to_it() {
        let folder = folder();
        assert_eq!(names(&[folder.path().into()], ""), ["a.wasm", "b/d.wasm.gz", "c.wasm"]);
        let twice = names(&[folder.path().into(), folder.path().join("a.wasm")], "");
        assert_eq!((twice.len(), &twice[3]), (4, &folder.path().join("a.wasm").display().to_string()));
    }

    #[test]
    fn patterns_files_of_any_name_and_lists() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(names(&[at("*.wasm")], "").len(), 2);
        assert_eq!(names(&[at("b/notes.txt")], "").len(), 1);
        let list = format!("{}\r\n\n{}\n", at("a.wasm").display(), at("b").display());
        assert_eq!(names(&["-".into(), at("c.wasm")], &list).len(), 3);
        assert_eq!(names(&["-".into(), "-".into()], &list).len(), 2, "it can be read once");
    }

    #[test]
    fn what_is_not_there_is_an_error_and_the_rest_goes_on() {
        let folder = folder();
        let empty = tempfile::tempdir().unwrap();
        let paths = [folder.path().join("x*.wasm"), empty.path().into(), "a[".into(), folder.path().join("a.wasm")];
        let found: Vec<_> = Walk::new(&paths, "".as_bytes()).collect();
        assert_eq!(found.iter().filter(|found| matches!(found, Err(error) if error.is_usage())).count(), 3);
        assert!(found[3].is_ok());
    }
}
