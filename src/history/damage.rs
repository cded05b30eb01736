//! Histories with flipped bits, cut off, and left half made, for tests.

use std::fs;
use std::path::{Path, PathBuf};

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

use super::exchange::{parse, read_records, write_records};
use super::record::{Outcome, Record};
use super::simulated::Machine;
use super::{Access, Event, EventKind, History, HistoryError, Role, Selection, put_in_place, replace, salvage};

/// A history of so many nights with its file.
fn history(nights: u32) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.sqlite");
    let mut machine = Machine::new(1);
    let mut history = History::open(&file, Access::Write).unwrap();
    for _ in 0..nights {
        machine.dawn();
        history.append(&[machine.run(None, 1.0)], true).unwrap();
    }
    history.keep(&event("waits")).unwrap();
    drop(history);
    (folder, file)
}

fn event(id: &str) -> Event {
    Event {
        format: 1,
        id: id.into(),
        kind: EventKind::Failed,
        text: "text".into(),
        night: String::new(),
        machine: String::new(),
        cpu: String::new(),
        node: String::new(),
        report: None,
        gas: std::collections::BTreeMap::new(),
        findings: Vec::new(),
    }
}

fn records(file: &Path) -> Result<Vec<Record>, HistoryError> {
    History::open(file, Access::Read)?.records(&Selection::default())
}

fn flip(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut flipped = bytes.to_vec();
    flipped[bit / 8] ^= 1 << (bit % 8);
    flipped
}

/// `ESTIMATOR_FLIPS=200 cargo test --release flipped_bit` tries as many places.
#[test]
fn a_flipped_bit_that_changes_a_record_is_found_and_the_others_are_read() {
    let flips: usize = std::env::var("ESTIMATOR_FLIPS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let (_folder, file) = history(50);
    let (sound, all) = (fs::read(&file).unwrap(), records(&file).unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut found, mut unseen, mut broken) = (0, Vec::new(), 0);
    for _ in 0..flips {
        let bit = rng.random_range(0..sound.len() * 8);
        fs::write(&file, flip(&sound, bit)).unwrap();
        let read = records(&file);
        let listed = History::examine(&file);
        match read {
            Ok(read) if read == all => {}
            Ok(_) => unseen.push(bit),
            Err(_) => {
                found += 1;
                assert!(!matches!(listed, Ok((ref lines, _)) if lines.is_empty()), "bit {bit}: `check` finds nothing");
            }
        }
        let salvaged = salvage(&file).unwrap();
        assert!(salvaged.records.iter().all(|record| all.contains(record)), "bit {bit}: a record is another one");
        let lost = all.iter().filter(|record| !salvaged.records.contains(record));
        let unknown: Vec<_> = lost.filter(|record| !salvaged.lost(record)).map(|record| &record.run).collect();
        assert!(unknown.is_empty(), "bit {bit}: {unknown:?} are gone and not missed");
        broken += salvaged.broken.len();
        for left in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{left}", file.display()));
        }
    }
    assert_eq!(unseen, Vec::<usize>::new(), "{flips} flips: {found} found, {broken} runs lost in all");
    assert!(found > flips / 10, "{found} of {flips}");
}

#[test]
fn a_flipped_bit_in_each_figure_of_a_run_is_found() {
    let (_folder, file) = history(3);
    let sound = fs::read(&file).unwrap();
    for recorded in &records(&file).unwrap()[1].estimates {
        let bytes = recorded.estimate.value.to_be_bytes();
        let place = sound.windows(8).position(|window| window == bytes).unwrap();
        for bit in [0, 63] {
            fs::write(&file, flip(&sound, place * 8 + bit)).unwrap();
            let error = records(&file).unwrap_err().to_string();
            assert!(error.contains("run run2 (number 2) is not what was recorded"), "{error}");
        }
    }
}

