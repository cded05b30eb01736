//! A Rust toolchain that is there and will not do counts as missing, with the command that mends it.

use std::os::unix::fs::PermissionsExt;

use crate::folder::{Folder, GOOD, failure};

const RUST: &str = "format = 1\ndescription = \"test\"\nsource = \"a.rs\"\nentry = \"touch\"\n[factors]\n\
                    initial_pages = [1]\nstack_bytes = [\"16 KiB\"]\n";

/// Contracts in Rust and in text, and a compiler that does this.
fn with_compiler(script: &str) -> Folder {
    let folder = Folder::new();
    folder.contract("text", GOOD, "[1, 2, 4]");
    folder.write("contracts/rust/contract.toml", RUST);
    folder.write("contracts/rust/a.rs", "");
    folder.write("bin/rustc", format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(folder.join("bin/rustc"), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// What is said when the contract in Rust is left out and the others are compiled.
fn left_out(folder: &Folder, variable: &str, value: &str) -> String {
    let mut command = folder.estimator(&["compile", "--contracts", "contracts", "--out", "artifacts"]);
    let (code, stderr) = failure(command.env(variable, folder.join(value)));
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("left out: rust: ") && folder.join("artifacts/text").is_dir(), "{stderr}");
    stderr
}

/// Answers as `rustc` of this version does, with its target, but compiles nothing.
fn compiler(version: &str) -> String {
    format!(
        "case \"$*\" in *sysroot*) echo /usr/lib/nothing;; -vV) echo 'rustc {version} (x 2022-08-08)';; \
         *target-libdir*) echo /;; *) echo 'error: linker `rust-lld` not found' >&2; exit 1;; esac"
    )
}

#[test]
fn a_compiler_that_is_too_old_counts_as_missing() {
    let folder = with_compiler(&compiler("1.63.0"));
    let stderr = left_out(&folder, "RUSTC", "bin/rustc");
    assert!(stderr.contains("1.63.0") && stderr.contains("older than 1.85"), "{stderr}");
    assert!(stderr.contains("to mend it: unset RUSTC"), "{stderr}");
    let stderr = left_out(&folder, "PATH", "bin");
    assert!(stderr.contains("to mend it: install Rust 1.85 or newer"), "{stderr}");
}

#[test]
fn a_compiler_that_cannot_link_counts_as_missing() {
    let folder = with_compiler(&compiler("1.95.0"));
    let stderr = left_out(&folder, "PATH", "bin");
    assert!(stderr.contains("linker `rust-lld` not found") && stderr.contains("https://rustup.rs"), "{stderr}");
}

#[test]
fn a_pinned_toolchain_that_is_not_installed_is_to_be_installed() {
    let folder = with_compiler(
        "echo \"error: toolchain '1.90.0-x86_64-unknown-linux-gnu' is not installed\" >&2\n\
         echo 'help: run `rustup toolchain install` to install it' >&2\nexit 1",
    );
    let stderr = left_out(&folder, "PATH", "bin");
    let mend = "to mend it: rustup toolchain install 1.90.0-x86_64-unknown-linux-gnu --target wasm32-unknown-unknown";
    assert!(stderr.contains(mend), "{stderr}");
}

#[test]
fn an_unfit_compiler_fails_where_one_is_required() {
    let folder = with_compiler(&compiler("1.63.0"));
    let args = ["compile", "--contracts", "contracts", "--out", "artifacts", "--require-toolchain"];
    let (code, stderr) = failure(folder.estimator(&args).env("RUSTC", folder.join("bin/rustc")));
    assert!(code == 1 && stderr.contains("older than 1.85"), "{stderr}");
}
