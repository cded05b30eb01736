use crate::folder::Folder;

const TABLE: &str = include_str!("../../params/current.toml");

fn folder(change: impl Fn(&str) -> String) -> Folder {
    let folder = Folder::new();
    folder.write("old.toml", TABLE);
    folder.write("new.toml", change(TABLE));
    folder
}

/// The table with the gas of a parameter multiplied, as by an editor.
fn edited(table: &str, name: &str, factor: f64) -> String {
    let mut document: toml_edit::DocumentMut = table.parse().unwrap();
    let gas = document["params"][name]["gas"].as_integer().unwrap();
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a test figure")]
    let gas = (gas as f64 * factor) as i64;
    document["params"][name]["gas"] = toml_edit::value(gas);
    document.to_string()
}

#[test]
fn a_table_against_itself_is_one_line() {
    let folder = folder(str::to_owned);
    let output = folder.estimator(&["diff", "old.toml", "new.toml", "--exit-code"]).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && stdout.starts_with("No difference") && stdout.lines().count() == 1, "{stdout}");
}

#[test]
fn a_small_edit_is_counted_and_a_large_one_is_a_change() {
    for (factor, code) in [(1.01, 0), (1.1, 3)] {
        let folder = folder(|table| edited(table, "memory_init_base", factor));
        let args = ["diff", "old.toml", "new.toml", "--threshold", "2", "--exit-code"];
        let output = folder.estimator(&args).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{stdout}");
        assert!(stdout.contains("1 raised") && stdout.contains("memory_init_base"), "{stdout}");
    }
}

#[test]
fn a_missing_table_is_usage() {
    let folder = folder(str::to_owned);
    assert_eq!(folder.fails(&["diff", "old.toml", "nowhere.toml"]).0, 2);
}

#[test]
fn markdown_and_json_tell_the_same() {
    let folder = folder(|table| edited(table, "memory_init_per_page", 1.5));
    let show = |format: &str| {
        let output = folder.estimator(&["diff", "old.toml", "new.toml", "--format", format]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(show("markdown").contains("| memory\\_init\\_per\\_page | raised |"), "{}", show("markdown"));
    let json: serde_json::Value = serde_json::from_str(&show("json")).unwrap();
    let changed = json["params"].as_array().unwrap().iter().find(|row| row["change"] == "raised").unwrap();
    assert_eq!(changed["name"], "memory_init_per_page");
}
