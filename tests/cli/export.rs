use crate::folder::Folder;

const TABLE: &str = include_str!("../data/current.toml");

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("params/current.toml", TABLE);
    folder.write("new.toml", TABLE.replacen("gas = 122_000_000_000", "gas = 130_000_000_000", 1));
    folder
}

fn stdout(folder: &Folder, args: &[&str]) -> String {
    let output = folder.estimator(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_format_is_written() {
    let folder = folder();
    for (format, part) in [
        ("near", "wasm_memory_init_base: 122_000_000_000"),
        ("substrate", "Weight::from_parts(122_000_000, 0)"),
        ("fvm", "Gas::from_milligas("),
        ("json", "\"gas\": 122000000000"),
    ] {
        assert!(stdout(&folder, &["export", "--format", format]).contains(part), "{format}");
    }
    for (format, part) in [("soroban", "\"linear_term\": 128128"), ("stylus", "\"page_gas\": 1001")] {
        assert!(
            stdout(&folder, &["export", "--format", format, "--gas-per-second", "7000000"]).contains(part),
            "{format}"
        );
    }
}

#[test]
fn a_change_goes_into_a_file() {
    let folder = folder();
    let args =
        ["export", "--params", "new.toml", "--format", "near", "--old", "params/current.toml", "--out", "84.yaml"];
    assert_eq!(stdout(&folder, &args), "");
    let text = folder.read("84.yaml");
    assert!(text.contains("\nwasm_memory_init_base: { old: 122_000_000_000, new: 130_000_000_000 }\n"), "{text}");
}

#[test]
fn what_cannot_be_exported_says_the_way_out() {
    let folder = folder();
    for (args, code, said) in [
        (&["export", "--format", "stylus"][..], 2, "--gas-per-second"),
        (
            &["export", "--format", "stylus", "--gas-per-second", "1000000000000000"],
            1,
            "page_gas would be 143_000_000_000",
        ),
        (&["export", "--format", "fvm", "--old", "new.toml"], 2, "only --format near"),
        (&["export", "--format", "near", "--params", "nowhere.toml"], 2, "no table nowhere.toml"),
        (&["export", "--format", "near", "--gas-per-second", "0"], 2, "not in 1"),
    ] {
        let (found, stderr) = folder.fails(args);
        assert!(found == code && stderr.contains(said), "{found}: {stderr}");
    }
}
