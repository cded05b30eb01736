//! A neighbour that disturbs: on another processor it copies memory past every cache, or maps, touches and unmaps pages, until it is killed.
//! For runs that must be refused beside it or find the right fee: `benches/repeat.sh`.
//!
//!     cargo run --release --example neighbour -- copy
//!     cargo run --release --example neighbour -- fault

use std::env;
use std::hint::black_box;
use std::process::ExitCode;

use estimator::measure::{HostMachine, Image, Machine};
use estimator::units::Bytes;

/// As large as the largest memory of a contract.
const SIZE: usize = 64 << 20;

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        Some("copy") => {
            let (from, mut to) = (vec![1_u8; SIZE], vec![0_u8; SIZE]);
            loop {
                to.copy_from_slice(black_box(&from));
                black_box(&to);
            }
        }
        Some("fault") => {
            let mut machine = HostMachine::new(Bytes(0));
            while machine.probe(Bytes(SIZE as u64), &Image::default()).is_ok() {}
            eprintln!("the kernel refuses a mapping of 64 MiB");
            ExitCode::FAILURE
        }
        _ => {
            eprintln!("usage: neighbour copy|fault");
            ExitCode::from(2)
        }
    }
}
