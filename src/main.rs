//! The `estimator` command.

fn main() {}
