//! The action for repositories of contracts: its scripts, as a job runs them.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use crate::corpus::linked;
use crate::folder::Folder;

fn script(folder: &Folder, name: &str, first: &[PathBuf]) -> Command {
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(first.iter().cloned().chain(std::env::split_paths(&usual))).unwrap();
    let mut script = Command::new("bash");
    script.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/author").join(name)).current_dir(folder.path());
    script.env("PATH", path).env("GITHUB_STEP_SUMMARY", folder.join("summary.md")).env_remove("VERSION");
    script
}

fn said(mut script: Command) -> (Option<i32>, String) {
    let output = script.stdin(Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
}

/// A list of contracts, priced with these variables set: the exit code, and the summary.
fn priced(folder: &Folder, list: &str, variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let binary = Path::new(assert_cmd::cargo::cargo_bin!("estimator")).parent().unwrap().to_owned();
    folder.write("list", list);
    folder.write("summary.md", "");
    let mut script = script(folder, "price.sh", &[binary]);
    script.envs(variables.iter().copied()).stdin(std::fs::File::open(folder.join("list")).unwrap());
    let output = script.output().unwrap();
    (output.status.code(), folder.read("summary.md"))
}

#[test]
fn a_step_prices_contracts_into_the_summary_and_fails_beyond_its_limit() {
    let folder = Folder::new();
    folder.write("built/a.wasm", linked(17, 1 << 20, "/rustc/a55dd71d5fb0/library"));
    folder.write("built/none.wasm", "no module");
    let near = ("CHAIN", "near");
    let (code, summary) = priced(&folder, "built/a.wasm\n", &[near, ("MAX_GAS", "9e12"), ("STACK", "48KiB")]);
    assert_eq!(code, Some(0), "{summary}");
    assert!(summary.starts_with("## What a call pays for memory\n\n| pages | fee |"), "{summary}");
    assert!(summary.contains("48 KiB") && summary.contains("stack-size=49152"), "{summary}");
    let (code, summary) = priced(&folder, "built/*a.wasm\n", &[near, ("MAX_GAS", "1_000")]);
    assert!(code == Some(3) && summary.contains("**OVER**"), "{code:?}: {summary}");
    assert_eq!(priced(&folder, "built\n", &[near]).0, Some(1), "a file is no contract");
    assert_eq!(priced(&folder, "built/a.wasm\n", &[]).0, Some(2), "no table and no chain");
    let soroban = [("CHAIN", "soroban"), ("SET", "gas_per_second=4_000_000_000\ninitial_pages_max=32\n")];
    let (code, summary) = priced(&folder, "built/a.wasm\n", &soroban);
    assert_eq!(code, Some(0), "{summary}");
}

/// A line that was indented too far named no file, and a blank line of `SET` was no setting.
#[test]
fn blanks_around_names_and_settings_of_a_step_do_not_matter_and_those_in_names_do() {
    let folder = Folder::new();
    let module = linked(17, 1 << 20, "/rustc/a55dd71d5fb0/library");
    for name in ["a b/c d.wasm", " e.wasm", "f.wasm ", "g.wasm"] {
        folder.write(&format!("built/{name}"), &module);
    }
    let settings = [("CHAIN", " near "), ("SET", "\n  \n  initial_pages_max = 32  \r\n"), ("MAX_GAS", "9e12\n")];
    for list in [
        "  built/a b/c d.wasm  \n",
        "built/ e.wasm\n",
        "built/f.wasm \n",
        "\n \n\tbuilt/g.wasm\r\n",
        "  built/*/*.wasm",
    ] {
        let (code, summary) = priced(&folder, list, &settings);
        assert_eq!(code, Some(0), "{list:?}: {summary}");
    }
    assert_eq!(priced(&folder, " \n", &settings).0, Some(2), "no file is named");
}

/// A release, and a `curl` that has nothing else.
fn release(folder: &Folder, checksum: Option<&str>) {
    folder.write(
        "bin/curl",
        "#!/bin/sh\nfor last; do :; done\nwhile [ \"$1\" != --output ]; do shift; done\n\
         case \"$last\" in */releases/download/v9.9.9/*) cp \"release/${last##*/}\" \"$2\" ;; *) exit 22 ;; esac\n",
    );
    std::fs::set_permissions(folder.join("bin/curl"), PermissionsExt::from_mode(0o755)).unwrap();
    let program = b"#!/bin/sh\necho estimator 9.9.9\n";
    let mut header = tar::Header::new_gnu();
    header.set_size(program.len() as u64);
    header.set_mode(0o755);
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    archive.append_data(&mut header, "estimator-9.9.9/estimator", &program[..]).unwrap();
    let bytes = archive.into_inner().unwrap().finish().unwrap();
    let sum = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    for target in ["x86_64", "aarch64"] {
        let name = format!("estimator-{target}-unknown-linux-gnu.tgz");
        folder.write(&format!("release/{name}"), &bytes);
        folder.write(&format!("release/{name}.sha256"), format!("{}  {name}\n", checksum.unwrap_or(&sum)));
    }
}

fn installed(folder: &Folder) -> (Option<i32>, String) {
    let mut script = script(folder, "install.sh", &[folder.join("bin")]);
    script.arg("to").env("VERSION", "v9.9.9").env("REPOSITORY", "https://forge/a/b").env("SOURCE", "nowhere");
    script.env("GITHUB_PATH", folder.join("path"));
    said(script)
}

#[test]
#[cfg(target_os = "linux")]
fn a_release_is_installed_if_it_has_its_checksum_and_not_otherwise() {
    let folder = Folder::new();
    release(&folder, None);
    let (code, text) = installed(&folder);
    assert!(code == Some(0) && text.contains("installed estimator 9.9.9 from https://forge/a/b"), "{text}");
    let to = std::fs::canonicalize(folder.join("to")).unwrap();
    assert_eq!(Path::new(folder.read("path").trim()), to);
    assert!(to.join("estimator").is_file());
    let folder = Folder::new();
    release(&folder, Some("00"));
    let (code, text) = installed(&folder);
    assert!(code == Some(1) && text.contains("and 00 is expected"), "{text}");
    assert!(!folder.join("to/estimator").exists() && !folder.join("path").exists());
}

#[test]
fn an_estimator_on_the_path_is_taken() {
    let folder = Folder::new();
    let binary = Path::new(assert_cmd::cargo::cargo_bin!("estimator")).parent().unwrap().to_owned();
    let mut script = script(&folder, "install.sh", &[binary]);
    script.arg("to");
    let (code, text) = said(script);
    assert!(code == Some(0) && text.starts_with("estimator is on the path: estimator "), "{text}");
}
