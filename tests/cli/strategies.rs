//! A comparison of strategies as people ask for it: break-even shares, a mix of calls, what to run.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::folder::{Folder, GOOD, failure};

const MIX: &str = "# some calls\npages,touched_share,weight\n4,0.25,2\n8,0.5,1\n16,0,1\n";

/// A measured comparison of two strategies in `reports/latest`, for the calls of [`MIX`].
fn compared() -> Folder {
    let folder = Folder::new();
    folder.contract("touch-memory", GOOD, "[1, 4, 16]");
    folder.write("mix.csv", MIX);
    let args = [&RUN[..], &["--workload", "mix.csv"]].concat();
    folder.estimator(&args).assert().success();
    folder
}

const RUN: [&str; 11] = [
    "run",
    "--contracts",
    "contracts",
    "--experiment",
    "strategies",
    "--strategy",
    "fresh-map,recycle-zero",
    "--budget",
    "1s",
    "--seed",
    "1",
];

fn json(folder: &Folder) -> Value {
    serde_json::from_str(&folder.read("reports/latest/strategies.json")).unwrap()
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap()
}

#[test]
fn a_comparison_says_where_what_and_for_whose_calls() {
    let folder = compared();
    let found = json(&folder);

    // The mean over the mix is the blend of the points' costs that the documentation promises.
    let cost = |strategy: &str, pages: u64, touched: u64| {
        let points = found["points"].as_array().unwrap().iter();
        let at = |point: &Value, name: &str| point["levels"][name].as_u64().unwrap_or_default();
        let usual = ["initial_pages", "touched_pages", "stack_bytes"];
        let mut here = points.filter(|of| {
            let point = &of["point"];
            let is_usual = point["levels"].as_object().unwrap().keys().all(|name| usual.contains(&&**name));
            point["strategy"] == strategy
                && is_usual
                && (at(point, "initial_pages"), at(point, "touched_pages")) == (pages, touched)
        });
        number(&here.next().unwrap_or_else(|| panic!("{strategy} {pages} {touched}"))["cost"]["value"])
    };
    let mix = &found["mix"];
    assert!((number(&mix["measured"]) - 0.75).abs() < 1e-12, "8 pages lie between 4 and 16");
    assert_eq!(mix["between"], serde_json::json!([8]));
    for expected in mix["expected"].as_array().unwrap() {
        let name = expected["strategy"].as_str().unwrap();
        // Half of 4 pages lies a third of the way from 1 to 4 touched ones, half of 16 as far from 4 to 16.
        let [four, sixteen] = [4, 16].map(|pages| {
            let (quarter, all) = (cost(name, pages, pages / 4), cost(name, pages, pages));
            quarter + (all - quarter) / 3.0
        });
        let eight = four + (sixteen - four) / 3.0;
        let mean = (2.0 * cost(name, 4, 1) + eight + cost(name, 16, 0)) / 4.0;
        let cost = &expected["cost"];
        assert!((number(&cost["value"]) / mean - 1.0).abs() < 1e-6, "{name}: {cost} for {mean}");
        assert!(number(&cost["low"]) < mean && mean < number(&cost["high"]));
    }

    // A row for machines says what the same comparison says in JSON.
    let mut rows = csv::Reader::from_path(folder.join("reports/latest/break-even.csv")).unwrap();
    let rows: Vec<BTreeMap<String, String>> = rows.deserialize().map(Result::unwrap).collect();
    let sizes: Vec<&str> = rows.iter().map(|row| &*row["pages"]).collect();
    assert!(["1", "4", "16"].iter().all(|pages| sizes.contains(pages)), "{sizes:?}");
    for row in &rows {
        assert_eq!((&*row["kept"], &*row["gives_back"]), ("recycle-zero", "fresh-map"));
        let all = found["break_even"].as_array().unwrap();
        let of = all.iter().find(|of| of["pages"].as_u64() == row["pages"].parse().ok()).unwrap();
        assert_eq!((&of["one"], &of["other"]), (&"fresh-map".into(), &"recycle-zero".into()));
        match &*row["cheaper"] {
            "always" => assert_eq!(of["outcome"], "other"),
            "never" => assert_eq!(of["outcome"], "one"),
            "unsure" => assert_eq!(of["outcome"], "unsure"),
            change => {
                let changes = of["outcome"]["changes"].as_array().unwrap();
                let share: f64 = row["share"].parse().unwrap();
                let change = changes.iter().find(|of| {
                    of["other_beyond"] == (change == "from") && number(&of["at"]["value"]).to_bits() == share.to_bits()
                });
                assert!(change.is_some() && (0.0..=1.0).contains(&share), "{row:?}");
            }
        }
    }

    // The worst case is that of every byte written, which was measured at 1 page and at 16.
    assert_eq!(
        found["ranking_setting"],
        serde_json::json!({"conditions": {"write_width": "every-byte"}, "share": "all"})
    );
    assert_eq!(found["ranking_of_least_held"].as_array().unwrap().len(), 1);

    // What to run is the first thing said, and is what the figures below it say.
    let summary = folder.read("reports/latest/summary.md");
    let headings: Vec<&str> = summary.lines().filter_map(|line| line.strip_prefix("## ")).take(2).collect();
    assert_eq!(headings, ["What to run", "What each costs and holds"]);
    let cells = |start: &str| -> Vec<String> {
        let row =
            summary.lines().find(|line| line.starts_with(&format!("| {start}"))).unwrap_or_else(|| panic!("{summary}"));
        row.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().replace('\\', "").trim_end_matches(" ~").to_owned())
            .collect()
    };
    assert_eq!(cells("memory held")[1..4], ["fresh-map *", cells("fresh-map")[1].as_str(), "0 B"]);
    for (low, column) in [("worst case", 1), ("own mix", 3)] {
        let chosen = cells(low);
        let figures = cells(chosen[1].trim_end_matches(" *"));
        assert_eq!((&chosen[2], &chosen[3]), (&figures[column], &figures[4]), "{summary}");
    }
    let page = folder.read("reports/latest/report.html");
    assert!(page.contains("id=\"break-even\"") && folder.join("reports/latest/plots/break-even.svg").is_file());
}

