//! A folder of its own for each test, and the command in it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;
use walkdir::WalkDir;

pub struct Folder(TempDir);

/// A file or a link, by its name in its folder.
pub struct Kept {
    name: PathBuf,
    content: Content,
}

enum Content {
    Bytes(Vec<u8>),
    LinkTo(PathBuf),
}

/// A contract of one page that is touched as it should be.
pub const GOOD: &str = include_str!("../../estimator-contracts/touch-memory-wat/touch-memory.wat");

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// What was in another one.
    pub fn holding(kept: &[Kept]) -> Self {
        let folder = Self::new();
        for Kept { name, content } in kept {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match content {
                Content::Bytes(bytes) => fs::write(path, bytes).unwrap(),
                Content::LinkTo(target) => symlink(target, path).unwrap(),
            }
        }
        folder
    }

    /// All that is in it. A run that several tests begin with is measured once and kept so.
    pub fn kept(&self) -> Vec<Kept> {
        let entries =
            WalkDir::new(self.path()).into_iter().map(Result::unwrap).filter(|entry| !entry.file_type().is_dir());
        let keep = |entry: walkdir::DirEntry| Kept {
            name: entry.path().strip_prefix(self.path()).unwrap().into(),
            content: if entry.path_is_symlink() {
                Content::LinkTo(fs::read_link(entry.path()).unwrap())
            } else {
                Content::Bytes(fs::read(entry.path()).unwrap())
            },
        };
        entries.map(keep).collect()
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.join(name)).unwrap()
    }

    /// Settings of a chain whose calls meet nothing on their way, which takes the least time to measure.
    pub fn nothing_met(&self) {
        let (settings, _) = include_str!("../../params/chain.toml").split_once("[node]").unwrap();
        self.write("params/chain.toml", format!("{settings}[node]\n"));
    }

    /// A contract in `contracts/`, with these page levels, for a chain whose calls meet nothing.
    pub fn contract(&self, name: &str, source: &str, pages: &str) {
        self.nothing_met();
        let manifest = format!(
            "format = 1\ndescription = \"test\"\nsource = \"touch.wat\"\nentry = \"touch\"\n[factors]\n\
             initial_pages = {pages}\nstack_bytes = [\"16 KiB\"]\n"
        );
        self.write(&format!("contracts/{name}/contract.toml"), manifest);
        self.write(&format!("contracts/{name}/touch.wat"), source);
    }

    /// A ready module in `contracts/`.
    pub fn module(&self, name: &str, text: &str) {
        self.write(&format!("contracts/{name}.wasm"), wat::parse_str(text).unwrap());
    }

    /// The command in this folder, without a Rust toolchain in reach, so that every machine behaves alike.
    pub fn estimator(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
        command.current_dir(self.path()).env("HOME", self.path()).env_remove("XDG_CACHE_HOME").env_remove("RUSTC");
        command.env("PATH", "/nowhere").env("NO_COLOR", "1").args(args);
        command
    }

    /// Measures the contracts as shortly as can be.
    pub fn run(&self) -> Command {
        self.estimator(&["run", "--contracts", "contracts", "--budget", "1s", "--seed", "1", "--strategy", "fresh-map"])
    }

    /// Runs and returns the exit code with what was written to standard error.
    pub fn fails(&self, args: &[&str]) -> (i32, String) {
        failure(&mut self.estimator(args))
    }
}

/// The exit code and standard error of a command; it must not panic.
pub fn failure(command: &mut Command) -> (i32, String) {
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("panicked"), "{stderr}");
    (output.status.code().expect("not killed"), stderr)
}
