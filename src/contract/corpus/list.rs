//! A list of paths, one a line, as `find` and Windows write them.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::CorpusError;
use super::error::STANDARD_INPUT;

const MARK: &[u8] = b"\xef\xbb\xbf";

/// What a line with a zero byte in it says of the list, since no path has one.
const ZEROS: &str = "has zero bytes in it: it takes a path a line in UTF-8, so convert UTF-16 or UTF-32 \
                     (`iconv -t UTF-8 -f` and its name), and leave -print0 out";

/// The paths of a list. A path is the bytes of its line, whatever their encoding, without a byte order mark and the line's end;
/// blanks after it count only if something has that name. Lines of blanks are left out.
///
/// What cannot be read is an error in its place. After a failure of the reader, or of the list as a whole, there is no more.
pub(super) struct List<R> {
    reader: Option<R>,
    started: bool,
}

impl<R> List<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader: Some(reader), started: false }
    }
}

impl<R: BufRead> Iterator for List<R> {
    type Item = Result<PathBuf, CorpusError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut line = Vec::new();
            match self.reader.as_mut()?.read_until(b'\n', &mut line) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(source) => {
                    // A reader that fails may do so for ever.
                    self.reader = None;
                    return Some(Err(CorpusError::Io { path: STANDARD_INPUT.into(), source }));
                }
            }
            let line = if std::mem::replace(&mut self.started, true) {
                &line[..]
            } else {
                line.strip_prefix(MARK).unwrap_or(&line)
            };
            if line.contains(&0) {
                self.reader = None;
                return Some(Err(CorpusError::List(ZEROS)));
            }
            if !line.trim_ascii().is_empty() {
                return Some(Ok(path(line)));
            }
        }
    }
}

fn path(line: &[u8]) -> PathBuf {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let whole = of_bytes(line);
    let trimmed = line.trim_ascii_end();
    // A name may end with blanks, and lists have them where names do not.
    if trimmed.len() < line.len() && whole.symlink_metadata().is_err() { of_bytes(trimmed) } else { whole }
}

#[cfg(unix)]
fn of_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned()
}

#[cfg(not(unix))]
fn of_bytes(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(list: &[u8]) -> Vec<String> {
        let shown = |path: PathBuf| crate::text::name_of(&path);
        List::new(list).map(|path| path.map_or_else(|error| error.to_string(), shown)).collect()
    }

    #[test]
    fn marks_line_ends_and_blanks_are_no_part_of_a_name() {
        assert_eq!(paths(b"\xef\xbb\xbfa.wasm\r\nb b.wasm \t\r\n \r\n\r\nc"), ["a.wasm", "b b.wasm", "c"]);
    }

    #[test]
    fn a_name_that_ends_with_a_blank_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a ");
        std::fs::write(&file, "").unwrap();
        let line = format!("{}\n", file.display());
        assert_eq!(List::new(line.as_bytes()).next().unwrap().unwrap(), file);
    }

    #[test]
    fn names_that_are_not_utf_8_end_no_list() {
        assert_eq!(paths(b"a\n\xff\xfe\nc\n"), ["a", r"\xff\xfe", "c"]);
    }

    #[test]
    fn utf_16_and_zeros_are_said_to_be_what_they_are() {
        let utf16: Vec<u8> = "\u{feff}a.wasm\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for list in [&utf16[..], b"a.wasm\0b.wasm\0"] {
            let said = paths(list);
            assert!(said.len() == 1 && said[0].contains("UTF-16") && said[0].contains("-print0"), "{said:?}");
        }
    }

    #[test]
    fn a_reader_that_fails_is_an_error_once() {
        struct Broken;
        impl std::io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("broken"))
            }
        }
        let mut list = List::new(std::io::BufReader::new(Broken));
        assert!(matches!(list.next(), Some(Err(CorpusError::Io { .. }))));
        assert!(list.next().is_none());
    }
}
