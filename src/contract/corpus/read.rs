use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::error::{CorpusError, MODULE_MAX};
use crate::contract::module::foreign::dangling;
use crate::units::Bytes;

/// The first bytes of a gzip file ([RFC 1952](https://www.rfc-editor.org/rfc/rfc1952)).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads a file whole and decompresses it if it is gzip, which its first bytes tell and not its name.
///
/// # Errors
/// [`CorpusError::Io`] if it cannot be read or decompressed, [`CorpusError::TooLarge`] beyond [`MODULE_MAX`].
pub fn read_module(path: &Path) -> Result<Vec<u8>, CorpusError> {
    let mut bytes = Vec::new();
    read_module_into(path, &mut bytes)?;
    Ok(bytes)
}

/// The same into a buffer that is used again: a new one for each file is paid for in page faults.
///
/// # Errors
/// As [`read_module`].
pub fn read_module_into(path: &Path, bytes: &mut Vec<u8>) -> Result<(), CorpusError> {
    let io = |source| CorpusError::Io { path: path.into(), source: dangling(path).map_or(source, io::Error::other) };
    let too_large = || CorpusError::TooLarge(path.into());
    let file = File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    if !read_all(file, size, bytes).map_err(io)? {
        return Err(too_large());
    }
    if bytes.starts_with(&GZIP) {
        let mut module = Vec::new();
        if !read_all(MultiGzDecoder::new(&bytes[..]), decompressed(bytes), &mut module).map_err(io)? {
            return Err(too_large());
        }
        *bytes = module;
    }
    Ok(())
}

/// What the last four bytes of a gzip file say that it holds, which need not be so.
fn decompressed(gzip: &[u8]) -> u64 {
    /// No compressed byte stands for more (the limit of DEFLATE, [RFC 1951](https://www.rfc-editor.org/rfc/rfc1951)).
    const MOST: u64 = 1032;
    let said = gzip.last_chunk().map_or(0, |size| u64::from(u32::from_le_bytes(*size)));
    said.min(gzip.len() as u64 * MOST)
}

/// All bytes in the place of what is in the buffer, in one allocation at most if there are as many as expected; `false` if there are more
/// than [`MODULE_MAX`].
fn read_all(reader: impl Read, expected: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    bytes.reserve_exact(Bytes(expected.min(MODULE_MAX.0)).host_size());
    reader.take(MODULE_MAX.0 + 1).read_to_end(bytes)?;
    Ok(bytes.len() as u64 <= MODULE_MAX.0)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn plain_and_compressed_files_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"\0asm").unwrap();
        assert_eq!(read_module(&path).unwrap(), b"\0asm");
        std::fs::write(&path, zipped(b"\0asm")).unwrap();
        assert_eq!(read_module(&path).unwrap(), b"\0asm");
    }

    #[test]
    fn broken_compression_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.gz");
        let whole = zipped(&[7; 1000]);
        for end in 2..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            assert!(read_module(&path).unwrap_err().to_string().contains("cut.gz"));
        }
    }

    #[test]
    fn a_bomb_is_refused_before_it_fills_the_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.gz");
        // A gzip file may have many members; each of these holds 16 MiB.
        let member = zipped(&vec![0; 16 << 20]);
        std::fs::write(&path, member.repeat(17)).unwrap();
        assert!(matches!(read_module(&path), Err(CorpusError::TooLarge(_))));
    }
}
