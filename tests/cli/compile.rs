use crate::folder::{Folder, GOOD, failure};

#[test]
fn compiled_contracts_run_elsewhere() {
    let folder = Folder::new();
    folder.contract("a", GOOD, "[1, 2, 4]");
    folder.estimator(&["compile", "--contracts", "contracts", "--out", "artifacts"]).assert().success();
    assert!(folder.join("artifacts/artifacts.toml").exists());
    let mut run = folder.estimator(&["run", "--contracts", "artifacts", "--budget", "1s", "--strategy", "fresh-map"]);
    let (code, stderr) = failure(&mut run);
    assert!([0, 4, 5].contains(&code), "{stderr}");
}

#[test]
fn an_occupied_folder_is_left_alone() {
    let folder = Folder::new();
    folder.contract("a", GOOD, "[1]");
    folder.write("artifacts/precious.txt", "mine");
    let (code, stderr) = folder.fails(&["compile", "--contracts", "contracts", "--out", "artifacts"]);
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(folder.read("artifacts/precious.txt"), "mine");
}

#[test]
fn a_tampered_artifact_is_refused() {
    let folder = Folder::new();
    folder.contract("a", GOOD, "[1]");
    folder.estimator(&["compile", "--contracts", "contracts", "--out", "artifacts"]).assert().success();
    let module = folder.join("artifacts/a/pages1-stack16KiB.wasm");
    let mut bytes = std::fs::read(&module).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&module, bytes).unwrap();
    let (code, stderr) = folder.fails(&["run", "--contracts", "artifacts"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("sha256") || stderr.contains("SHA-256"), "{stderr}");
}

#[test]
fn a_required_toolchain_that_is_missing_fails_with_the_mending_command() {
    let folder = Folder::new();
    folder.write("contracts/a/contract.toml", "format = 1\ndescription = \"test\"\nsource = \"a.rs\"\nentry = \"touch\"\n[factors]\ninitial_pages = [1]\nstack_bytes = [\"16 KiB\"]\n");
    folder.write("contracts/a/a.rs", "");
    let (code, stderr) = folder.fails(&["run", "--contracts", "contracts", "--require-toolchain"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("rustup target add wasm32-unknown-unknown"), "{stderr}");
}

/// With a compiler that writes down its environment and refuses.
#[test]
fn what_cargo_is_told_does_not_reach_the_compiler_of_the_contracts() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("contracts/a/contract.toml", "format = 1\ndescription = \"test\"\nsource = \"a.rs\"\nentry = \"touch\"\n[factors]\ninitial_pages = [1]\nstack_bytes = [\"16 KiB\"]\n");
    folder.write("contracts/a/a.rs", "");
    let (root, seen) = (folder.path().display(), folder.join("seen"));
    folder.write("lib/core", "");
    folder.write(
        "rustc",
        format!(
            "#!/bin/sh\ncase \"$*\" in\n*sysroot*) echo {root} ;;\n*target-libdir*) echo {root}/lib ;;\n-vV) echo rustc 1.95.0 ;;\n\
             *crate-name*contract*) export -p >{} ; exit 7 ;;\nesac\n",
            seen.display()
        ),
    );
    std::fs::set_permissions(folder.join("rustc"), PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = folder.estimator(&["compile", "--contracts", "contracts", "--out", "out"]);
    command.env("RUSTC", folder.join("rustc"));
    let told = [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTC_WRAPPER",
        "CARGO_TARGET_DIR",
        "RUSTC_BOOTSTRAP",
        "DATA_BYTES",
        "ANY",
    ];
    command.envs(told.map(|name| (name, "told")));
    let (code, stderr) = failure(&mut command);
    assert_eq!(code, 1, "{stderr}");
    let seen = folder.read("seen");
    assert!(seen.contains("PATH=") && !seen.contains("told"), "{seen}");
    assert!(stderr.contains("rustc` failed without a word: exit status: 7"), "{stderr}");
}
