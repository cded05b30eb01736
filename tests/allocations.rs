//! What reading contracts allocates: each file is read once, and no byte of it is copied again.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use estimator::app::{PriceList, PriceRequest, Session, Survey};
use estimator::contract::corpus::read_module;
use estimator::measure::{Allocations, Counting, CountingAllocator};
use flate2::Compression;
use flate2::write::GzEncoder;
use wasm_encoder::{ConstExpr, DataSection, MemorySection, MemoryType, Module};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Bytes of data in each module.
const DATA: usize = 1_000_000;

/// What is allocated beside the bytes of a module at most: facts, names, paths, and what decompresses.
const BESIDE: u64 = 100_000;

fn module(seed: u8) -> Vec<u8> {
    let mut memories = MemorySection::new();
    memories.memory(MemoryType { minimum: 17, maximum: None, memory64: false, shared: false, page_size_log2: None });
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i32_const(0), (0..DATA).map(|at| at.to_le_bytes()[0].wrapping_mul(seed)));
    let mut module = Module::new();
    module.section(&memories).section(&data);
    module.finish()
}

/// A folder with three of them, and the bytes of one.
fn corpus() -> (tempfile::TempDir, u64) {
    let folder = tempfile::tempdir().unwrap();
    for seed in [1, 3, 5] {
        fs::write(folder.path().join(format!("{seed}.wasm")), module(seed)).unwrap();
    }
    (folder, module(1).len() as u64)
}

fn counted<T>(work: impl FnOnce() -> T) -> (T, Allocations) {
    let counting = Counting::begin();
    let result = work();
    (result, counting.end())
}

#[test]
fn a_file_is_read_into_one_allocation_of_its_size() {
    let (folder, size) = corpus();
    let path = folder.path().join("3.wasm");
    let (bytes, found) = counted(|| read_module(&path).unwrap());
    assert_eq!(bytes, module(3));
    assert_eq!(found, Allocations { count: 1, bytes: size, peak: size });
}

#[test]
fn a_compressed_file_takes_one_more_of_the_size_inside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wasm.gz");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&module(7)).unwrap();
    let compressed = encoder.finish().unwrap();
    fs::write(&path, &compressed).unwrap();
    let (bytes, found) = counted(|| read_module(&path).unwrap());
    assert_eq!(bytes, module(7));
    let whole = (bytes.len() + compressed.len()) as u64;
    assert!((whole..whole + BESIDE).contains(&found.bytes), "{found:?} of {whole}");
}

#[test]
fn surveys_and_prices_read_all_files_into_one_buffer() {
    let (folder, size) = corpus();
    let paths: Vec<PathBuf> = vec![folder.path().into()];
    let session = Session::new();
    let within = |found: Allocations| {
        let whole = size..size + 3 * BESIDE;
        println!("{} allocations of {} bytes for three files of {size}", found.count, found.bytes);
        assert!(whole.contains(&found.bytes), "{found:?}: {whole:?}");
    };
    let (rows, found) =
        counted(|| Survey::new(&paths, io::empty(), &session).filter(|row| row.error.is_none()).count());
    assert_eq!(rows, 3);
    within(found);
    let request = PriceRequest::new("tests/data/table.toml", paths.clone());
    let prices = PriceList::new(&request, io::empty(), &session).unwrap();
    let (fees, found) = counted(|| prices.filter(|row| row.fee.is_some()).count());
    assert_eq!(fees, 3);
    within(found);
}
