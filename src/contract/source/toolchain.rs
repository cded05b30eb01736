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
    /// Whether `$RUSTC` names it, so that no other is looked for.
    named: bool,
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

/// The first Rust that knows what contracts are compiled with: edition 2024 (minor version of Rust 1).
const OLDEST: u32 = 85;

impl Toolchain {
    /// Finds `rustc`: the given one, or `$RUSTC`, or the one on the path. Neither target nor rustup is asked for.
    ///
    /// # Errors
    /// [`MissingToolchain`] if there is none, it does not run, or it is too old.
    pub fn find(rustc: Option<&Path>) -> Result<Self, MissingToolchain> {
        let variable = std::env::var_os("RUSTC").filter(|name| !name.is_empty() && rustc.is_none());
        let named = variable.is_some();
        let asked = rustc.map(|path| path.as_os_str().to_owned()).or(variable);
        let asked = asked.unwrap_or_else(|| OsString::from("rustc"));
        let missing = |failure: Failure| failure.missing(named);
        let sysroot = PathBuf::from(output(&asked, &["--print", "sysroot"]).map_err(missing)?);
        // Some distributions keep the compiler elsewhere than in its sysroot.
        let inner = sysroot.join("bin/rustc");
        let rustc = if inner.is_file() { inner } else { PathBuf::from(asked) };
        let verbose_version = output(rustc.as_os_str(), &["-vV"]).map_err(missing)?;
        let toolchain = Self { rustc, sysroot, named, verbose_version };
        match minor_version(toolchain.version().trim_start_matches("rustc ")) {
            Some(minor) if minor < OLDEST => {
                let reason =
                    format!("{} is older than 1.{OLDEST}, and contracts are of edition 2024", toolchain.version());
                Err(toolchain.unfit(reason))
            }
            _ => Ok(toolchain),
        }
    }

    /// The lack of a compiler that can do what is asked of it, with the way to another.
    pub(super) fn unfit(&self, reason: String) -> MissingToolchain {
        let mend = match self.rustup_name() {
            _ if self.named => UNSET.to_owned(),
            Some(_) => another_toolchain(),
            None => install(),
        };
        MissingToolchain { reason, mend }
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

    /// Whether the standard library of `TARGET` is installed.
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
            None if self.named => UNSET.to_owned(),
            None => install(),
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
            .map_err(|failure| self.without_target(Some(failure.reason)))?;
        if self.has_target() { Ok(()) } else { Err(self.without_target(None)) }
    }

    /// The compiler, ready for arguments.
    pub(super) fn command(&self) -> Command {
        Command::new(&self.rustc)
    }
}

const UNSET: &str =
    "unset RUSTC, so that the compiler on the path is taken, or let it name a newer one with the target";

/// Where nothing that is installed will do.
fn install() -> String {
    format!("install Rust 1.{OLDEST} or newer from https://rustup.rs, then: rustup target add {TARGET}")
}

/// Where rustup chooses one that will not do: its variable comes before what files and folders choose.
fn another_toolchain() -> String {
    format!("rustup toolchain install stable --target {TARGET}, then: export RUSTUP_TOOLCHAIN=stable")
}

