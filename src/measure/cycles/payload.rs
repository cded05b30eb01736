use std::hint::black_box;
use std::sync::Arc;

use super::{Choice, WorkProcedure, point};
use crate::experiment::payload::{PASSAGE, PAYLOAD, PAYLOAD_BYTES, Passage, RETURNED_BYTES, WAY_OUT, WayOut};
use crate::experiment::{Levels, Point};
use crate::measure::work::Work;
use crate::measure::{MeasureError, Plan, PlannedPoint};
use crate::runtime::{
    ContractCode, InterpretedRuntime, LoadedContract, MemoryLimit, NodeSettings, Runtime, RuntimeError, Strategy,
    WasmtimeRuntime, find,
};
use crate::units::{Bytes, Pages};

pub(super) const WORK: WorkProcedure = WorkProcedure { of: &PAYLOAD, points, ready };

/// From what most calls bring to the most that NEAR takes.
const SIZES: [u64; 6] = [1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// What the host adds to a buffer that is its own: as much as a header.
const ADDED: [u8; 64] = [1; 64];

const PASSAGES: [Passage; 5] = [
    Passage::Copied,
    Passage::IntoFreshMemory,
    Passage::Overwritten,
    Passage::UnsharedWithRoom,
    Passage::UnsharedThenGrown,
];
const WAYS_OUT: [WayOut; 2] = [WayOut::IntoOwnBuffer, WayOut::IntoNewBuffer];

fn points(choice: &Choice<'_>) -> Vec<PlannedPoint> {
    let of = |way: String, bytes: u64, levels: Levels| {
        let repeats = if bytes > 256 << 10 { 1 } else { 4 };
        PlannedPoint { point: point(choice, &PAYLOAD, format!("{}KiB-{way}", bytes >> 10), levels), repeats }
    };
    let brought = |passage: Passage| {
        let levels = Levels::default().with(&PASSAGE, passage as u64);
        SIZES.map(|bytes| of(passage.to_string(), bytes, levels.clone().with(&PAYLOAD_BYTES, bytes)))
    };
    let returned = |way: WayOut| {
        let levels = Levels::default().with(&WAY_OUT, way as u64);
        SIZES.map(|bytes| of(way.to_string(), bytes, levels.clone().with(&RETURNED_BYTES, bytes)))
    };
    // A call with both pays one base.
    let both = SIZES.map(|bytes| {
        let levels = Levels::default().with(&PAYLOAD_BYTES, bytes).with(&RETURNED_BYTES, bytes);
        of("both".to_owned(), bytes, levels)
    });
    PASSAGES.into_iter().flat_map(brought).chain(WAYS_OUT.into_iter().flat_map(returned)).chain(both).collect()
}

fn ready(plan: &Plan, point: &Point) -> Result<Box<dyn Work>, MeasureError> {
    let unknown = || MeasureError::UnknownStrategy { name: point.strategy.clone() };
    let strategy = find(&point.strategy).ok_or_else(unknown)?;
    Ok(Box::new(Payload::new(strategy, plan.node(), Host::of(point))?))
}

/// A contract that has room for a payload, and the host that has it.
struct Payload {
    contract: Box<dyn LoadedContract>,
    room: Pages,
    host: Host,
}

impl Payload {
    /// The node gives as much memory as the payload takes, whatever the chain allows its contracts.
    fn new(strategy: &'static dyn Strategy, node: NodeSettings, host: Host) -> Result<Self, RuntimeError> {
        let label = "payload";
        let most = host.own.len().max(host.returned) + ADDED.len();
        let room = Bytes(most as u64).pages_up().unwrap_or_default();
        let node = NodeSettings { limit: node.limit.max(MemoryLimit(room)), ..node };
        let runtime: &dyn Runtime = if strategy.is_interpreter() {
            &InterpretedRuntime::new(node)
        } else {
            &WasmtimeRuntime::new(strategy, node)
        };
        let text = format!(r#"(module (memory (export "memory") {}) (func (export "touch") (param i32 i32)))"#, room.0);
        let refused = |source: wat::Error| RuntimeError::Compile { contract: label.into(), source: source.into() };
        let wasm = wat::parse_str(text).map_err(refused)?;
        let contract = runtime.load(ContractCode { label, wasm: &wasm, entry: "touch", is_brought: false })?;
        Ok(Self { contract, room, host })
    }
}

impl Work for Payload {
    fn once(&mut self, lap: &mut dyn FnMut()) -> Result<(), MeasureError> {
        let mut tenant = self.contract.instantiate()?;
        if self.host.passage != Passage::IntoFreshMemory {
            tenant.write(self.room.bytes(), |data| data.fill(1))?;
        }
        let memory = tenant.memory();
        // Held by somebody else too.
        let shared = Arc::clone(&self.host.shared);
        lap();
        let passed = self.host.pass(memory, shared);
        lap();
        drop(passed);
        lap();
        Ok(())
    }
}

/// What the host holds of a payload.
struct Host {
    passage: Passage,
    /// Its own buffer, with room for what it adds.
    own: Vec<u8>,
    shared: Arc<Vec<u8>>,
    way_out: WayOut,
    /// How many bytes come back.
    returned: usize,
    /// Its own buffer for them.
    taken: Vec<u8>,
}

/// The buffers that passing a payload left, to be freed.
type Passed = (Vec<u8>, Arc<Vec<u8>>, Vec<u8>);

impl Host {
    fn of(point: &Point) -> Self {
        let [length, returned] = [&PAYLOAD_BYTES, &RETURNED_BYTES].map(|bytes| Bytes(point.level(bytes)).host_size());
        let mut own = Vec::with_capacity(length + ADDED.len());
        own.resize(length, 7);
        let shared = Arc::new(vec![7; length]);
        Self { passage: point.passage(), own, shared, way_out: point.way_out(), returned, taken: vec![7; returned] }
    }

    /// Passes the payload between the host and this memory, which has room for it.
    fn pass(&mut self, memory: &mut [u8], mut shared: Arc<Vec<u8>>) -> Passed {
        let length = self.own.len();
        let mut made = Vec::new();
        match self.passage {
            Passage::Copied | Passage::IntoFreshMemory => memory[..length].copy_from_slice(&self.own),
            Passage::Overwritten => {
                self.own.extend_from_slice(&ADDED);
                memory[..self.own.len()].copy_from_slice(&self.own);
                self.own.truncate(length);
            }
            Passage::UnsharedWithRoom => {
                made.reserve_exact(length + ADDED.len());
                made.extend_from_slice(&shared);
                made.extend_from_slice(&ADDED);
                memory[..made.len()].copy_from_slice(&made);
            }
            Passage::UnsharedThenGrown => {
                let unshared = Arc::make_mut(&mut shared);
                unshared.reserve(ADDED.len());
                unshared.extend_from_slice(&ADDED);
                memory[..unshared.len()].copy_from_slice(unshared);
            }
        }
        let returned = &black_box(memory)[..self.returned];
        let taken = match self.way_out {
            WayOut::IntoNewBuffer => returned.to_vec(),
            WayOut::IntoOwnBuffer => {
                self.taken.copy_from_slice(returned);
                Vec::new()
            }
        };
        black_box(&self.taken);
        (made, shared, taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Counting;

    const LENGTH: usize = 100_000;

    /// All that are planned, of one size.
    fn all(bytes: u64) -> Vec<Point> {
        let brought = PASSAGES.map(|passage| (&PASSAGE, passage as u64, &PAYLOAD_BYTES));
        let returned = WAYS_OUT.map(|way| (&WAY_OUT, way as u64, &RETURNED_BYTES));
        let point = |(way, level, size)| Point {
            levels: Levels::default().with(way, level).with(size, bytes),
            ..Point::default()
        };
        brought.into_iter().chain(returned).map(point).collect()
    }

    /// Allocations of a passage, and bytes of these for each byte of the payload.
    fn of(point: &Point) -> (u64, u64) {
        let mut host = Host::of(point);
        let mut memory = vec![3; LENGTH + ADDED.len()];
        let shared = Arc::clone(&host.shared);
        let counting = Counting::begin();
        let passed = host.pass(&mut memory, shared);
        let found = counting.end();
        if point.level(&RETURNED_BYTES) == 0 {
            assert!(memory[..LENGTH].iter().all(|&byte| byte == 7), "{}", point.passage());
        } else {
            let taken = if point.way_out() == WayOut::IntoNewBuffer { &passed.2 } else { &host.taken };
            assert!(taken.len() == LENGTH && taken.iter().all(|&byte| byte == 3), "{}", point.way_out());
        }
        (found.count, found.bytes / LENGTH as u64)
    }

    #[test]
    fn each_passage_allocates_as_it_says_and_brings_every_byte() {
        let found: Vec<(u64, u64)> = all(LENGTH as u64).iter().map(of).collect();
        assert_eq!(
            found,
            [
                (0, 0),
                (0, 0),
                (0, 0),
                (1, 1),
                // The shared one is held by a count of its own; then the bytes; then as many again and as many more as it grows by.
                (3, 3),
                (0, 0),
                (1, 1)
            ]
        );
    }

    #[test]
    fn a_payload_finds_its_contract_with_room_for_it_again_and_again() {
        let node = NodeSettings::new(MemoryLimit(Pages(1)));
        for strategy in ["fresh-map", "pool-decommit", "recycle-zero", "wasmi-fresh"] {
            for point in all(1 << 20) {
                let mut payload = Payload::new(find(strategy).unwrap(), node, Host::of(&point)).unwrap();
                let mut laps = 0;
                (0..2).for_each(|_| payload.once(&mut || laps += 1).unwrap());
                assert_eq!(laps, 2 * (PAYLOAD.phases.len() + 1), "{point:?} under {strategy}");
            }
        }
    }
}
