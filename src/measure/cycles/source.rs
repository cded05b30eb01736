use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Choice, WorkProcedure, point};
use crate::experiment::source::{FILE_BYTES, FILES, READING, Reading, SOURCE};
use crate::experiment::{Levels, Point};
use crate::measure::mapping::Mapping;
use crate::measure::work::Work;
use crate::measure::{MeasureError, Plan, PlannedPoint};
use crate::units::Bytes;

pub(super) const WORK: WorkProcedure = WorkProcedure { of: &SOURCE, points, ready };

/// Files and bytes of each: one small and one large, a few, and as many as a contract with its libraries has, 5 MiB in all.
const FOLDERS: [(u64, u64); 4] = [(1, 64 << 10), (1, 1 << 20), (10, 64 << 10), (100, 52 << 10)];

fn points(choice: &Choice<'_>) -> Vec<PlannedPoint> {
    let of = |reading: Reading| {
        FOLDERS.map(|(files, bytes)| {
            let levels = Levels::default().with(&READING, reading as u64).with(&FILES, files).with(&FILE_BYTES, bytes);
            let variant = format!("{files}x{}KiB-{reading}", bytes >> 10);
            let repeats = if files * bytes > 1 << 20 { 1 } else { 2 };
            PlannedPoint { point: point(choice, &SOURCE, variant, levels), repeats }
        })
    };
    [Reading::Twice, Reading::Once, Reading::Reused, Reading::Mapped].into_iter().flat_map(of).collect()
}

fn ready(_: &Plan, point: &Point) -> Result<Box<dyn Work>, MeasureError> {
    let failed =
        |source| MeasureError::File { action: "make the files to read in", path: std::env::temp_dir(), source };
    Ok(Box::new(Files::new(point).map_err(failed)?))
}

/// The files of a contract.
struct Files {
    /// They go with it.
    _folder: TempDir,
    paths: Vec<PathBuf>,
    reading: Reading,
    buffer: String,
}

impl Files {
    /// In a folder of their own. Half of their lines are of one kind, so that no two files are alike.
    fn new(point: &Point) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let length = Bytes(point.level(&FILE_BYTES)).host_size();
        let mut paths = Vec::new();
        for number in 0..point.level(&FILES) {
            let lines = format!("pub fn call_{number}(input: &[u8]) -> Vec<u8> {{ input.to_vec() }}\n");
            let text: String = lines.chars().cycle().take(length).collect();
            let path = folder.path().join(format!("{number}.rs"));
            fs::write(&path, text)?;
            paths.push(path);
        }
        Ok(Self { _folder: folder, paths, reading: point.reading(), buffer: String::new() })
    }

    /// All of them, as texts.
    fn read(&mut self) -> io::Result<Texts> {
        let texts =
            |read: fn(&Path) -> io::Result<String>| self.paths.iter().map(|path| read(path)).collect::<io::Result<_>>();
        Ok(match self.reading {
            Reading::Twice => Texts::Owned(texts(|path| Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned()))?),
            Reading::Once => Texts::Owned(texts(|path| String::from_utf8(fs::read(path)?).map_err(io::Error::other))?),
            Reading::Reused => {
                let mut bytes = 0;
                for path in &self.paths {
                    self.buffer.clear();
                    bytes += File::open(path)?.read_to_string(&mut self.buffer)?;
                    black_box(&self.buffer);
                }
                Texts::Passed(bytes)
            }
            Reading::Mapped => {
                let mapped = |path: &PathBuf| {
                    let mapping = Mapping::of_file(&File::open(path)?)?;
                    black_box(str::from_utf8(mapping.bytes()).map_err(io::Error::other)?);
                    Ok(mapping)
                };
                Texts::Mapped(self.paths.iter().map(mapped).collect::<io::Result<_>>()?)
            }
        })
    }
}

/// What was read.
enum Texts {
    Owned(Vec<String>),
    Mapped(Vec<Mapping>),
    /// So many bytes, one file after the other.
    Passed(usize),
}

impl Texts {
    fn len(&self) -> usize {
        match self {
            Self::Owned(texts) => texts.iter().map(String::len).sum(),
            Self::Mapped(mappings) => mappings.iter().map(|mapping| mapping.bytes().len()).sum(),
            Self::Passed(bytes) => *bytes,
        }
    }
}

impl Work for Files {
    fn once(&mut self, lap: &mut dyn FnMut()) -> Result<(), MeasureError> {
        lap();
        let texts = self.read();
        lap();
        let bytes = texts.as_ref().map(Texts::len).unwrap_or_default();
        drop(texts.map_err(|source| MeasureError::File {
            action: "read the files in",
            path: self.paths.first().cloned().unwrap_or_default(),
            source,
        })?);
        lap();
        black_box(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Counting;

    /// Allocations for each file, the list of texts apart, and bytes of all.
    fn of(reading: Reading) -> (u64, u64) {
        let levels = Levels::default().with(&READING, reading as u64).with(&FILES, 10).with(&FILE_BYTES, 20_000);
        let mut files = Files::new(&Point { levels, ..Point::default() }).unwrap();
        assert_eq!(files.read().unwrap().len(), 200_000);
        let counting = Counting::begin();
        let texts = files.read().unwrap();
        let found = counting.end();
        drop(texts);
        (found.count / 10, found.bytes)
    }

    #[test]
    fn each_way_of_reading_allocates_and_copies_as_it_says() {
        let found = [Reading::Twice, Reading::Once, Reading::Reused, Reading::Mapped].map(of);
        assert_eq!(found.map(|(count, _)| count), [2, 1, 0, 0], "{found:?}");
        let copies = found.map(|(_, bytes)| bytes / 200_000);
        assert_eq!(copies, [2, 1, 0, 0], "{found:?}");
    }
}
