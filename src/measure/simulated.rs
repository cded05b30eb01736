//! A runtime and a machine with a clock of their own, so that the harness is tested against times that are known.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Image, Machine};
use crate::runtime::{ContractCode, Deployment, LoadedContract, Runtime, RuntimeError, Stored, Tenant};
use crate::units::{Bytes, HOST_PAGE};

/// Nanoseconds of each phase.
pub(super) const INSTANTIATE: u64 = 11_000;
pub(super) const FAULT: u64 = 1_700;
pub(super) const STORE: u64 = 10;
pub(super) const RESET: u64 = 7_000;
pub(super) const LOADS: [u64; 5] = [20_000, 100, 5_000, 7_000, 9_000];
pub(super) const DEPLOYED: [u64; 3] = [1_000, 500_000, 60_000];
pub(super) const PROBE_PAGE: u64 = 1_500;

/// A number that all copies of a world share.
#[derive(Clone, Default)]
pub(super) struct Count(Arc<AtomicU64>);

impl Count {
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

/// What time it is, and how many pages faulted so far.
#[derive(Clone, Default)]
pub(super) struct World {
    clock: Count,
    faults: Count,
    /// Host pages of each touch that the contract leaves out.
    pub(super) lazy: Count,
    /// Images made for probes.
    pub(super) images: Count,
}

impl World {
    fn elapse(&self, nanos: u64) {
        self.clock.set(self.clock.get() + nanos);
    }
}

impl Machine for World {
    fn now_ns(&self) -> u64 {
        self.clock.get()
    }

    fn minor_faults(&self) -> u64 {
        // Asking takes time as well, which must fall into no phase.
        self.elapse(300);
        self.faults.get()
    }

    fn involuntary_switches(&self) -> u64 {
        0
    }

    fn host_page(&self) -> Bytes {
        Bytes(HOST_PAGE)
    }

    fn chill(&mut self) {
        self.elapse(400_000);
    }

    fn pass(&mut self, nanos: u64) {
        self.elapse(nanos);
    }

    fn image(&mut self, _: Bytes) -> io::Result<Image> {
        self.images.set(self.images.get() + 1);
        Ok(Image::default())
    }

    fn probe(&mut self, length: Bytes, _: &Image) -> io::Result<()> {
        self.elapse(length.0 / HOST_PAGE * PROBE_PAGE);
        Ok(())
    }
}

pub(super) struct SimulatedRuntime(pub(super) World);

struct Loaded(World);

struct Instance {
    world: World,
    memory: Vec<u8>,
    touched: bool,
}

impl Runtime for SimulatedRuntime {
    fn load(&self, _: ContractCode<'_>) -> Result<Box<dyn LoadedContract>, RuntimeError> {
        Ok(Box::new(Loaded(self.0.clone())))
    }
}

impl LoadedContract for Loaded {
    fn instantiate(&self) -> Result<Box<dyn Tenant + '_>, RuntimeError> {
        self.0.elapse(INSTANTIATE);
        Ok(Box::new(Instance { world: self.0.clone(), memory: vec![0; 65_536], touched: false }))
    }

    fn precede(&self, _: bool) -> Result<(), RuntimeError> {
        Ok(())
    }

    fn load_anew(&self, _: Stored, lap: &mut dyn FnMut()) -> Result<(), RuntimeError> {
        lap();
        for nanos in LOADS {
            self.0.elapse(nanos);
            lap();
        }
        Ok(())
    }

    fn deploy(&self, deployment: Deployment) -> Result<(), RuntimeError> {
        self.0.elapse(DEPLOYED[deployment as usize]);
        Ok(())
    }
}

impl Tenant for Instance {
    fn touch(&mut self, length: Bytes) -> Result<(), RuntimeError> {
        let pages = length.0 / HOST_PAGE - self.world.lazy.get();
        for page in self.memory.chunks_mut(4096).take(usize::try_from(pages).unwrap_or(usize::MAX)) {
            page[8] = 1;
        }
        self.world.elapse(pages * STORE);
        if !std::mem::replace(&mut self.touched, true) {
            self.world.elapse(pages * FAULT);
            self.world.faults.set(self.world.faults.get() + pages);
        }
        Ok(())
    }

    fn write(&mut self, length: Bytes, _: fn(&mut [u8])) -> Result<(), RuntimeError> {
        self.touch(length)
    }

    fn memory(&mut self) -> &mut [u8] {
        &mut self.memory
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.world.elapse(RESET);
    }
}
