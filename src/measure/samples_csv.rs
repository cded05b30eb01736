//! `samples.csv`: one row a call cycle, appended a round at a time as it is measured.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use csv::Terminator;

use super::{DesignPoint, MeasureError, Measured, Plan};

/// The columns, in order. Later versions only add to them.
pub const COLUMNS: [&str; 22] = [
    "run",
    "process",
    "round",
    "order",
    "contract",
    "variant",
    "strategy",
    "initial_pages",
    "stack_bytes",
    "touched_pages",
    "data_bytes",
    "instantiate_ns",
    "first_touch_ns",
    "warm_touch_ns",
    "reset_ns",
    "minor_faults",
    "probe_ns",
    "previous",
    "write_width",
    "threads",
    "caches",
    "beside",
];

/// Indices into [`COLUMNS`].
pub(super) mod column {
    pub const RUN: usize = 0;
    pub const PROCESS: usize = 1;
    pub const ROUND: usize = 2;
    pub const ORDER: usize = 3;
    pub const CONTRACT: usize = 4;
    pub const VARIANT: usize = 5;
    pub const STRATEGY: usize = 6;
    pub const INITIAL_PAGES: usize = 7;
    pub const STACK_BYTES: usize = 8;
    pub const TOUCHED_PAGES: usize = 9;
    pub const DATA_BYTES: usize = 10;
    pub const INSTANTIATE_NS: usize = 11;
    pub const FIRST_TOUCH_NS: usize = 12;
    pub const WARM_TOUCH_NS: usize = 13;
    pub const RESET_NS: usize = 14;
    pub const MINOR_FAULTS: usize = 15;
    pub const PROBE_NS: usize = 16;
    pub const PREVIOUS: usize = 17;
    pub const WRITE_WIDTH: usize = 18;
    pub const THREADS: usize = 19;
    pub const CACHES: usize = 20;
    pub const BESIDE: usize = 21;

    /// From here on a column may be missing: files of version 0.1.0 did not have it.
    pub const OPTIONAL: usize = PREVIOUS;

    /// The columns that name a design point.
    pub const OF_POINT: [usize; 12] = [
        CONTRACT,
        VARIANT,
        STRATEGY,
        INITIAL_PAGES,
        STACK_BYTES,
        TOUCHED_PAGES,
        DATA_BYTES,
        PREVIOUS,
        WRITE_WIDTH,
        THREADS,
        CACHES,
        BESIDE,
    ];
}

/// The file while a run appends to it.
#[derive(Debug)]
pub struct SamplesFile {
    path: PathBuf,
    file: File,
    run: String,
}

impl SamplesFile {
    /// Opens the file for appending, with its header if it is new, and keeps all others from doing the same.
    ///
    /// # Errors
    /// The file cannot be opened or written, or another process has it.
    pub fn append_to(path: &Path, run: &str) -> Result<Self, MeasureError> {
        let failed = |source| MeasureError::File { action: "open for appending", path: path.into(), source };
        let file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::Error(source) => failed(source),
            TryLockError::WouldBlock => MeasureError::Busy { path: path.into() },
        })?;
        let mut samples = Self { path: path.into(), file, run: run.to_owned() };
        let header = COLUMNS.join(",");
        let mut first = String::new();
        BufReader::new(&samples.file).read_line(&mut first).map_err(failed)?;
        match first.strip_suffix('\n') {
            Some(line) if line == header => {}
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
    pub fn append_round(
        &mut self,
        plan: &Plan,
        process: u32,
        round: u32,
        cycles: &[Measured],
    ) -> Result<(), MeasureError> {
        let mut rows = csv::WriterBuilder::new().terminator(Terminator::Any(b'\n')).from_writer(Vec::new());
        for (order, measured) in cycles.iter().enumerate() {
            let row = self.row(&plan.points[measured.point as usize].point, process, round, order, measured);
            rows.write_record(&row).map_err(|e| self.failed(e.into()))?;
        }
        let rows = rows.into_inner().map_err(|e| self.failed(e.into_error()))?;
        self.write(&rows)
    }

    fn row(
        &self,
        point: &DesignPoint,
        process: u32,
        round: u32,
        order: usize,
        measured: &Measured,
    ) -> [String; COLUMNS.len()] {
        let cycle = &measured.cycle;
        [
            self.run.clone(),
            process.to_string(),
            round.to_string(),
            order.to_string(),
            point.contract.clone(),
            point.variant.clone(),
            point.strategy.clone(),
            point.initial_pages.0.to_string(),
            point.stack_bytes.0.to_string(),
            point.touched_pages.0.to_string(),
            point.data_bytes.0.to_string(),
            cycle.instantiate_ns.to_string(),
            cycle.first_touch_ns.to_string(),
            cycle.warm_touch_ns.to_string(),
            cycle.reset_ns.to_string(),
            cycle.minor_faults.to_string(),
            measured.probe_ns.to_string(),
            point.conditions.previous.to_string(),
            point.conditions.write_width.to_string(),
            point.conditions.threads.to_string(),
            point.conditions.caches.to_string(),
            point.conditions.beside.to_string(),
        ]
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), MeasureError> {
        self.file.write_all(bytes).and_then(|()| self.file.sync_data()).map_err(|e| self.failed(e))
    }

    fn failed(&self, source: io::Error) -> MeasureError {
        MeasureError::File { action: "append samples to", path: self.path.clone(), source }
    }
}
