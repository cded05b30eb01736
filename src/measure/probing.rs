//! The reference probe alone, in processes of its own: to hold a machine against a reference.

use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::message::{Message, build};
use super::process::{Heard, Process, patience};
use super::{Machine, MeasureError, SMALL};
use crate::units::{Bytes, Pages};

/// Pages that the repeats of one size touch together in a round, at most [`MOST`] times.
const TOGETHER: u32 = 32;
const MOST: u32 = 8;

/// Probes of these sizes, each a number of pages with so many bytes copied, again and again for so long, each size twice at least. The
/// first round is discarded: first uses of pages and images cost extra.
///
/// # Errors
/// The kernel refuses a mapping.
pub fn probe_for(
    machine: &mut dyn Machine,
    sizes: &[(Pages, Bytes)],
    time: Duration,
) -> Result<Vec<Vec<u64>>, MeasureError> {
    let mut image =
        |&(_, size): &(Pages, Bytes)| machine.image(size).map_err(|source| MeasureError::Image { size, source });
    let images = sizes.iter().map(&mut image).collect::<Result<Vec<_>, _>>()?;
    let mut times = vec![Vec::new(); sizes.len()];
    let end = machine.now_ns().saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    let mut round = 0;
    let (small, mut large): (Vec<usize>, Vec<usize>) = (0..sizes.len()).partition(|&at| sizes[at].0 <= SMALL);
    let mut random = ChaCha8Rng::seed_from_u64(0);
    while round < 3 || machine.now_ns() < end {
        // As beside cycles: small ones after their like, large ones after any other.
        large.shuffle(&mut random);
        for &at in small.iter().chain(&large) {
            let (pages, _) = sizes[at];
            for _ in 0..(TOGETHER / pages.0.max(1)).clamp(1, MOST) {
                machine.chill();
                let start = machine.now_ns();
                let length = pages.bytes();
                machine.probe(length, &images[at]).map_err(|source| MeasureError::Probe { length, source })?;
                if round > 0 {
                    times[at].push(machine.now_ns() - start);
                }
            }
        }
        round += 1;
    }
    Ok(times)
}

/// The times that a worker process of this number, started by this command, finds; `None` if a person asked to stop.
///
/// # Errors
/// It cannot be started, dies, falls silent or babbles.
pub fn probe_in_worker(
    number: u32,
    command: Command,
    interrupted: &AtomicBool,
) -> Result<Option<Vec<Vec<u64>>>, MeasureError> {
    let failed = |source| MeasureError::Spawn { process: number, source };
    let mut process = Process::start(command, patience()).map_err(failed)?;
    let mut found = None;
    loop {
        match process.hear(6, interrupted).map_err(failed)? {
            Heard::Slow => {}
            Heard::Interrupted => return Ok(None),
            Heard::Silent => return Err(MeasureError::NoWorker { said: "nothing for too long".into() }),
            Heard::Ended(status) => {
                let died = || MeasureError::NoWorker { said: format!("nothing, and ended ({status})") };
                return found.filter(|_| status.success()).map(Some).ok_or_else(died);
            }
            Heard::Line(line) => match serde_json::from_str(&line) {
                Ok(Message::Hello { build: its }) if its == build() => {}
                Ok(Message::Hello { build: its }) => {
                    return Err(MeasureError::OtherBuild { process: number, own: build(), its });
                }
                Ok(Message::Probed { times }) => found = Some(times),
                Ok(Message::Done) => {}
                Ok(Message::Failed { error }) => return Err(MeasureError::Worker { process: number, message: error }),
                _ => return Err(MeasureError::Protocol { process: number, line }),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{PROBE_PAGE, World};
    use super::*;

    #[test]
    fn small_probes_repeat_and_none_is_recorded_of_the_first_round() {
        let sizes = [(Pages(1), Bytes(0)), (Pages(64), Bytes(1 << 16))];
        let times = probe_for(&mut World::default(), &sizes, Duration::ZERO).unwrap();
        assert_eq!(times, [vec![16 * PROBE_PAGE; 16], vec![64 * 16 * PROBE_PAGE; 2]]);
    }
}
