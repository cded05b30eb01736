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
    let expected = [
        ("data-heavy", 6),
        ("grow-memory", 1),
        ("grow-memory-wat", 1),
        ("lifelike", 3),
        ("touch-memory", 42),
        ("touch-memory-wat", 42),
    ];
    assert_eq!(variants, expected);
    assert_eq!(set.contracts[1].variants[0].touched_pages, [17, 64, 256, 1024].map(Pages));
    assert!(set.ready.is_empty() && set.ignored.is_empty() && set.left_out.is_empty());
}

#[test]
fn the_built_in_contracts_are_those_shipped_ones_that_need_no_toolchain() {
    let shipped = ContractSet::load(&shipped(), LIMITS).unwrap();
    let mut built_in = ContractSet::embedded(LIMITS).unwrap().contracts;
    built_in.sort_by(|a, b| a.name.cmp(&b.name));
    let needs_none = |contract: &&Contract| !matches!(contract.source, Source::Rust { .. });
    assert_eq!(built_in, shipped.contracts.iter().filter(needs_none).cloned().collect::<Vec<_>>());
}

/// Every shipped contract, for chains that allow as little as can be and as much.
#[test]
fn shipped_levels_stay_within_the_limits_of_every_chain_and_reach_them() {
    for (initial, all) in
        [(1, 1), (1, 2048), (3, 5), (16, 16), (64, 128), (100, 100), (128, 256), (256, 2048), (1024, 1024)]
    {
        let limits = Limits { initial_pages_max: Pages(initial), pages_max: Pages(all) };
        for set in [ContractSet::load(&shipped(), limits).unwrap(), ContractSet::embedded(limits).unwrap()] {
            let variants = || set.contracts.iter().flat_map(|contract| &contract.variants);
            assert!(variants().all(|v| v.initial_pages.0 <= initial), "{initial}");
            assert!(variants().flat_map(|v| &v.touched_pages).all(|pages| pages.0 <= all), "{all}");
            assert_eq!(variants().map(|v| v.initial_pages.0).max(), Some(initial));
            assert_eq!(set.left_out.is_empty(), (initial, all) == (1024, 1024), "{:?}", set.left_out);
        }
    }
}

#[test]
fn a_chain_that_allows_more_than_the_levels_measures_the_levels() {
    let limits = Limits { initial_pages_max: Pages(65_536), pages_max: Pages(65_536) };
    let set = ContractSet::load(&shipped(), limits).unwrap();
    assert_eq!(set.contracts, ContractSet::load(&shipped(), LIMITS).unwrap().contracts);
}

#[test]
fn own_levels_beyond_the_limit_are_an_error_unless_the_manifest_caps_them() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = |cap: &str| {
        let text = format!(
            "format = 1\ndescription = \"\"\nsource = \"m.wat\"\nentry = \"touch\"\n{cap}[factors]\n\
             initial_pages = [1, 2000]\nstack_bytes = [16, \"1 MiB\"]\n"
        );
        fs::create_dir_all(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/contract.toml"), text).unwrap();
        fs::write(folder.path().join("a/m.wat"), "(module)").unwrap();
        ContractSet::load(folder.path(), Limits { initial_pages_max: Pages(8), ..LIMITS })
    };
    let error = manifest("").unwrap_err().to_string();
    assert!(
        error.contains("2000 pages is above the chain's limit of 8 pages") && error.contains("cap_levels"),
        "{error}"
    );
    let set = manifest("cap_levels = true\n").unwrap();
    let names: Vec<_> = set.contracts[0].variants.iter().map(|variant| variant.name.as_str()).collect();
    assert_eq!(names, ["pages1-stack16B", "pages8-stack16B"]);
    let said = "2000 initial pages, beyond the chain's limit of 8 pages, which is measured in their place";
    assert_eq!(set.left_out, [LeftOut { contract: "a".into(), levels: said.into() }]);
}

#[test]
fn a_contract_of_which_nothing_fits_is_left_out_and_a_set_of_such_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = "format = 1\ndescription = \"\"\nsource = \"m.wat\"\nentry = \"touch\"\ncap_levels = true\n[factors]\n\
                    initial_pages = [17]\nstack_bytes = [\"1 MiB\"]\n";
    fs::create_dir_all(folder.path().join("a")).unwrap();
    fs::write(folder.path().join("a/contract.toml"), manifest).unwrap();
    fs::write(folder.path().join("a/m.wat"), "(module)").unwrap();
    let limits = Limits { initial_pages_max: Pages(8), ..LIMITS };
    let error = ContractSet::load(folder.path(), limits).unwrap_err();
    assert!(matches!(error, ContractError::NothingAllowed { limit: Pages(8), .. }), "{error}");
    fs::write(folder.path().join("b.wasm"), module("(module (memory 1))")).unwrap();
    let set = ContractSet::load(folder.path(), limits).unwrap();
    assert_eq!((set.contracts.len(), set.left_out.len()), (1, 2));
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
    assert_eq!(error.kind(), crate::contract::ErrorKind::Usage);
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
