//! What a table says against itself is said by every command that uses one.

use crate::folder::Folder;

const TABLE: &str = include_str!("../data/current.toml");

/// A table in force with a charge per page that does not follow, and of a day that is none.
fn folder() -> Folder {
    let folder = Folder::new();
    let nonsense =
        TABLE.replacen("gas = 143_000_000_000", "gas = 1", 1).replacen("2026-11-30T16:38:58Z", "yesterday", 1);
    folder.write("params/current.toml", TABLE);
    folder.write("params/proposed.toml", nonsense);
    folder.module("a", "(module (memory 1))");
    folder
}

fn both(folder: &Folder, args: &[&str]) -> (String, String) {
    let output = folder.estimator(args).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

const SAID: &str = "inconsistent: memory_init_per_page.gas is 1 and does not follow: 47_496 ns × safety 3";

#[test]
fn a_table_that_breaks_its_rules_is_promoted_only_by_name() {
    let folder = folder();
    let promote = ["promote", "params/proposed.toml", "--onto", "params/current.toml", "--by", "Ada"];
    let (code, stderr) = folder.fails(&promote);
    assert!(code == 6 && stderr.contains(SAID) && stderr.contains("\"yesterday\" is no time"), "{code}: {stderr}");
    assert!(stderr.contains("give --accept inconsistent"), "{stderr}");
    assert!(!folder.join("params/history").exists());
    let (code, stderr) = folder.fails(&[&promote[..], &["--accept", "free,unsure"]].concat());
    assert_eq!(code, 6, "{stderr}");
    assert_eq!(folder.fails(&[&promote[..], &["--accept", "inconsistent"]].concat()).0, 0);
    for file in ["params/history/0002.toml", "params/current.toml"] {
        assert!(folder.read(file).contains(SAID), "{file}");
    }
    // Again the same: what was accepted is not asked for, nor recorded, twice.
    let (stdout, _) = both(&folder, &promote);
    assert!(stdout.contains("nothing to accept"), "{stdout}");
    let (stdout, stderr) = both(&folder, &["promote", "--check", "--onto", "params/current.toml", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert!(stderr.contains(SAID) && json["objections"][0]["name"] == "inconsistent", "{stderr}{stdout}");
}

#[test]
fn a_first_table_and_one_found_are_held_against_their_rules_too() {
    let folder = folder();
    std::fs::remove_file(folder.join("params/current.toml")).unwrap();
    let promote = |from: &str| folder.fails(&["promote", from, "--onto", "params/current.toml", "--by", "Ada"]);
    assert_eq!(promote("params/proposed.toml").0, 6);
    std::fs::rename(folder.join("params/proposed.toml"), folder.join("params/current.toml")).unwrap();
    assert_eq!(promote("params/current.toml").0, 6);
    assert!(!folder.join("params/history").exists());
}

#[test]
fn a_difference_names_the_objections_to_both_tables() {
    let folder = folder();
    let diff = ["diff", "params/current.toml", "params/proposed.toml", "--format"];
    let (human, _) = both(&folder, &[&diff[..], &["human"]].concat());
    assert!(human.contains("Objections") && human.contains(SAID), "{human}");
    let (markdown, _) = both(&folder, &[&diff[..], &["markdown"]].concat());
    assert!(markdown.contains("### Objections") && markdown.contains("| new | inconsistent"), "{markdown}");
    let (json, _) = both(&folder, &[&diff[..], &["json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["objections"]["old"], serde_json::json!([]));
    assert_eq!(json["objections"]["new"][0]["name"], "inconsistent");
}

#[test]
fn a_price_an_export_and_a_verification_say_what_speaks_against_their_table() {
    let folder = folder();
    let table = ["--params", "params/proposed.toml"];
    for args in [
        &["price", "contracts", "--format", "json"][..],
        &["export", "--format", "json"],
        &["verify", "contracts", "--budget", "1s", "--seed", "1", "--format", "json"],
    ] {
        let (stdout, stderr) = both(&folder, &[args, &table].concat());
        assert!(stderr.contains("warning: params/proposed.toml: inconsistent: "), "{args:?}: {stderr}");
        let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let found = json.pointer("/objections").or_else(|| json.pointer("/totals/objections")).unwrap();
        assert_eq!(found[0]["name"], "inconsistent", "{stdout}");
    }
    let (stdout, _) = both(&folder, &[&["export", "--format", "near"][..], &table].concat());
    assert!(stdout.contains("# Objection: inconsistent: "), "{stdout}");
    for args in [&["price", "contracts"][..], &["export", "--format", "near"], &["diff", table[1], table[1]]] {
        let args: Vec<&str> =
            args.iter().map(|arg| if *arg == table[1] { "params/current.toml" } else { arg }).collect();
        let (stdout, stderr) = both(&folder, &args);
        assert!(!stderr.contains("warning") && !stdout.contains("bjection"), "{stderr}{stdout}");
    }
}
