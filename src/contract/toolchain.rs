//! The user's Rust compiler and its Wasm target.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target that contracts are compiled for.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// A Rust compiler.
///
/// The `rustc` on the path may be rustup's proxy, which chooses by folder and environment (`rust-toolchain.toml`,
/// `RUSTUP_TOOLCHAIN`). The choice is made once, in the folder of the caller, as every Rust tool does; from then on the
/// chosen compiler itself is run, so that it is the same one in the temporary folders where sources are compiled.
#[derive(Debug, Clone)]
pub struct Toolchain {
    rustc: PathBuf,
    sysroot: PathBuf,
    /// All that `rustc -vV` says: part of the key of what is cached.
    pub(super) verbose_version: String,
}

/// Why Rust contracts cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; to mend it: {mend}")]
pub struct MissingToolchain {
    /// What is missing.
    pub reason: String,
    /// The command that mends it.
    pub mend: String,
}

impl Toolchain {
    /// Finds `rustc`: the given one, or `$RUSTC`, or the one on the path. Neither target nor rustup is asked for.
    ///
    /// # Errors
    /// [`MissingToolchain`] if there is none or it does not run.
    pub fn find(rustc: Option<&Path>) -> Result<Self, MissingToolchain> {
        let asked = rustc.map(|path| path.as_os_str().to_owned());
        let asked = asked.or_else(|| std::env::var_os("RUSTC")).unwrap_or_else(|| OsString::from("rustc"));
        let missing = |reason| MissingToolchain {
            reason,
            mend: format!("install Rust from https://rustup.rs, then: rustup target add {TARGET}"),
        };
        let sysroot = PathBuf::from(output(&asked, &["--print", "sysroot"]).map_err(missing)?);
        // Some distributions keep the compiler elsewhere than in its sysroot.
        let inner = sysroot.join("bin/rustc");
        let rustc = if inner.is_file() { inner } else { PathBuf::from(asked) };
        let verbose_version = output(rustc.as_os_str(), &["-vV"]).map_err(missing)?;
        Ok(Self { rustc, sysroot, verbose_version })
    }

    /// A short version, such as `rustc 1.95.0 (59807616e 2026-04-14)`.
    #[must_use]
    pub fn version(&self) -> &str {
        self.verbose_version.lines().next().unwrap_or_default()
    }

    /// The rustup name of the toolchain; `None` if rustup does not manage it.
    #[must_use]
    pub fn rustup_name(&self) -> Option<&str> {
        let managed = self.sysroot.parent()?.file_name()? == "toolchains";
        self.sysroot.file_name().filter(|_| managed)?.to_str()
    }

    /// Whether the standard library of [`TARGET`] is installed.
    #[must_use]
    pub fn has_target(&self) -> bool {
        output(self.rustc.as_os_str(), &["--print", "target-libdir", "--target", TARGET])
            .is_ok_and(|folder| Path::new(&folder).read_dir().is_ok_and(|mut entries| entries.next().is_some()))
    }

    /// The lack of the target, with the command that mends it.
    pub(super) fn without_target(&self, reason: Option<String>) -> MissingToolchain {
        let reason = reason.unwrap_or_else(|| format!("{} has no target {TARGET}", self.version()));
        let mend = match self.rustup_name() {
            Some(name) => format!("rustup target add --toolchain {name} {TARGET}"),
            None => format!("install Rust from https://rustup.rs, then: rustup target add {TARGET}"),
        };
        MissingToolchain { reason, mend }
    }

    /// Adds the target through rustup, which downloads it.
    ///
    /// # Errors
    /// [`MissingToolchain`] if rustup does not manage this compiler, is not on the path, or fails.
    pub fn add_target(&self) -> Result<(), MissingToolchain> {
        let Some(name) = self.rustup_name() else {
            let reason = format!("{} has no target {TARGET}, and rustup does not manage it", self.rustc.display());
            return Err(self.without_target(Some(reason)));
        };
        output("rustup".as_ref(), &["target", "add", "--toolchain", name, TARGET])
            .map_err(|reason| self.without_target(Some(reason)))?;
        if self.has_target() { Ok(()) } else { Err(self.without_target(None)) }
    }

    /// The compiler, ready for arguments.
    pub(super) fn command(&self) -> Command {
        Command::new(&self.rustc)
    }
}

/// The trimmed standard output of a program that must succeed; or one line on why it did not.
fn output(program: &std::ffi::OsStr, arguments: &[&str]) -> Result<String, String> {
    let shown = || format!("`{} {}`", program.display(), arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(|error| format!("{} does not run: {error}", shown()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let mut lines = errors.lines().map(str::trim).filter(|line| !line.is_empty());
    // What went wrong stands in a line of its own, with notes or a backtrace below it.
    let error = lines.clone().find(|line| line.starts_with("error")).or_else(|| lines.next_back());
    Err(format!("{} failed ({}): {}", shown(), output.status, error.unwrap_or("without a message")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compiler_comes_with_the_way_out() {
        let missing = Toolchain::find(Some(Path::new("/nowhere/rustc"))).unwrap_err();
        assert!(missing.reason.contains("/nowhere/rustc"), "{missing}");
        assert!(missing.mend.contains("https://rustup.rs"), "{missing}");
    }

    #[test]
    fn a_toolchain_outside_rustup_cannot_be_added_to() {
        let toolchain =
            Toolchain { rustc: "/usr/bin/rustc".into(), sysroot: "/usr".into(), verbose_version: "rustc 1\nx".into() };
        assert_eq!(toolchain.version(), "rustc 1");
        let missing = toolchain.add_target().unwrap_err();
        assert!(missing.reason.contains("rustup does not manage it"), "{missing}");
    }

    #[test]
    fn a_managed_toolchain_is_mended_by_its_name() {
        let sysroot = "/home/u/.rustup/toolchains/stable-x86_64-unknown-linux-gnu".into();
        let toolchain = Toolchain { rustc: "rustc".into(), sysroot, verbose_version: "rustc 1".into() };
        let missing = toolchain.without_target(None);
        assert_eq!(
            missing.mend,
            "rustup target add --toolchain stable-x86_64-unknown-linux-gnu wasm32-unknown-unknown"
        );
    }
}
