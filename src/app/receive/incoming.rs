//! A run that lies beside the others.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::archive::unpack;
use super::content::{RECEIVED, hash, identity};
use super::error::ReceiveError;
use super::ready::Ready;
use crate::app::analysis::Analysis;
use crate::app::error::{Error, system};
use crate::app::overrides::Overrides;
use crate::app::session::Session;
use crate::files::{make_folder, write_whole};
use crate::history::{FindingKind, Outcome, Record, Role, State, read_night};
use crate::measure::{RunFile, RunFolder, Stop};
use crate::params::ChainSettings;
use crate::text::with_causes;
use crate::units::Bytes;

/// How the folders are called in which runs are until they are whole. Nothing that looks for runs looks into them.
const BESIDE: &str = ".incoming-";

/// The most findings of a night, and bytes of a name.
const FINDINGS: usize = 100;
const LONGEST: usize = 300;

/// A run that was sent, whose files lie beside the others. Dropped, it leaves nothing.
#[derive(Debug)]
pub struct Incoming {
    name: String,
    beside: TempDir,
    reports: PathBuf,
    run: RunFile,
    night: Option<Record>,
}

/// What is there already under the name of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Nothing.
    No,
    /// The same run.
    Same,
    /// Another one.
    Other,
}

impl Incoming {
    /// Takes the files of the run out of an archive (tar, plain or as gzip or zstd), at most so many bytes, and checks what can be
    /// checked without a fit: formats, hashes, the name, the machine class, and that the run has ended.
    ///
    /// # Errors
    /// [`ReceiveError`], with nothing left.
    pub fn unpack(name: &str, archive: impl Read, reports: &Path, most: Bytes) -> Result<Self, ReceiveError> {
        make_folder(reports).map_err(ReceiveError::disk)?;
        let beside = tempfile::Builder::new().prefix(BESIDE).tempdir_in(reports).map_err(ReceiveError::disk)?;
        let folder = beside.path().join(name);
        fs::create_dir(&folder).map_err(ReceiveError::disk)?;
        unpack(archive, name, &folder, most)?;
        let said = |error: &dyn std::error::Error| refusal(error, &folder, name);
        let run = RunFolder::at(&folder).read().map_err(|error| said(&error))?;
        let night = read_night(&folder).map_err(|error| said(&error))?;
        check(name, &run, night.as_ref()).map_err(ReceiveError::Run)?;
        check_samples(&folder, &run)?;
        Ok(Self { name: name.into(), beside, reports: reports.into(), run, night })
    }

    /// What is there already under its name.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn known(&self) -> Result<Known, ReceiveError> {
        let there = self.reports.join(&self.name);
        if !there.exists() {
            return Ok(Known::No);
        }
        let read = |folder: &Path| {
            identity(folder)
                .map_err(|error| ReceiveError::of(system(format!("cannot read {}", folder.display()))(error)))
        };
        Ok(if read(&there)? == read(&self.folder())? { Known::Same } else { Known::Other })
    }

    /// Fits it, for these chain settings or its own, and writes its reports.
    ///
    /// # Errors
    /// The samples are not those of the run or allow no statistics; the reports cannot be written.
    pub fn fit(self, chain: Option<ChainSettings>, session: &Session<'_>) -> Result<Ready, ReceiveError> {
        let folder = self.folder();
        let with = Overrides { chain, ..Overrides::default() };
        let analysis = Analysis::of_run(RunFolder::at(&folder), with, session)
            .map_err(|error| refusal(&error, &folder, &self.name))?;
        analysis.write().map_err(ReceiveError::of)?;
        let night = self.night.as_ref();
        let (first, role) =
            night.map_or((self.name.as_str(), Role::Single), |night| (night.night.as_str(), night.role));
        let mut record = Record::planned(&self.run, 0, first, role).fitted(analysis.fit(), analysis.table());
        if record.outcome == Outcome::Measured {
            record.judgement = night.and_then(|night| night.judgement.clone());
        }
        // What was told there is not told by what the gate of this machine finds.
        for finding in record.judgement.iter_mut().flat_map(|judgement| &mut judgement.findings) {
            finding.key = format!("{}/{}", record.machine, finding.key);
        }
        check_words(&record).map_err(ReceiveError::Run)?;
        write_whole(&folder.join(RECEIVED), b"").map_err(ReceiveError::disk)?;
        Ok(Ready { beside: self.beside, reports: self.reports, record })
    }

    fn folder(&self) -> PathBuf {
        self.beside.path().join(&self.name)
    }
}

