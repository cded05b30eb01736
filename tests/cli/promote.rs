use crate::folder::Folder;

const TABLE: &str = include_str!("../data/current.toml");

/// A folder with a table in force and a proposal with another gas for the base.
fn folder(gas: &str) -> Folder {
    let folder = Folder::new();
    folder.write("params/current.toml", TABLE);
    folder.write("params/proposed.toml", TABLE.replacen("gas = 122_000_000_000", gas, 1));
    folder
}

const PROMOTE: [&str; 6] = ["promote", "params/proposed.toml", "--onto", "params/current.toml", "--by", "Ada"];
/// For a gas that is edited without the time that it follows from.
const EDITED: [&str; 2] = ["--accept", "inconsistent"];

fn promote(folder: &Folder, more: &[&str]) -> (i32, String) {
    let args: Vec<&str> = PROMOTE.iter().chain(&EDITED).chain(more).copied().collect();
    folder.fails(&args)
}

fn check(folder: &Folder) -> i32 {
    folder.fails(&["promote", "--check", "--onto", "params/current.toml"]).0
}

#[test]
fn an_accepted_proposal_is_in_force_and_can_be_replayed() {
    let folder = folder("gas = 133_000_000_000");
    folder.write("params/current.toml", TABLE.replacen("gas = 122_000_000_000", "gas = 122_000_000_000 # agreed", 1));
    let (code, stderr) = promote(&folder, &["--reason", "a new fleet"]);
    assert_eq!(code, 0, "{stderr}");
    let current = folder.read("params/current.toml");
    assert!(current.contains("gas = 133_000_000_000 # agreed"), "{current}");
    let kept = folder.read("params/history/0002.toml");
    assert!(kept.contains("gas.old = 122_000_000_000\ngas.new = 133_000_000_000"), "{kept}");
    assert!(kept.contains("accepted_by = \"Ada\"") && kept.contains("reason = \"a new fleet\""), "{kept}");
    assert_eq!(check(&folder), 0);

    folder.write("params/proposed.toml", TABLE.replacen("gas = 122_000_000_000", "gas = 150_000_000_000", 1));
    assert_eq!(promote(&folder, &[]).0, 0);
    assert!(folder.join("params/history/0003.toml").exists());
    std::fs::remove_file(folder.join("params/current.toml")).unwrap();
    assert_eq!(check(&folder), 3);
    assert_eq!(folder.fails(&["promote", "--replay", "--onto", "params/current.toml"]).0, 0);
    assert!(folder.read("params/current.toml").contains("gas = 150_000_000_000"));
    assert_eq!(check(&folder), 0);
    let (code, stderr) = promote(&folder, &[]);
    assert_eq!((code, folder.join("params/history/0004.toml").exists()), (0, false), "{stderr}");
}

/// The fees of memories were gone once a table of loads took their place.
#[test]
fn a_table_of_another_experiment_needs_a_file_of_its_own() {
    let folder = folder("gas = 133_000_000_000");
    let loads = ["memory_init_base", "memory_init_per_page", "memory_grow_per_page"]
        .into_iter()
        .zip(["contract_load_base", "contract_load_per_function", "contract_load_per_type"])
        .fold(TABLE.to_owned(), |table, (memory, load)| table.replace(memory, load));
    let loads = loads
        .replace("\"gas per call\"", "\"gas per load\"")
        .replace("\"gas per initial page of 64 KiB\"", "\"gas per function defined\"")
        .replace("\"gas per grown page of 64 KiB\"", "\"gas per type\"");
    folder.write("loads.toml", loads);
    // The second has a history of the memory's beside it, and does not get what that says.
    std::fs::remove_file(folder.join("params/current.toml")).unwrap();
    assert_eq!(promote(&folder, &[]).0, 0);
    let accepted = folder.read("params/current.toml");
    for onto in ["params/current.toml", "params/current-load.toml"] {
        let (code, stderr) = folder.fails(&["promote", "loads.toml", "--onto", onto, "--by", "Ada"]);
        assert_eq!(code, 6, "{stderr}");
        assert!(stderr.contains("has the fees of memory") && stderr.contains("--kept FOLDER"), "{stderr}");
    }
    assert!(!folder.join("params/current-load.toml").exists());
    assert_eq!(folder.read("params/current.toml"), accepted);
}

#[test]
fn the_table_in_force_follows_from_its_accepted_changes() {
    let folder = Folder::new();
    folder.write("params/current.toml", include_str!("../../params/current.toml"));
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("params/history");
    for entry in std::fs::read_dir(kept).unwrap() {
        let entry = entry.unwrap();
        folder.write(
            &format!("params/history/{}", entry.file_name().to_string_lossy()),
            std::fs::read(entry.path()).unwrap(),
        );
    }
    let (code, stderr) = folder.fails(&["promote", "--check", "--onto", "params/current.toml"]);
    assert_eq!(code, 0, "accept changes with `estimator promote`: {stderr}");
}

