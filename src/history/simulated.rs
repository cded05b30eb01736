//! Nights on a machine whose truth is known, for tests.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::figure::{Figure, LineKind, Recorded};
use super::gate::{GateSettings, judge};
use super::judgement::{State, Verdict};
use super::record::{Outcome, RECORD_FORMAT, Record, Role};
use crate::model::{Estimate, Form};
use crate::params::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE};
use crate::units::Gas;

/// A record without figures.
pub(super) fn record(sequence: u64, night: &str, role: Role) -> Record {
    Record {
        format: RECORD_FORMAT,
        run: format!("run{sequence}"),
        sequence,
        night: night.into(),
        role,
        outcome: Outcome::Measured,
        created: format!("2026-01-01T00:00:{:02}Z", sequence % 60),
        machine: "0123456789ab".into(),
        cpu: "a processor".into(),
        node: String::new(),
        strategy: "fresh-map".into(),
        statistic: "median".into(),
        reference: "r".into(),
        contract_set: "c0".into(),
        wasmtime: "48.0.8".into(),
        estimator: "0.1.0".into(),
        budget_seconds: 600,
        estimates: Vec::new(),
        gas: [(INIT_BASE.to_owned(), Gas(100))].into(),
        judgement: None,
        events: Vec::new(),
    }
}

/// A machine. The spreads between runs are those of standard runs on a loaded virtual machine (`docs/measurement.md`: the
/// range of eight runs over 2.85 is their standard deviation): 0.3 % for a page, 3.2 % for the base, 2.9 % and 8.8 % for their
/// charges. The whole machine is 2 % faster or slower from night to night, two thirds of which last until the next. One run in a
/// hundred is disturbed by 10 %.
pub(super) struct Machine {
    rng: ChaCha8Rng,
    pace: f64,
    sequence: u64,
}

impl Machine {
    pub(super) fn new(seed: u64) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed), pace: 0.0, sequence: 0 }
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.rng.random::<f64>()).sum::<f64>() - 6.0
    }

    /// The next night.
    pub(super) fn dawn(&mut self) {
        self.pace = self.pace * 2.0 / 3.0 + 0.02 * (1.0 - 4.0_f64 / 9.0).sqrt() * self.normal();
    }

    /// A run, every cost `change` times that of the beginning. Returns a record of the night.
    pub(super) fn run(&mut self, night: Option<&str>, change: f64) -> Record {
        self.sequence += 1;
        let own = format!("run{}", self.sequence);
        let role = if night.is_some() { Role::Confirming } else { Role::First };
        let mut record = record(self.sequence, night.unwrap_or(&own), role);
        let disturbed = if self.rng.random::<f64>() < 0.01 { 0.1 } else { 0.0 };
        let truths = [
            (INIT_BASE, LineKind::Cost, 40_000.0, 0.032),
            (INIT_PER_PAGE, LineKind::Cost, 35_000.0, 0.003),
            (INIT_BASE, LineKind::Charge, 40_000.0, 0.088),
            (INIT_PER_PAGE, LineKind::Charge, 47_000.0, 0.029),
            (GROW_PER_PAGE, LineKind::Charge, 43_000.0, 0.029),
        ];
        for (param, line, truth, spread) in truths {
            for form in Form::BOTH {
                let shared = if form == Form::Measured { self.pace } else { 0.0 };
                let log = spread * self.normal() + shared + disturbed;
                let value = truth * change * log.exp();
                let estimate = Estimate::around(value, value * spread * 1.5);
                record.estimates.push(Recorded { figure: Figure::new(param, line, form), estimate });
            }
        }
        record
    }
}

/// Lives through nights as `nightly` does. Returns the nights, counted from 0, on which an alert was raised, and how often a
/// second run was needed.
fn nights(seed: u64, count: u32, change: impl Fn(u32) -> f64) -> (Vec<u32>, u32) {
    let mut machine = Machine::new(seed);
    let (mut records, mut alerts, mut confirming): (Vec<Record>, Vec<u32>, u32) = (Vec::new(), Vec::new(), 0);
    let settings = GateSettings::default();
    for night in 0..count {
        machine.dawn();
        let mut tonight = vec![machine.run(None, change(night))];
        let told = |key: &str| was_told(&records, key);
        let mut judgement = judge(&records, &tonight, None, &told, &settings);
        if judgement.findings.iter().any(|finding| finding.state == State::Suspected) {
            confirming += 1;
            let first = tonight[0].run.clone();
            tonight.push(machine.run(Some(&first), change(night)));
            judgement = judge(&records, &tonight, None, &told, &settings);
        }
        if judgement.verdict == Verdict::Changed {
            alerts.push(night);
        }
        if let Some(last) = tonight.last_mut() {
            last.judgement = Some(judgement);
        }
        records.extend(tonight);
    }
    (alerts, confirming)
}

fn was_told(records: &[Record], key: &str) -> bool {
    let findings = records.iter().filter_map(|record| record.judgement.as_ref()).flat_map(|judged| &judged.findings);
    findings.into_iter().any(|finding| finding.key == key && finding.state == State::Changed)
}

/// Histories that each claim is tested on.
const HISTORIES: u64 = 20;

#[test]
fn sixty_nights_without_a_change_raise_no_alert() {
    let (mut false_alarms, mut confirming) = (0, 0);
    for seed in 0..HISTORIES {
        let (alerts, second) = nights(seed, 60, |_| 1.0);
        false_alarms += usize::from(!alerts.is_empty());
        confirming += second;
    }
    assert_eq!(false_alarms, 0, "{confirming} second runs");
}

#[test]
fn a_step_of_five_percent_is_told_within_two_nights_and_not_every_night() {
    for way in [1.05, 1.0 / 1.05] {
        let (mut late, mut again) = (0, 0);
        for seed in 0..HISTORIES {
            let (alerts, _) = nights(seed, 60, |night| if night < 30 { 1.0 } else { way });
            late += usize::from(!alerts.iter().any(|night| (30..=31).contains(night)));
            again += usize::from(alerts.len() > 3);
        }
        assert_eq!((late, again), (0, 0), "{way}");
    }
}

#[test]
fn a_drift_of_three_permille_a_day_is_told_within_three_weeks() {
    for way in [1.003_f64, 1.0 / 1.003] {
        let mut late = 0;
        for seed in 0..HISTORIES {
            let drifted = |night: u32| way.powi(i32::try_from(night.saturating_sub(30)).unwrap());
            let (alerts, _) = nights(seed, 60, drifted);
            late += usize::from(!alerts.iter().any(|night| (31..=51).contains(night)));
        }
        assert_eq!(late, 0, "{way}");
    }
}
