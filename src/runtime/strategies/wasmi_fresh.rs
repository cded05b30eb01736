use wasmtime::Config;

use crate::runtime::node::NodeSettings;
use crate::runtime::strategy::Strategy;

/// Not Wasmtime but the interpreter wasmi, which has one way: a block of the program's allocator for each instance
/// (`wasmi_core::memory::ByteBuffer`).
///
/// Instantiate: the block, zeroed by hand, so that every declared page faults at once where the allocator took it from the kernel. First
/// touch: no fault. Reset: the block is freed (`munmap` from 128 KiB on, unless larger ones were freed before). Scales with declared pages, touched or not.
#[derive(Debug, Clone, Copy)]
pub struct WasmiFresh;

impl Strategy for WasmiFresh {
    fn name(&self) -> &'static str {
        "wasmi-fresh"
    }

    fn summary(&self) -> &'static str {
        "the interpreter wasmi: a new block for each call, zeroed as a whole"
    }

    fn config(&self, _: NodeSettings) -> Config {
        Config::new()
    }

    fn is_interpreter(&self) -> bool {
        true
    }
}
