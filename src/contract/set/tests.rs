use super::*;

const LIMITS: Limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("estimator-contracts")
}

fn module(wat: &str) -> Vec<u8> {
    wat::parse_str(wat).unwrap()
}

#[test]
fn the_shipped_contracts_load() {
    let set = ContractSet::load(&shipped(), LIMITS).unwrap();
    let variants: Vec<_> = set.contracts.iter().map(|c| (c.name.as_str(), c.variants.len())).collect();
    let expected =
        [("data-heavy", 5), ("grow-memory", 1), ("grow-memory-wat", 1), ("touch-memory", 42), ("touch-memory-wat", 42)];
    assert_eq!(variants, expected);
    assert_eq!(set.contracts[1].variants[0].touched_pages, [17, 64, 256, 1024].map(Pages));
    assert!(set.ready.is_empty() && set.ignored.is_empty());
}

#[test]
fn the_built_in_contract_is_the_shipped_twin_within_the_limits() {
    let shipped = ContractSet::load(&shipped(), LIMITS).unwrap();
    let built_in = ContractSet::embedded(LIMITS).unwrap();
    assert_eq!(built_in.contracts, [shipped.contracts[4].clone(), shipped.contracts[2].clone()]);
    let small = Limits { initial_pages_max: Pages(2), ..LIMITS };
    assert_eq!(ContractSet::embedded(small).unwrap().contracts[0].variants.len(), 4);
    let none = Limits { initial_pages_max: Pages(0), ..LIMITS };
    assert!(matches!(ContractSet::embedded(none), Err(ContractError::NothingAllowed(0))));
}

#[test]
fn a_folder_may_mix_contracts_and_ready_modules() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(
        path.join("loose.wasm"),
        module("(module (memory 3) (global $__stack_pointer (mut i32) (i32.const 1024)))"),
    )
    .unwrap();
    fs::write(path.join("notes.md"), "").unwrap();
    fs::write(path.join("stray.rs"), "").unwrap();
    fs::create_dir(path.join("elsewhere")).unwrap();
    fs::create_dir(path.join("ready")).unwrap();
    let manifest =
        "format = 1\ndescription = \"\"\nsource = \"m.wasm\"\nentry = \"go\"\n[factors]\ntouched_pages = [2, 5]\n";
    fs::write(path.join("ready/contract.toml"), manifest).unwrap();
    fs::write(path.join("ready/m.wasm"), module("(module (memory 2))")).unwrap();

    let set = ContractSet::load(path, LIMITS).unwrap();
    let [loose, ready] = &set.contracts[..] else { panic!("{set:?}") };
    assert_eq!((&*loose.name, &*loose.entry), ("loose", "touch"));
    assert_eq!(loose.variants[0].name, "pages3-stack1KiB");
    assert_eq!(loose.variants[0].touched_pages, [Pages(3)]);
    assert_eq!((&*ready.name, &*ready.entry), ("ready", "go"));
    assert_eq!(ready.variants[0].name, "pages2");
    assert_eq!(ready.variants[0].touched_pages, [Pages(2), Pages(5)]);
    assert_eq!(set.ignored, [path.join("elsewhere"), path.join("stray.rs")]);
}

#[test]
fn folders_without_contracts_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = ContractSet::load(&folder.path().join("missing"), LIMITS).unwrap_err();
    assert!(matches!(error, ContractError::NoFolder(_)), "{error}");
    let error = ContractSet::load(folder.path(), LIMITS).unwrap_err();
    assert!(matches!(error, ContractError::NoContract(_)), "{error}");
    assert_eq!(error.kind(), super::super::ErrorKind::Usage);
}

#[test]
fn faulty_contracts_are_named() {
    let load = |name: &str, contents: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, contents).unwrap();
        ContractSet::load(folder.path(), LIMITS).unwrap_err().to_string()
    };
    let cut = &module("(module (memory 1) (data \"abc\"))")[..20];
    let error = load("cut.wasm", cut);
    assert!(error.starts_with("cut/cut.wasm: not a well-formed") && error.contains("at byte"), "{error}");
    assert!(load("a b.wasm", cut).contains("a b.wasm: a contract's name"), "{}", load("a b.wasm", cut));
    assert!(load("a/contract.toml", b"x").contains("a/contract.toml:1:2"), "{}", load("a/contract.toml", b"x"));
    let missing = b"format = 1\ndescription = \"\"\nsource = \"gone.wasm\"\nentry = \"touch\"\n";
    assert!(load("a/contract.toml", missing).contains("a/gone.wasm"));
    assert!(load("a/contract.toml", b"\xff").contains("cannot read"));
}

#[test]
fn names_and_stand_ins_are_unambiguous() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let add = |name: &str, stands_in_for: &str| {
        fs::create_dir_all(path.join(name)).unwrap();
        let manifest = format!(
            "format = 1\ndescription = \"\"\nsource = \"m.wasm\"\nentry = \"touch\"\nstands_in_for = \"{stands_in_for}\"\n"
        );
        fs::write(path.join(name).join("contract.toml"), manifest).unwrap();
        fs::write(path.join(name).join("m.wasm"), module("(module (memory 1))")).unwrap();
    };
    add("a", "gone");
    assert!(ContractSet::load(path, LIMITS).is_ok());
    add("b", "a");
    let error = ContractSet::load(path, LIMITS).unwrap_err();
    assert!(matches!(error, ContractError::StandInChain { .. }), "{error}");
    add("b", "gone");
    fs::write(path.join("a.wasm"), module("(module (memory 1))")).unwrap();
    let error = ContractSet::load(path, LIMITS).unwrap_err();
    assert!(matches!(error, ContractError::SameName(_)), "{error}");
}
