//! The folder of a run and its `run.toml`: what was planned, on which machine, with which artifacts.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::points_csv::{parse_points, points_text};
use super::{MeasureError, Plan};
use crate::contract::sha256_hex;
use crate::files;
use crate::host::{Fingerprint, Hazard};
use crate::text::{read_found, refuse_pipe};
use crate::versioned::{Formats, Source};

/// The newest format of run folders that this version reads and writes: `run.toml` and the columns of `points.csv` and `samples.csv`.
pub const RUN_FORMAT: u32 = 2;

const FORMATS: Formats = Formats {
    oldest: RUN_FORMAT as i64,
    newest: RUN_FORMAT as i64,
    way_out: "measure again, or use the version that wrote it",
};

/// What `run.toml` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// Format of the folder.
    pub format: u32,
    /// Name of the run, that of its folder.
    pub run: String,
    /// When the run was planned, in UTC (RFC 3339).
    pub created: String,
    /// The command line that repeats it.
    pub command: String,
    /// Version of this program.
    pub estimator: String,
    /// The build that measures it, as [`build()`](super::build); only that one goes on with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// Version of the measured runtime.
    pub wasmtime: String,
    /// Version of the compiler that made the contracts, if it was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rustc: Option<String>,
    /// Short hash over names and bytes of the artifacts.
    pub contract_set: String,
    /// SHA-256 of the points, so that no others take their place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<String>,
    /// SHA-256 of `samples.csv`, set when measuring ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<String>,
    /// The name of the machine that measures it, for people: twenty nodes may be of one class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Which share of the plan's processes this run takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Recorded rounds in each process, set once the warm-up of the first has shown how long a round takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Whether the run may go on beyond its length, or has.
    #[serde(default, skip_serializing_if = "Length::is_fixed")]
    pub length: Length,
    /// Why measuring ended; absent while it goes on and after a kill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// Contracts left out for lack of a toolchain, each with the reason and the command that mends it.
    #[serde(default)]
    pub skipped: Vec<String>,
    /// Levels that were left out since the chain does not allow them, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The plan.
    pub plan: Plan,
    /// The machine.
    pub machine: Fingerprint,
    /// What could disturb its clocks and caches.
    pub hazards: Vec<Hazard>,
    /// Every artifact that was measured.
    pub artifacts: Vec<ArtifactHash>,
}

/// Whether a run that is too noisy at its end goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// It ends as planned.
    #[default]
    Fixed,
    /// It may go on to twice its length, and to three times.
    Extensible,
    /// It is at twice its length.
    Extended,
    /// It is at three times its length, and ends.
    ExtendedTwice,
}

impl Length {
    /// The next length that a run of this one may go on to.
    pub(super) const fn further(self) -> Option<Self> {
        match self {
            Self::Fixed | Self::ExtendedTwice => None,
            Self::Extensible => Some(Self::Extended),
            Self::Extended => Some(Self::ExtendedTwice),
        }
    }

    /// How many times the planned rounds it has.
    pub(super) const fn times(self) -> u32 {
        match self {
            Self::Fixed | Self::Extensible => 1,
            Self::Extended => 2,
            Self::ExtendedTwice => 3,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    fn is_fixed(&self) -> bool {
        *self == Self::Fixed
    }
}

/// Why measuring ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The planned rounds are done.
    BudgetSpent,
    /// The intervals became narrow enough before that.
    PreciseEnough,
    /// A person ended it.
    Interrupted,
}

impl Stop {
    /// For people.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::BudgetSpent => "the budget was spent",
            Self::PreciseEnough => "the intervals were narrow enough",
            Self::Interrupted => "it was interrupted",
        }
    }
}

/// One share of a plan's processes, `1/3` to `3/3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// How many shards there are.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// How many of this shard's processes come before this one.
    #[must_use]
    pub const fn turn(self, process: u32) -> u32 {
        process / self.count
    }

    /// Whether this shard takes the process.
    #[must_use]
    pub const fn takes(self, process: u32) -> bool {
        process % self.count == self.index - 1
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, count)) if index >= 1 && index <= count => Ok(Self { index, count }),
            _ => Err(format!("`{text}` is not a shard: write I/N with 1 ≤ I ≤ N, such as 1/3")),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        format!("{}/{}", shard.index, shard.count)
    }
}

/// The hash by which an artifact is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArtifactHash {
    /// Name of the contract.
    pub contract: String,
    /// Name of the variant.
    pub variant: String,
    /// SHA-256 of the module, in hexadecimal.
    pub sha256: String,
}

/// The folder of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder(PathBuf);

impl RunFolder {
    /// The folder at this path, which need not exist yet.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// `run.toml`.
    #[must_use]
    pub fn run_file(&self) -> PathBuf {
        self.0.join("run.toml")
    }

    /// `samples.csv`.
    #[must_use]
    pub fn samples(&self) -> PathBuf {
        self.0.join("samples.csv")
    }

    /// `points.csv`.
    #[must_use]
    pub fn points(&self) -> PathBuf {
        self.0.join("points.csv")
    }

    /// The compiled contracts, as `estimator compile` writes them.
    #[must_use]
    pub fn artifacts(&self) -> PathBuf {
        self.0.join("artifacts")
    }