#[test]
fn a_flipped_bit_in_a_file_of_records_is_found() {
    let mut machine = Machine::new(1);
    let all = vec![machine.run(None, 1.0), machine.run(None, 1.0)];
    let text = write_records(&all);
    assert_eq!(read_records(&text, Path::new("x")).unwrap(), all, "to the last bit of each figure");
    for bit in (0..text.len() * 8).step_by(7) {
        let Ok(flipped) = String::from_utf8(flip(text.as_bytes(), bit)) else { continue };
        if let Ok(read) = read_records(&flipped, Path::new("x")) {
            assert_eq!(write_records(&read), text, "bit {bit}: {flipped}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    super::write_night(folder.path(), &all[0]).unwrap();
    let night = fs::read_to_string(folder.path().join(super::folder::NIGHT_FILE)).unwrap();
    let digit = night.rfind("\"value\": ").unwrap() + 12;
    let wrong = flip(night.as_bytes(), digit * 8);
    fs::write(folder.path().join(super::folder::NIGHT_FILE), wrong).unwrap();
    let error = super::read_night(folder.path()).unwrap_err().to_string();
    assert!(error.contains("not what was written"), "{error}");
    let unsealed = serde_json::to_string(&all[0]).unwrap();
    assert!(parse(&unsealed, Path::new("x"), None).is_ok(), "a record without a seal is taken as it is");
}

#[test]
fn a_history_that_was_cut_off_gives_back_what_is_left() {
    let (_folder, file) = history(50);
    let (sound, all) = (fs::read(&file).unwrap(), records(&file).unwrap());
    fs::write(&file, &sound[..sound.len() * 9 / 10]).unwrap();
    assert!(matches!(records(&file), Err(HistoryError::Damaged { .. })));
    let salvaged = salvage(&file).unwrap();
    assert!(!salvaged.records.is_empty() && salvaged.records.iter().all(|record| all.contains(record)));
    assert_eq!(salvaged.records.len() + salvaged.broken.len(), 50);
}

#[test]
fn a_history_made_again_holds_what_was_told_and_pruned() {
    let (_folder, file) = history(5);
    let mut before = History::open(&file, Access::Write).unwrap();
    before.prune(3).unwrap();
    drop(before);
    let salvaged = salvage(&file).unwrap();
    assert_eq!((salvaged.records.len(), salvaged.broken.len()), (3, 0));
    let moved = replace(&file, &salvaged.records, &salvaged).unwrap().unwrap();
    assert!(moved.to_string_lossy().ends_with("history.sqlite.old-1"));
    let after = History::open(&file, Access::Write).unwrap();
    assert!(after.has_ended("run1").unwrap() && after.count().unwrap() == 3);
    assert_eq!(after.untold().unwrap()[0].event.id, "waits");
}

#[test]
fn a_history_made_again_by_a_job_that_was_killed_takes_its_place() {
    let (_folder, file) = history(2);
    let made = format!("{}.rebuilt", file.display());
    fs::rename(&file, &made).unwrap();
    let error = records(&file).unwrap_err();
    assert!(matches!(error, HistoryError::HalfMade { .. }), "{error}");
    assert_eq!(put_in_place(&file).unwrap(), None);
    assert_eq!(records(&file).unwrap().len(), 2);
}

#[test]
fn an_older_format_is_named_and_read_when_the_history_is_made_again() {
    let (_folder, file) = history(2);
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute_batch("ALTER TABLE runs DROP COLUMN seal; PRAGMA user_version = 1").unwrap();
    drop(connection);
    let error = records(&file).unwrap_err();
    assert!(error.is_incompatible() && error.to_string().contains("history rebuild"), "{error}");
    assert_eq!(salvage(&file).unwrap().records.len(), 2);
}

#[test]
fn a_run_that_ended_later_takes_the_place_of_the_unfinished_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::open(&folder.path().join("h.sqlite"), Access::Write).unwrap();
    let mut machine = Machine::new(1);
    let (first, second) = (machine.run(None, 1.0), machine.run(None, 1.0));
    let cut = Record { outcome: Outcome::Unfinished, estimates: Vec::new(), ..first.clone() };
    history.append(&[cut.clone(), second.clone()], false).unwrap();
    assert!(!history.has_ended(&first.run).unwrap());
    assert_eq!(history.append(std::slice::from_ref(&cut), false).unwrap(), Vec::<String>::new());
    assert_eq!(history.append(std::slice::from_ref(&first), false).unwrap(), std::slice::from_ref(&first.run));
    assert_eq!(history.append(&[cut], false).unwrap(), Vec::<String>::new(), "an end is not taken back");
    assert_eq!(history.records(&Selection::default()).unwrap(), [first.clone(), second]);
    assert!(history.has_ended(&first.run).unwrap() && first.role == Role::First);
}