#[test]
fn old_values_that_are_wrong_missing_or_unexpected_are_three_errors() {
    let folder = folder("gas = 133_000_000_000");
    assert_eq!(promote(&folder, &[]).0, 0);
    let current = folder.read("params/current.toml");
    let base = "params.memory_init_base";
    let cut = current.find("[params.memory_grow_per_page]").unwrap();
    let end = current.find("[provenance]").unwrap();
    for (edited, said) in [
        (
            current.replace("gas = 133_000_000_000", "gas = 1"),
            format!("`{base}.gas` is 1, and the change expects the old value"),
        ),
        (format!("{}{}", &current[..cut], &current[end..]), "`params.memory_grow_per_page.gas` is missing".to_owned()),
        (
            format!("{}[params.x]{}{}", &current[..cut], &current[cut + 29..end], &current[cut..]),
            "`params.x.derivation` is ".to_owned(),
        ),
    ] {
        folder.write("params/current.toml", &edited);
        let (code, stderr) = promote(&folder, &[]);
        assert!(code == 6 && stderr.contains(&said), "{code}: {stderr}");
        assert_eq!(folder.read("params/current.toml"), edited);
    }
}

#[test]
fn a_table_reviewed_against_another_is_not_accepted() {
    let folder = folder("gas = 133_000_000_000");
    folder.write("params/reviewed.toml", TABLE.replacen("gas = 122_000_000_000", "gas = 121_000_000_000", 1));
    let (code, stderr) = promote(&folder, &["--base", "params/reviewed.toml"]);
    assert!(code == 6 && stderr.contains("expects the old value 121_000_000_000"), "{stderr}");
    assert!(!folder.join("params/history").exists());
}

#[test]
fn an_edit_of_the_table_itself_can_be_accepted() {
    let folder = folder("gas = 133_000_000_000");
    assert_eq!(promote(&folder, &[]).0, 0);
    folder
        .write("params/current.toml", folder.read("params/current.toml").replace("133_000_000_000", "144_000_000_000"));
    assert_eq!(check(&folder), 3);
    let own = ["promote", "params/current.toml", "--onto", "params/current.toml", "--by", "Ada"];
    let (code, stderr) = folder.fails(&own);
    assert!(code == 6 && stderr.contains("--accept inconsistent"), "{code}: {stderr}");
    assert_eq!(folder.fails(&[&own[..], &EDITED].concat()).0, 0);
    assert_eq!(check(&folder), 0);
    assert!(folder.read("params/history/0003.toml").contains("gas.new = 144_000_000_000"));
}

#[test]
fn what_is_doubtful_is_accepted_only_when_told() {
    let doubtful = TABLE.replacen("gas = 122_000_000_000", "gas = 143_000_000_000", 1).replacen(
        "value = 40_469.0, low = 37_837.0, high = 44_857.0",
        "value = 47_500.0, low = 44_000.0, high = 60_000.0",
        1,
    );
    let folder = folder("");
    folder.write("params/proposed.toml", &doubtful);
    let (code, stderr) = promote(&folder, &[]);
    assert!(code == 4 && stderr.contains("unsure: memory_init_base") && stderr.contains("--accept unsure"), "{stderr}");
    let machine = TABLE.lines().find(|line| line.starts_with("machine = ")).unwrap();
    folder.write("params/proposed.toml", doubtful.replace(machine, "machine = \"cafecafecafe\""));
    let (code, stderr) = promote(&folder, &["--accept", "unsure"]);
    assert!(code == 6 && stderr.contains("--accept machine"), "{stderr}");
    assert!(!folder.join("params/history").exists());
    let (code, stderr) = promote(&folder, &["--accept", "unsure,machine"]);
    assert_eq!(code, 0, "{stderr}");
    for file in ["params/history/0002.toml", "params/current.toml"] {
        let text = folder.read(file);
        assert!(text.contains("unsure: memory_init_base") && text.contains("machine: measured on"), "{text}");
    }
}

#[test]
fn a_rejected_fit_that_has_no_line_cannot_be_accepted_even_when_told() {
    let folder = super::stored::stored();
    let chain = folder.read("reports/run/chain.toml").replace("\"median\"", "\"p99\"");
    folder.write("reports/run/chain.toml", chain);
    let args = ["promote", "reports/run", "--onto", "params/current.toml", "--by", "Ada"];
    let (code, stderr) = folder.fails(&args);
    assert!(code == 5 && stderr.contains("proposes nothing: "), "{code}: {stderr}");
    let accepted: Vec<&str> = args.into_iter().chain(["--accept", "rejected"]).collect();
    let (code, stderr) = folder.fails(&accepted);
    assert!(code == 5 && stderr.contains("a 99th percentile needs"), "{stderr}");
    assert!(!folder.join("params").exists());
    assert_eq!(folder.fails(&["diff", "reports/run", "reports/run"]).0, 5);
}

#[test]
fn a_trial_writes_nothing_and_nobody_is_no_author() {
    let folder = folder("gas = 133_000_000_000");
    assert_eq!(promote(&folder, &["--dry-run"]).0, 0);
    assert!(!folder.join("params/history").exists());
    let (code, stderr) = folder.fails(&[&PROMOTE[..4], &EDITED].concat());
    assert!(code == 2 && stderr.contains("--by NAME"), "{stderr}");
    assert_eq!(folder.read("params/current.toml"), TABLE);
}
