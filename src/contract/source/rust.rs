//! Compiling one variant of a Rust source with `rustc`.

use std::process::Stdio;

use super::edition::Edition;
use super::toolchain::{MissingToolchain, TARGET, Toolchain, first_error};
use crate::contract::factors::Variant;
use crate::units::{Bytes, Pages};

/// The environment variable from which a source takes the size of its data.
const DATA_BYTES: &str = "DATA_BYTES";

/// What the compiler sees of the caller's environment: where programs, libraries and temporary files are, and which toolchain was
/// chosen. Anything else could change the module (`RUSTC_BOOTSTRAP`, `option_env!` in a source) and is no part of the cache's key.
const KEPT: [&str; 7] = ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_HOME"];

/// Why a source gave no module.
pub(super) enum RustError {
    /// The compiler's output.
    Refused(String),
    /// A file could not be written or read, or the compiler not started.
    Io(std::io::Error),
}

impl From<std::io::Error> for RustError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// The arguments that make `variant` out of the source file of that name.
///
/// The stack comes first, so that overflowing it traps instead of writing over data. rustc asks for that by itself; here it
/// is said, since the check of the stack pointer rests on it.
fn arguments(file_name: &str, edition: Edition, variant: &Variant) -> Vec<String> {
    let edition = edition.to_string();
    let mut arguments: Vec<String> = ["--crate-name", "contract", "--crate-type", "cdylib", "--edition", &edition]
        .into_iter()
        .chain(["--target", TARGET, "-C", "opt-level=3", "-C", "panic=abort", "-C", "strip=debuginfo"])
        .map(Into::into)
        .collect();
    for link in [
        "--stack-first".to_owned(),
        format!("-zstack-size={}", variant.stack_bytes.0),
        format!("--initial-memory={}", variant.initial_pages.bytes().0),
    ] {
        arguments.push("-C".into());
        arguments.push(format!("link-arg={link}"));
    }
    arguments.push(file_name.into());
    arguments
}

/// The command line as one would type it: for people, and for the key of what is cached.
pub(super) fn command_line(file_name: &str, edition: Edition, variant: &Variant) -> String {
    let data = variant.data_bytes.map_or_else(String::new, |data| format!("{DATA_BYTES}={} ", data.0));
    format!("{data}rustc {}", arguments(file_name, edition, variant).join(" "))
}

/// Makes sure that a compiler makes a module of the simplest source, with all that contracts are compiled with: an old one does not
/// know every edition, and some have no linker for this target.
pub(super) fn probe(toolchain: &Toolchain, edition: Edition) -> Result<(), MissingToolchain> {
    const SIMPLEST: &str =
        "#![no_std]\n#[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! {\n    loop {}\n}\n";
    let variant = Variant {
        name: String::new(),
        initial_pages: Pages(1),
        stack_bytes: Bytes(1 << 14),
        data_bytes: None,
        touched_pages: Vec::new(),
    };
    let reason = match build(toolchain, ("probe.rs", SIMPLEST, edition), &variant) {
        Ok(_) => return Ok(()),
        Err(RustError::Refused(output)) => first_error(&output).to_owned(),
        Err(RustError::Io(error)) => error.to_string(),
    };
    Err(toolchain.unfit(format!("{} compiles nothing for {TARGET}: {reason}", toolchain.version())))
}

/// Compiles a text of an edition, known to the compiler as `file_name`.
///
/// A copy is compiled, alone in a temporary folder and by a relative name: nothing that the cache does not know of can be
/// included, and no path of this machine gets into the module.
pub(super) fn build(
    toolchain: &Toolchain,
    (file_name, text, edition): (&str, &str, Edition),
    variant: &Variant,
) -> Result<Vec<u8>, RustError> {
    const MODULE: &str = "contract.wasm";
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join(file_name), text)?;
    let mut command = toolchain.command();
    command
        .args(arguments(file_name, edition, variant))
        .args(["-o", MODULE])
        .current_dir(folder.path())
        .env_clear()
        .envs(KEPT.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .stdin(Stdio::null());
    if let Some(data) = variant.data_bytes {
        command.env(DATA_BYTES, data.0.to_string());
    }
    let named = |error: std::io::Error, what| {
        let compiler = toolchain.command().get_program().display().to_string();
        std::io::Error::new(error.kind(), format!("`{compiler}` {what}: {error}"))
    };
    let output = command.output().map_err(|error| named(error, "does not run"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        let silent = || format!("`{}` failed without a word: {}", command.get_program().display(), output.status);
        return Err(RustError::Refused(if said.is_empty() { silent() } else { said }));
    }
    Ok(std::fs::read(folder.path().join(MODULE))
        .map_err(|error| named(error, "succeeded, and its module is not there"))?)
}
