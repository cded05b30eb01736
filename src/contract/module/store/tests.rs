use super::super::artifact::contract_set_hash;
use super::*;
use crate::contract::source::compile::{CompileOptions, compile};
use crate::contract::source::set::ContractSet;

const LIMITS: Limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };

fn artifacts(pages: u32) -> Vec<Artifact> {
    let limits = Limits { initial_pages_max: Pages(pages), ..LIMITS };
    let options = CompileOptions { limits, cache: None, rustc: None, add_target: false, require_toolchain: false };
    let mut artifacts = compile(&ContractSet::embedded(limits).unwrap(), &options, &|_| {}).unwrap().artifacts;
    artifacts[0].provenance = Provenance { compiler: Some("rustc 1".into()), command: Some("rustc \"a\"".into()) };
    artifacts
}

#[test]
fn what_is_written_is_read() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new/artifacts");
    let artifacts = artifacts(4);
    write_artifacts(&folder, &artifacts).unwrap();
    assert_eq!(read_artifacts(&folder, LIMITS).unwrap(), artifacts);
    let set = ContractSet::load(&folder, LIMITS).unwrap();
    assert!(set.contracts.is_empty());
    assert_eq!(set.ready, artifacts);
    assert_eq!(fs::read_dir(parent.path().join("new")).unwrap().count(), 1, "no draft is left");
}

#[test]
fn an_own_folder_is_replaced_and_another_refused() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("artifacts");
    fs::create_dir(&folder).unwrap();
    write_artifacts(&folder, &artifacts(4)).unwrap();
    write_artifacts(&folder, &artifacts(1)).unwrap();
    assert_eq!(read_artifacts(&folder, LIMITS).unwrap().len(), artifacts(1).len());

    for name in ["notes.txt", "touch-memory-wat/mine.wasm"] {
        fs::write(folder.join(name), "mine").unwrap();
        let error = write_artifacts(&folder, &artifacts(4)).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert_eq!(error.kind(), crate::contract::ErrorKind::Usage);
        fs::remove_file(folder.join(name)).unwrap();
    }
    fs::remove_file(folder.join(MANIFEST)).unwrap();
    let error = write_artifacts(&folder, &artifacts(4)).unwrap_err();
    assert!(matches!(error, ContractError::ForeignFolder { .. }), "{error}");
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1, "no draft is left");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let folder = file.path().join("artifacts");
    let error = write_artifacts(&folder, &artifacts(1)).unwrap_err().to_string();
    assert!(error.contains(&folder.display().to_string()), "{error}");
    assert!(write_artifacts(file.path(), &artifacts(1)).is_err());
    assert!(file.path().is_file());
}

#[test]
fn changes_are_found() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("artifacts");
    write_artifacts(&folder, &artifacts(1)).unwrap();
    let manifest = folder.join(MANIFEST);
    let list = fs::read_to_string(&manifest).unwrap();
    for (from, to, expected) in [
        ("format = 1", "format = 2", "has format 2, this version reads format 1"),
        ("format = 1", "", "`format`: missing"),
        ("initial_pages = 1", "initial_pages = 2", "asked for an initial memory of 2 pages, but the module has 1 page"),
        ("stack_bytes = 16384", "stack_bytes = 16", "asked for a stack pointer of 16 B"),
        ("touched_pages = [1]", "touched_pages = []", "no pages to touch"),
        ("entry = \"touch\"", "entry = \"other\"", "exports no function `other`"),
        ("file = \"touch", "file = \"../touch", "the file is not named after"),
        ("contract = \"touch-memory-wat\"", "contract = \"..\"", "not the name of a contract"),
        ("sha256 = \"", "sha256 = \"0", "SHA-256 is not the listed one"),
        ("sha256", "sha265", "unknown field"),
        ("stack16KiB", "stack64KiB", "the file is not named after"),
    ] {
        assert!(list.contains(from), "{from} in {list}");
        fs::write(&manifest, list.replacen(from, to, 1)).unwrap();
        let error = read_artifacts(&folder, LIMITS).unwrap_err().to_string();
        assert!(error.contains(expected), "{to}: {error}");
    }
    fs::write(&manifest, &list).unwrap();
    fs::write(folder.join("touch-memory-wat/pages1-stack16KiB.wasm"), "changed").unwrap();
    assert!(matches!(read_artifacts(&folder, LIMITS), Err(ContractError::Damaged { .. })));
}

#[test]
fn a_module_of_no_pages_has_its_own_reason_in_a_folder_that_lists_it() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("artifacts");
    let mut artifacts = artifacts(1);
    let wasm = wat::parse_str(r#"(module (memory (export "m") 0) (func (export "touch") (param i32 i32)))"#).unwrap();
    let artifact = &mut artifacts[0];
    (artifact.initial_pages, artifact.stack_bytes, artifact.touched_pages) = (Pages(0), Bytes(0), vec![Pages(0)]);
    (artifact.sha256, artifact.wasm) = (sha256_hex(&wasm), wasm);
    write_artifacts(&folder, &artifacts).unwrap();
    let error = read_artifacts(&folder, LIMITS).unwrap_err().to_string();
    assert!(error.contains("a memory of 0 pages") && error.contains("declare 1 page at least"), "{error}");
    assert!(!error.contains("write the folder again"), "{error}");
}

#[test]
fn the_set_hash_forgets_order_and_nothing_else() {
    let mut artifacts = artifacts(4);
    let hash = contract_set_hash(&artifacts);
    assert_eq!(hash.len(), 16);
    artifacts.reverse();
    assert_eq!(contract_set_hash(&artifacts), hash);
    let mut touched = artifacts.clone();
    touched[0].touched_pages.push(Pages(9));
    let mut entry = artifacts.clone();
    entry[0].entry.push('2');
    let mut name = artifacts.clone();
    name[0].variant.push('2');
    for changed in [&artifacts[1..], &touched, &entry, &name] {
        assert_ne!(contract_set_hash(changed), hash);
    }
}
