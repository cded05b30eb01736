//! From an archive to files, of which none lies elsewhere than it should.

use std::fs::File;
use std::io::{self, Cursor, Read, Write as _};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;
use tar::{Archive, EntryType};

use super::content::FILES;
use super::error::ReceiveError;
use crate::units::Bytes;

/// The first bytes of gzip and of zstd ([RFC 8878](https://www.rfc-editor.org/rfc/rfc8878)).
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The most that zstd may look back, which is the memory that it takes: enough for `zstd -19`.
const WINDOW: u64 = 8 << 20;

/// Entries of an archive, of which a run needs some ten.
const ENTRIES: usize = 10_000;

/// Writes the files of a run that are in an archive into a folder, and passes over all that can be made of them again. They may stand at
/// the top of the archive or in a folder of the run's name.
pub(super) fn unpack(archive: impl Read, run: &str, into: &Path, most: Bytes) -> Result<(), ReceiveError> {
    let mut plain = Limited { inner: decompressed(archive)?, left: most.0, is_over: false };
    let taken = take(&mut plain, run, into);
    if plain.is_over {
        return Err(ReceiveError::TooLarge(most));
    }
    taken
}

fn take(plain: &mut Limited<impl Read>, run: &str, into: &Path) -> Result<(), ReceiveError> {
    let mut tar = Archive::new(&mut *plain);
    // Raw, so that no entry can give the next one another name or size.
    let entries = tar.entries().map_err(broken)?.raw(true);
    for (number, entry) in entries.enumerate() {
        let mut entry = entry.map_err(broken)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let refused =
            |reason: &str| Err(ReceiveError::Archive(format!("`{}` in the archive {reason}", name.escape_debug())));
        if number >= ENTRIES {
            return refused("is one too many");
        }
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Directory => {}
            EntryType::XHeader | EntryType::XGlobalHeader => continue,
            EntryType::Symlink | EntryType::Link => return refused("is a link: send what it leads to"),
            _ => return refused("is neither a file nor a folder"),
        }
        let Some(place) = place(&name, run) else { return refused("leads out of the run's folder") };
        let Some((file, most)) = FILES.iter().find(|(file, _)| *file == place) else { continue };
        if entry.header().entry_type() != EntryType::Regular {
            return refused("is a folder where a file of a run has its place");
        }
        if entry.size() > most.0 {
            return refused(&format!("is larger than {most}"));
        }
        let made = File::options().write(true).create_new(true).open(into.join(file));
        match made {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return refused("is there twice"),
            made => copy(&mut entry, made.map_err(ReceiveError::disk)?)?,
        }
    }
    // What follows the last entry says whether the upload is whole.
    io::copy(plain, &mut io::sink()).map_err(broken)?;
    Ok(())
}

fn copy(entry: &mut impl Read, mut file: File) -> Result<(), ReceiveError> {
    let mut part = vec![0; 64 << 10];
    loop {
        let length = entry.read(&mut part).map_err(broken)?;
        if length == 0 {
            return file.sync_all().map_err(ReceiveError::disk);
        }
        file.write_all(&part[..length]).map_err(ReceiveError::disk)?;
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
fn broken(error: io::Error) -> ReceiveError {
    ReceiveError::Archive(format!("the archive cannot be read: {error}"))
}

/// Where in the folder of the run a name leads; `None` if it leads out of it.
fn place(name: &str, run: &str) -> Option<String> {
    if name.starts_with('/') || name.contains(['\\', '\0']) {
        return None;
    }
    let mut parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return None;
    }
    if parts.first() == Some(&run) {
        parts.remove(0);
    }
    Some(parts.join("/"))
}

/// Takes off gzip or zstd, which the first bytes tell.
fn decompressed<'a>(mut archive: impl Read + 'a) -> Result<Box<dyn Read + 'a>, ReceiveError> {
    let mut head = Vec::new();
    archive.by_ref().take(4).read_to_end(&mut head).map_err(broken)?;
    let whole = Cursor::new(head.clone()).chain(archive);
    if head.starts_with(GZIP) {
        return Ok(Box::new(MultiGzDecoder::new(whole)));
    }
    if head.starts_with(ZSTD) {
        let decoder = StreamingDecoder::new_with_max_window_size(whole, WINDOW);
        return Ok(Box::new(decoder.map_err(|error| broken(io::Error::other(error.to_string())))?));
    }
    Ok(Box::new(whole))
}

