//! How the worker processes of a run and of a verification start.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::error::{Error, system};

/// What the first argument of a worker process is.
const MARK: &str = "estimator-worker";

/// The program that works as a worker process. It calls [`serve_if_worker`](super::serve_if_worker) first of all.
///
/// The default is the program that runs, as it was when it was started: a file that has taken its place since is not what measured
/// so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workers {
    program: Option<PathBuf>,
}

impl Default for Workers {
    fn default() -> Self {
        // The kernel follows it to the very file that runs, even if it was replaced or deleted.
        Self { program: cfg!(target_os = "linux").then(|| "/proc/self/exe".into()) }
    }
}

impl Workers {
    /// Another program.
    #[must_use]
    pub fn of(program: impl Into<PathBuf>) -> Self {
        Self { program: Some(program.into()) }
    }

    /// Makes the commands of workers.
    ///
    /// # Errors
    /// The program does not know where it is, or was itself started as a worker and did not serve: its workers would start workers
    /// without end.
    pub(super) fn starter(&self) -> Result<impl Fn(&Task) -> Command + use<>, Error> {
        if Task::of_process().is_some() {
            let text = "this process was started as a worker: call app::serve_if_worker() first of all in `main`";
            return Err(Error::Failed(text.into()));
        }
        let unknown = system("the program does not know where it is, so it cannot start its workers");
        let program = self.program.clone().map_or_else(env::current_exe, Ok).map_err(unknown)?;
        Ok(move |task: &Task| {
            let mut command = Command::new(&program);
            command.arg(MARK).args(task.arguments());
            command
        })
    }
}

/// What one worker process is started for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Task {
    /// To compile, check and measure everything of a run once, without recording it.
    Prepare {
        /// Folder of the run.
        run: PathBuf,
        /// Folder for compiled code, of its supervisor alone.
        code: PathBuf,
    },
    /// To measure a run as the process of this number.
    Measure {
        /// Folder of the run.
        run: PathBuf,
        /// Folder for compiled code, of its supervisor alone.
        code: PathBuf,
        /// Its number.
        process: u32,
    },
    /// To try the contracts of a verification from this number on.
    Try {
        /// Folder of the job.
        job: PathBuf,
        /// The first contract.
        from: usize,
    },
    /// To probe at the sizes of a reference as the process of this number.
    Probe {
        /// The reference.
        reference: PathBuf,
        /// Its number.
        process: u32,
    },
    /// To measure the contracts of a verification as the process of this number.
    MeasureReal {
        /// Folder of the job.
        job: PathBuf,
        /// Its number.
        process: u32,
    },
}

impl Task {
    /// What this process was started for, if it is a worker.
    pub(super) fn of_process() -> Option<Result<Self, Error>> {
        let mut arguments = env::args_os().skip(1);
        let is_worker = arguments.next().is_some_and(|first| first == MARK);
        is_worker.then(|| {
            let arguments: Vec<OsString> = arguments.collect();
            Self::parse(&arguments).ok_or_else(|| Error::Usage(format!("not the arguments of a worker: {arguments:?}")))
        })
    }

    /// The number of a process that measures; `None` of one that prepares or tries.
    pub(super) const fn process(&self) -> Option<u32> {
        match self {
            Self::Measure { process, .. } | Self::MeasureReal { process, .. } | Self::Probe { process, .. } => {
                Some(*process)
            }
            Self::Prepare { .. } | Self::Try { .. } => None,
        }
    }

    fn arguments(&self) -> Vec<OsString> {
        let path = |path: &Path| path.as_os_str().to_owned();
        match self {
            Self::Prepare { run, code } => vec!["prepare".into(), path(run), path(code)],
            Self::Measure { run, code, process } => {
                vec!["measure".into(), path(run), path(code), process.to_string().into()]
            }
            Self::Probe { reference, process } => vec!["probe".into(), path(reference), process.to_string().into()],
            Self::Try { job, from } => vec!["try".into(), path(job), from.to_string().into()],
            Self::MeasureReal { job, process } => vec!["measure-real".into(), path(job), process.to_string().into()],
        }
    }

    fn parse(arguments: &[OsString]) -> Option<Self> {
        let (name, rest) = arguments.split_first()?;
        match (name.to_str()?, rest) {
            ("prepare", [run, code]) => Some(Self::Prepare { run: run.into(), code: code.into() }),
            ("measure", [run, code, process]) => {
                Some(Self::Measure { run: run.into(), code: code.into(), process: number(process)? })
            }
            ("probe", [reference, process]) => {
                Some(Self::Probe { reference: reference.into(), process: number(process)? })
            }
            ("try", [job, from]) => Some(Self::Try { job: job.into(), from: number(from)? }),
            ("measure-real", [job, process]) => Some(Self::MeasureReal { job: job.into(), process: number(process)? }),
            _ => None,
        }
    }
}

fn number<T: std::str::FromStr>(text: &OsString) -> Option<T> {
    text.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn a_task_comes_out_of_its_arguments_whatever_the_path() {
        let odd = || PathBuf::from(OsString::from_vec(b"a \xff".to_vec()));
        let tasks = [
            Task::Prepare { run: odd(), code: "code".into() },
            Task::Measure { run: odd(), code: "code".into(), process: 7 },
            Task::Try { job: odd(), from: 3 },
            Task::Probe { reference: odd(), process: 2 },
            Task::MeasureReal { job: odd(), process: 15 },
        ];
        for task in tasks {
            assert_eq!(Task::parse(&task.arguments()), Some(task));
        }
        assert_eq!(Task::parse(&["measure".into(), "run".into()]), None);
    }
}
