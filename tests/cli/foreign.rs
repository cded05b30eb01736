//! Files that are no modules, in every command that takes modules.

use crate::corpus::output;
use crate::folder::Folder;

/// A file, and what must be said of it: what it is, and the way out.
const FILES: [(&str, &[u8], [&str; 2]); 9] = [
    ("runtime", b"\x52\xbc\x53\x76\x46\xdb\x8e\x05\x28\xb5\x2f\xfd\x04\x00", ["Substrate runtime", "zstd -d"]),
    ("zstd", b"\x28\xb5\x2f\xfd\x04\x00", ["zstd", "zstd -d"]),
    ("lfs", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", ["Git LFS", "git lfs pull"]),
    ("annex", b"/annex/objects/SHA256E-s5--00.wasm\n", ["git-annex", "git annex get"]),
    ("page", b"<!DOCTYPE html>\n<html></html>", ["HTML", "download"]),
    ("text", b"(module)", ["text form", "wasm-tools parse"]),
    ("component", b"\0asm\x0d\0\x01\0", ["component", "core module inside it"]),
    ("native", b"\x7fELF\x02\x01\x01\0", ["ELF", "wasm32-unknown-unknown"]),
    ("empty", b"", ["empty file", "again"]),
];

#[test]
fn a_file_of_another_format_is_named_with_the_way_out() {
    let folder = Folder::new();
    folder.write("params/current.toml", include_str!("../data/current.toml"));
    for (name, bytes, _) in FILES {
        folder.write(&format!("files/{name}.wasm"), bytes);
    }
    for args in [
        &["survey", "files", "--format", "csv"][..],
        &["price", "--params", "params/current.toml", "files", "--format", "csv"],
        &["verify", "--params", "params/current.toml", "files", "--format", "csv"],
    ] {
        let (code, stdout, stderr) = output(&folder, args);
        assert_eq!(code, 1, "{args:?}: {stderr}");
        let all = stdout + &stderr;
        for (name, _, said) in FILES {
            let lines: Vec<&str> = all.lines().filter(|line| line.contains(&format!("{name}.wasm"))).collect();
            assert!(lines.iter().any(|line| said.iter().all(|said| line.contains(said))), "{args:?} {name}: {all}");
        }
    }
}

#[test]
fn a_ready_module_or_a_source_of_another_format_is_named_with_the_way_out() {
    for (name, bytes, said) in FILES {
        let folder = Folder::new();
        folder.write(&format!("contracts/{name}.wasm"), bytes);
        let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
        assert_eq!(code, 1, "{stderr}");
        assert!(said.iter().all(|said| stderr.contains(said)), "{name}: {stderr}");
    }
    let pointer = FILES[2].1;
    for (bytes, said) in [(pointer, "git lfs pull"), (&b"\0asm\x01\0\0\0"[..], "name it .wasm"), (b"\xff", "not UTF-8")]
    {
        let folder = Folder::new();
        folder.contract("a", "", "[1]");
        folder.write("contracts/a/touch.wat", bytes);
        let (code, stderr) = folder.fails(&["run", "--contracts", "contracts"]);
        assert!(code == 1 && stderr.contains("touch.wat") && stderr.contains(said), "{stderr}");
    }
}

#[test]
fn a_link_that_leads_nowhere_is_named_with_the_way_out() {
    let folder = Folder::new();
    folder.write("files/readme", "");
    std::os::unix::fs::symlink("../.git/annex/objects/Zk/0V/key/key", folder.join("files/a.wasm")).unwrap();
    for path in ["files", "files/a.wasm", "files/*.wasm"] {
        let (code, stdout, stderr) = output(&folder, &["survey", path, "--format", "csv"]);
        assert_eq!(code, 1, "{path}: {stderr}");
        assert!(stdout.contains("annex/objects") && stdout.contains("git annex get"), "{path}: {stdout}");
    }
    let (code, stderr) = folder.fails(&["run", "--contracts", "files"]);
    assert!(code == 1 && stderr.contains("git annex get"), "{stderr}");
}
