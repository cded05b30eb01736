//! Runs to send: the stored one, under other names and on other machines.

use std::fs;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};

/// Files of a run by name.
pub type Files = Vec<(String, Vec<u8>)>;

/// The stored run, called so, on a machine with so much memory, which makes another class of it.
pub fn run(name: &str, cores: u32) -> Files {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run");
    let file = |file: &str| (file.to_owned(), fs::read(source.join(file)).unwrap());
    let mut files: Files = ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"].map(file).to_vec();
    change(&mut files, "run.toml", "run = \"stored\"", &format!("run = \"{name}\""));
    change(&mut files, "run.toml", "logical_cores = 2", &format!("logical_cores = {cores}"));
    files
}

/// Replaces a text that must be there.
pub fn change(files: &mut Files, name: &str, from: &str, to: &str) {
    let (_, content) = files.iter_mut().find(|(file, _)| file == name).unwrap();
    let text = String::from_utf8(content.clone()).unwrap();
    assert!(text.contains(from), "{from} in {name}");
    *content = text.replacen(from, to, 1).into_bytes();
}

/// Writes a run into a folder under `nodes`.
pub fn on_disk(folder: &Path, name: &str, files: &Files) -> PathBuf {
    let run = folder.join("nodes").join(name);
    fs::create_dir_all(&run).unwrap();
    for (file, content) in files {
        fs::write(run.join(file), content).unwrap();
    }
    run
}

/// The files as tar.
pub fn tar(files: &Files) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, &content[..]).unwrap();
    }
    builder.into_inner().unwrap()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
