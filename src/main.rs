//! The `estimator` command.

use std::process::ExitCode;

#[cfg(feature = "measure")]
#[global_allocator]
static ALLOCATOR: estimator::measure::CountingAllocator = estimator::measure::CountingAllocator;

fn main() -> ExitCode {
    estimator::cli::main()
}
