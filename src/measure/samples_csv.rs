//! `samples.csv`: one row a call cycle, in the order in which they were measured, appended a round at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use csv::{Terminator, WriterBuilder};

use super::read_samples::header;
use super::{MeasureError, Measured};
use crate::experiment::Experiment;
use crate::text::refuse_pipe;

/// The file while a run appends to it.
#[derive(Debug)]
pub struct SamplesFile {
    path: PathBuf,
    file: File,
}

impl SamplesFile {
    /// Opens the file for appending, with its header if it is new, and keeps all others from doing the same.
    ///
    /// # Errors
    /// The file cannot be opened or written, or another process has it.
    pub fn append_to(path: &Path, experiment: &Experiment) -> Result<Self, MeasureError> {
        let failed = |source| MeasureError::File { action: "open for appending", path: path.into(), source };
        refuse_pipe(path).map_err(failed)?;
        let file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::Error(source) => failed(source),
            TryLockError::WouldBlock => MeasureError::Busy { path: path.into() },
        })?;
        let mut samples = Self { path: path.into(), file };
        let header = header(experiment);
        let mut first = String::new();
        BufReader::new(&samples.file).read_line(&mut first).map_err(failed)?;
        // As for those who read it, neither a byte order mark nor the line ends of Windows are a part of it.
        match first.strip_suffix('\n') {
            Some(line) if line.trim_start_matches('\u{feff}').trim_end() == header => {}
            Some(_) => return Err(MeasureError::OtherColumns { path: path.into() }),
            // A kill left nothing, or a part of the column names.
            None => {
                samples.file.set_len(0).map_err(failed)?;
                samples.write(format!("{header}\n").as_bytes())?;
            }
        }
        Ok(samples)
    }

    /// Appends a whole round in one write, and sees it onto the disk, so that a kill loses at most the round under way.
    ///
    /// # Errors
    /// The file cannot be written, for one because the disk is full; earlier rounds are safe.
    pub fn append_round(&mut self, process: u32, round: u32, cycles: &[Measured]) -> Result<(), MeasureError> {
        let mut rows = WriterBuilder::new().terminator(Terminator::Any(b'\n')).from_writer(Vec::new());
        for measured in cycles {
            let place = [process, round, measured.point].map(u64::from);
            let row = place.iter().chain(&measured.values).map(ToString::to_string);
            rows.write_record(row).map_err(|e| self.failed(e.into()))?;
        }
        let rows = rows.into_inner().map_err(|e| self.failed(e.into_error()))?;
        self.write(&rows)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), MeasureError> {
        self.file.write_all(bytes).and_then(|()| self.file.sync_data()).map_err(|e| self.failed(e))
    }

    fn failed(&self, source: io::Error) -> MeasureError {
        MeasureError::File { action: "append samples to", path: self.path.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::MEMORY;

    #[test]
    fn samples_that_a_spreadsheet_saved_can_be_added_to() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("samples.csv");
        let experiment = &MEMORY;
        drop(SamplesFile::append_to(&file, experiment).unwrap());
        let header = std::fs::read_to_string(&file).unwrap();
        let saved = format!("\u{feff}{}\r\n", header.trim_end());
        std::fs::write(&file, &saved).unwrap();
        drop(SamplesFile::append_to(&file, experiment).unwrap());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), saved);
        std::fs::write(&file, header.replace("process", "proc")).unwrap();
        assert!(matches!(SamplesFile::append_to(&file, experiment), Err(MeasureError::OtherColumns { .. })));
    }
}
