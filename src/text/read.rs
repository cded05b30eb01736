use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Reads a text file: UTF-8, with or without a byte order mark.
///
/// # Errors
/// What the file system says, or as [`decoded`]. Neither names the file.
pub fn read_text(path: &Path) -> io::Result<String> {
    decoded(fs::read(path)?)
}

/// The same of a file that was looked for rather than named: a pipe in its place is refused.
///
/// # Errors
/// As [`read_text`].
pub fn read_found(path: &Path) -> io::Result<String> {
    refuse_pipe(path)?;
    read_text(path)
}

/// Nobody may ever write into a pipe that stands in the place of a file: reading it would never end. One that is named is meant.
///
/// # Errors
/// It is a pipe.
pub fn refuse_pipe(path: &Path) -> io::Result<()> {
    match path.metadata() {
        Ok(found) if is_pipe(found.file_type()) => {
            Err(io::Error::new(ErrorKind::InvalidInput, "it is a pipe, not a file"))
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn is_pipe(found: fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&found)
}

/// Elsewhere pipes have names of their own.
#[cfg(not(unix))]
const fn is_pipe(_: fs::FileType) -> bool {
    false
}

/// The text of these bytes, without a byte order mark.
///
/// # Errors
/// [`ErrorKind::InvalidData`] for other bytes than UTF-8, which says that they are UTF-16 or UTF-32 if they are.
pub fn decoded(bytes: Vec<u8>) -> io::Result<String> {
    let wrong = |reason: String| Err(io::Error::new(ErrorKind::InvalidData, reason));
    if let Some(wide) = wide(&bytes) {
        return wrong(format!("it is {wide}: save it as UTF-8, or convert it with `iconv -f {wide} -t UTF-8`"));
    }
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            if text.starts_with('\u{feff}') {
                text.drain(..'\u{feff}'.len_utf8());
            }
            Ok(text)
        }
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].split(|&byte| byte == b'\n').count();
            wrong(format!("it is not UTF-8, from line {line} on: save it as UTF-8"))
        }
    }
}

/// The encoding of more than a byte a letter, by its byte order mark, or by the zero bytes that every line of it begins with in
/// programs' files, whose keys are ASCII. The mark of UTF-32 begins with that of UTF-16.
fn wide(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] | [1..=255, 0, 0, 0, ..] | [0, 0, 0, 1..=255, ..] => {
            Some("UTF-32")
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [1..=255, 0, 1..=255, 0, ..] | [0, 1..=255, 0, 1..=255, ..] => {
            Some("UTF-16")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        assert_eq!(decoded(b"\xef\xbb\xbfformat = 1\r\n".to_vec()).unwrap(), "format = 1\r\n");
        assert_eq!(decoded("a\u{feff}".into()).unwrap(), "a\u{feff}", "only at the beginning");
        assert_eq!(decoded(Vec::new()).unwrap(), "");
    }

    #[test]
    fn a_pipe_in_the_place_of_a_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("nightly.toml");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(read_found(&pipe).unwrap_err().kind(), ErrorKind::InvalidInput);
    }

    #[test]
    fn utf_16_is_said_to_be_what_it_is() {
        for text in ["\u{feff}format = 1\n", "format = 1\n"] {
            for order in [u16::to_le_bytes, u16::to_be_bytes] {
                let error = decoded(utf16(text, order)).unwrap_err();
                assert!(error.to_string().contains("UTF-16"), "{error}");
            }
        }
    }

    #[test]
    fn utf_32_is_not_said_to_be_utf_16() {
        for text in ["\u{feff}format = 1\n", "format = 1\n"] {
            for order in [u32::to_le_bytes, u32::to_be_bytes] {
                let error = decoded(text.chars().map(u32::from).flat_map(order).collect()).unwrap_err();
                assert!(error.to_string().contains("iconv -f UTF-32"), "{error}");
            }
        }
    }

    #[test]
    fn what_is_not_utf_8_is_named_with_its_line() {
        let error = decoded(b"a\nb\xff\n".to_vec()).unwrap_err();
        assert!(error.to_string().contains("not UTF-8, from line 2 on"), "{error}");
    }
}
