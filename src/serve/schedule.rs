//! The nightly job at its time of day, in a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use super::log::{Log, entry};
use crate::measure::now;

const DAY: u32 = 24 * 60 * 60;

/// The longest that is slept at once: a machine that was suspended looks at the clock again soon.
const STEP: Duration = Duration::from_mins(1);

/// A night that the service starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nights {
    /// The settings of `estimator nightly`.
    pub settings: PathBuf,
    /// When, in UTC.
    pub at: TimeOfDay,
}

/// A time of day, to the minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOfDay {
    seconds: u32,
}

impl FromStr for TimeOfDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        let parts = text.split_once(':').filter(|(hours, minutes)| digits(hours) && digits(minutes));
        let parts = parts.and_then(|(hours, minutes)| Some((hours.parse::<u32>().ok()?, minutes.parse::<u32>().ok()?)));
        match parts {
            Some((hours @ 0..24, minutes @ 0..60)) => Ok(Self { seconds: (hours * 60 + minutes) * 60 }),
            _ => Err(format!("`{text}` is no time of day: write it as 02:30, in UTC")),
        }
    }
}

impl TimeOfDay {
    /// The seconds from a moment, in seconds since 1970, to the next time that it is this late: a day where it is now.
    fn after(self, moment: i64) -> u32 {
        let late = u32::try_from(moment.rem_euclid(i64::from(DAY))).unwrap_or(0);
        match (self.seconds + DAY - late) % DAY {
            0 => DAY,
            left => left,
        }
    }
}

/// Starts the job each day.
pub(super) async fn nights(nights: Nights, log: Log, at_work: AtWork) {
    loop {
        let moment = now().as_second();
        let next = moment + i64::from(nights.at.after(moment));
        // A clock that is set back makes the wait longer, and starts nothing.
        while let Ok(left @ 1..) = u64::try_from(next - now().as_second()) {
            tokio::time::sleep(STEP.min(Duration::from_secs(left))).await;
        }
        entry(&log, "night", json!({ "began": true }));
        let (settings, process) = (nights.settings.clone(), Arc::clone(&at_work));
        let ended = tokio::task::spawn_blocking(move || night(&settings, &process)).await;
        entry(&log, "night", ended.unwrap_or_else(|error| json!({ "cause": error.to_string() })));
    }
}

/// The process of the night that is at work, 0 between nights.
pub(super) type AtWork = Arc<AtomicI32>;

/// Tells the night that is at work to stop: it keeps what it has measured.
pub(super) fn stop(at_work: &AtWork) {
    let process = at_work.load(Ordering::SeqCst);
    if process > 0 {
        let _ = kill(Pid::from_raw(process), Signal::SIGTERM);
    }
}

/// Does a night, and says how it ended.
fn night(settings: &Path, at_work: &AtWork) -> Value {
    let program = std::env::current_exe();
    let started = program.and_then(|program| {
        let mut command = Command::new(program);
        command.arg("nightly").arg("--settings").arg(settings).stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(Stdio::piped()).spawn()?;
        at_work.store(i32::try_from(child.id()).unwrap_or(0), Ordering::SeqCst);
        let output = child.wait_with_output();
        at_work.store(0, Ordering::SeqCst);
        output
    });
    match started {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
            json!({ "began": false, "code": output.status.code(), "said": last })
        }
        Err(error) => json!({ "began": false, "cause": format!("the nightly job cannot be started: {error}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_until_the_next_night_is_a_day_at_most() {
        let at: TimeOfDay = "02:30".parse().unwrap();
        let half_past_two = 20_000 * i64::from(DAY) + 9000;
        for (moment, left) in [(half_past_two, DAY), (half_past_two - 1, 1), (half_past_two + 1, DAY - 1), (0, 9000)] {
            assert_eq!(at.after(moment), left, "{moment}");
        }
        assert_eq!("00:00".parse::<TimeOfDay>().unwrap().after(-1), 1);
    }

    #[test]
    fn what_is_no_time_of_day_is_refused() {
        for text in ["", "2:30", "02:30:00", "24:00", "02:60", "+2:30", "noon"] {
            assert!(text.parse::<TimeOfDay>().is_err(), "{text}");
        }
    }
}
