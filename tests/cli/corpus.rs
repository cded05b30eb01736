//! Corpora of the tests' own, and modules that no author would publish.

use std::io::Write as _;

use crate::folder::Folder;

/// A module as `rustc` links it: a stack of this size first, then data up to the heap.
pub fn linked(pages: u32, stack: u32, data: &str) -> Vec<u8> {
    let heap = (stack + u32::try_from(data.len()).unwrap()).next_multiple_of(16);
    let segment = if data.is_empty() { String::new() } else { format!("(data (i32.const {stack}) \"{data}\")") };
    wat::parse_str(format!(
        "(module (import \"env\" \"host\" (func (param i32))) (memory (export \"memory\") {pages})
           (global (mut i32) (i32.const {stack}))
           (global (export \"__heap_base\") i32 (i32.const {heap})) {segment}
           (func (export \"f\") (call 0 (i32.const 0))))"
    ))
    .unwrap()
}

/// Three contracts in `corpus/`: two as linkers make them, one of these compressed, and one with a small stack.
pub fn corpus() -> Folder {
    let folder = Folder::new();
    folder.write("corpus/near/a.wasm", linked(17, 1 << 20, "abcd"));
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&linked(16, 1 << 20, "")).unwrap();
    folder.write("corpus/near/b.wasm.gz", encoder.finish().unwrap());
    folder.write("corpus/c.wasm", linked(2, 1 << 16, "xyz"));
    folder.write("params/current.toml", include_str!("../data/current.toml"));
    folder
}

/// Exit code, standard output and standard error; no command may panic.
pub fn output(folder: &Folder, args: &[&str]) -> (i32, String, String) {
    let output = folder.estimator(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert!(!stderr.contains("panicked"), "{stderr}");
    (output.status.code().expect("not killed"), stdout, stderr)
}
