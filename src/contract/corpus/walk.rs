use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf, absolute};
use std::rc::Rc;

use walkdir::WalkDir;

use super::CorpusError;
use super::list::List;
use super::pattern::{is_pattern, matches};
use crate::text::name_of;

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
/// `-` for a list of such paths, one a line. A pattern stands for all that it finds, folders among it, as if it was named. Folders and
/// patterns are in alphabetical order. Whatever is named, or named like a module in a folder, comes out: as a file, or as the
/// reason why it is none, and a file that several paths lead to once. Links to folders are not followed below the paths given, so that no loop is; they are counted.
pub struct Walk<'a> {
    pending: Box<dyn Iterator<Item = Result<PathBuf, CorpusError>> + 'a>,
    current: Option<Files>,
    root: Option<PathBuf>,
    /// Files so far, unless there is one folder alone, in which nothing is found twice.
    seen: HashSet<PathBuf>,
    passed_by: Rc<Cell<usize>>,
}

impl<'a> Walk<'a> {
    /// Of these paths; `list` is what `-` reads.
    pub fn new(paths: &'a [PathBuf], list: impl BufRead + 'a) -> Self {
        let root = match paths {
            [only] if only.is_dir() => Some(only.clone()),
            _ => None,
        };
        let mut list = Some(List::new(list));
        let pending = paths.iter().flat_map(move |path| {
            let lines = (path == Path::new("-")).then(|| list.take()).flatten();
            let own = (path != Path::new("-")).then(|| Ok(path.clone()));
            own.into_iter().chain(lines.into_iter().flatten())
        });
        Self { pending: Box::new(pending), current: None, root, seen: HashSet::new(), passed_by: Rc::default() }
    }

    /// Links to folders that were not followed so far.
    #[must_use]
    pub fn passed_by(&self) -> usize {
        self.passed_by.get()
    }

    /// What is behind a link is a contract of its own name.
    fn is_new(&mut self, path: &Path) -> bool {
        self.root.is_some() || self.seen.insert(absolute(path).unwrap_or_else(|_| path.to_owned()))
    }

    fn found(&self, path: PathBuf) -> Found {
        let name = self.root.as_ref().and_then(|root| path.strip_prefix(root).ok()).unwrap_or(&path);
        Found { name: name_of(name), path }
    }

    fn expanded(&self, path: &Path) -> Result<Files, CorpusError> {
        let nothing = || CorpusError::Nothing(path.to_owned());
        if path.is_dir() {
            return folder(path, &self.passed_by);
        }
        // A broken link is there, and reading it tells what is wrong.
        if path.symlink_metadata().is_ok() {
            return Ok(Box::new(std::iter::once(Ok(path.to_owned()))));
        }
        let pattern = path.to_str().filter(|text| is_pattern(text)).ok_or_else(nothing)?;
        let passed_by = Rc::clone(&self.passed_by);
        // What is in the folders that `**` finds, it finds as well.
        let deep = pattern.contains("**");
        let files = matches(pattern)?.into_iter().flat_map(move |found| -> Files {
            match found {
                Ok(path) if path.is_dir() && deep => Box::new(std::iter::empty()),
                // A pattern does not say that there is a contract in each.
                Ok(path) if path.is_dir() => folder(&path, &passed_by).unwrap_or_else(|_| Box::new(std::iter::empty())),
                found => Box::new(std::iter::once(found.and_then(regular))),
            }
        });
        some(files, nothing)
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<Found, CorpusError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(file) = self.current.as_mut().and_then(Iterator::next) {
                match file {
                    Ok(path) if !self.is_new(&path) => continue,
                    file => return Some(file.map(|path| self.found(path))),
                }
            }
            match self.pending.next()?.and_then(|path| self.expanded(&path)) {
                Ok(files) => self.current = Some(files),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

type Files = Box<dyn Iterator<Item = Result<PathBuf, CorpusError>>>;

/// Nobody writes into a pipe that lies about: reading it would never end. One that is named itself is meant.
fn regular(path: PathBuf) -> Result<PathBuf, CorpusError> {
    match path.metadata() {
        Ok(found) if !found.is_file() => Err(CorpusError::NoFile(path)),
        // What is wrong with a broken link is said where it is read.
        _ => Ok(path),
    }
}

fn folder(path: &Path, passed_by: &Rc<Cell<usize>>) -> Result<Files, CorpusError> {
    let (folder, passed_by) = (path.to_owned(), Rc::clone(passed_by));
    let empty = || CorpusError::Empty(path.to_owned());
    let files = WalkDir::new(path).sort_by_file_name().into_iter().filter_map(move |entry| match entry {
        Ok(entry) if entry.file_type().is_dir() => None,
        Ok(entry) if entry.path_is_symlink() && entry.path().is_dir() => {
            passed_by.set(passed_by.get() + 1);
            None
        }
        Ok(entry) => is_module(entry.path()).then(|| regular(entry.into_path())),
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
    }

    #[test]
    fn a_file_that_is_named_twice_comes_out_once() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("a.wasm", at("z.wasm")).unwrap();
        let list = format!("{}\n{}\n", at("a.wasm").display(), at("b/d.wasm.gz").display());
        let found = names(&[folder.path().into(), at("a.wasm"), at("./a.wasm"), at("*.wasm"), "-".into()], &list);
        let expected = ["a.wasm", "b/d.wasm.gz", "c.wasm", "z.wasm"].map(|name| at(name).display().to_string());
        assert_eq!(found, expected);
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