#[test]
fn the_workload_is_kept_and_another_can_take_its_place() {
    let folder = compared();
    assert_eq!(folder.read("reports/latest/workload.csv"), MIX);
    assert!(folder.read("reports/latest/run.toml").contains("--workload mix.csv"));
    let files =
        ["strategies.json", "break-even.csv", "summary.md", "report.html"].map(|file| format!("reports/latest/{file}"));
    let before = files.each_ref().map(|file| folder.read(file));
    folder.write("mix.csv", "");
    folder.estimator(&["fit", "reports/latest"]).assert().success();
    assert_eq!(files.each_ref().map(|file| folder.read(file)), before, "from the folder alone");

    let cost = |folder: &Folder| json(folder)["mix"]["expected"][0]["cost"].clone();
    let first = cost(&folder);
    folder.write("mix.csv", "pages,touched_share,weight\n16,1,1\n");
    folder.estimator(&["fit", "reports/latest", "--workload", "mix.csv"]).assert().success();
    assert_ne!(cost(&folder), first);
    let second = cost(&folder);
    folder.estimator(&["report", "reports/latest"]).assert().success();
    assert_eq!(cost(&folder), second, "the fit has put it into the folder");
}

/// A chain that allows less than was measured takes points away, and with them what the kept calls lie between.
#[test]
fn a_kept_workload_that_no_longer_fits_is_left_out_and_a_named_one_refused() {
    let folder = compared();
    let chain = folder.read("reports/latest/chain.toml");
    let limit = chain.lines().find(|line| line.starts_with("initial_pages_max")).unwrap();
    folder.write("smaller.toml", chain.replace(limit, "initial_pages_max = 4"));
    let fit = ["fit", "reports/latest", "--chain", "smaller.toml"];
    let output = folder.estimator(&fit).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && stderr.contains("kept workload") && stderr.contains("16 pages of"), "{stderr}");
    assert!(json(&folder)["mix"].is_null() && folder.read("reports/latest/summary.md").contains("--workload FILE"));
    assert_eq!(folder.read("reports/latest/workload.csv"), MIX, "the larger chain finds it again");
    let (code, stderr) = failure(&mut folder.estimator(&[&fit[..], &["--workload", "mix.csv"]].concat()));
    assert!(code == 6 && stderr.contains("1 to 4 pages"), "{stderr}");
    folder.estimator(&["fit", "reports/latest"]).assert().success();
    assert!(json(&folder)["mix"].is_object());
    // One that was broken since is no reason to lose what was measured.
    folder.write("reports/latest/workload.csv", "garbage\n");
    let output = folder.estimator(&["fit", "reports/latest"]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && stderr.contains("left out") && stderr.contains("workload.csv:1"), "{stderr}");
}

#[test]
fn a_workload_that_cannot_be_used_is_told_by_its_rows_before_anything_is_measured() {
    let folder = Folder::new();
    folder.contract("touch-memory", GOOD, "[1, 4, 16]");
    let fails = |rows: &str| {
        folder.write("mix.csv", rows);
        let failed = failure(&mut folder.estimator(&[&RUN[..], &["--workload", "mix.csv"]].concat()));
        assert!(!folder.join("reports").exists(), "nothing was begun");
        failed
    };
    let (code, stderr) = fails("pages,touched_share,weight\n4,2,1\n4,1,1\n4,1,-1\n");
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("mix.csv:2: `touched_share` is `2`") && stderr.contains("mix.csv:4: `weight`"), "{stderr}");
    let (code, stderr) = fails("pages,touched_share,weight\n4,1,1\n17,1,1\n");
    assert_eq!(code, 6, "{stderr}");
    assert!(
        stderr.contains("mix.csv:3: 17 pages of which 1 is touched lie beyond") && stderr.contains("1 to 16 pages"),
        "{stderr}"
    );
    let (code, stderr) = failure(&mut folder.estimator(&[&RUN[..], &["--workload", "nowhere.csv"]].concat()));
    assert!(code == 2 && stderr.contains("no workload nowhere.csv"), "{stderr}");
    let mut command = folder.estimator(&["run", "--contracts", "contracts", "--workload", "mix.csv"]);
    let (code, stderr) = failure(&mut command);
    assert!(code == 2 && stderr.contains("--experiment strategies"), "{stderr}");
    let stored = crate::stored::stored();
    stored.write("mix.csv", MIX);
    let (code, stderr) = stored.fails(&["fit", "reports/run", "--workload", "mix.csv"]);
    assert!(code == 2 && stderr.contains("--experiment strategies"), "{stderr}");
}
