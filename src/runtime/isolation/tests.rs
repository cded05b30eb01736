use proptest::prelude::{Just, Strategy as Generator, prop_oneof};
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::*;
use crate::runtime::recycle::{Recycler, Thresholds, Wipe};
use crate::runtime::{MemoryLimit, STRATEGIES};
use crate::units::Bytes;

/// Randomised tenants per strategy; 10,000 take half a minute each.
fn tenants() -> u32 {
    std::env::var("ESTIMATOR_TENANTS").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

fn node() -> NodeSettings {
    NodeSettings { keep: Bytes(4 << 20), ..NodeSettings::new(MemoryLimit(Pages(1024))) }
}

/// A strategy that is not as it should be.
#[derive(Debug)]
struct Odd {
    name: &'static str,
    config: fn(NodeSettings) -> wasmtime::Config,
}

const FORGETFUL: Odd = Odd { name: "broken", config: |node| Recycler::new(Wipe::Forgotten, node.keep).config() };

const FORGETS_A_SPAN: Odd =
    Odd { name: "forgets a span", config: |node| Recycler::forgetting_a_span(node.keep).config() };

const CRAMPED: Odd = Odd {
    name: "cramped",
    config: |_| {
        let mut config = wasmtime::Config::new();
        config.memory_reservation(0).memory_reservation_for_growth(0).memory_may_move(false);
        config
    },
};

impl Strategy for Odd {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.name
    }

    fn config(&self, node: NodeSettings) -> wasmtime::Config {
        (self.config)(node)
    }
}

#[test]
fn a_memory_that_cannot_grow_is_not_taken_for_one_that_did() {
    let error = check(&CRAMPED, node()).unwrap_err();
    assert!(matches!(error, IsolationError::Broken { doing: "a tenant cannot grow", .. }), "{error}");
}

#[test]
fn every_available_strategy_isolates() {
    for strategy in STRATEGIES.into_iter().filter(|strategy| strategy.available().is_ok()) {
        for keep in [Bytes(0), Bytes(4 << 20), Bytes(512 << 20)] {
            check(strategy, NodeSettings { keep, ..node() }).unwrap();
        }
    }
}

#[test]
fn a_forgotten_wipe_is_found_at_its_address() {
    let error = check(&FORGETFUL, node()).unwrap_err();
    assert!(matches!(error, IsolationError::Leak { strategy: "broken", address: 0, found: 0xa5, .. }), "{error}");
    assert!(error.to_string().contains("declared 33 pages"), "{error}");
}

#[test]
fn a_forgotten_span_of_a_tracked_memory_is_found() {
    let node = NodeSettings::new(MemoryLimit(Pages(1024)));
    let mut inspection = Inspection::new(&FORGETS_A_SPAN, node, &[Pages(128)]).unwrap();
    // Who writes to all is found out by its last span, and who writes over a border by what follows it.
    let border = (128 << 16) - (2 << 20);
    for (visit, address) in [
        (Visit::of_all(Pages(128), Ending::Trapped), border),
        (Visit { start: border - 4, length: 8, stride: 0, ..Visit::over_borders(Pages(128), Writer::Stores) }, border),
    ] {
        inspection.visit(&visit).unwrap();
        match inspection.visit(&Visit::of_nothing(Pages(128))).unwrap_err() {
            IsolationError::Leak { address: found, .. } => assert_eq!(found, address as usize),
            error @ IsolationError::Broken { .. } => panic!("{error}"),
        }
        inspection = Inspection::new(&FORGETS_A_SPAN, node, &[Pages(128)]).unwrap();
    }
    assert!(matches!(check(&FORGETS_A_SPAN, node), Err(IsolationError::Leak { .. })));
}

#[test]
fn every_writer_over_every_border_of_a_tracked_memory_is_found_where_spans_are_forgotten() {
    let node = NodeSettings::new(MemoryLimit(Pages(1024)));
    for writer in Writer::ALL {
        let mut inspection = Inspection::new(&FORGETS_A_SPAN, node, &[Pages(96)]).unwrap();
        inspection.visit(&Visit::over_borders(Pages(96), writer)).unwrap();
        let error = inspection.visit(&Visit::of_nothing(Pages(96))).unwrap_err();
        assert!(matches!(error, IsolationError::Leak { address: 0x0040_0000, .. }), "{error}");
    }
}

