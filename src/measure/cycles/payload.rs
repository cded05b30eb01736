use std::hint::black_box;
use std::sync::Arc;

use super::{Choice, WorkProcedure, point};
use crate::experiment::payload::{PASSAGE, PAYLOAD, PAYLOAD_BYTES, Passage};
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

const ALL: [Passage; 7] = [
    Passage::Copied,
    Passage::IntoFreshMemory,
    Passage::Overwritten,
    Passage::UnsharedWithRoom,
    Passage::UnsharedThenGrown,
    Passage::CopiedOut,
    Passage::TakenOut,
];

fn points(choice: &Choice<'_>) -> Vec<PlannedPoint> {
    let of = |passage: Passage| {
        SIZES.map(|bytes| {
            let levels = Levels::default().with(&PASSAGE, passage as u64).with(&PAYLOAD_BYTES, bytes);
            let repeats = if bytes > 256 << 10 { 1 } else { 4 };
            PlannedPoint { point: point(choice, &PAYLOAD, format!("{}KiB-{passage}", bytes >> 10), levels), repeats }
        })
    };
    ALL.into_iter().flat_map(of).collect()
}

fn ready(plan: &Plan, point: &Point) -> Result<Box<dyn Work>, MeasureError> {
    let unknown = || MeasureError::UnknownStrategy { name: point.strategy.clone() };
    let strategy = find(&point.strategy).ok_or_else(unknown)?;
    Ok(Box::new(Payload::new(strategy, plan.node(), point.passage(), Bytes(point.level(&PAYLOAD_BYTES)))?))
}

/// A contract that has room for a payload, and the host that has it.
struct Payload {
    contract: Box<dyn LoadedContract>,
    room: Pages,
    host: Host,
}

impl Payload {
    /// The node gives as much memory as the payload takes, whatever the chain allows its contracts.
    fn new(
        strategy: &'static dyn Strategy,
        node: NodeSettings,
        passage: Passage,
        bytes: Bytes,
    ) -> Result<Self, RuntimeError> {
        let label = "payload";
        let room = Bytes(bytes.0 + ADDED.len() as u64).pages_up().unwrap_or_default();
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
        Ok(Self { contract, room, host: Host::new(passage, bytes.host_size()) })
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
}

/// The buffers that passing a payload left, to be freed.
type Passed = (Vec<u8>, Arc<Vec<u8>>);

impl Host {
    fn new(passage: Passage, length: usize) -> Self {
        let mut own = Vec::with_capacity(length + ADDED.len());
        own.resize(length, 7);
        Self { passage, own, shared: Arc::new(vec![7; length]) }
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
            Passage::CopiedOut => self.own.copy_from_slice(&memory[..length]),
            Passage::TakenOut => made = memory[..length].to_vec(),
        }
        black_box(memory);
        (made, shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Counting;

    const LENGTH: usize = 100_000;

    /// Allocations of a passage, and bytes of these for each byte of the payload.
    fn of(passage: Passage) -> (u64, u64) {
        let mut host = Host::new(passage, LENGTH);
        let mut memory = vec![3; LENGTH + ADDED.len()];
        let shared = Arc::clone(&host.shared);
        let counting = Counting::begin();
        let passed = host.pass(&mut memory, shared);
        let found = counting.end();
        match passage {
            Passage::CopiedOut => assert!(host.own.iter().all(|&byte| byte == 3)),
            Passage::TakenOut => assert!(passed.0 == vec![3; LENGTH]),
            _ => assert!(memory[..LENGTH].iter().all(|&byte| byte == 7), "{passage}"),
        }
        assert_eq!(host.own.len(), LENGTH);
        (found.count, found.bytes / LENGTH as u64)
    }

    #[test]
    fn each_passage_allocates_as_it_says_and_brings_every_byte() {
        assert_eq!(
            ALL.map(of),
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
            for passage in ALL {
                let mut payload = Payload::new(find(strategy).unwrap(), node, passage, Bytes(1 << 20)).unwrap();
                let mut laps = 0;
                (0..2).for_each(|_| payload.once(&mut || laps += 1).unwrap());
                assert_eq!(laps, 2 * (PAYLOAD.phases.len() + 1), "{passage} under {strategy}");
            }
        }
    }
}
