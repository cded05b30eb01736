//! The `estimator` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    estimator::cli::main()
}
