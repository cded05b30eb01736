use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::app::{Error, system};
use crate::measure::now;

/// Takes each line of the log.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Lines that wait for whoever reads the log; more are left out and counted.
const WAITING: usize = 10_000;

/// How long the end waits for whoever reads the log.
const PATIENCE: Duration = Duration::from_secs(1);

/// A log that nobody waits for, however slowly it is read.
pub(super) struct Aside {
    lines: SyncSender<String>,
    done: Receiver<()>,
}

impl Aside {
    /// Starts a thread that hands the lines on, and the log that it takes them from.
    ///
    /// # Errors
    /// There is no thread.
    pub(super) fn new(to: Log) -> Result<(Self, Log), Error> {
        let (lines, waiting) = sync_channel::<String>(WAITING);
        let (end, done) = sync_channel(1);
        let left_out = Arc::new(AtomicU64::new(0));
        let missed = Arc::clone(&left_out);
        let hand_on = move || {
            // An empty line is the last.
            for line in waiting.iter().take_while(|line| !line.is_empty()) {
                match missed.swap(0, Ordering::Relaxed) {
                    0 => {}
                    missed => entry(&to, "left-out", json!({ "lines": missed })),
                }
                to(&line);
            }
            let _ = end.send(());
        };
        thread::Builder::new().name("log".into()).spawn(hand_on).map_err(system("threads cannot be started"))?;
        let into = lines.clone();
        let log: Log = Arc::new(move |line: &str| {
            if into.try_send(line.to_owned()).is_err() {
                left_out.fetch_add(1, Ordering::Relaxed);
            }
        });
        Ok((Self { lines, done }, log))
    }

    /// Waits until all lines have been handed on, unless their reader stands still.
    pub(super) fn end(self) {
        if self.lines.try_send(String::new()).is_ok() {
            let _ = self.done.recv_timeout(PATIENCE);
        }
    }
}

/// Writes an entry: one line of JSON, with the time and what kind of entry it is.
pub(super) fn entry(log: &Log, kind: &str, mut rest: Value) {
    let mut entry = serde_json::Map::new();
    entry.insert("time".into(), now().to_string().into());
    entry.insert("kind".into(), kind.into());
    if let Some(rest) = rest.as_object_mut() {
        entry.append(rest);
    }
    log(&Value::Object(entry).to_string());
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_reader_that_stands_still_holds_nobody_up_and_what_it_missed_is_counted() {
        let (read, held) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(())));
        let still = held.lock().unwrap();
        let (kept, wait) = (Arc::clone(&read), Arc::clone(&held));
        let to: Log = Arc::new(move |line: &str| {
            drop(wait.lock().unwrap());
            kept.lock().unwrap().push(line.to_owned());
        });
        let (aside, log) = Aside::new(to).unwrap();
        for line in 0..2 * WAITING {
            log(&line.to_string());
        }
        drop(still);
        while read.lock().unwrap().len() < WAITING {
            thread::yield_now();
        }
        log("last");
        aside.end();
        let read = read.lock().unwrap();
        assert!(read.len() < 2 * WAITING && read.iter().any(|line| line.contains("left-out")), "{}", read.len());
        assert!(read.iter().any(|line| line == "0") && read.last().unwrap() == "last");
    }
}
