//! The `estimator` command.

use std::process::ExitCode;

use estimator::measure::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    estimator::cli::main()
}