    /// The chain settings of the run.
    #[must_use]
    pub fn chain(&self) -> PathBuf {
        self.0.join("chain.toml")
    }

    /// The reference machine that the run is stated on, a copy.
    #[must_use]
    pub fn reference(&self) -> PathBuf {
        self.0.join("reference.toml")
    }

    /// The table that follows from a run which is too noisy to sign.
    #[must_use]
    pub fn unsigned(&self) -> PathBuf {
        self.0.join("unsigned.toml")
    }

    /// The table in force that the run's proposal is held against, a copy; not there if there was none.
    #[must_use]
    pub fn in_force(&self) -> PathBuf {
        self.0.join("current.toml")
    }

    /// The mix of calls that strategies are compared for, a copy; not there if none was given.
    #[must_use]
    pub fn workload(&self) -> PathBuf {
        self.0.join("workload.csv")
    }

    /// Reads `run.toml` and `points.csv`.
    ///
    /// # Errors
    /// A file is missing or broken, or of another format.
    pub fn read(&self) -> Result<RunFile, MeasureError> {
        let path = self.run_file();
        let text =
            read_found(&path).map_err(|source| MeasureError::File { action: "read", path: path.clone(), source })?;
        let mut run: RunFile = Source { file: &path, text: &text }.read(FORMATS)?;
        if run.rounds.is_some_and(|rounds| !(1..=1_000_000).contains(&rounds)) {
            let message = "`rounds` must be from 1 to 1000000".into();
            return Err(MeasureError::RunFile { path, message });
        }
        let points = self.points();
        if let Some(message) = run.node.as_deref().and_then(|node| check_node(node).err()) {
            return Err(MeasureError::RunFile { path, message });
        }
        run.plan.points = parse_points(&read(&points)?, &points, run.plan.experiment)?;
        if run.points.as_ref().is_some_and(|known| Some(known) != points_hash(&run.plan).as_ref()) {
            let message = "the points are not those that the run was planned with".into();
            return Err(MeasureError::Foreign { path: points, message });
        }
        run.plan.check().map_err(|message| MeasureError::RunFile { path, message })?;
        Ok(run)
    }

    /// Ends the measuring of a run: `run.toml` says why, and what the samples are.
    ///
    /// # Errors
    /// The samples cannot be read, or the file cannot be written.
    pub fn end(&self, run: &mut RunFile, stop: Stop) -> Result<(), MeasureError> {
        run.stopped = Some(stop);
        run.samples = Some(sha256_hex(&read(&self.samples())?));
        self.write(run)
    }

    /// Writes the points of a new run, each file whole or not at all: `points.csv`, then `run.toml`, which has their hash.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write_planned(&self, run: &mut RunFile) -> Result<(), MeasureError> {
        self.write_points(&run.plan)?;
        run.points = points_hash(&run.plan);
        self.write(run)
    }

    fn write_points(&self, plan: &Plan) -> Result<(), MeasureError> {
        let path = self.points();
        let failed = |source| MeasureError::File { action: "write", path: path.clone(), source };
        let text = points_text(plan.experiment, &plan.points).map_err(|e| failed(e.into()))?;
        files::write_whole(&path, &text).map_err(failed)
    }

    /// Writes `run.toml`, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, run: &RunFile) -> Result<(), MeasureError> {
        let path = self.run_file();
        let text =
            toml::to_string(run).map_err(|e| MeasureError::RunFile { path: path.clone(), message: e.to_string() })?;
        files::write_whole(&path, text.as_bytes()).map_err(|source| MeasureError::File {
            action: "write",
            path,
            source,
        })
    }
}

/// Makes sure that a text can stand for a machine in a line.
///
/// # Errors
/// What can.
pub fn check_node(name: &str) -> Result<(), String> {
    const LONGEST: usize = 253;
    let plain = !name.trim().is_empty() && name.len() <= LONGEST && !name.chars().any(char::is_control);
    if plain { Ok(()) } else { Err(format!("{name:?} names no node: write up to {LONGEST} bytes in one line")) }
}

/// What tells the points of a plan from others, however the file is spelt.
fn points_hash(plan: &Plan) -> Option<String> {
    points_text(plan.experiment, &plan.points).ok().map(|text| sha256_hex(&text))
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, MeasureError> {
    refuse_pipe(path).and_then(|()| std::fs::read(path)).map_err(|source| MeasureError::File {
        action: "read",
        path: path.into(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_may_go_on_ends_at_three_times_its_length() {
        let lengths = std::iter::successors(Some(Length::Extensible), |length| length.further());
        assert_eq!(lengths.map(Length::times).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(Length::Fixed.further(), None);
    }

    /// It stands in alerts, logs and metrics, and a run may come from anywhere.
    #[test]
    fn a_node_that_would_break_a_line_is_refused() {
        assert!(["a", "validator 3.example.org", "köln"].into_iter().all(|name| check_node(name).is_ok()));
        for name in ["", " ", "a\nb", "a\u{1b}[2J", &"a".repeat(254)] {
            assert!(check_node(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn shards_part_the_processes() {
        let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].map(|text| text.parse().unwrap()).into();
        for process in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.takes(process)).count(), 1);
        }
    }

    #[test]
    fn nonsense_shards_are_refused() {
        for text in ["", "1", "0/3", "4/3", "1/0", "a/b", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