/// Ends with an error where there is more than it lets through.
struct Limited<R> {
    inner: R,
    left: u64,
    is_over: bool,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, part: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(part)?;
        let Some(left) = self.left.checked_sub(length as u64) else {
            self.is_over = true;
            return Err(io::Error::other("it is too large"));
        };
        self.left = left;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, Header};

    use super::*;

    fn entry(builder: &mut Builder<Vec<u8>>, kind: EntryType, name: &[u8], content: &[u8]) {
        let mut header = Header::new_ustar();
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        // By hand, since the library refuses to write what others send.
        header.as_mut_bytes()[..name.len()].copy_from_slice(name);
        header.set_cksum();
        builder.append(&header, content).unwrap();
    }

    fn archive(entries: &[(EntryType, &[u8], &[u8])]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for (kind, name, content) in entries {
            entry(&mut builder, *kind, name, content);
        }
        builder.into_inner().unwrap()
    }

    /// The files that there are then, or why there are none.
    fn unpacked(archive: &[u8]) -> Result<Vec<(String, String)>, ReceiveError> {
        let folder = tempfile::tempdir().unwrap();
        unpack(archive, "run", folder.path(), Bytes(1 << 20))?;
        let mut found: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| {
                let path = entry.unwrap().path();
                (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
            })
            .collect();
        found.sort();
        Ok(found)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn files_of_a_run_are_taken_from_the_top_or_from_its_folder_in_every_coding() {
        let wanted = vec![("run.toml".to_owned(), "a".to_owned()), ("samples.csv".to_owned(), "b".to_owned())];
        for prefix in ["", "./", "run/", "./run/"] {
            let name = |file: &str| format!("{prefix}{file}").into_bytes();
            let plain = archive(&[
                (EntryType::Directory, &name("plots/"), b""),
                (EntryType::XHeader, b"pax", b"11 path=/x\n"),
                (EntryType::Regular, &name("run.toml"), b"a"),
                (EntryType::Regular, &name("report.html"), b"<script>"),
                (EntryType::Regular, &name("plots/x.svg"), b"<script>"),
                (EntryType::Regular, &name("samples.csv"), b"b"),
            ]);
            assert_eq!(unpacked(&plain).unwrap(), wanted, "{prefix}");
            assert_eq!(unpacked(&gzip(&plain)).unwrap(), wanted, "{prefix}");
            let zstd = ruzstd::encoding::compress_to_vec(&plain[..], ruzstd::encoding::CompressionLevel::Fastest);
            assert_eq!(unpacked(&zstd).unwrap(), wanted, "{prefix}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_links_and_devices_are_refused() {
        for name in
            ["/run.toml", "../run.toml", "run/../../run.toml", "plots/../../x", "a\\..\\b", "other/..", "run/.."]
        {
            let refused = unpacked(&archive(&[(EntryType::Regular, name.as_bytes(), b"x")])).unwrap_err().to_string();
            assert!(refused.contains("leads out"), "{name}: {refused}");
        }
        for kind in [EntryType::Symlink, EntryType::Link, EntryType::Fifo, EntryType::Char, EntryType::Block] {
            assert!(unpacked(&archive(&[(kind, b"run.toml", b"")])).is_err(), "{kind:?}");
        }
        for kind in [EntryType::GNULongName, EntryType::GNULongLink, EntryType::GNUSparse] {
            assert!(unpacked(&archive(&[(kind, b"x", b"/etc/x\0")])).is_err(), "{kind:?}");
        }
        let twice = [(EntryType::Regular, &b"run.toml"[..], &b"a"[..]), (EntryType::Regular, b"run/run.toml", b"b")];
        assert!(unpacked(&archive(&twice)).unwrap_err().to_string().contains("twice"));
        let folder = unpacked(&archive(&[(EntryType::Directory, b"run.toml/", b"")]));
        assert!(folder.unwrap_err().to_string().contains("folder"));
    }

    #[test]
    fn no_file_that_is_read_whole_is_larger_than_such_a_file_is() {
        let large = vec![b' '; (1 << 20) + 1];
        for (name, is_taken) in
            [("night.json", false), ("chain.toml", false), ("samples.csv", true), ("run.toml", true)]
        {
            let sent = archive(&[(EntryType::Regular, name.as_bytes(), &large)]);
            let folder = tempfile::tempdir().unwrap();
            let taken = unpack(&sent[..], "run", folder.path(), Bytes(4 << 20));
            assert_eq!(taken.is_ok(), is_taken, "{name}");
            assert!(is_taken || taken.unwrap_err().to_string().contains("is larger than 1 MiB"));
        }
    }

    #[test]
    fn bombs_end_at_the_limit_and_what_is_cut_off_is_no_archive() {
        let large = vec![0; 2 << 20];
        let bomb = archive(&[(EntryType::Regular, b"samples.csv", &large)]);
        assert!(matches!(unpacked(&gzip(&bomb)), Err(ReceiveError::TooLarge(Bytes(1_048_576)))));
        // What is passed over counts as well, and so does what follows the end.
        let passed_over = archive(&[(EntryType::Regular, b"report.html", &large)]);
        assert!(matches!(unpacked(&gzip(&passed_over)), Err(ReceiveError::TooLarge(_))));
        let mut trailed = archive(&[(EntryType::Regular, b"run.toml", b"a")]);
        trailed.extend(&large);
        assert!(matches!(unpacked(&gzip(&trailed)), Err(ReceiveError::TooLarge(_))));
        let whole = gzip(&archive(&[(EntryType::Regular, b"run.toml", b"a")]));
        for end in 5..whole.len() {
            assert!(matches!(unpacked(&whole[..end]), Err(ReceiveError::Archive(_))), "cut at {end}");
        }
        assert!(matches!(unpacked(b"<html>no archive at all</html>"), Err(ReceiveError::Archive(_))));
    }
}