/// Minor version of a Rust 1, in `1.63.0` or a toolchain's name that begins so.
fn minor_version(text: &str) -> Option<u32> {
    let rest = text.strip_prefix("1.")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Why a program gave no answer.
struct Failure {
    /// In one line.
    reason: String,
    /// Whether it was started at all.
    started: bool,
}

impl Failure {
    /// What is missing where this came of asking for a compiler: all of Rust, or what rustup chose and does not have.
    fn missing(self, named: bool) -> MissingToolchain {
        let chosen = self.reason.split_once("toolchain '").and_then(|(_, rest)| rest.split_once('\''));
        let not_installed = chosen.filter(|(_, rest)| rest.starts_with(" is not installed")).map(|(name, _)| name);
        let mend = match not_installed {
            Some(name) if minor_version(name).is_some_and(|minor| minor >= OLDEST) || is_channel(name) => {
                format!("rustup toolchain install {name} --target {TARGET}")
            }
            Some(_) => another_toolchain(),
            None if named => UNSET.to_owned(),
            // rustup's proxy is there, and has its reasons.
            None if self.started => another_toolchain(),
            None => install(),
        };
        MissingToolchain { reason: self.reason, mend }
    }
}

fn is_channel(name: &str) -> bool {
    ["stable", "beta", "nightly"].into_iter().any(|channel| name.starts_with(channel))
}

/// The trimmed standard output of a program that must succeed; or one line on why it did not.
fn output(program: &std::ffi::OsStr, arguments: &[&str]) -> Result<String, Failure> {
    let shown = || format!("`{} {}`", program.display(), arguments.join(" "));
    let output = Command::new(program)
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(|error| Failure { reason: format!("{} does not run: {error}", shown()), started: false })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let reason = format!("{} failed ({}): {}", shown(), output.status, first_error(&errors));
    Err(Failure { reason, started: true })
}

/// The line in which it stands what went wrong: notes or a backtrace may be below it.
pub(super) fn first_error(errors: &str) -> &str {
    let mut lines = errors.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.starts_with("error")).or_else(|| lines.next_back());
    error.unwrap_or("without a message")
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
        let (rustc, sysroot) = ("/usr/bin/rustc".into(), "/usr".into());
        let toolchain = Toolchain { rustc, sysroot, named: false, verbose_version: "rustc 1\nx".into() };
        assert_eq!(toolchain.version(), "rustc 1");
        let missing = toolchain.add_target().unwrap_err();
        assert!(missing.reason.contains("rustup does not manage it"), "{missing}");
    }

    #[test]
    fn a_managed_toolchain_is_mended_by_its_name() {
        let sysroot = "/home/u/.rustup/toolchains/stable-x86_64-unknown-linux-gnu".into();
        let toolchain = Toolchain { rustc: "rustc".into(), sysroot, named: false, verbose_version: "rustc 1".into() };
        let missing = toolchain.without_target(None);
        assert_eq!(
            missing.mend,
            "rustup target add --toolchain stable-x86_64-unknown-linux-gnu wasm32-unknown-unknown"
        );
    }

    fn mend(said: &str, named: bool) -> String {
        Failure { reason: format!("`rustc -vV` failed (exit status: 1): {said}"), started: true }.missing(named).mend
    }

    #[test]
    fn a_chosen_toolchain_that_is_not_installed_is_mended_by_installing_it() {
        for name in ["1.90.0-x86_64-unknown-linux-gnu", "nightly-2026-01-01-x86_64-unknown-linux-gnu"] {
            let mend = mend(&format!("error: toolchain '{name}' is not installed"), false);
            assert_eq!(mend, format!("rustup toolchain install {name} --target wasm32-unknown-unknown"));
        }
    }

    #[test]
    fn a_chosen_toolchain_that_would_not_do_is_mended_by_another() {
        for said in [
            "error: toolchain '1.63.0-x86_64-unknown-linux-gnu' is not installed",
            "error: toolchain 'of-our-own' is not installed",
            "error: could not parse override file: '/there/rust-toolchain.toml'",
        ] {
            assert!(mend(said, false).ends_with("export RUSTUP_TOOLCHAIN=stable"), "{said}");
        }
        assert!(mend("error: broken", true).starts_with("unset RUSTC"));
    }

    #[test]
    fn versions_are_read_from_compilers_and_toolchains() {
        let read = ["1.63.0", "1.95.0 (59807616e 2026-04-14)", "1.42-x86_64-unknown-linux-gnu", "stable", "1."];
        assert_eq!(read.map(minor_version), [Some(63), Some(95), Some(42), None, None]);
    }
}
