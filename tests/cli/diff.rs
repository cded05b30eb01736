use crate::folder::Folder;

const TABLE: &str = include_str!("../data/current.toml");

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
    for (factor, code, said) in [(1.01, 0, "1 within the threshold"), (1.1, 3, "1 raised")] {
        let folder = folder(|table| edited(table, "memory_init_base", factor));
        let args = ["diff", "old.toml", "new.toml", "--threshold", "2", "--exit-code"];
        let output = folder.estimator(&args).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{stdout}");
        assert!(stdout.contains(said) && stdout.contains("memory_init_base"), "{stdout}");
    }
}

#[test]
fn wide_intervals_that_overlap_are_unsure() {
    let folder = folder(|table| {
        table.replacen("gas = 122_000_000_000", "gas = 143_000_000_000", 1).replacen(
            "value = 40_469.0, low = 37_837.0, high = 44_857.0",
            "value = 47_500.0, low = 44_000.0, high = 60_000.0",
            1,
        )
    });
    let output = folder.estimator(&["diff", "old.toml", "new.toml", "--exit-code"]).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(4), "{stdout}");
    assert!(stdout.contains("1 unsure") && stdout.contains("44.0 µs … 60.0 µs"), "{stdout}");
}

#[test]
fn keys_on_one_side_are_listed_and_zero_gives_no_infinity() {
    let folder = folder(|table| {
        table.replace("[params.memory_grow_per_page]\n", "[params.other]\n").replacen(
            "gas = 122_000_000_000",
            "gas = 5",
            1,
        )
    });
    folder.write("old.toml", TABLE.replacen("gas = 122_000_000_000", "gas = 0", 1));
    let output = folder.estimator(&["diff", "old.toml", "new.toml"]).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("1 added, 1 removed"), "{stdout}");
    for line in ["memory_grow_per_page  removed", "other                   added", "memory_init_base       raised"] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
    assert!(!stdout.contains("inf") && !stdout.contains("NaN"), "{stdout}");
}

#[test]
fn a_run_is_a_table_too() {
    let folder = super::stored::stored();
    folder.estimator(&["fit", "reports/run", "--params", "table.toml"]).assert().success();
    let output = folder.estimator(&["diff", "table.toml", "reports/run"]).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.starts_with("No difference") && stdout.lines().count() == 1, "{stdout}");
    assert_eq!(folder.fails(&["diff", "table.toml", "reports"]).0, 2);
}

#[test]
fn a_revision_is_a_table_too() {
    let Some(folder) = super::review::repository(TABLE) else { return };
    folder.write("params/current.toml", edited(TABLE, "memory_init_base", 1.1));
    for args in [
        &["diff", "--base", "HEAD", "params/current.toml", "--exit-code"][..],
        &["diff", "HEAD:params/current.toml", "params/current.toml", "--exit-code"],
    ] {
        let output = super::review::with_git(folder.estimator(args)).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(3), "{stdout}");
        assert!(stdout.contains("1 raised"), "{stdout}");
    }
    for (args, said) in [
        (&["diff", "--base=--output=x", "params/current.toml"][..], "knows no revision"),
        (
            &["diff", "--base", "HEAD", "params/other.toml"],
            "git cannot read params/other.toml in revision HEAD: fatal: path",
        ),
        (&["diff", "--base", "HEAD", "a.toml", "b.toml"], "only one table"),
        (&["diff", "params/current.toml"], "name two tables"),
    ] {
        let (code, stderr) = super::folder::failure(&mut super::review::with_git(folder.estimator(args)));
        assert!(code == 2 && stderr.contains(said), "{code}: {stderr}");
    }
}

#[test]
fn a_comment_has_room_for_any_table() {
    let many = |factor: f64| {
        let mut document: toml_edit::DocumentMut = edited(TABLE, "memory_init_base", factor).parse().unwrap();
        let param = document["params"]["memory_init_base"].clone();
        for index in 0..2_000 {
            document["params"][format!("p{index:04}")] = param.clone();
        }
        document.to_string()
    };
    let folder = Folder::new();
    folder.write("old.toml", many(1.0));
    folder.write("new.toml", many(1.5));
    let output = folder.estimator(&["diff", "old.toml", "new.toml", "--format", "markdown"]).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        stdout.len() < 65_536 && stdout.contains("2001 raised") && stdout.contains("further rows"),
        "{}",
        stdout.len()
    );
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
    assert!(show("markdown").contains("| `memory_init_per_page` | raised |"), "{}", show("markdown"));
    let json: serde_json::Value = serde_json::from_str(&show("json")).unwrap();
    let changed = json["params"].as_array().unwrap().iter().find(|row| row["change"] == "raised").unwrap();
    assert_eq!(changed["name"], "memory_init_per_page");
}