/// The run cannot be used: its error with the place as the sender knows it.
fn refusal(error: &dyn std::error::Error, folder: &Path, name: &str) -> ReceiveError {
    ReceiveError::Run(with_causes(error).replace(&folder.display().to_string(), name))
}

/// What a fleet asks of a run.
fn check(name: &str, run: &RunFile, night: Option<&Record>) -> Result<(), String> {
    if run.run != name {
        return Err(format!("the run is called {}, and was sent as {name}", run.run));
    }
    if !run.plan.experiment.proposes || run.shard.is_some() {
        return Err("the run proposes no fee by itself: a fleet takes whole runs of experiments that do".into());
    }
    if run.stopped.is_none_or(|stop| stop == Stop::Interrupted) {
        return Err("the run has not ended: `estimator run --resume` goes on with it".into());
    }
    let class = run.machine.class().ok_or("the run does not say enough of its machine to tell its class")?;
    check_findings(night)?;
    match night {
        Some(night) if night.run != name => Err(format!("night.json is of the run {}", night.run)),
        Some(night) if night.machine != class => {
            Err(format!("night.json is of machine {}, and the run of {class}", night.machine))
        }
        _ => Ok(()),
    }
}

/// What a gate cannot have found is not taken over, nor more than one ever finds.
fn check_findings(night: Option<&Record>) -> Result<(), String> {
    let findings =
        || night.iter().filter_map(|night| night.judgement.as_ref()).flat_map(|judgement| &judgement.findings);
    let mut words = findings().flat_map(|one| [&one.key, &one.since, &one.figure.param].into_iter().chain(&one.along));
    if findings().count() > FINDINGS || words.any(|words| words.len() > LONGEST) {
        return Err("night.json has more findings, or longer ones, than a gate makes".into());
    }
    if findings().any(|finding| finding.state == State::Standing && finding.kind != FindingKind::Table) {
        return Err("night.json says of a change between runs that it stands, which only one of the table does".into());
    }
    Ok(())
}

/// What every page shows of a run is short.
fn check_words(record: &Record) -> Result<(), String> {
    let Record {
        night, created, machine, cpu, strategy, statistic, reference, contract_set, wasmtime, estimator, ..
    } = record;
    let words = [night, created, machine, cpu, strategy, statistic, reference, contract_set, wasmtime, estimator];
    match words.into_iter().find(|words| words.len() > LONGEST) {
        Some(words) => Err(format!("it has a name of {} bytes, and none is longer than {LONGEST}", words.len())),
        None => Ok(()),
    }
}

/// A run that was changed since it ended is fitted where it lies, with a note; to a fleet it is not sent.
fn check_samples(folder: &Path, run: &RunFile) -> Result<(), ReceiveError> {
    let Some(known) = &run.samples else { return Ok(()) };
    let samples = hash(&RunFolder::at(folder).samples());
    let samples = samples.map_err(|error| ReceiveError::Run(format!("samples.csv cannot be read: {error}")))?;
    if samples == *known {
        return Ok(());
    }
    Err(ReceiveError::Run("samples.csv is not as the run left it: its hash is not the one in run.toml".into()))
}

/// Takes away what uploads have left that were cut off by a kill.
///
/// # Errors
/// A folder cannot be read or taken away.
pub fn clear(reports: &Path) -> Result<(), Error> {
    let Ok(entries) = fs::read_dir(reports) else { return Ok(()) };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(BESIDE) {
            let path = entry.path();
            fs::remove_dir_all(&path).map_err(system(format!("cannot take away {}", path.display())))?;
        }
    }
    Ok(())
}