#[test]
fn one_byte_left_behind_is_found_wherever_it_is() {
    let last = 2 * 65536 - 20;
    let mut inspection = Inspection::new(&FORGETFUL, node(), &[Pages(2)]).unwrap();
    inspection
        .visit(&Visit { start: last, length: 1, byte: 7, ..Visit::of_all(Pages(2), Ending::Interrupted) })
        .unwrap();
    let error = inspection.visit(&Visit::of_nothing(Pages(2))).unwrap_err();
    assert!(error.to_string().contains("at address 0x1ffec"), "{error}");
}

#[test]
fn a_leak_into_grown_pages_is_found() {
    let mut inspection = Inspection::new(&FORGETFUL, node(), &[Pages(2)]).unwrap();
    inspection.visit(&Visit { start: 3 * 65536, ..Visit::of_all(Pages(2), Ending::Grew) }).unwrap();
    inspection.visit(&Visit::of_nothing(Pages(2))).unwrap();
    let error = inspection.visit(&Visit { grow: Pages(2), ..Visit::of_nothing(Pages(2)) }).unwrap_err();
    assert!(matches!(error, IsolationError::Leak { address: 0x30000, .. }), "{error}");
}

fn visits(sizes: &'static [Pages]) -> impl Generator<Value = Visit> {
    let size = proptest::sample::select(sizes);
    let ending = proptest::sample::select(&Ending::ALL[..]);
    let length = prop_oneof![Just(1u32), 1..200_000u32, Just(u32::MAX)];
    let writer = proptest::sample::select(&Writer::ALL[..]);
    // Over borders, in every span, or once.
    let stride = prop_oneof![3 => Just(0u32), 1 => Just(2 << 20), 1 => 1_000_000..3_000_000u32];
    let place = (0..20_000_000u32, length, stride);
    (size, 0..3u32, place, 1..=255u8, writer, ending).prop_map(|(size, grow, place, byte, writer, ending)| {
        let (start, length, stride) = place;
        let start = start % u32::try_from(size.bytes().0).unwrap_or(1);
        Visit { size, grow: Pages(grow), start, length, stride, byte, writer, ending }
    })
}

#[test]
fn randomised_tenants_find_nothing_of_each_other() {
    static SIZES: [Pages; 6] = [Pages(1), Pages(2), Pages(17), Pages(32), Pages(40), Pages(100)];
    for strategy in STRATEGIES.into_iter().filter(|strategy| strategy.available().is_ok()) {
        if strategy.is_interpreter() {
            continue;
        }
        // Small enough a limit that slots are kept, wiped either way, and given up in turn; and from two spans on tracked.
        let thresholds = Thresholds { track_from: Some(Bytes(2 << 20)), ..Thresholds::default() };
        let node = NodeSettings { keep: Bytes(10 << 20), thresholds, ..node() };
        let inspection = std::cell::RefCell::new(Inspection::new(strategy, node, &SIZES).unwrap());
        let cases = Cases { cases: tenants(), failure_persistence: None, ..Cases::default() };
        let mut runner = TestRunner::new_with_rng(cases, TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]));
        let outcome = runner.run(&visits(&SIZES), |visit| {
            inspection.borrow_mut().visit(&visit).map_err(|error| TestCaseError::fail(error.to_string()))
        });
        outcome.unwrap_or_else(|error| panic!("{}: {error}", strategy.name()));
    }
}

#[test]
fn every_wipe_of_the_adaptive_strategy_isolates() {
    // The sizes of the check lie on both sides of the thresholds.
    let adaptive = crate::runtime::find("recycle-adaptive").unwrap();
    let (small, large) = (Some(Bytes(1 << 20)), Some(Bytes(8 << 20)));
    for (blend, stream) in [(small, large), (large, None), (None, small)] {
        let thresholds = Thresholds { blend_from: blend, stream_from: stream, ..Thresholds::default() };
        check(adaptive, NodeSettings { keep: Bytes(512 << 20), thresholds, ..node() }).unwrap();
    }
}
